package yaegitest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// openedCrash is a file beside the plugin's own: faults of ours at places of a flight.
const openedCrash = `package ratelimit

import (
	"context"
	"net/http"
)

// Crashes plays faults, one after the other, and says what became of the requests of each.
func Crashes(config *Config) []string {
	s, err := compile(config, "crash@file")
	if err != nil {
		panic(err)
	}
	b := shared.use(context.Background(), s).batch
	said := []string{crash(b, "none", 3)}
	said = append(said, crash(b, "header", 3))
	for i := 0; i < 3; i++ {
		b.client.mu.Lock()
		b.client.ready[0].wire = nil
		b.client.mu.Unlock()
		said = append(said, crash(b, "connection", 3))
		said = append(said, crash(b, "none", 1))
	}

	b.client.mu.Lock()
	b.client.ready[0].wire = nil
	b.client.ready[0].client = nil
	b.client.mu.Unlock()
	said = append(said, crash(b, "its end, too", 2))
	said = append(said, crash(b, "none", 1))
	return said
}

// crash is a flight of so many requests. Each has room for a second answer, which is seen.
func crash(b *batch, what string, many int) string {
	requests := make([]*request, many)
	for i := range requests {
		requests[i] = &request{header: http.Header{}, source: "x", cost: 1, answer: make(chan bool, 2)}
	}
	if what == "header" {
		requests[1].header = nil
	}
	b.enqueue(requests)
	text := what + ":"
	for _, p := range requests {
		passes := <-p.answer
		switch {
		case passes && p.err == nil:
			text += " passes"
		case p.err == errCrashed:
			text += " crashed"
		default:
			text += " lost"
		}
	}
	for _, p := range requests {
		if len(p.answer) > 0 {
			text += " twice"
		}
	}
	b.mu.Lock()
	if len(b.line) > 0 || b.boarding > 0 {
		text += " left"
	}
	b.mu.Unlock()
	return text
}
`

// TestCrashedFlights: interpreted, too, a fault of ours in a flight leaves nobody without an answer, gives nobody two, and ends nothing else.
func TestCrashedFlights(t *testing.T) {
	server := redistest.Start(t)
	plugin, i := openPlugin(t, openedCrash)
	config, err := plugin.Config(map[string]any{"average": "1000", "redis": map[string]any{"endpoints": server.Addr}, "timeout": "10s"})
	if err != nil {
		t.Fatal(err)
	}
	results := eval(t, i, "Crashes").Call([]reflect.Value{config})
	want := []string{"none: passes passes passes", "header: passes passes passes"}
	for range 3 {
		want = append(want, "connection: crashed crashed crashed", "none: passes")
	}
	want = append(want, "its end, too: crashed crashed", "none: passes")
	if got := results[0].Interface().([]string); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if panics := strings.Count(plugin.Errors.String(), "panic in flight: "); panics != 6 {
		t.Errorf("%d panics are logged, want 6:\n%s", panics, plugin.Errors)
	}
}
