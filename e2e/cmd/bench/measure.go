package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// bench is what all scenarios are measured on: one Traefik, one Redis, one backend.
type bench struct {
	redis   *harness.Redis
	backend *backend
	proxy   *harness.Traefik
	clients []string
	primed  map[string]bool // scenarios whose sources have used up their limits
}

// emptyModule is the module path of the plugin that does nothing, emptyFolder where it is.
const emptyModule, emptyFolder = "example.com/empty", "cmd/bench/testdata/empty"

// startBench starts everything, with a route for each scenario, in a folder below dir.
func startBench(ctx context.Context, program, plugin, dir string, scenarios []scenario) (*bench, error) {
	b := &bench{clients: clients(most), primed: map[string]bool{}}
	var err error
	if b.redis, err = harness.StartRedis(ctx, dir, "--databases", strconv.Itoa(len(scenarios)+1)); err != nil {
		return b, err
	}
	if b.backend, err = startBackend(); err != nil {
		return b, err
	}
	b.proxy, err = harness.StartTraefik(ctx, harness.Options{
		Program: program, Plugin: plugin, Dir: dir, Trust: true, Level: "ERROR",
		Others: map[string]string{emptyModule: emptyFolder},
	})
	if err != nil {
		return b, err
	}
	return b, b.proxy.Apply(ctx, "bench.yml", dynamic(scenarios, "http://"+b.backend.address, b.redis.Addr))
}

// stop ends what was started.
func (b *bench) stop() {
	if b.proxy != nil {
		b.proxy.Stop()
	}
	if b.backend != nil {
		b.backend.server.Shutdown()
	}
	if b.redis != nil {
		b.redis.Stop()
	}
}

// sample is one measurement of a cell, a scenario at a number of connections.
type sample struct {
	requests       int
	elapsed        time.Duration
	traefik, redis time.Duration // processor time
	calls          int           // of scripts, by clients of Redis
	latencies      []time.Duration
}

// cpu is what one request cost Traefik and Redis together.
func (s sample) cpu() float64 { return micros(s.traefik+s.redis) / float64(s.requests) }

// rate is in requests per second.
func (s sample) rate() float64 { return float64(s.requests) / s.elapsed.Seconds() }

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// usage is what has been used so far.
type usage struct {
	traefik, redis time.Duration
	calls          int
	passed         int64
}

// usage reads all counters.
func (b *bench) usage(ctx context.Context, client *redis.Client) (usage, error) {
	u := usage{passed: b.backend.passed.Load()}
	var err error
	if u.calls, err = scriptCalls(ctx, client); err != nil {
		return u, err
	}
	if u.traefik, err = cpuTime(b.proxy.PID()); err != nil {
		return u, err
	}
	u.redis, err = cpuTime(b.redis.PID())
	return u, err
}

// scriptCalls is how many EVALSHA and EVAL clients have sent.
func scriptCalls(ctx context.Context, client *redis.Client) (int, error) {
	info, err := client.InfoMap(ctx, "commandstats").Result()
	if err != nil {
		return 0, err
	}
	calls := 0
	for _, command := range []string{"cmdstat_evalsha", "cmdstat_eval"} {
		for stats := range strings.SplitSeq(info["Commandstats"][command], ",") {
			if n, ok := strings.CutPrefix(stats, "calls="); ok {
				each, err := strconv.Atoi(n)
				if err != nil {
					return 0, fmt.Errorf("%s: %w", command, err)
				}
				calls += each
			}
		}
	}
	return calls, nil
}

// measure runs the traffic of a scenario for d, after a warm-up of a fifth of that, and sees that it was what it should be.
func (b *bench) measure(ctx context.Context, s scenario, connections int, d time.Duration) (sample, error) {
	client := redis.NewClient(&redis.Options{Addr: b.redis.Addr, DB: s.db, Protocol: 2})
	defer client.Close()
	if err := b.prepare(ctx, s, client); err != nil {
		return sample{}, err
	}
	traffic := b.load(s, connections)
	defer traffic.close()
	warm, err := traffic.run(d/5, 0)
	if err != nil {
		return sample{}, err
	}
	before, err := b.usage(ctx, client)
	if err != nil {
		return sample{}, err
	}
	got, err := traffic.run(d, 0)
	if err != nil {
		return sample{}, err
	}
	after, err := b.usage(ctx, client)
	if err != nil {
		return sample{}, err
	}
	result := sample{
		requests: len(got.latencies), elapsed: got.elapsed, latencies: got.latencies,
		traefik: after.traefik - before.traefik, redis: after.redis - before.redis, calls: after.calls - before.calls,
	}
	run := observed{scenario: s, warm: warm, got: got, calls: result.calls, passed: after.passed - before.passed}
	if err := run.check(); err != nil {
		return result, b.wrong(s, connections, err)
	}
	if err := checkRedis(ctx, client, run, traffic); err != nil {
		return result, b.wrong(s, connections, err)
	}
	return result, ctx.Err()
}

// load is the traffic of a scenario.
func (b *bench) load(s scenario, connections int) *load {
	return newLoad(b.proxy.URL, []string{"/" + s.id()}, connections, b.clients[:s.sources])
}

// prepare gives the scenario the keys that it begins with: none, or those of all its sources when it needs them.
func (b *bench) prepare(ctx context.Context, s scenario, client *redis.Client) error {
	if !s.known && !s.denied {
		return client.FlushDB(ctx).Err()
	}
	if s.keysEach() == 0 || b.primed[s.name()] {
		return nil
	}
	first := b.load(s, 1)
	defer first.close()
	got, err := first.run(0, 1)
	if err == nil && got.statuses[200] != 1 {
		err = b.wrong(s, first.connections, fmt.Errorf("the first request of a source: statuses %v, 200 expected", got.statuses))
	}
	if err == nil {
		err = copyKeys(ctx, client, first.sources)
	}
	b.primed[s.name()] = true
	return err
}

// copyKeys gives every source what the first one has in Redis.
func copyKeys(ctx context.Context, client *redis.Client, sources []string) error {
	keys, err := client.Keys(ctx, "*").Result()
	if err != nil || len(sources) == 1 {
		return err
	}
	for _, key := range keys {
		if !strings.Contains(key, sources[0]) {
			return fmt.Errorf("the key %q does not name %s", key, sources[0])
		}
		for chunk := range slices.Chunk(sources[1:], 10_000) {
			pipe := client.Pipeline()
			for _, source := range chunk {
				pipe.Copy(ctx, key, strings.Replace(key, sources[0], source, 1), client.Options().DB, false)
			}
			if _, err := pipe.Exec(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrong says which cell went wrong, and what Traefik's log says.
func (b *bench) wrong(s scenario, connections int, err error) error {
	log, _ := os.ReadFile(b.proxy.Log)
	return fmt.Errorf("wrong run: %s at %d connections: %w\nTraefik's log: %s", s.name(), connections, err, log[max(0, len(log)-1000):])
}
