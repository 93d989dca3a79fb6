package ratelimit

import (
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// localAt is a local limiter whose clock stands where the test sets it.
type localAt struct {
	*localLimiter
	now micros
}

func newLocalAt(limits ...limit) *localAt {
	l := &localAt{localLimiter: newLocalLimiter(limits), now: noonMicros}
	l.clock = func() micros { return l.now }
	return l
}

// take is one request's decision.
func (l *localAt) ask(source string, cost int64) decision {
	d, err := l.take(source, cost)
	if err != nil {
		panic(err)
	}
	return d
}

func TestLocalStory(t *testing.T) {
	l := newLocalAt(
		limit{name: "bucket", algorithm: tokenBucket, average: 1, period: 10 * aSecond, burst: 3},
		limit{name: "log", algorithm: slidingLog, average: 4, period: aMinute},
	)
	for i, step := range []struct {
		after     micros
		source    string
		cost      int64
		allowed   bool
		remaining string // bucket/log
		retry     micros // of the limit that denies
		why       string
	}{
		{0, "ann", 1, true, "2/3", 0, "untouched limits"},
		{0, "ann", 2, true, "0/1", 0, "the burst"},
		{0, "ann", 1, false, "0/1", 10 * aSecond, "the bucket is empty, and the log is not charged for a denial"},
		{0, "bob", 1, true, "2/3", 0, "another source has limits of its own"},
		{0, "ann", 0, true, "0/1", 0, "a look costs nothing"},
		{10 * aSecond, "ann", 1, true, "0/0", 0, "waited as told"},
		{10 * aSecond, "ann", 1, false, "1/0", 40 * aSecond, "a token is there, and the log is full"},
		{40 * aSecond, "ann", 1, true, "2/2", 0, "waited as told: the entries of the first instant have left"},
		{-30 * aSecond, "ann", 1, true, "1/1", 0, "a step back of the clock neither locks out nor refills"},
		{0, "ann", 9, false, "1/1", 0, "never: more than the capacity"},
	} {
		l.now += step.after
		d := l.ask(step.source, step.cost)
		remaining := fmt.Sprintf("%d/%d", d.verdicts[0].remaining, d.verdicts[1].remaining)
		var retry micros
		for _, v := range d.verdicts {
			if v.retryAfter > retry {
				retry = v.retryAfter
			}
		}
		if d.allowed != step.allowed || remaining != step.remaining || retry != step.retry || !d.local || d.at != l.now {
			t.Errorf("step %d, %s: allowed %v, %s remaining, retry after %d, local %v, at %d", i+1, step.why, d.allowed, remaining, retry, d.local, d.at-noonMicros)
		}
	}
}

func TestLocalForgetsTheLeastRecentlyUsedSource(t *testing.T) {
	l := newLocalAt(limit{name: "default", algorithm: fixedWindow, average: 1, period: 60 * aMinute})
	name := func(i int) string { return fmt.Sprint("source ", i) }
	for i := 0; i < localSources; i++ {
		l.ask(name(i), 1)
	}
	if l.ask(name(0), 1).allowed {
		t.Fatal("10,000 sources are remembered, yet the first of them has a fresh limit")
	}
	l.ask("one more", 1)
	if len(l.sources) != localSources || l.order.Len() != localSources {
		t.Errorf("%d sources in the map, %d in the list", len(l.sources), l.order.Len())
	}
	if !l.ask(name(1), 1).allowed {
		t.Error("source 1 was used least recently, and is not forgotten")
	}
	for _, kept := range []int{0, 3, localSources - 1} { // 2 had to go for 1
		if l.ask(name(kept), 1).allowed {
			t.Errorf("source %d is forgotten, though not the one used least recently; a denial is a use too", kept)
		}
	}
}

func TestLocalForgetsLogEntries(t *testing.T) {
	l := newLocalAt(limit{name: "default", algorithm: slidingLog, average: 100_000, period: 60 * aMinute})
	fill := func(source string) {
		for i := 0; i < 100; i++ {
			if !l.ask(source, 1_000).allowed {
				t.Fatalf("%s is denied below its average", source)
			}
		}
	}
	for i := 0; i < 10; i++ {
		fill(fmt.Sprint("source ", i))
	}
	if l.entries != localEntries || len(l.sources) != 10 {
		t.Fatalf("%d entries of %d sources, want a million of 10", l.entries, len(l.sources))
	}
	l.ask("source 0", 1) // denied, and yet used
	l.ask("one more", 1)
	if l.entries != localEntries-100_000+1 || len(l.sources) != 10 {
		t.Errorf("%d entries of %d sources after one entry more", l.entries, len(l.sources))
	}
	if l.ask("source 0", 1).allowed || !l.ask("source 1", 1).allowed {
		t.Error("not source 1, used least recently, was forgotten")
	}
}

// One source alone may have more log entries than fit: it is limited all the same.
func TestLocalKeepsTheSourceInUse(t *testing.T) {
	l := newLocalAt(
		limit{name: "a", algorithm: slidingLog, average: 8, period: aMinute},
		limit{name: "b", algorithm: slidingLog, average: 9, period: aMinute},
	)
	l.mostEntries = 10
	l.ask("other", 1)
	for i := 0; i < 8; i++ {
		if !l.ask("large", 1).allowed {
			t.Fatalf("request %d is denied", i+1)
		}
	}
	if l.ask("large", 1).allowed || l.entries != 16 || len(l.sources) != 1 {
		t.Errorf("%d entries of %d sources, and the ninth request passes", l.entries, len(l.sources))
	}
}

// A fault under the lock must not hold it for ever.
func TestLocalGoesOnAfterAPanic(t *testing.T) {
	l := newLocalAt(limit{name: "default", algorithm: fixedWindow, average: 1, period: 60 * aMinute})
	whole := l.clock
	l.clock = func() micros { panic("fault") }
	func() {
		defer func() { recover() }()
		l.ask("x", 1)
	}()
	l.clock = whole
	if !l.ask("x", 1).allowed || l.ask("x", 1).allowed {
		t.Error("after a panic the source is not counted from its untouched limit")
	}
}

func TestLocalCountsConcurrentRequests(t *testing.T) {
	l := newLocalAt(
		limit{name: "b", algorithm: tokenBucket, average: 70, period: 60 * aMinute, burst: 70},
		limit{name: "l", algorithm: slidingLog, average: 50, period: 60 * aMinute},
		limit{name: "w", algorithm: fixedWindow, average: 60, period: 60 * aMinute},
	)
	var all sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for i := 0; i < 500; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			if l.ask("x", 1).allowed {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		}()
	}
	all.Wait()
	d := l.ask("x", 0)
	if passed != 50 || d.verdicts[0].remaining != 20 || d.verdicts[1].remaining != 0 || d.verdicts[2].remaining != 10 {
		t.Errorf("%d passed, %+v", passed, d.verdicts)
	}
}

