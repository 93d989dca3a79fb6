package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// exactConfig has one router for each algorithm. The source is a header, so
// that each round has a fresh one.
const exactConfig = `
http:
  routers:
    fixed-window: {rule: "Path(` + "`/fixed-window`" + `)", middlewares: [fixed-window], service: backend}
    sliding-log: {rule: "Path(` + "`/sliding-log`" + `)", middlewares: [sliding-log], service: backend}
    token-bucket: {rule: "Path(` + "`/token-bucket`" + `)", middlewares: [token-bucket], service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: "BACKEND"}]}}
  middlewares:
    fixed-window: {plugin: {ratelimit: {algorithm: fixed-window, average: 100, period: 1h, timeout: 10s, failureMode: closed, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"]}}}}
    sliding-log: {plugin: {ratelimit: {algorithm: sliding-log, average: 100, period: 1h, timeout: 10s, failureMode: closed, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"]}}}}
    token-bucket: {plugin: {ratelimit: {algorithm: token-bucket, average: 100, period: 1h, timeout: 10s, failureMode: closed, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"]}}}}
`

// TestExactAcrossGateways: three Traefiks share one Redis; of 1,000 requests
// at once exactly 100 pass, whatever happens in the middle that is not the
// loss of data.
func TestExactAcrossGateways(t *testing.T) {
	redis := startRedis(t)
	client := redis.Client()
	t.Cleanup(func() { client.Close() })
	backend := startBackend(t, nil)
	gateways := make([]*harness.Traefik, 3)
	for i := range gateways {
		gateways[i] = startTraefik(t)
		apply(t, gateways[i], backend, redis, exactConfig)
	}
	disturb := map[string]func() error{
		"in peace": func() error { return nil },
		"SCRIPT FLUSH in the middle": func() error {
			return client.ScriptFlush(t.Context()).Err()
		},
		"a reload in the middle": func() error {
			return gateways[0].Applied(t.Context())
		},
	}
	// Ten rounds for each algorithm.
	rounds := []string{
		"in peace", "SCRIPT FLUSH in the middle", "a reload in the middle", "in peace", "SCRIPT FLUSH in the middle",
		"a reload in the middle", "SCRIPT FLUSH in the middle", "a reload in the middle", "in peace", "a reload in the middle",
	}
	for _, algorithm := range []string{"fixed-window", "sliding-log", "token-bucket"} {
		t.Run(algorithm, func(t *testing.T) {
			for _, g := range gateways {
				limited(t, g.URL+"/"+algorithm, "X-Client", "warm-up")
			}
			for i, what := range rounds {
				clearOfTheHour(t, client)
				source := fmt.Sprintf("round-%d", i)
				got := flood(t, gateways, "/"+algorithm, source, disturb[what])
				if got[200] != 100 || got[429] != 900 {
					t.Errorf("round %d, %s: answers by status %v, want 100 times 200 and 900 times 429", i, what, got)
				}
			}
		})
	}
}

// clearOfTheHour waits while Redis' clock is so close to the hour, where the
// fixed window turns, that a round could cross it.
func clearOfTheHour(t *testing.T, client *redis.Client) {
	t.Helper()
	now, err := client.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Hour - time.Duration(now.UnixNano())%time.Hour; left < 30*time.Second {
		time.Sleep(left)
	}
}

// flood sends 1,000 requests at once, spread over the gateways, calls disturb
// once some hundred of them are answered, and counts the answers by status.
func flood(t *testing.T, gateways []*harness.Traefik, path, source string, disturb func() error) map[int]int {
	t.Helper()
	const total = 1000
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	statuses := make(chan int, total)
	var wait sync.WaitGroup
	for i := range total {
		wait.Go(func() {
			a, err := try(ctx, gateways[i%len(gateways)].URL+path, "X-Client", source)
			if err != nil {
				t.Error(err)
			}
			statuses <- a.status
		})
	}
	counts := map[int]int{}
	for i := range total {
		if i == total/10 {
			if err := disturb(); err != nil {
				t.Error(err)
			}
		}
		counts[<-statuses]++
	}
	wait.Wait()
	return counts
}
