package e2e

import (
	"fmt"
	"net/http"
	"strings"
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
    local: {rule: "Path(` + "`/local`" + `)", middlewares: [local], service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: "BACKEND"}]}}
  middlewares:
    open: {plugin: {ratelimit: {average: 5, period: 1h, timeout: 300ms, failureMode: open, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"], dialTimeout: 1s}}}}
    closed: {plugin: {ratelimit: {average: 5, period: 1h, timeout: 300ms, failureMode: closed, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"], dialTimeout: 1s}}}}
    local: {plugin: {ratelimit: {average: 5, period: 1h, timeout: 300ms, failureMode: local, localShare: 0.4, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"], dialTimeout: 1s}}}}
`

// onTopOfBudget is what an answer may take beyond the time budget on a busy machine.
const onTopOfBudget = time.Second

// TestRedisGone: without Redis, open passes, closed answers 503 and local
// limits by its share, each within the time budget, whatever way Redis is
// gone; nothing is ever a 500.
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
			for _, path := range []string{"/open", "/closed", "/local"} {
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
			for n := range 4 {
				a := ask(t, proxy.URL+"/local", "X-Client", fmt.Sprint("away-", i))
				status := 200
				if n >= 2 { // two fifths of five
					status = 429
				}
				if a.status != status || a.header.Get("X-RateLimit-Limit") != "2" || a.took > budget+onTopOfBudget {
					t.Errorf("local, request %d: %d after %s, %v", n, a.status, a.took, a.header)
				}
			}
			lost(t, proxy, i+1)
			g.start()
			for _, path := range []string{"/open", "/closed", "/local"} {
				limited(t, proxy.URL+path, "X-Client", fmt.Sprint("after-", i))
				for n := range 5 {
					a := ask(t, proxy.URL+path, "X-Client", fmt.Sprint("counted-", i))
					expect(t, a, http.StatusOK, fmt.Sprint(4-n), path+" counts again")
				}
				expect(t, ask(t, proxy.URL+path, "X-Client", fmt.Sprint("counted-", i)), http.StatusTooManyRequests, "0", path+" denies again")
			}
			// One line each, not one for each request.
			eventually(t, 10*time.Second, func() error {
				if found := logged(t, proxy, "error", "redis back: "); len(found) != i+1 {
					return fmt.Errorf("%d log lines say that Redis is back, want %d: %q", len(found), i+1, found)
				}
				return nil
			})
		})
	}
	if all := logged(t, proxy, "error", ""); len(all) != 2*len(gone) {
		t.Errorf("%d log lines at ERROR, want two for each of %d times: %q", len(all), len(gone), all)
	}
}

// lost asks until the log says for the nth time that Redis is lost: one failed
// call does not say so.
func lost(t *testing.T, proxy *harness.Traefik, nth int) {
	t.Helper()
	eventually(t, 30*time.Second, func() error {
		ask(t, proxy.URL+"/open")
		if found := logged(t, proxy, "error", "redis lost: "); len(found) != nth {
			return fmt.Errorf("%d log lines say that Redis is lost, want %d: %q", len(found), nth, found)
		}
		return nil
	})
}

// TestHandOver: two Traefiks in failure mode local pass half of the limit
// each while Redis hangs, and go on by Redis' counts when it is back.
func TestHandOver(t *testing.T) {
	redis := startRedis(t)
	backend := startBackend(t, nil)
	gateways := []*harness.Traefik{startTraefik(t), startTraefik(t)}
	for _, g := range gateways {
		apply(t, g, backend, redis, strings.NewReplacer(
			"timeout: 10s", "timeout: 300ms", "failureMode: closed", "failureMode: local, localShare: 0.5").Replace(exactConfig))
	}
	byRedis := func() { // the whole, not the share
		t.Helper()
		for _, g := range gateways {
			eventually(t, 10*time.Second, func() error {
				a := ask(t, g.URL+"/sliding-log", "X-Client", "other")
				if a.header.Get("X-RateLimit-Limit") != "100" {
					return fmt.Errorf("not decided by Redis: %v", a.header)
				}
				return nil
			})
		}
	}
	byRedis()
	for n := range 10 {
		expect(t, ask(t, gateways[n%2].URL+"/sliding-log", "X-Client", "one"), http.StatusOK, fmt.Sprint(99-n), "before")
	}
	nothing := func() error { return nil }
	redis.Pause()
	if got := flood(t, gateways, "/sliding-log", "one", nothing); got[200] != 100 || got[429] != 900 {
		t.Errorf("Redis hangs: answers by status %v, want 50 times 200 from each gateway and else 429", got)
	}
	redis.Resume()
	byRedis()
	passed := 0
	for n := range 200 {
		a := ask(t, gateways[n%2].URL+"/sliding-log", "X-Client", "one")
		if a.status == http.StatusOK {
			passed++
		}
	}
	// Calls that Redis got while it hung were executed when it went on, and their requests had been decided here by then.
	if passed > 90 {
		t.Errorf("%d pass when Redis is back, at most 90 are left", passed)
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
	lost(t, proxy, 1)
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
