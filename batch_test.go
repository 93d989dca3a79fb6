package ratelimit

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// batchAt is a batch with one limit of 1,000 per hour, in front of a proxy in front of a server.
func batchAt(t *testing.T, change func(c *Config)) (*batch, *redistest.Proxy, *redistest.Server) {
	t.Helper()
	server := redistest.Start(t)
	proxy := redistest.NewProxy(t, server.Addr)
	s := settingsAt(t, strings.ReplaceAll(t.Name(), "/", "_")+"@test", proxy.Addr, change)
	client := newRedisClient(s.redis)
	t.Cleanup(client.retire)
	b := newBatch(&s, client)
	t.Cleanup(b.close)
	return b, proxy, server
}

// spent is how many units of the source have been charged, by a look that charges none.
func spent(t *testing.T, b *batch, server *redistest.Server, source string) int64 {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	keys := scriptKeys(b.limits, []string{b.keyHead + source + "}"})
	reply, err := redistest.Text(client, scriptWords("EVAL", script, keys, scriptLimits(b.limits), "0", "")...)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, _, err := parseReply(reply, b.limits, 1)
	if err != nil {
		t.Fatal(err)
	}
	return capacity(b.limits[0]) - outcomes[0].decision.verdicts[0].remaining
}

func mustTake(t *testing.T, b *batch, source string) decision {
	t.Helper()
	decided, err := takeFrom(b, source, 1)
	if err != nil {
		t.Fatal(err)
	}
	return decided
}

// hourly makes a limit whose counts stand still during a test.
func hourly(c *Config) { c.Algorithm, c.Timeout = fixedWindow, "2s" }

func TestManyRequestsShareFewFlights(t *testing.T) {
	b, proxy, server := batchAt(t, hourly)
	mustTake(t, b, "warm")
	proxy.Delay(20 * time.Millisecond)
	const n = 500
	var all sync.WaitGroup
	for i := 0; i < n; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			mustTake(t, b, "x")
		}()
	}
	all.Wait()
	if got := spent(t, b, server, "x"); got != n {
		t.Errorf("%d units were charged, want %d", got, n)
	}
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	stats, err := redistest.Text(client, "INFO", "commandstats")
	if err != nil {
		t.Fatal(err)
	}
	calls := commandCalls(stats, "evalsha") + commandCalls(stats, "eval")
	if calls > n/20 {
		t.Errorf("%d script calls for %d concurrent requests, want few", calls, n)
	}
}

// commandCalls reads how often a command ran from INFO commandstats.
func commandCalls(stats, command string) int {
	at := strings.Index(stats, "cmdstat_"+command+":calls=")
	if at < 0 {
		return 0
	}
	calls := 0
	for _, digit := range stats[at+len("cmdstat_"+command+":calls="):] {
		if digit < '0' || digit > '9' {
			break
		}
		calls = calls*10 + int(digit-'0')
	}
	return calls
}

func TestFlightsAtOnceAreBounded(t *testing.T) {
	for _, row := range []struct {
		name             string
		flying, boarding int
		since            time.Duration // the newest flight left
		queued, starts   bool
	}{
		{"nobody waits", 0, 0, time.Hour, false, false},
		{"none is out", 0, 0, 0, true, true},
		{"one has just left", 1, 0, 0, true, false},
		{"it has been out for long enough", 1, 0, time.Hour, true, true},
		{"one boards already", 1, 1, time.Hour, true, false},
		{"one place is left", flightsAtOnce - 1, 0, time.Hour, true, true},
		{"no place is left", flightsAtOnce, 0, time.Hour, true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := settingsAt(t, "flights@test", "127.0.0.1:1", hourly)
			b := newBatch(&s, newRedisClient(s.redis))
			b.mu.Lock() // a flight that starts waits for it, and finds nobody
			defer b.mu.Unlock()
			if row.queued {
				b.line = []*request{{deadline: time.Now().Add(time.Hour), answer: make(chan bool, 1)}}
			}
			b.flying, b.boarding, b.left = row.flying, row.boarding, time.Now().Add(-row.since)
			startFlight(b)
			if started := b.boarding > row.boarding; started != row.starts {
				t.Errorf("started %v, want %v", started, row.starts)
			}
		})
	}
}

// Whatever Redis does not answer leaves nothing behind.
func TestNothingIsLeftOfUnansweredFlights(t *testing.T) {
	b, proxy, _ := batchAt(t, func(c *Config) { c.Timeout = "400ms" })
	mustTake(t, b, "warm")
	proxy.Swallow(true)
	var all sync.WaitGroup
	for i := 0; i < 400; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := takeFrom(b, "x", 1); err == nil {
				t.Error("decided by a Redis that does not answer")
			}
		}()
	}
	all.Wait()
	eventually(t, "nothing is left", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.line) == 0 && b.aboard == 0 && b.flying == 0 && b.boarding == 0 && !b.clocked
	})
}

