package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

const lifeConfig = `
http:
  routers:
    one: {rule: "Path(` + "`/one`" + `)", middlewares: [limit], service: backend}
    two: {rule: "Path(` + "`/two`" + `)", middlewares: [limit], service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: "BACKEND"}]}}
  middlewares:
    limit: {plugin: {ratelimit: {algorithm: sliding-log, average: 100000, period: 24h, timeout: 10s, failureMode: closed, redis: {endpoints: ["REDIS"]}}}}
`

// grace is how long the plugin keeps a connection that no configuration names any more.
const grace = 30 * time.Second

// TestReloads: a thousand reloads of the same configuration leave the
// connections and the goroutines as they were after the first, under traffic.
// Then the endpoint changes: at the old one no connection is left.
func TestReloads(t *testing.T) {
	redis, backend, proxy := startRedis(t), startBackend(t, nil), startTraefik(t)
	apply(t, proxy, backend, redis, lifeConfig)
	client := redis.Client()
	t.Cleanup(func() { client.Close() })

	limited(t, proxy.URL+"/one")
	var remaining int
	fmt.Sscan(ask(t, proxy.URL+"/one").header.Get("X-RateLimit-Remaining"), &remaining)
	use := func() {
		t.Helper()
		for _, path := range []string{"/one", "/two"} {
			a := ask(t, proxy.URL+path)
			remaining--
			expect(t, a, http.StatusOK, fmt.Sprint(remaining), "routers and reloads share the count")
		}
	}
	use()
	if err := proxy.Applied(t.Context()); err != nil {
		t.Fatal(err)
	}
	use()
	connections, goroutines := connectionsTo(t, client), goroutinesOf(t, proxy)

	const reloads = 1000
	for n := range reloads {
		if err := proxy.Applied(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n%20 == 0 {
			use()
		}
	}
	use()
	if got := connectionsTo(t, client); got != connections {
		t.Errorf("%d connections after %d reloads, %d after the first", got, reloads, connections)
	}
	// Traefik's own goroutines come and go by a few.
	eventually(t, 2*grace, func() error {
		if got := goroutinesOf(t, proxy); got > goroutines+5 {
			return fmt.Errorf("%d goroutines after %d reloads, %d after the first", got, reloads, goroutines)
		}
		return nil
	})
	if lines := logged(t, proxy, "debug", "limit@file: 100000 requests per 24h"); len(lines) != 1 {
		t.Errorf("%d start lines, want one for one configuration: %q", len(lines), lines)
	}

	other := startRedis(t)
	apply(t, proxy, backend, other, lifeConfig)
	limited(t, proxy.URL+"/one")
	changed := time.Now()
	eventually(t, 2*grace, func() error {
		if n := connectionsTo(t, client); n > 0 {
			return fmt.Errorf("%d connections to the old endpoint %s after the change", n, time.Since(changed))
		}
		return nil
	})
	limited(t, proxy.URL+"/two")
}

// TestReloadsTakeNoMemory: what an old configuration used lives on for the
// grace, what was only needed to build it does not. In interpreted code a
// closure kept for the grace would hold ten kilobytes for each router and reload.
func TestReloadsTakeNoMemory(t *testing.T) {
	const routers, reloads, most = 200, 10, 8 << 20
	var text strings.Builder
	text.WriteString("http:\n  routers:\n")
	for i := range routers {
		fmt.Fprintf(&text, "    r%d: {rule: \"Path(`/%d`)\", middlewares: [limit], service: noop@internal}\n", i, i)
	}
	text.WriteString(`  middlewares:
    limit: {plugin: {ratelimit: {average: 100, redis: {endpoints: ["REDIS"]}}}}
`)
	redis, backend, proxy := startRedis(t), startBackend(t, nil), startTraefik(t)
	began := time.Now()
	apply(t, proxy, backend, redis, text.String())
	before := heapOf(t, proxy)
	for range reloads {
		if err := proxy.Applied(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	after, took := heapOf(t, proxy), time.Since(began)
	if took > grace {
		t.Skipf("the machine is too busy: %s for %d reloads, longer than the grace", took, reloads)
	}
	if after > before+most {
		t.Errorf("%d kB in use after %d reloads, %d kB before", after>>10, reloads, before>>10)
	}
}

// heapOf is how many bytes of the process' heap are in use.
func heapOf(t *testing.T, proxy *harness.Traefik) int {
	t.Helper()
	body, err := proxy.Get("/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if _, at, ok := strings.Cut(string(body), "# HeapAlloc = "); !ok {
		t.Fatal("the heap's profile does not say HeapAlloc")
	} else if _, err := fmt.Sscan(at, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// connectionsTo counts the connections to Redis but the client's own.
func connectionsTo(t *testing.T, client *redis.Client) int {
	t.Helper()
	n, err := harness.Connections(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func goroutinesOf(t *testing.T, proxy *harness.Traefik) int {
	t.Helper()
	n, err := proxy.Goroutines()
	if err != nil {
		t.Fatal(err)
	}
	return n
}
