package yaegitest

import (
	"context"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
	"github.com/traefik/yaegi/interp"
)

// quiet is a ResponseWriter that costs next to nothing.
type quiet struct{ header http.Header }

func (q *quiet) Header() http.Header            { return q.header }
func (q *quiet) Write(text []byte) (int, error) { return len(text), nil }
func (q *quiet) WriteHeader(int)                {}

// BenchmarkRequest is what a request costs in the interpreted plugin alone, with so many at once and a real Redis: time, and
// what it leaves to the garbage collector, which is the greater part of an interpreted call.
func BenchmarkRequest(b *testing.B) {
	plugin, err := Load("..", nil)
	if err != nil {
		b.Fatal(err)
	}
	redis := redistest.Start(b).Addr
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, row := range []struct {
		name    string
		average string
		atOnce  int
	}{
		{"allowed, one at a time", "90000000", 1},
		{"allowed, 128 at once", "90000000", 128},
		{"denied, 128 at once", "1", 128},
	} {
		b.Run(row.name, func(b *testing.B) {
			handler, err := plugin.New(context.Background(), next, map[string]any{
				"average": row.average, "period": "24h", "timeout": "10s", "redis": map[string]any{"endpoints": []any{redis}},
			}, row.name+"@file")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetParallelism((row.atOnce + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
			serve := func(w *quiet) {
				handler.ServeHTTP(w, &http.Request{RemoteAddr: "203.0.113.7:4711", Header: http.Header{}})
			}
			if row.atOnce == 1 {
				w := &quiet{header: http.Header{}}
				for i := 0; i < b.N; i++ {
					serve(w)
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				w := &quiet{header: http.Header{}}
				for pb.Next() {
					serve(w)
				}
			})
		})
	}
}

// callsSource calls one small function in each way that there is.
const callsSource = `package calls

type counter struct{ n int }

func (c *counter) add(n int) int { return c.n + n }

func add(c *counter, n int) int { return c.n + n }

type adder interface{ add(n int) int }

func Calls() map[string]func(n int) {
	c := &counter{}
	var a adder = c
	return map[string]func(n int){
		"1 function":          func(n int) { for i := 0; i < n; i++ { add(c, 1) } },
		"2 method expression": func(n int) { for i := 0; i < n; i++ { (*counter).add(c, 1) } },
		"3 method":            func(n int) { for i := 0; i < n; i++ { c.add(1) } },
		"4 interface":         func(n int) { for i := 0; i < n; i++ { a.add(1) } },
	}
}
`

// BenchmarkCalls is what the ways of calling cost in Yaegi: why the hot path has functions, and methods by their expressions.
func BenchmarkCalls(b *testing.B) {
	i := interp.New(interp.Options{})
	if _, err := i.Eval(callsSource); err != nil {
		b.Fatal(err)
	}
	made, err := i.Eval("calls.Calls()")
	if err != nil {
		b.Fatal(err)
	}
	calls := made.Interface().(map[string]func(int))
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		b.Run(name, func(b *testing.B) { calls[name](b.N) })
	}
}