func TestTakeEndsWithItsTimeout(t *testing.T) {
	b, proxy, _ := batchAt(t, func(c *Config) { c.Timeout = "50ms" })
	mustTake(t, b, "warm")
	proxy.Swallow(true)
	start := time.Now()
	_, err := takeFrom(b, "x", 1)
	if err == nil {
		t.Fatal("decided by a Redis that does not answer")
	}
	if waited := time.Since(start); waited > 2*time.Second {
		t.Errorf("waited %v with a timeout of 50ms", waited)
	}
}

func TestReleasedBeforeItsFlightLeftIsNotCharged(t *testing.T) {
	b, proxy, server := batchAt(t, func(c *Config) { hourly(c); c.Timeout = "50ms" })
	proxy.Hold(500 * time.Millisecond)
	for i := 0; i < 3; i++ {
		_, err := takeFrom(b, "x", 1)
		if !errors.Is(err, errTimeUp) {
			t.Fatalf("during the handshake: %v, want %v", err, errTimeUp)
		}
	}
	eventually(t, "the connection that came too late serves the next request", func() bool {
		_, err := takeFrom(b, "y", 1)
		return err == nil
	})
	if got := spent(t, b, server, "x"); got != 0 {
		t.Errorf("%d units were charged for requests that were released before", got)
	}
}

func TestQueueIsBounded(t *testing.T) {
	b, proxy, _ := batchAt(t, func(c *Config) { c.Timeout = "10s"; c.Redis.DialTimeout = "200ms" })
	proxy.Hold(time.Second) // nobody is taken aboard
	var all sync.WaitGroup
	for i := 0; i < queueBound; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			_, _ = takeFrom(b, "x", 1)
		}()
	}
	eventually(t, "the queue is full", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.line) == queueBound
	})
	_, err := takeFrom(b, "x", 1)
	if !errors.Is(err, errQueueFull) {
		t.Errorf("got %v, want %v at once", err, errQueueFull)
	}
	all.Wait() // the dial fails and releases all of them
}

// Of requests that come together, as many wait as there is room for, and each of the others is told so at once.
func TestQueueTakesAsManyAsFit(t *testing.T) {
	b, proxy, _ := batchAt(t, func(c *Config) { c.Timeout = "10s"; c.Redis.DialTimeout = "200ms" })
	proxy.Hold(time.Second) // nobody is taken aboard
	requests := make([]*request, queueBound+3)
	for i := range requests {
		requests[i] = newRequest("x", 1)
	}
	b.enqueue(requests[:queueBound-2])
	b.enqueue(requests[queueBound-2:])
	for i, r := range requests[queueBound:] {
		if <-r.answer || !errors.Is(r.err, errQueueFull) {
			t.Errorf("request %d beyond the bound: got %v, want %v", i+1, r.err, errQueueFull)
		}
	}
	for _, r := range requests[:queueBound] {
		if <-r.answer || errors.Is(r.err, errQueueFull) {
			t.Fatalf("got %v, want the dial's error", r.err)
		}
	}
}

func TestRefusedDialReleasesAtOnce(t *testing.T) {
	b, proxy, _ := batchAt(t, func(c *Config) { c.Timeout = "10s" })
	proxy.Target("127.0.0.1:1")
	_, err := takeFrom(b, "x", 1)
	if err == nil || errors.Is(err, errTimeUp) {
		t.Errorf("got %v, want the dial's error and no wait", err)
	}
}

func TestHangUpChangesNothing(t *testing.T) {
	b, _, server := batchAt(t, hourly)
	ctx, cancel := context.WithCancel(background)
	cancel()
	p := newRequest("x", 1)
	p.asked = (&http.Request{}).WithContext(ctx)
	b.enqueue([]*request{p})
	<-p.answer
	decided, err := p.decision, p.err
	if err != nil || !decided.allowed {
		t.Errorf("a client that hung up: %v, %v; want a decision like any other", decided, err)
	}
	if got := spent(t, b, server, "x"); got != 1 {
		t.Errorf("%d units were charged, want 1", got)
	}
	if b.client.breaker.failures > 0 {
		t.Error("a hang-up counts as a failure of Redis")
	}
}

func TestLostReplyChargesOnce(t *testing.T) {
	b, proxy, server := batchAt(t, hourly)
	mustTake(t, b, "x")
	proxy.Replies(func([]byte) []byte { return nil })
	_, err := takeFrom(b, "x", 1)
	proxy.Replies(nil)
	if err == nil {
		t.Error("a lost reply became a decision")
	}
	if got := spent(t, b, server, "x"); got != 2 {
		t.Errorf("%d units were charged for 2 requests", got)
	}
	mustTake(t, b, "x")
}

func TestIdleConnectionThatWasClosedIsReplaced(t *testing.T) {
	b, proxy, server := batchAt(t, hourly)
	mustTake(t, b, "x")
	age(b.client)
	proxy.CloseAll()
	mustTake(t, b, "x")
	if got := spent(t, b, server, "x"); got != 2 {
		t.Errorf("%d units were charged for 2 requests", got)
	}
	if b.client.breaker.failures > 0 {
		t.Error("a connection closed while idle counts as a failure of Redis")
	}
}

