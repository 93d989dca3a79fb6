package ratelimit

import (
	"math/big"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const (
	aSecond = micros(1_000_000)
	aMinute = 60 * aSecond
	aDay    = 1440 * aMinute
	// noonMicros is a noon in UTC, and so the edge of every window that divides a day into halves.
	noonMicros = micros(1_700_049_600_000_000)
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

// row is a step of an example: when it comes, what it asks and what it gets.
type row struct {
	at    micros
	cost  int64
	want  verdict
	words string
}

func checkRows(t *testing.T, l limit, start micros, rows []row) {
	t.Helper()
	var s state
	for _, r := range rows {
		var v verdict
		s, v = algorithmOf(l).take(l, s, start+r.at, r.cost)
		if v != r.want {
			t.Errorf("%s (at %d, cost %d):\n got %+v\nwant %+v", r.words, r.at, r.cost, v, r.want)
		}
	}
}

// pass and deny are the verdicts of examples.
func pass(remaining int64, reset, next micros) verdict {
	return verdict{allowed: true, remaining: remaining, resetAfter: reset, nextAfter: next}
}

func deny(remaining int64, retry, reset, next micros) verdict {
	return verdict{remaining: remaining, retryAfter: retry, resetAfter: reset, nextAfter: next}
}

func TestFixedWindowExample(t *testing.T) {
	l := limit{name: "default", algorithm: fixedWindow, average: 3, period: aMinute}
	checkRows(t, l, noonMicros, []row{
		{50 * aSecond, 1, pass(2, 10*aSecond, 10*aSecond), "the first of three in the old window"},
		{50 * aSecond, 1, pass(1, 10*aSecond, 10*aSecond), "the second"},
		{50 * aSecond, 1, pass(0, 10*aSecond, 10*aSecond), "the third"},
		{50 * aSecond, 1, deny(0, 10*aSecond, 10*aSecond, 10*aSecond), "the fourth waits for the edge"},
		{60 * aSecond, 1, pass(2, aMinute, aMinute), "the new window lets three pass again"},
		{60 * aSecond, 1, pass(1, aMinute, aMinute), "five within ten seconds"},
		{60 * aSecond, 1, pass(0, aMinute, aMinute), "six within ten seconds"},
		{60 * aSecond, 1, deny(0, aMinute, aMinute, aMinute), "the seventh does not"},
	})
}

func TestSlidingLogExample(t *testing.T) {
	l := limit{name: "default", algorithm: slidingLog, average: 3, period: aMinute}
	checkRows(t, l, noonMicros, []row{
		{0, 1, pass(2, 60*aSecond, 60*aSecond), "the first"},
		{20 * aSecond, 1, pass(1, 60*aSecond, 40*aSecond), "the second"},
		{40 * aSecond, 1, pass(0, 60*aSecond, 20*aSecond), "the third"},
		{50 * aSecond, 1, deny(0, 10*aSecond, 50*aSecond, 10*aSecond), "the fourth waits until the first has left"},
		{60 * aSecond, 1, pass(0, 60*aSecond, 20*aSecond), "which it has after exactly a period"},
		{60 * aSecond, 1, deny(0, 20*aSecond, 60*aSecond, 20*aSecond), "the next may come at 80 s"},
		{80 * aSecond, 1, pass(0, 60*aSecond, 20*aSecond), "as it does"},
	})
}

func TestTokenBucketExample(t *testing.T) {
	l := limit{name: "default", algorithm: tokenBucket, average: 3, period: aSecond, burst: 2}
	checkRows(t, l, noonMicros, []row{
		{0, 1, pass(1, 333_334, 333_334), "the first of a full bucket"},
		{0, 1, pass(0, 666_667, 333_334), "the second empties it"},
		{0, 1, deny(0, 333_334, 666_667, 333_334), "a third waits for a token"},
		{333_334, 1, pass(0, 666_666, 333_333), "which is there now, since a third of a µs"},
		{333_334, 1, deny(0, 333_333, 666_666, 333_333), "the next comes at 666,667 µs"},
		{666_667, 1, pass(0, 666_667, 333_333), "as it does: that is 2/3 of a second, rounded up once and not twice"},
	})
}

func TestFixedWindowRounding(t *testing.T) {
	l := limit{name: "default", algorithm: fixedWindow, average: 1, period: aMinute}
	checkRows(t, l, noonMicros, []row{
		{0, 1, pass(0, aMinute, aMinute), "the first µs of a window is in it"},
		{aMinute - 1, 1, deny(0, 1, 1, 1), "the last µs too"},
		{aMinute, 1, pass(0, aMinute, aMinute), "one later is the next window"},
	})
}

func TestSlidingLogRounding(t *testing.T) {
	l := limit{name: "default", algorithm: slidingLog, average: 1, period: 1_000}
	checkRows(t, l, noonMicros, []row{
		{0, 1, pass(0, 1_000, 1_000), "an entry"},
		{999, 1, deny(0, 1, 1, 1), "counts until a period later, less 1 µs"},
		{1_000, 1, pass(0, 1_000, 1_000), "and at a period no longer"},
	})
}

func TestTokenBucketRounding(t *testing.T) {
	l := limit{name: "default", algorithm: tokenBucket, average: 7, period: aSecond, burst: 2}
	due := func(i micros) micros { return (i*aSecond + 6) / 7 } // when the i-th token is there, in whole µs
	rows := []row{{0, 2, pass(0, due(2), due(1)), "a full bucket is emptied"}}
	for i := micros(1); i <= 14; i++ {
		rows = append(rows,
			row{due(i) - 1, 1, deny(0, 1, due(i+1)-due(i)+1, 1), "1 µs early there is no token"},
			row{due(i), 1, pass(0, due(i+2)-due(i), due(i+1)-due(i)), "the rounded wait is enough, and no rounding adds up"})
	}
	checkRows(t, l, noonMicros, rows)

	thirds := limit{name: "default", algorithm: tokenBucket, average: 3, period: aSecond, burst: 3}
	s, _ := takeBucket(thirds, state{}, noonMicros, 3)
	_, v := takeBucket(l, s, noonMicros, 1)
	if want := deny(0, 142_859, 285_716, 142_859); v != want {
		t.Errorf("a changed scale rounds up by 1 µs at most: got %+v, want %+v", v, want)
	}
}

// A smaller step back holds; state from beyond the horizon is absent.
func TestClockStepsBack(t *testing.T) {
	anHour := 60 * aMinute
	window := limit{name: "default", algorithm: fixedWindow, average: 2, period: aMinute}
	log := limit{name: "default", algorithm: slidingLog, average: 2, period: aMinute}
	bucket := limit{name: "default", algorithm: tokenBucket, average: 2, period: aMinute, burst: 2}

	checkRows(t, window, noonMicros, []row{
		{30 * aSecond, 2, pass(0, 30*aSecond, 30*aSecond), "a window is used up"},
		{-30 * aSecond, 1, deny(0, 90*aSecond, 90*aSecond, 90*aSecond), "a minute earlier it still holds, until its own end"},
		{-60*aSecond - 1, 1, pass(1, 1, 1), "a window that begins more than a period later is absent"},
		{-60 * aSecond, 2, pass(0, aMinute, aMinute), "and was replaced"},
	})
	checkRows(t, log, noonMicros, []row{
		{0, 1, pass(1, aMinute, aMinute), "an entry"},
		{-10 * aSecond, 1, pass(0, 70*aSecond, 70*aSecond), "ten seconds earlier it counts, and the new one is dated like it"},
		{-60 * aSecond, 1, deny(0, 120*aSecond, 120*aSecond, 120*aSecond), "a period earlier it still counts"},
		{-60*aSecond - 1, 1, pass(1, aMinute, aMinute), "before that it is absent"},
		{-60*aSecond - 1, 2, deny(1, aMinute, aMinute, aMinute), "and the old log is gone"},
	})
	checkRows(t, bucket, noonMicros, []row{
		{0, 2, pass(0, aMinute, 30*aSecond), "a bucket is emptied"},
		{-30 * aSecond, 1, deny(0, 60*aSecond, 90*aSecond, 60*aSecond), "half a minute earlier no token has fallen"},
		{-60 * aSecond, 1, deny(0, 90*aSecond, 120*aSecond, 90*aSecond), "nor as long ago as it takes to fill"},
		{-60*aSecond - 1, 1, pass(1, 30*aSecond, 30*aSecond), "before that it is absent"},
		{-anHour, 2, pass(0, aMinute, 30*aSecond), "by hours too"},
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

// A denial and a look leave the state as it was; a cost of 0 always passes.
func TestOnlyChargesChange(t *testing.T) {
	checkTimes(t, 5_000, func(rt *rapid.T) {
		g := newGenerator(rt, []string{fixedWindow, slidingLog, tokenBucket}, rapid.IntRange(1, 3).Draw(rt, "limits"))
		for i := 0; i < 20; i++ {
			before := map[string]state{}
			for k, s := range g.memory {
				before[k] = s
			}
			g.steps(1, 1, 1)
			d, cost := g.outcomes[i][0].decision, g.calls[i].costs[0]
			if cost == 0 && !d.allowed {
				rt.Fatalf("a look was denied: %+v", d)
			}
			if d.allowed && cost > 0 {
				continue
			}
			for k, s := range g.memory {
				if !reflect.DeepEqual(s, before[k]) {
					rt.Fatalf("cost %d, allowed %v: %s was %+v, is %+v", cost, d.allowed, k, before[k], s)
				}
			}
		}
	})
}

// All or nothing: what one limit denies, no limit charges, and each says how it stands.
func TestDecideIsAllOrNothing(t *testing.T) {
	limits := []limit{
		{name: "burst", algorithm: tokenBucket, average: 60, period: aMinute, burst: 5},
		{name: "daily", algorithm: fixedWindow, average: 3, period: aDay},
	}
	states := make([]state, 2)
	states, d := decide(limits, states, noonMicros, 2)
	if want := []verdict{pass(3, 2*aSecond, aSecond), pass(1, aDay/2, aDay/2)}; !d.allowed || !reflect.DeepEqual(d.verdicts, want) {
		t.Errorf("the first: got %+v, want %+v", d, want)
	}
	after, d := decide(limits, states, noonMicros, 2)
	if want := []verdict{pass(3, 2*aSecond, aSecond), deny(1, aDay/2, aDay/2, aDay/2)}; d.allowed || !reflect.DeepEqual(d.verdicts, want) {
		t.Errorf("what daily denies: got %+v, want %+v", d, want)
	}
	if !reflect.DeepEqual(after, states) {
		t.Errorf("a denial changed %+v to %+v", states, after)
	}
}

// Every name that compile accepts has a row, and every row a heading of each kind in its comment.
func TestAlgorithmsAreDocumented(t *testing.T) {
	source := readFile(t, "algorithms.go")
	for name, function := range map[string]string{fixedWindow: "takeWindow", slidingLog: "takeLog", tokenBucket: "takeBucket"} {
		if a := algorithmOf(limit{algorithm: name}); a.name != name || a.take == nil {
			t.Errorf("no row for %s", name)
		}
		end := strings.Index(source, "\nfunc "+function+"(")
		comment := source[strings.LastIndex(source[:end], "\n\n"):end]
		lines := strings.Count(comment, "\n") - 1
		if lines > 30 {
			t.Errorf("%s: %d lines of comment, 30 at most", function, lines)
		}
		for _, heading := range []string{"Promise", "State", "Rule", "Example", "Rounding", "Clock", "Price", "Choose it", "Lua twin"} {
			if !strings.Contains(comment, "\n// "+heading) {
				t.Errorf("%s: no %q", function, heading)
			}
		}
	}
}
