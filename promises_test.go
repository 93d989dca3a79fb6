package ratelimit

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// A passage is what was let through at one instant.
type passage struct {
	at    micros
	units int64
}

// passages returns what the single limit of g let through, in order.
func (g *generator) passages() []passage {
	var let []passage
	for i, c := range g.calls {
		if g.outcomes[i][0].decision.allowed && c.costs[0] > 0 {
			let = append(let, passage{c.now, c.costs[0]})
		}
	}
	return let
}

// mostIn returns the largest sum of units in any interval [at, at+span).
func mostIn(let []passage, span micros) int64 {
	var most, sum int64
	first := 0
	for _, p := range let {
		sum += p.units
		for let[first].at <= p.at-span {
			sum -= let[first].units
			first++
		}
		if sum > most {
			most = sum
		}
	}
	return most
}

// checkPromise plays timelines of one unchanged limit whose time never steps back.
func checkPromise(t *testing.T, algorithm string, holds func(t *rapid.T, l limit, let []passage)) {
	t.Helper()
	checkTimes(t, 5_000, func(rt *rapid.T) {
		g := newGenerator(rt, []string{algorithm}, 1)
		g.forward, g.sameLimits = true, true
		g.steps(60, 1, 1)
		holds(rt, g.limits[0], g.passages())
	})
}

func TestFixedWindowPromise(t *testing.T) {
	checkPromise(t, fixedWindow, func(t *rapid.T, l limit, let []passage) {
		sums := map[micros]int64{}
		for _, p := range let {
			sums[p.at/l.period] += p.units
		}
		for window, sum := range sums {
			if sum > l.average {
				t.Fatalf("%d passed in window %d of %+v", sum, window, l)
			}
		}
		if most := mostIn(let, l.period); most > 2*l.average {
			t.Fatalf("%d passed within one period of %+v", most, l)
		}
	})
}

func TestSlidingLogPromise(t *testing.T) {
	checkPromise(t, slidingLog, func(t *rapid.T, l limit, let []passage) {
		if most := mostIn(let, l.period); most > l.average {
			t.Fatalf("%d passed within one period of %+v", most, l)
		}
	})
}

func TestTokenBucketPromise(t *testing.T) {
	checkPromise(t, tokenBucket, func(t *rapid.T, l limit, let []passage) {
		for i := range let {
			sum := new(big.Int)
			for _, p := range let[i:] {
				// units ≤ burst + d · average / period, in whole numbers: (units - burst) · period ≤ d · average
				sum.Add(sum, big.NewInt(p.units))
				over := new(big.Int).Sub(sum, big.NewInt(l.burst))
				over.Mul(over, big.NewInt(int64(l.period)))
				if may := new(big.Int).Mul(big.NewInt(int64(p.at-let[i].at)), big.NewInt(l.average)); over.Cmp(may) > 0 {
					t.Fatalf("%v passed from %d to %d of %+v", sum, let[i].at, p.at, l)
				}
			}
		}
	})
}

// The other half of the bucket's promise: requests that are period/average apart always pass.
func TestTokenBucketPromiseKeepers(t *testing.T) {
	checkTimes(t, 5_000, func(rt *rapid.T) {
		l := anyLimitOf(rt, "default", tokenBucket)
		apart := (l.period + micros(l.average) - 1) / micros(l.average)
		now := micros(rapid.Int64Range(0, 1_800_000_000_000_000).Draw(rt, "start"))
		s, _ := takeBucket(l, state{}, now, l.burst)
		for i := 0; i < 100 && now < latestNow; i++ {
			now += apart
			var v verdict
			if s, v = takeBucket(l, s, now, 1); !v.allowed {
				rt.Fatalf("request %d at %d is denied under %+v: %+v", i, now, l, v)
			}
		}
	})
}

// A step back beyond the horizon lets at most one extra capacity pass.
func TestStepBackPromise(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.name, func(t *testing.T) {
			checkTimes(t, 2_000, func(rt *rapid.T) {
				l := anyLimitOf(rt, "default", a.name)
				now := micros(1_800_000_000_000_000)
				s, passed := greedy(l, state{}, now)
				back := micros(spread(rt, int64(now), "back"))
				s, again := greedy(l, s, now-back)
				if total := passed + again; total > 2*capacity(l) {
					rt.Fatalf("%d passed across a step back by %d under %+v", total, back, l)
				}
				if again > 0 && back <= fillTime(l)-l.period {
					rt.Fatalf("%d passed after a step back by %d, within the horizon of %+v", again, back, l)
				}
				if _, more := greedy(l, s, now-back); more > 0 {
					rt.Fatalf("%d more passed at the same instant", more)
				}
			})
		})
	}
}

// greedy takes all it can get at one instant.
func greedy(l limit, s state, now micros) (state, int64) {
	_, v := algorithmOf(l).take(l, s, now, 0)
	s, taken := algorithmOf(l).take(l, s, now, v.remaining)
	if !taken.allowed {
		return s, 0
	}
	return s, v.remaining
}

// What a verdict says of the future comes true to the µs: retry after, next after and reset after.
func TestWaitsComeTrue(t *testing.T) {
	for _, a := range algorithms {
		t.Run(a.name, func(t *testing.T) {
			checkTimes(t, 5_000, func(rt *rapid.T) {
				g := newGenerator(rt, []string{a.name}, 1)
				// A window that began later than now, under another period, may end sooner than is said: twice bad luck.
				g.sameLimits = a.name == fixedWindow
				g.steps(rapid.IntRange(1, 15).Draw(rt, "steps"), 1, 1)
				last := len(g.calls) - 1
				l, now, cost := g.calls[last].limits[0], g.calls[last].now, g.calls[last].costs[0]
				v, s := g.outcomes[last][0].decision.verdicts[0], g.memory["s1 "+g.limits[0].name+":"+a.tag]
				if dated(s) > now+fillTime(l) {
					return // absent now, and to be absent until something is charged or time has come nearer
				}
				at := func(after micros, cost int64) verdict {
					_, v := a.take(l, s, now+after, cost)
					return v
				}

				if v.allowed == (v.retryAfter > 0 || v.never) || v.never != (cost > capacity(l)) {
					rt.Fatalf("a contradiction: %+v", v)
				}
				if v.retryAfter > 0 && (!at(v.retryAfter, cost).allowed || at(v.retryAfter-1, cost).allowed) {
					rt.Fatalf("retry after is not the first µs at which %d passes: %+v, %+v", cost, l, v)
				}
				if (v.remaining == capacity(l)) != (v.nextAfter == 0) {
					rt.Fatalf("full means that nothing more comes: %+v", v)
				}
				if v.nextAfter > 0 && (at(v.nextAfter, 0).remaining <= v.remaining || at(v.nextAfter-1, 0).remaining != v.remaining) {
					rt.Fatalf("next after is not the first µs at which more remains: %+v, %+v", l, v)
				}
				if at(v.resetAfter, 0).remaining != capacity(l) {
					rt.Fatalf("reset after is too short: %+v, %+v", l, v)
				}
				if v.nextAfter > 0 && at(v.resetAfter-1, 0).remaining == capacity(l) {
					rt.Fatalf("reset after is too long: %+v, %+v", l, v)
				}
			})
		})
	}
}

// dated returns the latest instant in s.
func dated(s state) micros {
	if len(s.log) > 0 {
		return s.log[len(s.log)-1]
	}
	return s.at
}
