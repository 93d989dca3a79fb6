package suite

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// lifeCases are about instances that come and go with Traefik's reloads.
var lifeCases = []testCase{
	{"New needs no network", "a start or reload must not stall while Redis is slow or away", virtual, newNeedsNoNetwork},
	{"reloads share connections", "a client per router and reload, never closed, ended Traefik elsewhere", both, reloadsShareConnections},
	{"routers share connections", "a hundred routers are one client of Redis", both, routersShareConnections},
	{"middlewares share connections", "twenty middlewares are one client of Redis", both, middlewaresShareConnections},
	{"old instances serve on", "Traefik cancels an instance's context while its requests still run", both, oldInstancesServeOn},
	{"endpoint changed", "a reload may move the counts to another Redis", virtual, endpointChanged},
	{"first fault then good", "a fault at the first load leaves nothing behind", virtual, firstFaultThenGood},
	{"fault of one router", "a faulty middleware leaves the others alone", virtual, faultOfOneRouter},
}

func newNeedsNoNetwork(t *testing.T, w *world) {
	w.link.Swallow(true)
	start := time.Now()
	for i := 0; i < 20; i++ {
		w.mustMake(backend, fivePerHour(), w.name)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("20 times New took %v", took)
	}
	time.Sleep(100 * time.Millisecond) // a dial in the background takes its time; nothing waits for it if there is none
	if accepted := w.link.Dials(); accepted > 0 {
		t.Errorf("New opened %d connections", accepted)
	}
}

func reloadsShareConnections(t *testing.T, w *world) {
	handler := w.mustMake(backend, perHour(100000), w.name)
	together(handler, 50, func(int) *http.Request { return get() })
	before := w.link.Dials()
	for i := 0; i < 100; i++ {
		w.reload()
		handler = w.mustMake(backend, perHour(100000), w.name)
		if got := ask(handler, get()); got.header.Get("X-RateLimit-Limit") != "100000" {
			t.Fatalf("after reload %d: %d %v", i+1, got.status, got.header)
		}
	}
	if after := w.link.Dials(); after > before {
		t.Errorf("%d connections before 100 reloads, %d after", before, after)
	}
}

func routersShareConnections(t *testing.T, w *world) {
	first := w.mustMake(backend, perHour(100000), w.name)
	together(first, 50, func(int) *http.Request { return get() })
	before := w.link.Dials()
	for i := 0; i < 50; i++ {
		ask(w.mustMake(backend, perHour(100000), w.name), get())
	}
	if after := w.link.Dials(); after > before {
		t.Errorf("%d connections with one router, %d with 51", before, after)
	}
}

func middlewaresShareConnections(t *testing.T, w *world) {
	w.decided(w.mustMake(backend, perHour(100000), w.name))
	before := w.link.Dials()
	for i := 0; i < 20; i++ {
		w.decided(w.mustMake(backend, perHour(100000), fmt.Sprintf("%d-%s", i, w.name)))
	}
	if after := w.link.Dials(); after > before {
		t.Errorf("%d connections with one middleware, %d with 21", before, after)
	}
}

func oldInstancesServeOn(t *testing.T, w *world) {
	old := w.mustMake(backend, perHour(10), w.name)
	ask(old, get())
	w.reload()
	if got := ask(old, get()); got.header.Get("X-RateLimit-Remaining") != "8" {
		t.Errorf("after the cancellation: %d %v", got.status, got.header)
	}
	fresh := w.mustMake(backend, perHour(10), w.name)
	if got := ask(fresh, get()); got.header.Get("X-RateLimit-Remaining") != "7" {
		t.Errorf("new instance: %d %v", got.status, got.header)
	}
	if got := ask(old, get()); got.header.Get("X-RateLimit-Remaining") != "6" {
		t.Errorf("old instance beside the new one: %d %v", got.status, got.header)
	}
}

func endpointChanged(t *testing.T, w *world) {
	old := w.mustMake(backend, perHour(1), w.name)
	ask(old, get())
	another := miniredis.RunT(t)
	config := perHour(1)
	config["redis"] = map[string]interface{}{"endpoints": another.Addr()}
	w.reload()
	fresh := w.mustMake(backend, config, w.name)
	if got := ask(fresh, get()); got.status != http.StatusOK {
		t.Errorf("the other Redis knows nothing of this client: %d", got.status)
	}
	if got := ask(fresh, get()); got.status != http.StatusTooManyRequests {
		t.Errorf("the other Redis counts: %d", got.status)
	}
	if keys := another.Keys(); len(keys) != 1 {
		t.Errorf("keys %v in the other Redis", keys)
	}
	if got := ask(old, get()); got.status != http.StatusTooManyRequests {
		t.Errorf("the old instance still asks the old Redis: %d", got.status)
	}
}

func firstFaultThenGood(t *testing.T, w *world) {
	faulty := perHour(1)
	faulty["period"] = "sixty"
	for i := 0; i < 2; i++ {
		if _, err := w.make(backend, faulty, w.name); err == nil {
			t.Fatal("New takes a faulty configuration")
		}
	}
	handler := w.mustMake(backend, perHour(1), w.name)
	if first, second := ask(handler, get()), ask(handler, get()); first.status != 200 || second.status != 429 {
		t.Errorf("statuses %d and %d", first.status, second.status)
	}
}

func faultOfOneRouter(t *testing.T, w *world) {
	good := w.mustMake(backend, perHour(1), w.name)
	faulty := perHour(1)
	faulty["average"] = "many"
	if _, err := w.make(backend, faulty, "faulty-"+w.name); err == nil {
		t.Fatal("New takes a faulty configuration")
	}
	if first, second := ask(good, get()), ask(good, get()); first.status != 200 || second.status != 429 {
		t.Errorf("statuses %d and %d", first.status, second.status)
	}
}
