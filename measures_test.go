package ratelimit

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// The measurements that docs/ quotes. Each is printed by the command that stands beside its numbers there.

// What a source costs in Redis' memory, by MEMORY USAGE: go test -v -run TestMemoryOfASource .
func TestMemoryOfASource(t *testing.T) {
	r := realRedis(t)
	tests := []struct {
		l     limit
		units int64 // charged
		most  int64 // bytes
	}{
		{limit{name: "default", algorithm: fixedWindow, average: mostUnits, period: aDay}, mostUnits, 200},
		{limit{name: "default", algorithm: tokenBucket, average: mostUnits - 1, period: aDay, burst: mostUnits}, 1, 200},
		{limit{name: "default", algorithm: slidingLog, average: 10, period: aDay}, 10, 400},
		{limit{name: "default", algorithm: slidingLog, average: 100, period: aDay}, 100, 1_500},
		{limit{name: "default", algorithm: slidingLog, average: 1_000, period: aDay}, 1_000, 15_000},
		{limit{name: "default", algorithm: slidingLog, average: 100_000, period: aDay}, 100_000, 1_500_000},
	}
	for _, test := range tests {
		r.do(t, "FLUSHDB")
		var calls []call
		now := noonMicros
		for left := test.units; left > 0; now++ {
			cost := left
			if test.l.algorithm == slidingLog && cost > 1_000 {
				cost = 1_000
			}
			calls = append(calls, one(now, cost, test.l))
			left -= cost
		}
		r.send(t, r.client.Pipeline(), calls)
		key := r.do(t, "RANDOMKEY")
		bytes := r.do(t, "MEMORY", "USAGE", key, "SAMPLES", 0).(int64)
		t.Logf("%-12s average %10d, %10d charged: %9d bytes", test.l.algorithm, test.l.average, test.units, bytes)
		if bytes > test.most {
			t.Errorf("%d bytes, at most %d were expected", bytes, test.most)
		}
	}
}

// One call of the script on a real Redis, by algorithm and by how many requests it carries: go test -run '^$' -bench Script .
func BenchmarkScript(b *testing.B) {
	limits := []limit{
		{name: "window", algorithm: fixedWindow, average: 1e6, period: 60e6},
		{name: "log", algorithm: slidingLog, average: 1e5, period: 60e6},
		{name: "bucket", algorithm: tokenBucket, average: 1e6, period: 60e6, burst: 1e6},
	}
	for _, l := range limits {
		for _, requests := range []int{1, 32, 128} {
			b.Run(fmt.Sprintf("%s/%d", l.name, requests), func(b *testing.B) {
				r := realRedis(b)
				c := call{limits: []limit{l}, now: redisClock}
				for i := 0; i < requests; i++ {
					c.sources = append(c.sources, fmt.Sprint("s", i))
					c.costs = append(c.costs, 1)
				}
				words := scriptWords("EVALSHA", scriptHash, c.keys(), c.args()...)
				b.ResetTimer()
				for i := 0; i < b.N; i++ {
					if err := r.client.Do(background, words...).Err(); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(requests), "ns/request")
				info, _ := redistest.Text(r.client, "INFO", "commandstats")
				b.ReportMetric(usecPerCall(info, "evalsha")*1000/float64(requests), "redis-ns/request")
			})
		}
	}
}

func usecPerCall(info, command string) float64 {
	var calls, usec int
	var perCall float64
	for _, line := range strings.Split(info, "\r\n") {
		if n, _ := fmt.Sscanf(line, "cmdstat_"+command+":calls=%d,usec=%d,usec_per_call=%f", &calls, &usec, &perCall); n == 3 {
			return perCall
		}
	}
	return 0
}

