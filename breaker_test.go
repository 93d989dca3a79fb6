package ratelimit

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// joined is batchAt with a batch whose waiters the breaker answers.
func joined(t *testing.T, change func(c *Config)) (*batch, *redistest.Proxy, *redistest.Server) {
	b, proxy, server := batchAt(t, change)
	b.client.breaker.join(b)
	return b, proxy, server
}

// broken opens the breaker by failed flights.
func broken(t *testing.T, b *batch) {
	t.Helper()
	for i := 0; i < breakerFlights; i++ {
		b.client.flightFailed(b, errors.New("for the test"))
	}
	if !b.client.breaker.open.Load() {
		t.Fatalf("closed after %d failed flights in a row", breakerFlights)
	}
}

// A dial that hangs must not hide from the breaker until dialTimeout; a connection that is there, or a young dial, is another matter.
func TestStalledDialCountsAsAFailedFlight(t *testing.T) {
	for _, row := range []struct {
		name     string
		dialling bool
		open     int
		age      time.Duration // since the dial began or was last counted
		counts   bool
	}{
		{"hangs", true, 1, stalledAfter, true},
		{"takes its time, as on a saturated machine", true, 1, stalledAfter / 2, false},
		{"another connection serves", true, 2, stalledAfter, false},
		{"the connection is only slow", false, 1, stalledAfter, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := newRedisClient(redisSettings{endpoints: []string{"127.0.0.1:1"}})
			c.dialling, c.open, c.dialCounted = row.dialling, row.open, time.Now().Add(-row.age)
			b := &batch{client: c, keyHead: "p:m:{"}
			for i := 0; i < 2; i++ { // the second time runs out too soon after the first
				c.flightStalled(b)
			}
			if counted := c.breaker.failures == 1; counted != row.counts || c.breaker.failures > 1 {
				t.Errorf("%d failed flights, counts: want %v", c.breaker.failures, row.counts)
			}
		})
	}
}

func closed(b *batch) func() bool { return func() bool { return !b.client.breaker.open.Load() } }

// succeeded is what a flight does when Redis has answered.
func succeeded(c *redisClient, wrote bool) {
	if !c.health.settled.Load() {
		exchangeSucceeded(c, wrote)
	}
}

// What a settled health skips, it must not miss: a failure, a decision without Redis and a loss are each followed by an answer that counts.
func TestSettledHealthMissesNothing(t *testing.T) {
	c := newRedisClient(redisSettings{endpoints: []string{"127.0.0.1:1"}})
	h := &c.health
	succeeded(c, false)
	if h.settled.Load() || !h.reached {
		t.Fatalf("after a denial: settled %v, reached %v", h.settled.Load(), h.reached)
	}
	succeeded(c, true)
	if !h.settled.Load() {
		t.Error("after a charge it is not settled")
	}
	h.decidedWithout()
	succeeded(c, true)
	if h.without != 0 || !h.settled.Load() {
		t.Errorf("after an answer %d were decided without Redis, settled %v", h.without, h.settled.Load())
	}
	c.flightFailed(&batch{client: c, keyHead: "p:m:{"}, errTimeUp)
	succeeded(c, false)
	if c.breaker.failures != 1 || h.settled.Load() {
		t.Errorf("after a denial %d failures, settled %v", c.breaker.failures, h.settled.Load())
	}
	succeeded(c, true)
	if c.breaker.failures != 0 || !h.settled.Load() {
		t.Errorf("after a charge %d failures, settled %v", c.breaker.failures, h.settled.Load())
	}
	captureLog(t, "")
	h.failed("EOF")
	h.lastFailure = time.Now().Add(-2 * backAfter)
	succeeded(c, true)
	if h.lost {
		t.Error("the answer after a loss is not noticed")
	}
}

func TestBreakerOpensAfterFailedFlightsInARow(t *testing.T) {
	one := []outcome{{decision: decision{allowed: true}}}
	denied := []outcome{{decision: decision{}}}
	for _, row := range []struct {
		name  string
		steps string // f: failed, s: a charge succeeded, d: a flight only denied, w: decided without Redis
		open  bool
	}{
		{"not yet", "ff", false},
		{"in a row", "fff", true},
		{"a success between", "ffsff", false},
		{"denials prove nothing: a Redis that refuses writes still reads", "ffdf", true},
		{"successes first", "sssfff", true},
		{"a success is noted after each failure", "sffsffsff", false},
		{"a decision without Redis between changes nothing of it", "swffwf", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := newRedisClient(redisSettings{endpoints: []string{"127.0.0.1:1"}, dialTimeout: time.Second, readTimeout: time.Second})
			t.Cleanup(c.retire)
			b := &batch{client: c, keyHead: "p:m:{"}
			for _, step := range row.steps {
				switch step {
				case 'f':
					c.flightFailed(b, errors.New("x"))
				case 's':
					succeeded(c, charged(one))
				case 'd':
					succeeded(c, charged(denied))
				case 'w':
					c.health.decidedWithout()
				}
			}
			if open := c.breaker.open.Load(); open != row.open {
				t.Errorf("open %v, want %v", open, row.open)
			}
		})
	}
}

