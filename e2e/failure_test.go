package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

const failureConfig = `
http:
  routers:
    open: {rule: "Path(` + "`/open`" + `)", middlewares: [open], service: backend}
    closed: {rule: "Path(` + "`/closed`" + `)", middlewares: [closed], service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: "BACKEND"}]}}
  middlewares:
    open: {plugin: {ratelimit: {average: 5, period: 1h, timeout: 300ms, failureMode: open, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"]}}}}
    closed: {plugin: {ratelimit: {average: 5, period: 1h, timeout: 300ms, failureMode: closed, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"]}}}}
`

// onTopOfBudget is what an answer may take beyond the time budget on a busy machine.
const onTopOfBudget = time.Second

// TestRedisGone: without Redis, open passes and closed answers 503, each
// within the time budget, whatever way Redis is gone; nothing is ever a 500.
// When Redis is back, the limits are too.
func TestRedisGone(t *testing.T) {
	redis := startRedis(t)
	backend := startBackend(t, nil)
	proxy := startTraefik(t)
	apply(t, proxy, backend, redis, failureConfig)

	gone := []struct {
		how        string
		end, start func()
	}{
		{"stopped", redis.Stop, func() { restart(t, redis) }},
		{"killed", redis.Kill, func() { restart(t, redis) }},
		{"hung", redis.Pause, redis.Resume},
	}
	for i, g := range gone {
		t.Run(g.how, func(t *testing.T) {
			for _, path := range []string{"/open", "/closed"} {
				limited(t, proxy.URL+path, "X-Client", fmt.Sprint("before-", i))
			}
			g.end()
			const budget = 300 * time.Millisecond
			var wait sync.WaitGroup
			for n := range 40 {
				wait.Go(func() {
					a, err := try(t.Context(), proxy.URL+"/open", "X-Client", "x")
					if err != nil || a.status != 200 || a.header.Get("X-RateLimit-Limit") != "" || a.took > budget+onTopOfBudget {
						t.Errorf("open, request %d: %d after %s, %v, %v", n, a.status, a.took, a.header, err)
					}
				})
				wait.Go(func() {
					a, err := try(t.Context(), proxy.URL+"/closed", "X-Client", "x")
					if err != nil || a.status != 503 || a.header.Get("Retry-After") != "1" || a.header.Get("Cache-Control") != "no-store" ||
						a.body != "Service Unavailable" || a.took > budget+onTopOfBudget {
						t.Errorf("closed, request %d: %d %q after %s, %v, %v", n, a.status, a.body, a.took, a.header, err)
					}
				})
			}
			wait.Wait()
			g.start()
			for _, path := range []string{"/open", "/closed"} {
				limited(t, proxy.URL+path, "X-Client", fmt.Sprint("after-", i))
				for n := range 5 {
					a := ask(t, proxy.URL+path, "X-Client", fmt.Sprint("counted-", i))
					expect(t, a, http.StatusOK, fmt.Sprint(4-n), path+" counts again")
				}
				expect(t, ask(t, proxy.URL+path, "X-Client", fmt.Sprint("counted-", i)), http.StatusTooManyRequests, "0", path+" denies again")
			}
			// One line each, not one for each request.
			for _, text := range []string{"redis lost: ", "redis back: "} {
				eventually(t, 10*time.Second, func() error {
					if found := logged(t, proxy, "error", text); len(found) != i+1 {
						return fmt.Errorf("%d log lines hold %q, want %d: %q", len(found), text, i+1, found)
					}
					return nil
				})
			}
		})
	}
	if all := logged(t, proxy, "error", ""); len(all) != 2*len(gone) {
		t.Errorf("%d log lines at ERROR, want two for each of %d times: %q", len(all), len(gone), all)
	}
}

// TestRedisNeverThere: Traefik starts and reloads without Redis, and serves by
// the failure mode; the log says that Redis was never reached.
func TestRedisNeverThere(t *testing.T) {
	redis := startRedis(t)
	redis.Stop()
	backend := startBackend(t, nil)
	proxy := startTraefik(t)
	apply(t, proxy, backend, redis, failureConfig)
	if a := ask(t, proxy.URL+"/open"); a.status != http.StatusOK {
		t.Errorf("open answers %d, want 200", a.status)
	}
	if a := ask(t, proxy.URL+"/closed"); a.status != http.StatusServiceUnavailable {
		t.Errorf("closed answers %d, want 503", a.status)
	}
	if found := logged(t, proxy, "error", "never reached "+redis.Addr); len(found) != 1 {
		t.Errorf("log lines %q, want one that says that Redis was never reached", found)
	}
	restart(t, redis)
	limited(t, proxy.URL+"/open")
}

// restart starts a stopped Redis again, empty.
func restart(t *testing.T, redis *harness.Redis) {
	t.Helper()
	if err := redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}