// What failure mode local holds at most: go test -v -run TestMemoryOfFailureModeLocal .
func TestMemoryOfFailureModeLocal(t *testing.T) {
	if underRace {
		t.Skip("the race detector has a memory of its own")
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	l := newLocalAt(
		limit{name: "b", algorithm: tokenBucket, average: 1_000, period: aMinute, burst: 1_000},
		limit{name: "l", algorithm: slidingLog, average: 100, period: aMinute},
		limit{name: "w", algorithm: fixedWindow, average: 1_000, period: aMinute},
	)
	for round := 0; round < 3; round++ { // what is forgotten is given back
		for i := 0; i < localSources; i++ {
			source := fmt.Sprintf("%064d", round*localSources+i) // as long as a source can be
			for n := 0; n < 10; n++ {
				l.ask(source, 10)
			}
		}
	}
	held := heap() - before
	if len(l.sources) != localSources || l.entries != localEntries {
		t.Errorf("%d sources, %d entries, want both bounds reached", len(l.sources), l.entries)
	}
	t.Logf("%d sources with 3 limits each and %d log entries: %d bytes", len(l.sources), l.entries, held)
	if held > 20_000_000 {
		t.Errorf("%d bytes, at most 20 MB were expected", held)
	}
	runtime.KeepAlive(l)
}

// A plainLocal is what the local limiter means, without its list: sources in the order of their last use, the latest last.
type plainLocal struct {
	limits                   []limit
	mostSources, mostEntries int
	order                    []string
	states                   map[string][]state
}

func (p *plainLocal) ask(source string, now micros, cost int64) decision {
	for i, other := range p.order {
		if other == source {
			p.order = append(p.order[:i:i], p.order[i+1:]...)
			break
		}
	}
	p.order = append(p.order, source)
	if p.states[source] == nil {
		p.states[source] = make([]state, len(p.limits))
	}
	var d decision
	p.states[source], d = decide(p.limits, p.states[source], now, cost)
	for len(p.order) > p.mostSources || p.entries() > p.mostEntries && len(p.order) > 1 {
		delete(p.states, p.order[0])
		p.order = p.order[1:]
	}
	return d
}

func (p *plainLocal) entries() int {
	sum := 0
	for _, states := range p.states {
		for _, s := range states {
			sum += len(s.log)
		}
	}
	return sum
}

func TestPropertyLocalKeepsItsBounds(t *testing.T) {
	checkTimes(t, 2_000, func(rt *rapid.T) {
		limits := []limit{
			{name: "b", algorithm: tokenBucket, average: 7, period: 10 * aSecond, burst: 5},
			{name: "l", algorithm: slidingLog, average: 6, period: 9 * aSecond},
			{name: "m", algorithm: slidingLog, average: 4, period: 5 * aSecond},
		}
		l := newLocalAt(limits...)
		l.mostSources = rapid.IntRange(1, 5).Draw(rt, "sources")
		l.mostEntries = rapid.IntRange(1, 40).Draw(rt, "entries")
		plain := &plainLocal{limits: limits, mostSources: l.mostSources, mostEntries: l.mostEntries, states: map[string][]state{}}
		for i := rapid.IntRange(1, 80).Draw(rt, "steps"); i > 0; i-- {
			l.now += micros(rapid.Int64Range(-int64(aSecond), int64(3*aSecond)).Draw(rt, "later"))
			source := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"}).Draw(rt, "source")
			cost := rapid.Int64Range(0, 3).Draw(rt, "cost")
			got, want := l.ask(source, cost), plain.ask(source, l.now, cost)
			want.local = true
			if fmt.Sprint(got) != fmt.Sprint(want) {
				rt.Fatalf("got %+v, want %+v", got, want)
			}
			if len(l.sources) != len(plain.order) || l.order.Len() != len(plain.order) || l.entries != plain.entries() {
				rt.Fatalf("%d sources, %d in the list, %d entries; want %d and %d", len(l.sources), l.order.Len(), l.entries, len(plain.order), plain.entries())
			}
		}
	})
}

func TestShareOfALimit(t *testing.T) {
	bucket := func(average int64, period micros, burst int64) limit {
		return limit{name: "x", algorithm: tokenBucket, average: average, period: period, burst: burst}
	}
	log := func(average int64) limit {
		return limit{name: "x", algorithm: slidingLog, average: average, period: aMinute}
	}
	for _, row := range []struct {
		share       string
		whole, part limit
		why         string
	}{
		{"1", bucket(7, 3, 9), bucket(7, 3, 9), "the whole"},
		{"0.5", bucket(10, aSecond, 10), bucket(10, 2*aSecond, 5), "half the burst, at half the rate"},
		{"0.29", bucket(100, 29*aSecond, 100), bucket(100, 100*aSecond, 29), "in floats 100 · 0.29 is less than 29"},
		{"0.07", bucket(100, 7*aSecond, 100), bucket(100, 100*aSecond, 7), "in floats 100 · 0.07 is more than 7"},
		{"0.3", bucket(1, aSecond, 10), bucket(1, 3_333_334, 3), "a period is rounded up, so that the rate is never above the share"},
		{"0.1", bucket(5, aSecond, 1), bucket(5, 10*aSecond, 1), "a burst is rounded up: one of a tenth is one"},
		{"0.21", bucket(1, 21*aSecond, 10), bucket(1, 100*aSecond, 3), "a burst is rounded up: 2.1 is 3"},
		{"0.29", log(100), log(29), "in floats 28"},
		{"0.299", log(100), log(29), "an average is rounded down"},
		{"0.001", log(100), log(1), "but never to naught"},
		{"1", log(1), log(1), "the whole of one"},
		{"0.999999999999999999", log(100_000), log(99_999), "more digits than a float holds"},
	} {
		share, _ := new(big.Rat).SetString(row.share)
		if got, ok := shareOf(row.whole, share); got != row.part || !ok {
			t.Errorf("%s: %s of %+v is %+v, %v", row.why, row.share, row.whole, got, ok)
		}
	}
	if _, ok := shareOf(bucket(1, 2, 1), big.NewRat(1, 1<<62)); ok {
		t.Error("a period of 2^63 µs counts in 64 bits")
	}
}

func TestFraction(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", "1/1"}, {"1", "1/1"}, {"1.0", "1/1"}, {"1.000000", "1/1"}, {"0.5", "1/2"}, {"0.500000", "1/2"}, {".5", "1/2"}, {"00.50", "1/2"},
		{"0.29", "29/100"}, {"0.07", "7/100"}, {"0.000001", "1/1000000"}, {"0.1234567890123456789", "1234567890123456789/10000000000000000000"},
		{"0", ""}, {"0.0", ""}, {"1.000001", ""}, {"2", ""}, {"-1", ""}, {"+0.5", ""}, {"1e-1", ""}, {"0x0.8", ""}, {"1/2", ""}, {"0.5.0", ""},
		{".", ""}, {"0,5", ""}, {" 0.5", ""}, {"half", ""}, {"NaN", ""}, {"0_1", ""}, {"0." + strings.Repeat("3", 64), ""},
	} {
		f := &faults{}
		got := fraction(f, "localShare", row.text)
		if good := len(f.lines) == 0; good != (row.want != "") || good && got.String() != row.want {
			t.Errorf("%q is %s, %q", row.text, got, f.lines)
		}
	}
}