// A log as a list and as a sorted set: memory, and how long Redis stands still when it is trimmed.
// go test -run '^$' -bench LogAs -benchtime 1x .
func BenchmarkLogAs(b *testing.B) {
	const fill = `for i = 1, 1000 do %s end`
	stores := []struct{ name, add, trim string }{
		{"list", "redis.call('RPUSH', KEYS[1], string.format('%d', ARGV[1] + i))", "return redis.call('LTRIM', KEYS[1], -1, -1)"},
		{"sorted set", "local t = string.format('%d', ARGV[1] + i) redis.call('ZADD', KEYS[1], t, t .. '-' .. i)",
			"return redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1])"},
	}
	for _, s := range stores {
		for _, entries := range []int64{100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", s.name, entries), func(b *testing.B) {
				r := realRedis(b)
				for i := 0; i < b.N; i++ {
					for n := int64(0); n < entries; n += 1_000 {
						r.do(b, "EVAL", strings.Replace(fill, "%s", s.add, 1), 1, "log", int64(noonMicros)+n)
					}
					bytes := r.do(b, "MEMORY", "USAGE", "log", "SAMPLES", 0).(int64)
					r.do(b, "CONFIG", "RESETSTAT")
					r.do(b, "EVAL", s.trim, 1, "log", int64(noonMicros)+entries)
					blocked := usecPerCall(fmt.Sprint(r.do(b, "INFO", "commandstats")), "eval")
					b.ReportMetric(float64(bytes)/float64(entries), "bytes/entry")
					b.ReportMetric(blocked/1_000, "ms-blocked-by-trim")
				}
			})
		}
	}
}

// floatBucket is the token bucket with the tokens in a float, as most implementations have it.
type floatBucket struct {
	tokens  float64
	at      micros
	charged bool
	stored  func(float64) float64 // what writing and reading the number makes of it
}

func (b *floatBucket) take(l limit, now micros, cost int64) bool {
	held := float64(l.burst)
	if b.charged {
		held = math.Min(held, b.tokens+float64(now-b.at)*float64(l.average)/float64(l.period))
	}
	if held < float64(cost) {
		return false
	}
	if cost > 0 {
		b.tokens, b.at, b.charged = b.stored(held-float64(cost)), now, true
	}
	return true
}

// fourteenDigits is what Lua's tostring keeps of a number.
func fourteenDigits(n float64) float64 {
	var kept float64
	fmt.Sscan(fmt.Sprintf("%.14g", n), &kept)
	return kept
}

// How often a bucket kept in floats decides otherwise than rational arithmetic: go test -v -run TestFloatsDecideOtherwise .
func TestFloatsDecideOtherwise(t *testing.T) {
	var steps, floats, digits, ours int
	checkTimes(t, 10_000, func(rt *rapid.T) {
		g := newGenerator(rt, []string{tokenBucket}, 1)
		g.forward, g.sameLimits = true, true
		g.steps(40, 1, 1)
		var exact exactBucket
		long := floatBucket{stored: func(n float64) float64 { return n }}
		short := floatBucket{stored: fourteenDigits}
		for i, c := range g.calls {
			want := exact.take(c.limits[0], c.now, c.costs[0]).allowed
			steps++
			if long.take(c.limits[0], c.now, c.costs[0]) != want {
				floats++
			}
			if short.take(c.limits[0], c.now, c.costs[0]) != want {
				digits++
			}
			if g.outcomes[i][0].decision.allowed != want {
				ours++
			}
		}
	})
	t.Logf("of %d steps, decided otherwise: %d by floats of 17 digits, %d by floats of 14 digits, %d by whole µs and parts", steps, floats, digits, ours)
	if ours > 0 || floats == 0 && !underRace && !testing.Short() {
		t.Error("the decision for whole numbers rests on another result")
	}
}

// What a time per token in whole µs would make of an average: go test -v -run TestRoundedTokenTimes .
func TestRoundedTokenTimes(t *testing.T) {
	for _, l := range []limit{
		{algorithm: tokenBucket, average: 3, period: aSecond, burst: 3},
		{algorithm: tokenBucket, average: 104_729, period: aDay, burst: 1},
		{algorithm: tokenBucket, average: 700_000, period: aSecond, burst: 1},
		{algorithm: tokenBucket, average: mostUnits, period: aMinute, burst: 1},
	} {
		exact := float64(l.period) / float64(l.average)
		down, up := math.Floor(exact), math.Ceil(exact)
		words := fmt.Sprintf("%d per %v: a token takes %.4f µs", l.average, time.Duration(l.period)*time.Microsecond, exact)
		if down > 0 {
			words += fmt.Sprintf(", rounded down %+.4f %%", 100*(exact/down-1))
		} else {
			words += ", rounded down: no limit"
		}
		t.Logf("%s, rounded up %+.4f %%", words, 100*(exact/up-1))

		// ours: one more token than burst is due after a whole period's worth of them, at the very period
		r := rateOf(l)
		if after, parts := r.due(0, l.average); after != l.period || parts != 0 {
			t.Errorf("%d tokens take %d µs and %d parts", l.average, after, parts)
		}
	}
}
