package ratelimit

import (
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