func TestOpenBreakerAnswersEverybodyAtOnce(t *testing.T) {
	b, proxy, _ := joined(t, func(c *Config) { hourly(c); c.Timeout = "10s" })
	mustTake(t, b, "x")
	proxy.Swallow(true)
	const n = 300 // more than flights carry at once: some are aboard, some are queued
	var all sync.WaitGroup
	for i := 0; i < n; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			_, err := takeFrom(b, "x", 1)
			if !errors.Is(err, errBroken) {
				t.Errorf("got %v, want %v", err, errBroken)
			}
		}()
	}
	eventually(t, "all wait", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.line) == n
	})
	start := time.Now()
	broken(t, b)
	all.Wait()
	if _, err := takeFrom(b, "x", 1); !errors.Is(err, errBroken) {
		t.Errorf("a request while open: %v, want %v", err, errBroken)
	}
	if waited := time.Since(start); waited > 5*time.Second {
		t.Errorf("waited %v, which is not at once with a timeout of 10s", waited)
	}
}

func TestProbeClosesTheBreaker(t *testing.T) {
	b, _, server := joined(t, hourly)
	mustTake(t, b, "x")
	server.Stop()
	for i := 0; i < breakerFlights; i++ {
		if _, err := takeFrom(b, "x", 1); err == nil {
			t.Fatal("decided by a stopped Redis")
		}
	}
	if closed(b)() {
		t.Fatal("closed after failed flights")
	}
	time.Sleep(2 * probeEvery) // probes fail meanwhile, and the next one comes all the same
	if closed(b)() {
		t.Fatal("closed while Redis is stopped")
	}
	server.Restart()
	eventually(t, "a probe closes the breaker", closed(b))
	mustTake(t, b, "x")
}

// A Redis that refuses writes answers reads: the probe must write too.
func TestProbeWrites(t *testing.T) {
	b, _, server := joined(t, hourly)
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	mustTake(t, b, "x")
	if err := client.Do(background, "CONFIG", "SET", "maxmemory", 1).Err(); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < breakerFlights; i++ {
		_, _ = takeFrom(b, "x", 1)
	}
	time.Sleep(2 * probeEvery)
	if closed(b)() {
		t.Fatal("closed while Redis refuses writes")
	}
	if err := client.Do(background, "CONFIG", "SET", "maxmemory", 0).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a probe closes the breaker", closed(b))
	mustTake(t, b, "x")
	eventually(t, "the probe's key is gone", func() bool {
		n, err := redistest.Number(client, "EXISTS", "ratelimit:probe")
		return n == 0 && err == nil
	})
}

// The probe uses the commands of the flight that failed, and no client can be counted under its key.
func TestProbeAsksForTheSameAlgorithms(t *testing.T) {
	limits := probeLimits([]limit{
		{name: "a", algorithm: fixedWindow, average: 1, period: 1000},
		{name: "b", algorithm: slidingLog, average: 1, period: 1000},
		{name: "c", algorithm: tokenBucket, average: 1, period: 1000, burst: 1},
	})
	for i := 0; i < 1000; i++ {
		states := make([]state, len(limits))
		if _, d := decide(limits, states, micros(i), 1); !d.allowed {
			t.Fatal("a probe can be denied")
		}
	}
	if got := scriptKeys(limits, []string{"ratelimit:probe"}); len(got) != 2 || got[0] != "ratelimit:probe" || got[1] != "ratelimit:probe:b:sl1" {
		t.Errorf("the probe's keys are %q", got)
	}
}

func TestHungProbeIsFollowedByAnother(t *testing.T) {
	b, proxy, _ := joined(t, func(c *Config) { hourly(c); c.Timeout = "50ms"; c.Redis.DialTimeout = "300ms" })
	mustTake(t, b, "x")
	proxy.Swallow(true)
	broken(t, b)
	time.Sleep(2 * probeEvery)
	proxy.Swallow(false)
	proxy.CloseAll()
	eventually(t, "a later probe closes the breaker", closed(b))
}

func TestRetiredClientIsNotProbed(t *testing.T) {
	b, proxy, _ := joined(t, hourly)
	mustTake(t, b, "x")
	broken(t, b)
	b.client.retire()
	before := proxy.Dials()
	time.Sleep(2 * probeEvery)
	if proxy.Dials() != before || proxy.Open() != 0 {
		t.Errorf("%d dials after retirement, %d connections open", proxy.Dials()-before, proxy.Open())
	}
}

func TestFloodDoesNotOpenTheBreaker(t *testing.T) {
	b, _, _ := joined(t, func(c *Config) { hourly(c); c.Average = "90000000"; c.Timeout = "2s" })
	end := time.Now().Add(3 * time.Second)
	var all sync.WaitGroup
	for i := 0; i < 512; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for time.Now().Before(end) {
				if _, err := takeFrom(b, "x", 1); err != nil {
					t.Errorf("a flood on a healthy Redis: %v", err)
					return
				}
			}
		}()
	}
	all.Wait()
	if !closed(b)() {
		t.Error("open")
	}
}