// age makes the ready connections look unused for longer than staleAfter.
func age(c *redisClient) {
	c.mu.Lock()
	for _, unused := range c.ready {
		unused.used = unused.used.Add(-2 * staleAfter)
	}
	c.mu.Unlock()
}

// After a failover behind one address the old master is a replica: its connections go, and the same requests fly again.
func TestReadonlyServerIsLeft(t *testing.T) {
	b, proxy, old := batchAt(t, hourly)
	mustTake(t, b, "x")
	master := redistest.Start(t)
	client := redis.NewClient(&redis.Options{Addr: old.Addr})
	defer client.Close()
	if err := client.Do(background, "REPLICAOF", "127.0.0.1", 1).Err(); err != nil {
		t.Fatal(err)
	}
	proxy.Target(master.Addr)
	mustTake(t, b, "x")
	if got := spent(t, b, master, "x"); got != 1 {
		t.Errorf("%d units were charged on the new master, want 1", got)
	}
	if b.client.breaker.failures > 0 {
		t.Error("a failover that cost no request counts as a failure")
	}

	client = redis.NewClient(&redis.Options{Addr: master.Addr})
	defer client.Close()
	if err := client.Do(background, "REPLICAOF", "127.0.0.1", 1).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := takeFrom(b, "x", 1)
	if err == nil || errorCode(err) != "READONLY" || b.client.breaker.failures != 1 {
		t.Errorf("no master anywhere: %v, %d failed flights; want READONLY after one retry", err, b.client.breaker.failures)
	}
}

func TestForeignValueFailsAlone(t *testing.T) {
	b, proxy, server := batchAt(t, hourly)
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	if err := client.Do(background, "SET", b.keyHead+"bad}", "foreign").Err(); err != nil {
		t.Fatal(err)
	}
	mustTake(t, b, "good")
	proxy.Delay(20 * time.Millisecond) // so that both share a flight
	results := make(chan error, 20)
	for i := 0; i < 20; i++ {
		source := "good"
		if i%2 == 0 {
			source = "bad"
		}
		go func(source string) {
			_, err := takeFrom(b, source, 1)
			if (err != nil) != (source == "bad") {
				t.Errorf("%s: %v", source, err)
			}
			results <- err
		}(source)
	}
	for i := 0; i < 20; i++ {
		<-results
	}
	if got := spent(t, b, server, "good"); got != 11 {
		t.Errorf("%d units were charged for 11 requests", got)
	}
	if b.client.breaker.failures > 0 {
		t.Error("a foreign value at one key counts as a failure of Redis")
	}
}

func TestRefusedWriteIsTheFlightsFailure(t *testing.T) {
	b, _, server := batchAt(t, hourly)
	mustTake(t, b, "x")
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	if err := client.Do(background, "CONFIG", "SET", "maxmemory", 1).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := takeFrom(b, "x", 1)
	if err == nil || errorCode(err) != "OOM" || b.client.breaker.failures != 1 {
		t.Errorf("got %v, %d failed flights; want OOM as Redis says it", err, b.client.breaker.failures)
	}
}

// taking takes requests aboard and says whom.
type taking struct{ aboard chan []*request }

func (c taking) carry(b *batch, held *connection, requests []*request) {
	c.aboard <- requests
	b.client.release(held, true)
}

// A saturated machine fires timers late: a request whose time is up must not leave all the same.
func TestLateTimerDoesNotChargeWhoseTimeIsUp(t *testing.T) {
	b, _, _ := batchAt(t, hourly)
	late, timely := newRequest("x", 1), newRequest("x", 1)
	late.deadline = time.Now().Add(-time.Millisecond)
	timely.deadline = time.Now().Add(time.Minute)
	b.line = []*request{late, timely}
	b.boarding = 1
	taken := taking{aboard: make(chan []*request, 1)}
	b.carrier = taken
	go b.fly()
	t.Cleanup(b.close)
	boarded := <-taken.aboard
	if len(boarded) != 1 || boarded[0] != timely {
		t.Errorf("%d requests went aboard, want only the one that still waits", len(boarded))
	}
	if <-late.answer; !errors.Is(late.err, errTimeUp) {
		t.Errorf("the late one got %v, want %v", late.err, errTimeUp)
	}
}

func TestScriptFlushIsNotNoticed(t *testing.T) {
	b, _, server := batchAt(t, hourly)
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	for i := int64(1); i <= 3; i++ {
		mustTake(t, b, "x")
		if err := client.Do(background, "SCRIPT", "FLUSH").Err(); err != nil {
			t.Fatal(err)
		}
		if got := spent(t, b, server, "x"); got != i {
			t.Errorf("%d units were charged for %d requests", got, i)
		}
		if err := client.Do(background, "SCRIPT", "FLUSH").Err(); err != nil {
			t.Fatal(err)
		}
	}
}