// Whatever the limit and the share, what one instance lets through stays within the share, in exact arithmetic.
func TestPropertyLocalStaysWithinItsShare(t *testing.T) {
	checkTimes(t, 3_000, func(rt *rapid.T) {
		algorithm := rapid.SampledFrom([]string{fixedWindow, slidingLog, tokenBucket}).Draw(rt, "algorithm")
		g := newGenerator(rt, []string{algorithm}, 1)
		whole := g.limits[0]
		text := "0." + fmt.Sprintf("%06d", spread(rt, 999_999, "share"))
		share := fraction(&faults{}, "localShare", text)
		part, ok := shareOf(whole, share)
		if !ok || algorithm == tokenBucket && !fillsInTime(part.burst, part) {
			return // a fault of the configuration
		}
		g.limits[0] = part
		g.forward, g.sameLimits = true, true
		g.steps(60, 1, 1)
		let := g.passages()
		switch algorithm {
		case fixedWindow:
			sums := map[micros]int64{}
			for _, p := range let {
				sums[p.at/whole.period] += p.units
			}
			for window, sum := range sums {
				if !withinShare(sum, whole.average, share) {
					rt.Fatalf("%d in window %d, share %s of %+v", sum, window, text, whole)
				}
			}
		case slidingLog:
			if most := mostIn(let, whole.period); !withinShare(most, whole.average, share) {
				rt.Fatalf("%d in a period, share %s of %+v", most, text, whole)
			}
		case tokenBucket:
			if from, to, units := mostOfBucket(let, whole, share); units > 0 {
				rt.Fatalf("%d from %d to %d, share %s of %+v", units, from, to, text, whole)
			}
		}
	})
}

