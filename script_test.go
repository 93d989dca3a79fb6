package ratelimit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// The limits of these tests: one per algorithm.
var (
	aWindow = limit{name: "window", algorithm: fixedWindow, average: 5, period: aMinute}
	aLog    = limit{name: "log", algorithm: slidingLog, average: 5, period: aMinute}
	aBucket = limit{name: "bucket", algorithm: tokenBucket, average: 5, period: aMinute, burst: 5}
)

// do sends a command and returns its reply; an error fails the test.
func (r redisTwin) do(t testing.TB, words ...interface{}) interface{} {
	t.Helper()
	reply, err := r.client.Do(background, words...).Result()
	if err != nil && err != redis.Nil {
		t.Fatalf("%v: %v", words, err)
	}
	return reply
}

// ask plays one call on what is there.
func (r redisTwin) ask(t testing.TB, c call) []outcome {
	t.Helper()
	return r.send(t, r.client.Pipeline(), []call{c})[0]
}

// contents is all that Redis keeps, but for what time changes.
func (r redisTwin) contents(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	keys, err := redistest.Texts(r.client, "KEYS", "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if r.do(t, "TYPE", key) == "list" {
			all[key] = fmt.Sprint(r.do(t, "LRANGE", key, 0, -1))
		} else {
			all[key] = fmt.Sprint(r.do(t, "HGETALL", key))
		}
		if r.do(t, "PTTL", key).(int64) < 0 {
			all[key] += " for ever"
		}
	}
	return all
}

// What cannot be parsed counts as absent, and the next charge replaces it.
func TestUnparsableCountsAsAbsent(t *testing.T) {
	now := noonMicros + 20*aSecond
	at := fmt.Sprint(now)
	junk := []string{"", " ", "x", at, at + " ", " " + at + " 3", at + " 3 ", at + "  3", at + " -3", at + " 3.5", at + " 3e0", at + " 0x3",
		"3 " + at + " 0", "3 " + at + " 0 0", "3 " + at + " 1 1", "3 " + at + " 0 1 ", "3 " + at + " 0 1 1", "3 -1 0 1", at + " 3\n", at + "\x003",
		strings.Repeat("9", 400) + " 1", "1 " + strings.Repeat("9", 400) + " 0 1", strings.Repeat("junk ", 2_000)}
	for name, r := range map[string]redisTwin{"miniredis": fakeRedis(t), "redis": realRedis(t)} {
		for _, l := range []limit{aWindow, aBucket, aLog} {
			want := playOn(map[string]state{}, []call{one(now, 0, l), one(now, 2, l), one(now, 0, l)})
			for _, text := range junk {
				pipe := r.client.Pipeline()
				do(pipe, "FLUSHDB")
				if l.algorithm == slidingLog {
					do(pipe, "RPUSH", testKey("s")+":log:sl1", at, text)
				} else {
					do(pipe, "HSET", testKey("s"), l.name+":"+algorithmOf(l).tag, text)
				}
				if l.algorithm == slidingLog && text == at {
					continue // the one text that is an entry
				}
				if got := r.send(t, pipe, []call{one(now, 0, l), one(now, 2, l), one(now, 0, l)}); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s, %.40q:\n got %+v\nwant %+v", name, l.algorithm, text, got, want)
				}
			}
		}
	}
}

// Junk in the middle of a list, where the search meets it, does no harm either.
func TestUnparsableEntryInALog(t *testing.T) {
	r := realRedis(t)
	l := limit{name: "log", algorithm: slidingLog, average: 8, period: aMinute}
	for place := 0; place < 8; place++ {
		for _, text := range []string{"", "x", "-1", "1e3", "99999999999999999999", fmt.Sprint(noonMicros + 1)} {
			pipe := r.client.Pipeline()
			do(pipe, "FLUSHDB")
			for i := 0; i < 8; i++ {
				entry := fmt.Sprint(noonMicros - aMinute - 4 + micros(i))
				if i == place {
					entry = text
				}
				if i == 7 {
					entry = fmt.Sprint(noonMicros)
				}
				do(pipe, "RPUSH", testKey("s")+":log:sl1", entry)
			}
			for _, outcomes := range r.send(t, pipe, []call{one(noonMicros, 8, l), one(noonMicros, 1, l), one(noonMicros+1, 7, l)}) {
				d := outcomes[0].decision
				if outcomes[0].refused != "" || !d.allowed && (d.verdicts[0].retryAfter < 1 || d.verdicts[0].retryAfter > aMinute) {
					t.Errorf("%q at %d: %+v", text, place, outcomes)
				}
			}
		}
	}
}

