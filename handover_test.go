package ratelimit

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Hand-over to failure mode local and back: what passes while Redis is away, and after it.

// sharedRedis is a Redis that all gateways of a test count in, by algorithms.go: its script's twin. It can be away.
type sharedRedis struct {
	limits []limit
	clock  func() micros
	states []state
	away   bool
}

func (r *sharedRedis) take(_ string, cost int64) (decision, error) {
	if r.away {
		return decision{}, errors.New("connection refused")
	}
	states, d := decide(r.limits, r.states, r.clock(), cost)
	r.states = states
	return d, nil
}

// gatewayOf is a gateway's way to a decision.
type gatewayOf struct {
	redis    *sharedRedis
	fallback *fallback
}

func (g *gatewayOf) take(source string, cost int64) (decision, error) {
	d, err := g.redis.take(source, cost)
	if err != nil {
		d, err = g.fallback.take(source, cost)
	}
	return d, err
}

// fleet is some gateways in failure mode local, one Redis, and one client that asks all of them.
type fleet struct {
	now      micros
	redis    *sharedRedis
	gateways []*gatewayOf
	byRedis  []passage // what Redis let through
	local    []passage // what the gateways let through by themselves
	denied   []passage
}

func newFleet(whole limit, share *big.Rat, gateways int) *fleet {
	f := &fleet{now: noonMicros}
	clock := func() micros { return f.now }
	f.redis = &sharedRedis{limits: []limit{whole}, clock: clock, states: make([]state, 1)}
	part, _ := shareOf(whole, share)
	for i := 0; i < gateways; i++ {
		local := newLocalLimiter([]limit{part})
		local.clock = clock
		f.gateways = append(f.gateways, &gatewayOf{f.redis, &fallback{mode: failLocal, local: local, health: &health{}}})
	}
	return f
}

// ask sends one request through a gateway.
func (f *fleet) ask(gateway int) decision {
	d, err := f.gateways[gateway].take("x", 1)
	if err != nil {
		panic(err)
	}
	p := passage{f.now, 1}
	switch {
	case !d.allowed:
		f.denied = append(f.denied, p)
	case d.local:
		f.local = append(f.local, p)
	default:
		f.byRedis = append(f.byRedis, p)
	}
	return d
}

func TestHandOverStory(t *testing.T) {
	share := big.NewRat(1, 2)
	f := newFleet(limit{name: "default", algorithm: tokenBucket, average: 6, period: aMinute, burst: 6}, share, 2)
	for i, step := range []struct {
		after   micros
		away    bool
		gateway int
		times   int
		passes  int
		why     string
	}{
		{0, false, 0, 4, 4, "Redis counts for both"},
		{0, false, 1, 4, 2, "Redis counts for both"},
		{0, true, 0, 4, 3, "half of the burst in each gateway, from untouched limits, though Redis' were used up"},
		{0, true, 1, 4, 3, "half of the burst in each gateway"},
		{20 * aSecond, true, 0, 4, 1, "half of the rate: one in 20 s"},
		{0, true, 1, 4, 1, "the same in the other"},
		{0, false, 1, 4, 2, "Redis is back, and knows what it knew: two tokens have come in 20 s"},
		{0, true, 1, 4, 0, "gone again: no fresh share"},
		{20 * aSecond, true, 1, 4, 1, "only what has come since"},
	} {
		f.now += step.after
		f.redis.away = step.away
		passes := 0
		for n := 0; n < step.times; n++ {
			d := f.ask(step.gateway)
			if d.allowed {
				passes++
			}
			if d.local != step.away {
				t.Errorf("step %d, %s: decided locally is %v", i+1, step.why, d.local)
			}
		}
		if passes != step.passes {
			t.Errorf("step %d, %s: %d of %d pass, want %d", i+1, step.why, passes, step.times, step.passes)
		}
	}
}

// An outage is what stands between two instants at which Redis answered.
type outage struct{ from, to micros }

// TestPropertyHandOver: G gateways by a share s, through any number of outages. In each, of length T, they let through at most
//
//	token-bucket   G · (ceil(burst · s) + s · rate · T)
//	fixed-window   G · max(1, floor(average · s)) for each window that T touches
//	sliding-log    G · max(1, floor(average · s)) for each period that T begins
//
// and over all outages no more than if they were one: there is no fresh share for each. Redis lets through what it would if the
// requests of the outages had never been; one that has lost its memory, one capacity more each time.
func TestPropertyHandOver(t *testing.T) {
	for _, algorithm := range []string{fixedWindow, slidingLog, tokenBucket} {
		t.Run(algorithm, func(t *testing.T) {
			checkTimes(t, 2_000, func(rt *rapid.T) { handOver(rt, algorithm) })
		})
	}
}