// withinShare reports whether units ≤ max(1, average · share).
func withinShare(units, average int64, share *big.Rat) bool {
	return units <= 1 || big.NewRat(units, 1).Cmp(times(average, share)) <= 0
}

// mostOfBucket finds an interval in which more passed than ceil(burst · share) + share · average · d / period; 0 units: none.
func mostOfBucket(let []passage, whole limit, share *big.Rat) (from, to micros, units int64) {
	burst := new(big.Rat).SetInt(roundedUp(times(whole.burst, share)))
	rate := new(big.Rat).Mul(share, big.NewRat(whole.average, int64(whole.period)))
	for i := range let {
		sum := int64(0)
		for _, p := range let[i:] {
			sum += p.units
			most := new(big.Rat).Add(burst, times(int64(p.at-let[i].at), rate))
			if big.NewRat(sum, 1).Cmp(most) > 0 {
				return let[i].at, p.at, sum
			}
		}
	}
	return 0, 0, 0
}

// What a client is told in failure mode local is what it is held to: the share.
func TestLocalAnswersTellTheShare(t *testing.T) {
	s := settingsAt(t, "share@test", "127.0.0.1:1", func(c *Config) {
		c.Average, c.FailureMode, c.LocalShare = "7", failLocal, "0.3"
		c.Headers = []string{flavourXRateLimit, flavourRateLimit}
	})
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	local := newLocalLimiter(s.local)
	local.clock = func() micros { return noonMicros }
	m := &middleware{settings: s, limiter: failing{}, localRules: newLocalRules(s), fallback: &fallback{mode: failLocal, local: local, health: &health{}}}
	h := opened(t, m, next)
	var got string
	for i := 0; i < 4; i++ {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		got += fmt.Sprintln(w.Code, w.Header()["X-Ratelimit-Limit"], w.Header()["X-Ratelimit-Remaining"], w.Header()["Ratelimit-Policy"], w.Header()["Ratelimit"], w.Header()["Retry-After"])
	}
	// 3 of 7, and one more each 3600 s / 7 / 0.3 = 1714.3 s.
	want := `204 [3] [2] ["default";q=3;w=5143] ["default";r=2;t=1715] []
204 [3] [1] ["default";q=3;w=5143] ["default";r=1;t=1715] []
204 [3] [0] ["default";q=3;w=5143] ["default";r=0;t=1715] []
429 [3] [0] ["default";q=3;w=5143] ["default";r=0;t=1715] [1715]
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(s.limits) != 1 || s.limits[0].burst != 7 {
		t.Errorf("Redis' limits have become %+v", s.limits)
	}
}
