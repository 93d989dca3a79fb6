// Package reach has functions that are reached in all ways in which a plugin
// reaches its own, and some that are not. The name says which.
package reach

import (
	"context"
	"net/http"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

var initialised = reachedByInitialiser()

func reachedByInitialiser() int { return 1 }

func init() { reachedByInit() }

func reachedByInit() {}

type handler struct {
	worker worker
	value  atomic.Value
	known  sync.Map
	once   sync.Once
	run    func()
	inner  http.Handler
}

type worker interface{ work() }

type first struct{}

func (first) work() { reachedThroughInterface() }

type stored struct{}

func (stored) act() { reachedThroughAtomicValue() }

type actor interface{ act() }

func reachedThroughInterface()   {}
func reachedThroughAtomicValue() {}
func reachedThroughSyncMap()     {}

type kept struct{}

func (*kept) keep() { reachedThroughSyncMap() }

type keeper interface{ keep() }

type list []int

func (l list) Len() int           { return reachedThroughSort(len(l)) }
func (l list) Less(i, j int) bool { return l[i] < l[j] }
func (l list) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

func reachedThroughSort(n int) int { return n }

func New(ctx context.Context, next http.Handler) http.Handler {
	h := &handler{worker: first{}, run: reachedThroughField}
	h.value.Store(stored{})
	h.known.Store("a", &kept{})
	context.AfterFunc(ctx, reachedByContext)
	time.AfterFunc(time.Hour, func() { reachedByTimer() })
	go reachedByGo()
	defer reachedByDefer()
	sort.Sort(list{2, 1})
	h.inner = http.StripPrefix("/", http.HandlerFunc(h.serve))
	return h
}

func reachedThroughField() {}
func reachedByContext()    {}
func reachedByTimer()      {}
func reachedByGo()         {}
func reachedByDefer()      {}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) { h.reachedByMethodValue() }

func (h *handler) reachedByMethodValue() {}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.worker.work()
	h.value.Load().(actor).act()
	v, _ := h.known.Load("a")
	v.(keeper).keep()
	h.once.Do(h.reachedByOnce)
	h.run()
	h.inner.ServeHTTP(w, r)
	reachedGeneric(3)
}

func (h *handler) reachedByOnce() {}

func reachedGeneric[T any](v T) T { return v }

// What nothing calls, also where it hands a function to what others use too.
type second struct{}

func (second) work() { notReachedThroughInterface() }

func notReachedThroughInterface() {}

func notReached(h *handler) {
	h.once.Do(func() { notReachedThroughOnce() })
	h.worker = second{}
	h.run = notReachedThroughField
}

func notReachedThroughOnce()  {}
func notReachedThroughField() {}

// notReachedLoop keeps itself alive in a graph that does not tell callers of
// sync.Once.Do apart.
func notReachedLoop(h *handler) {
	h.once.Do(func() { notReachedLoop(h) })
}
