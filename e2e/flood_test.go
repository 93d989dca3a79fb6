package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// floodConfig has one router with time enough for everybody and one with the default timeout. Nobody reaches the limit,
// so every 429 or 503 is a fault or the failure mode's.
const floodConfig = `
http:
  routers:
    patient: {rule: "Path(` + "`/patient`" + `)", middlewares: [patient], service: backend}
    default: {rule: "Path(` + "`/default`" + `)", middlewares: [default], service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: "BACKEND"}]}}
  middlewares:
    patient: {plugin: {ratelimit: {average: 90000000, period: 1h, timeout: 2s, failureMode: closed, redis: {endpoints: ["REDIS"]}}}}
    default: {plugin: {ratelimit: {average: 90000000, period: 1h, failureMode: closed, redis: {endpoints: ["REDIS"]}}}}
`

// twoCores is the environment of a Traefik that has no more than two, whatever the machine has.
const twoCores = "GOMAXPROCS=2"

const (
	floodFor = 4 * time.Second
	// saturating is how many connections keep two cores busy.
	saturating = 512
)

// TestFloodIsNoOutage: on a healthy Redis a flood never opens the breaker. With time enough not one request reaches the failure
// mode. With ten times the connections waits run out and the queue is full, and no more than that.
// The flood is there before the first connection to Redis is.
func TestFloodIsNoOutage(t *testing.T) {
	for _, row := range []struct {
		path        string
		connections int
		decided     string // what Redis must decide: "all", "not all" or "some", which may be all
		why         string
	}{
		{"/patient", saturating, "all", "time enough for everybody"},
		{"/default", saturating, "some", "a busy machine needs about the default timeout"},
		{"/default", 10 * saturating, "not all", "more wait than the queue takes"},
	} {
		t.Run(fmt.Sprintf("%d at %s", row.connections, row.path[1:]), func(t *testing.T) {
			redis, backend, proxy := startRedis(t), startBackend(t, nil), startTraefik(t, twoCores)
			apply(t, proxy, backend, redis, floodConfig)
			got := saturate(t, proxy.URL+row.path, row.connections)
			t.Logf("decided by Redis %d, by the failure mode %d", got.decided, got.without)
			if got.decided == 0 || got.without > 0 && row.decided == "all" || got.without == 0 && row.decided == "not all" {
				t.Errorf("%s: Redis decided %d requests and the failure mode %d, want %s by Redis", row.why, got.decided, got.without, row.decided)
			}
			if found := logged(t, proxy, "error", ""); len(found) > 0 {
				t.Errorf("%s: the log says %q", row.why, found)
			}
			limited(t, proxy.URL+row.path) // once more, when all is calm
		})
	}
}

// answered is who decided the requests of a flood.
type answered struct {
	decided int // by Redis: 200 with limits
	without int // by the failure mode: 503
}

// saturate keeps connections busy with one request after the other for floodFor. An answer of neither kind fails the test.
func saturate(t *testing.T, url string, connections int) answered {
	t.Helper()
	client := &fasthttp.Client{MaxConnsPerHost: connections, ReadTimeout: time.Minute}
	defer client.CloseIdleConnections()
	end := time.Now().Add(floodFor)
	var mu sync.Mutex
	var sum answered
	var wait sync.WaitGroup
	for range connections {
		wait.Go(func() {
			got, err := floodUntil(client, url, end)
			mu.Lock()
			defer mu.Unlock()
			sum.decided += got.decided
			sum.without += got.without
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	return sum
}

// floodUntil sends one request after the other.
func floodUntil(client *fasthttp.Client, url string, end time.Time) (answered, error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	var got answered
	for time.Now().Before(end) {
		if err := client.Do(req, resp); err != nil {
			return got, err
		}
		limits := resp.Header.Peek("X-RateLimit-Limit")
		switch {
		case resp.StatusCode() == http.StatusOK && limits != nil:
			got.decided++
		case resp.StatusCode() == http.StatusServiceUnavailable && limits == nil:
			got.without++
		default:
			return got, fmt.Errorf("%s answers %d with %s", url, resp.StatusCode(), &resp.Header)
		}
	}
	return got, nil
}