// A log whose entries somebody put out of order: waits stay waits, of at least 1 µs.
func TestLogOutOfOrder(t *testing.T) {
	r := realRedis(t)
	l := limit{name: "log", algorithm: slidingLog, average: 8, period: aMinute}
	for place := int64(1); place < 7; place++ {
		pipe := r.client.Pipeline()
		do(pipe, "FLUSHDB")
		for i := int64(0); i < 8; i++ {
			entry := int64(noonMicros)
			if i == place {
				entry = 0
			}
			do(pipe, "RPUSH", testKey("s")+":log:sl1", entry)
		}
		d := r.send(t, pipe, []call{one(noonMicros, place+1, l)})[0][0].decision
		if d.allowed || d.verdicts[0].retryAfter < 1 || d.verdicts[0].retryAfter > aMinute {
			t.Errorf("an old entry at %d: %+v", place, d)
		}
	}
}

// ttls returns the time to live of every key.
func ttls(m *miniredis.Miniredis) map[string]time.Duration {
	all := map[string]time.Duration{}
	for _, key := range m.Keys() {
		all[key] = m.TTL(key)
	}
	return all
}

// Every write sets the TTL: until what it wrote is worthless, and a second.
func TestTTL(t *testing.T) {
	m := miniredis.RunT(t)
	r := newRedisTwin(t, &redis.Options{Addr: m.Addr()})
	m.SetTime(time.UnixMicro(int64(noonMicros + 10*aSecond)))
	key := testKey("s")
	long := limit{name: "long", algorithm: tokenBucket, average: 1, period: aDay, burst: 3}
	steps := []struct {
		c    call
		want map[string]time.Duration
		why  string
	}{
		{one(redisClock, 0, aWindow), map[string]time.Duration{}, "a look writes nothing"},
		{one(redisClock, 9, aWindow), map[string]time.Duration{}, "nor does a denial"},
		{one(redisClock, 1, aWindow), map[string]time.Duration{key: 51 * time.Second}, "until the window ends"},
		{one(redisClock, 1, aBucket), map[string]time.Duration{key: 51 * time.Second}, "a bucket full in 12 s shortens nothing"},
		{one(redisClock, 5, aBucket, aWindow), map[string]time.Duration{key: 61 * time.Second}, "the longest of its limits"},
		{one(redisClock, 2, long), map[string]time.Duration{key: 48*time.Hour + time.Second}, "two days until full"},
		{one(redisClock, 1, aWindow), map[string]time.Duration{key: 51 * time.Second}, "by a gateway that knows nothing of the long one"},
		{one(redisClock, 2, aLog), map[string]time.Duration{key + ":log:sl1": 61 * time.Second}, "a log has its own, and no hash beside it"},
		{one(redisClock, 1, aLog, aWindow), map[string]time.Duration{key: 51 * time.Second, key + ":log:sl1": 61 * time.Second}, "both"},
		{one(noonMicros+10*aSecond, 1, aLog, aWindow), map[string]time.Duration{key: time.Hour + 51*time.Second, key + ":log:sl1": time.Hour + 61*time.Second},
			"an hour more when the clock is overridden"},
	}
	for _, step := range steps {
		if step.why != "a bucket full in 12 s shortens nothing" {
			m.FlushAll()
		}
		if step.why == "by a gateway that knows nothing of the long one" {
			r.ask(t, one(redisClock, 2, long))
			step.want[key] = 48*time.Hour + time.Second
		}
		r.ask(t, step.c)
		if got := ttls(m); !reflect.DeepEqual(got, step.want) {
			t.Errorf("%s:\n got %v\nwant %v", step.why, got, step.want)
		}
	}

	m.FlushAll()
	m.HSet(key, "somebody's", "field")
	r.ask(t, one(redisClock, 1, aWindow))
	if got := m.TTL(key); got != 51*time.Second {
		t.Errorf("a hash that had no TTL got %v", got)
	}
}