func handOver(t *rapid.T, algorithm string) {
	whole := limit{
		name: "default", algorithm: algorithm, average: rapid.Int64Range(1, 30).Draw(t, "average"),
		period: micros(rapid.Int64Range(1_000, 60_000_000).Draw(t, "period")),
	}
	if algorithm == tokenBucket {
		whole.burst = rapid.Int64Range(1, 30).Draw(t, "burst")
	}
	share := big.NewRat(rapid.Int64Range(1, 100).Draw(t, "percent"), 100)
	gateways := rapid.IntRange(1, 4).Draw(t, "gateways")
	f := newFleet(whole, share, gateways)
	forgets := rapid.Bool().Draw(t, "forgets")

	start, returns := f.now, int64(0)
	var outages []outage
	for i := rapid.IntRange(1, 120).Draw(t, "steps"); i > 0; i-- {
		if rapid.IntRange(0, 9).Draw(t, "turn") == 0 {
			f.redis.away = !f.redis.away
			if f.redis.away {
				outages = append(outages, outage{f.now, f.now})
			} else if forgets {
				f.redis.states = make([]state, 1)
				returns++
			}
		}
		f.now += micros(rapid.Int64Range(0, int64(whole.period)/3).Draw(t, "later"))
		if f.redis.away {
			outages[len(outages)-1].to = f.now
		}
		gateway := rapid.IntRange(0, gateways-1).Draw(t, "gateway")
		for n := rapid.IntRange(1, 12).Draw(t, "requests"); n > 0; n-- {
			f.ask(gateway)
		}
	}

	bound := func(o outage) *big.Rat {
		return new(big.Rat).Mul(big.NewRat(int64(gateways), 1), mostOfShare(whole, share, o))
	}
	for _, o := range outages {
		if sum := unitsIn(f.local, o); big.NewRat(sum, 1).Cmp(bound(o)) > 0 {
			t.Fatalf("%d pass in an outage of %d µs, at most %s should: %+v by %s in %d gateways", sum, o.to-o.from, bound(o).FloatString(2), whole, share, gateways)
		}
	}
	all := outage{start, f.now}
	if sum := unitsIn(f.local, all); big.NewRat(sum, 1).Cmp(bound(all)) > 0 {
		t.Fatalf("%d pass in %d outages, at most %s should", sum, len(outages), bound(all).FloatString(2))
	}
	own := mostOfShare(whole, big.NewRat(1, 1), all)
	own.Add(own, times(capacity(whole), big.NewRat(returns, 1)))
	if sum := unitsIn(f.byRedis, all); big.NewRat(sum, 1).Cmp(own) > 0 {
		t.Fatalf("Redis lets %d pass, at most %s should", sum, own.FloatString(2))
	}
	if !forgets {
		wantAsIfNeverAway(t, whole, f.byRedis)
	}
}

// mostOfShare is what one instance may let through by a share of a limit in o, ends included.
func mostOfShare(whole limit, share *big.Rat, o outage) *big.Rat {
	if whole.algorithm == tokenBucket {
		most := new(big.Rat).SetInt(roundedUp(times(whole.burst, share)))
		rate := new(big.Rat).Mul(share, big.NewRat(whole.average, int64(whole.period)))
		return most.Add(most, times(int64(o.to-o.from), rate))
	}
	part := roundedDown(times(whole.average, share))
	if part < 1 {
		part = 1
	}
	spans := int64((o.to-o.from)/whole.period) + 1
	if whole.algorithm == fixedWindow {
		spans = int64(o.to/whole.period-o.from/whole.period) + 1
	}
	return big.NewRat(part*spans, 1)
}

func unitsIn(let []passage, o outage) int64 {
	sum := int64(0)
	for _, p := range let {
		if p.at >= o.from && p.at <= o.to {
			sum += p.units
		}
	}
	return sum
}

// wantAsIfNeverAway plays what Redis let through once more to a Redis that was never away: all of it passes there too.
func wantAsIfNeverAway(t *rapid.T, whole limit, let []passage) {
	var s state
	for _, p := range let {
		var v verdict
		s, v = algorithmOf(whole).take(whole, s, p.at, p.units)
		if !v.allowed {
			t.Fatalf("Redis lets pass at %d what it would have denied without an outage", p.at)
		}
	}
}

// The fallback itself: each mode on an error, and none without one.
func TestFallbackModes(t *testing.T) {
	for _, row := range []struct {
		mode, want string
	}{
		{failOpen, "allowed, 0 verdicts"},
		{failClosed, "nobody could decide"},
		{failLocal, "allowed here, 1 verdicts"},
	} {
		f := newFleet(limit{name: "default", algorithm: fixedWindow, average: 5, period: aMinute}, big.NewRat(1, 1), 1)
		gateway := f.gateways[0]
		layer := gateway.fallback
		layer.mode = row.mode
		if d, err := gateway.take("x", 1); err != nil || d.local || d.verdicts[0].remaining != 4 || layer.health.without != 0 {
			t.Errorf("%s: with Redis %+v, %v", row.mode, d, err)
		}
		f.redis.away = true
		d, err := gateway.take("x", 1)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if d.allowed {
			got = "allowed"
			if d.local {
				got += " here"
			}
			got += fmt.Sprintf(", %d verdicts", len(d.verdicts))
		}
		if got != row.want || layer.health.without != 1 {
			t.Errorf("%s: %s, want %s; %d counted as decided without Redis", row.mode, got, row.want, layer.health.without)
		}
	}
}
