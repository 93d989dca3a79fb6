package yaegitest

import (
	"context"
	"net/http"
	"runtime"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
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