// Expiry only frees memory: with the keys expiring as they do in production, by Redis' own clock, every verdict is the same
// as with a memory that forgets nothing.
func TestExpiryOnlyFreesMemory(t *testing.T) {
	m := miniredis.RunT(t)
	r := newRedisTwin(t, &redis.Options{Addr: m.Addr()})
	expired := 0
	checkTimes(t, 1_000, func(rt *rapid.T) {
		g := newGenerator(rt, []string{fixedWindow, slidingLog, tokenBucket}, rapid.IntRange(1, 3).Draw(rt, "limits"))
		g.forward, g.sameLimits = true, true
		g.steps(20, 1, 1)
		m.FlushAll()
		before := g.calls[0].now
		for i, c := range g.calls {
			m.SetTime(time.UnixMicro(int64(c.now)))
			keys := len(m.Keys())
			m.FastForward(time.Duration(c.now-before) * time.Microsecond)
			expired += keys - len(m.Keys())
			before, c.now = c.now, redisClock
			mustAgree(rt, [][]outcome{r.ask(t, c)}, g.outcomes[i:i+1], g.calls[i:i+1])
		}
	})
	if expired < 100 && !underRace && !testing.Short() {
		t.Errorf("only %d keys expired", expired)
	}
}

// Redis' clock decides, and the decision says when it was made.
func TestRedisClockDecides(t *testing.T) {
	r := realRedis(t)
	now := func() micros {
		now, err := redistest.Now(r.client)
		if err != nil {
			t.Fatal(err)
		}
		return micros(now.UnixMicro())
	}
	before := now()
	at := r.ask(t, one(redisClock, 1, aBucket))[0].decision.at
	if after := now(); at < before || at > after {
		t.Errorf("decided at %d, between %d and %d by Redis' clock", at, before, after)
	}
}

