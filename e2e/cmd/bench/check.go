package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// observed is one measurement as the client, the backend and Redis saw it.
type observed struct {
	scenario scenario
	warm     answers
	got      answers
	calls    int   // script calls during got
	passed   int64 // requests that reached the backend during got
}

// sent is how many requests there were, with those of the warm-up.
func (o observed) sent() int { return len(o.warm.latencies) + len(o.got.latencies) }

// check sees that every answer was the right one and that Redis was asked as often as it must be.
func (o observed) check() error {
	want, passed := 200, int64(len(o.got.latencies))
	if o.scenario.denied {
		want, passed = 429, 0
	}
	for _, phase := range []answers{o.warm, o.got} {
		statuses := slices.Collect(maps.Keys(phase.statuses))
		if len(statuses) != 1 || statuses[0] != want {
			return fmt.Errorf("statuses %v, only %d expected", phase.statuses, want)
		}
	}
	if o.passed != passed {
		return fmt.Errorf("%d requests reached the backend, %d expected", o.passed, passed)
	}
	least, most := 0, 0
	switch requests := len(o.got.latencies); {
	case o.scenario.limiter.native > 0:
		least = requests * o.scenario.callsEach()
		most = least
	case o.scenario.limiter.limits > 0:
		most = requests
		if !o.scenario.denied {
			least = 1
		}
	}
	if o.calls < least || o.calls > most {
		return fmt.Errorf("%d script calls for %d requests, %d to %d expected", o.calls, len(o.got.latencies), least, most)
	}
	return nil
}

// checkRedis sees that the scenario's database holds the keys of its sources and nothing else, and that all of its
// requests were charged.
func checkRedis(ctx context.Context, client *redis.Client, o observed, traffic *load) error {
	s := o.scenario
	keys, err := client.DBSize(ctx).Result()
	if err != nil {
		return err
	}
	sources := int64(s.sources)
	if !s.denied && !s.known {
		sources = min(sources, int64(o.sent()))
	}
	if want := int64(s.keysEach()) * sources; keys != want {
		return fmt.Errorf("%d keys in Redis, %d expected", keys, want)
	}
	some, _, err := client.Scan(ctx, 0, "", 100).Result()
	if err != nil {
		return err
	}
	for _, key := range some {
		if !strings.HasPrefix(key, s.keyHead()) {
			return fmt.Errorf("the key %q does not begin with %q", key, s.keyHead())
		}
	}
	if s.limiter.limits == 0 || s.denied || s.known || s.sources > 1 {
		return nil
	}
	header, err := traffic.get()
	if err != nil {
		return err
	}
	return checkCharged(o.sent()+1, string(header.Peek("X-RateLimit-Limit")), string(header.Peek("X-RateLimit-Remaining")), s.limiter.algorithm)
}

// refilled bounds how many tokens a bucket may have got back during one measurement, at allowedAverage in longest: three a second.
const refilled = 60

// checkCharged compares what the last answer says with the number of requests that were sent.
func checkCharged(sent int, limit, remaining, algorithm string) error {
	capacity, err := strconv.Atoi(limit)
	if err != nil {
		return fmt.Errorf("X-RateLimit-Limit: %w", err)
	}
	left, err := strconv.Atoi(remaining)
	if err != nil {
		return fmt.Errorf("X-RateLimit-Remaining: %w", err)
	}
	back := sent - (capacity - left)
	if back != 0 && (algorithm != "token-bucket" || back < 0 || back > refilled) {
		return fmt.Errorf("%d requests were charged, %d expected", capacity-left, sent)
	}
	return nil
}
