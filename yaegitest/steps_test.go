package yaegitest

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"sort"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// openedSteps is a file beside the plugin's own: the steps of a request's way, each alone.
const openedSteps = `package ratelimit

import (
	"context"
	"net/http"
	"time"
)

// decided is a limiter that answers at once.
type decided struct{ decision decision }

func (d *decided) take(_ context.Context, source string, cost int64) (decision, error) {
	return d.decision, nil
}

// Steps are functions that take a step n times, by what it is.
func Steps(config *Config, next http.Handler, w http.ResponseWriter, r *http.Request) map[string]func(n int) {
	s, err := compile(config, "steps@file")
	if err != nil {
		panic(err)
	}
	running := shared.use(context.Background(), s)
	now := time.Now()
	allowed := decision{allowed: true, at: 1700000000000000, verdicts: []verdict{{allowed: true, remaining: 5, resetAfter: 100000}}}
	denied := decision{at: 1700000000000000, verdicts: []verdict{{resetAfter: 3600000000, nextAfter: 3600000000, retryAfter: 3600000000}}}
	held := newDenial(&running.rules, &denied)
	held.cost = 1
	held.arrived = now
	held.until = now.Add(time.Hour)
	passing := &middleware{settings: s, rules: running.rules, limiter: &decided{allowed}, denials: &denials{}}
	denying := &middleware{settings: s, rules: running.rules, limiter: &decided{denied}, denials: &denials{}}
	denying.denials.young = map[string]*denial{sourceOf(&s.source, r): held}

	steps := map[string]func(n int){}
	addWhole(steps, "6 ServeHTTP, allowed, by a limiter that answers at once", &handler{next: next, middleware: passing}, w, r)
	addWhole(steps, "7 ServeHTTP, denied from memory", &handler{next: next, middleware: denying}, w, r)
	steps["5 next"] = func(n int) {
		for i := 0; i < n; i++ {
			next.ServeHTTP(w, r)
		}
	}
	steps["1 source"] = func(n int) {
		for i := 0; i < n; i++ {
			sourceOf(&s.source, r)
		}
	}
	steps["2 look for a denial"] = func(n int) {
		for i := 0; i < n; i++ {
			recall(denying.denials, "127.0.0.1", 1, time.Now())
		}
	}
	steps["3 header fields, allowed"] = func(n int) {
		for i := 0; i < n; i++ {
			setHeaders(w.Header(), &running.rules, &allowed)
		}
	}
	steps["4 answer, denied"] = func(n int) {
		for i := 0; i < n; i++ {
			answerDenied(w, &running.rules, held, 0)
		}
	}
	addFlight(steps, "8 flight of 1: ", running.batch, 1)
	addFlight(steps, "9 flight of 128: ", running.batch, 128)
	steps["8 flight of 1: whole, with the wait for it"] = func(n int) {
		for i := 0; i < n; i++ {
			_, err := running.batch.take(context.Background(), "127.0.0.1", 1)
			if err != nil {
				panic(err)
			}
		}
	}
	return steps
}

func addWhole(steps map[string]func(n int), name string, h *handler, w http.ResponseWriter, r *http.Request) {
	steps[name] = func(n int) {
		for i := 0; i < n; i++ {
			h.ServeHTTP(w, r)
		}
	}
}

// addFlight adds the steps of a flight with so many aboard.
func addFlight(steps map[string]func(n int), name string, b *batch, aboard int) {
	requests := make([]*request, aboard)
	for i := range requests {
		requests[i] = &request{source: "127.0.0.1", cost: 1, answer: make(chan ruling, 1)}
	}
	c, err := b.client.connect()
	if err != nil {
		panic(err)
	}
	question := b.call(requests)
	reply, err := exchange(c, question, 10*time.Second)
	if err != nil {
		panic(err)
	}
	outcomes, err := parseReply(reply, b.limits, aboard)
	if err != nil {
		panic(err)
	}
	steps[name+"what to ask"] = func(n int) {
		for i := 0; i < n; i++ {
			b.call(requests)
		}
	}
	steps[name+"ask Redis"] = func(n int) {
		for i := 0; i < n; i++ {
			_, err := exchange(c, question, 10*time.Second)
			if err != nil {
				panic(err)
			}
		}
	}
	steps[name+"read the reply"] = func(n int) {
		for i := 0; i < n; i++ {
			parseReply(reply, b.limits, aboard)
		}
	}
	steps[name+"answer"] = func(n int) {
		for i := 0; i < n; i++ {
			for _, r := range requests {
				r.answered = false
			}
			b.land(requests, outcomes, nil)
			for _, r := range requests {
				<-r.answer
			}
		}
	}
}
`

// steps are the interpreted steps of a request's way, on a Redis of their own.
func steps(tb testing.TB) map[string]func(n int) {
	tb.Helper()
	server := redistest.Start(tb)
	plugin, i := openPlugin(tb, openedSteps)
	config, err := plugin.Config(map[string]any{"average": "1000000", "redis": map[string]any{"endpoints": server.Addr}, "timeout": "10s"})
	if err != nil {
		tb.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "127.0.0.1:4711"
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	results := eval(tb, i, "Steps").Call([]reflect.Value{
		config, reflect.ValueOf(http.Handler(next)), reflect.ValueOf(http.ResponseWriter(nowhere{http.Header{}})), reflect.ValueOf(r),
	})
	return results[0].Interface().(map[string]func(n int))
}

// nowhere is a ResponseWriter whose cost is none.
type nowhere struct{ header http.Header }

func (w nowhere) Header() http.Header          { return w.header }
func (nowhere) Write(body []byte) (int, error) { return len(body), nil }
func (nowhere) WriteHeader(int)                {}

// TestSteps takes every step once, so that the benchmark does not rot.
func TestSteps(t *testing.T) {
	for _, step := range steps(t) {
		step(1)
	}
}

// BenchmarkSteps is the price of each step of a request's way, interpreted.
func BenchmarkSteps(b *testing.B) {
	all := steps(b)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) { all[name](b.N) })
	}
}