// Requests of one source in one call see each other's charges, in arrival order.
func TestRequestsOfACallSeeEachOther(t *testing.T) {
	r := realRedis(t)
	c := call{limits: []limit{aBucket, aLog}, now: noonMicros, sources: []string{"a", "b", "a", "a", "b"}, costs: []int64{3, 1, 3, 2, 0}}
	var got []string
	for i, o := range r.ask(t, c) {
		got = append(got, fmt.Sprint(c.sources[i], o.decision.allowed, o.decision.verdicts[0].remaining, o.decision.verdicts[1].remaining))
	}
	want := []string{"atrue 2 2", "btrue 4 4", "afalse 2 2", "atrue 0 0", "btrue 4 4"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Looks and denials write nothing: Redis executes no command that could.
func TestLooksAndDenialsWriteNothing(t *testing.T) {
	r := realRedis(t)
	limits := []limit{aBucket, aLog, aWindow}
	r.ask(t, one(noonMicros, 5, limits...))
	r.do(t, "CONFIG", "RESETSTAT")
	for _, cost := range []int64{0, 1, 6} {
		r.ask(t, one(noonMicros+1, cost, limits...))
		r.ask(t, one(noonMicros-aDay, 6, limits...))
	}
	stats := fmt.Sprint(r.do(t, "INFO", "commandstats"))
	for _, write := range []string{"hset", "rpush", "ltrim", "del", "pexpire"} {
		if strings.Contains(stats, "cmdstat_"+write+":") {
			t.Errorf("%s was executed", write)
		}
	}
}

// A key's memory is bounded by the configuration, whatever happens; a smaller average clips what a larger one wrote.
func TestMemoryIsBounded(t *testing.T) {
	r := realRedis(t)
	key := testKey("s")
	l := limit{name: "log", algorithm: slidingLog, average: 1_000, period: aMinute}
	for i := micros(0); i < 50; i++ {
		r.ask(t, one(noonMicros+i*7*aSecond, 1_000, l))
		r.ask(t, one(noonMicros+i*7*aSecond, 137, l))
		if n := r.do(t, "LLEN", key+":log:sl1").(int64); n > l.average {
			t.Fatalf("%d entries", n)
		}
	}
	now := noonMicros + aDay
	r.ask(t, one(now, 1_000, l))
	l.average = 10
	if d := r.ask(t, one(now+1, 1, l))[0].decision; d.allowed || d.verdicts[0].remaining != 0 {
		t.Errorf("ten of a thousand still count: %+v", d)
	}
	r.ask(t, one(now+aMinute, 1, l))
	if n := r.do(t, "LLEN", key+":log:sl1"); n != int64(1) {
		t.Errorf("%d entries after the old ones have left", n)
	}

	limits := []limit{aBucket, aWindow}
	for i := micros(0); i < 50; i++ {
		r.ask(t, one(now+i*aMinute, 5, limits...))
	}
	if n := r.do(t, "HLEN", key); n != int64(len(limits)) {
		t.Errorf("%d fields", n)
	}
	if n := r.do(t, "MEMORY", "USAGE", key).(int64); n > 250 {
		t.Errorf("two limits of a source take %d bytes", n)
	}
}

// A log of 100,000 entries is searched, not read.
func TestLongLogIsSearched(t *testing.T) {
	r := realRedis(t)
	l := limit{name: "log", algorithm: slidingLog, average: mostLogged, period: aDay}
	var calls []call
	for i := micros(0); i < 100; i++ {
		calls = append(calls, one(noonMicros+i, 1_000, l))
	}
	r.play(t, calls)
	r.do(t, "CONFIG", "RESETSTAT")
	d := r.ask(t, one(noonMicros+aDay+49, 1_000, l))[0].decision // half of the entries have just left
	if want := pass(49_000, aDay, 1); !reflect.DeepEqual(d.verdicts, []verdict{want}) {
		t.Errorf("got %+v, want %+v", d.verdicts, want)
	}
	reads := commandCalls(fmt.Sprint(r.do(t, "INFO", "commandstats")), "lindex")
	if reads == 0 || reads > 40 {
		t.Errorf("%d reads to find one of 100,000", reads)
	}
	if n := r.do(t, "LLEN", testKey("s")+":log:sl1"); n != int64(51_000) {
		t.Errorf("%d entries after the charge", n)
	}
}

// The script runs from any server that has never seen it: EVAL, then EVALSHA under the hash that is pinned.
func TestScriptIsLearntFromEval(t *testing.T) {
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: redistest.Start(t).Socket})
	defer client.Close()
	c := one(noonMicros, 1, aBucket)
	byHash := scriptWords("EVALSHA", scriptHash, c.keys(), c.args()...)
	if err := client.Do(background, byHash...).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOSCRIPT") {
		t.Errorf("a fresh server says %v", err)
	}
	if err := client.Do(background, scriptWords("EVAL", script, c.keys(), c.args()...)...).Err(); err != nil {
		t.Error(err)
	}
	if err := client.Do(background, byHash...).Err(); err != nil {
		t.Error(err)
	}
}

// However many requests of a source a call has, the source is read once and written once.
func TestSourceIsReadAndWrittenOnce(t *testing.T) {
	r := realRedis(t)
	limits := []limit{{name: "log", algorithm: slidingLog, average: 1000, period: aMinute}, {name: "bucket", algorithm: tokenBucket, average: 1000, period: aMinute, burst: 1000}}
	c := call{limits: limits, now: redisClock}
	for i := 0; i < 100; i++ {
		c.sources = append(c.sources, []string{"a", "b"}[i%2])
		c.costs = append(c.costs, 3)
	}
	r.ask(t, c)
	r.do(t, "CONFIG", "RESETSTAT")
	r.ask(t, c)
	for command, want := range map[string]int{"hmget": 2, "pttl": 2, "hset": 2, "llen": 2, "rpush": 2, "pexpire": 4} {
		calls := 0
		for _, line := range strings.Split(fmt.Sprint(r.do(t, "INFO", "commandstats")), "\r\n") {
			fmt.Sscanf(line, "cmdstat_"+command+":calls=%d", &calls)
		}
		if calls != want {
			t.Errorf("%s: %d calls for 100 requests of two sources, want %d", command, calls, want)
		}
	}
	if n := r.do(t, "LLEN", testKey("a")+":log:sl1"); n != int64(300) {
		t.Errorf("the log has %v entries, want 300", n)
	}
}
