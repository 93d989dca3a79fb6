package ratelimit

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// A generator makes up calls, and plays them through the Go twin as it goes, so that it can aim at the edges.
type generator struct {
	t        *rapid.T
	limits   []limit
	now      micros
	memory   map[string]state
	calls    []call
	outcomes [][]outcome

	forward    bool // time never steps back
	sameLimits bool // the configuration never changes
}

// Every sum of now and a fill time stays below 2^53 µs.
const latestNow = micros(1)<<53 - 2*3_155_760_000_000_000

func newGenerator(t *rapid.T, algorithms []string, limits int) *generator {
	g := &generator{t: t, memory: map[string]state{}}
	for i := 0; i < limits; i++ {
		g.limits = append(g.limits, anyLimitOf(t, string(rune('a'+i)), rapid.SampledFrom(algorithms).Draw(t, "algorithm")))
	}
	g.now = micros(rapid.Int64Range(1_600_000_000_000_000, 1_800_000_000_000_000).Draw(t, "start"))
	return g
}

// spread draws from 1 to most, each order of magnitude alike.
func spread(t *rapid.T, most int64, label string) int64 {
	digits := rapid.Float64Range(0, 1).Draw(t, label)
	n := int64(math.Exp(digits * math.Log(float64(most))))
	if n < 1 {
		return 1
	}
	if n > most {
		return most
	}
	return n
}

const (
	longest     = 366 * aDay
	mostUnits   = 90_000_000
	mostLogged  = 100_000
	fewLogged   = 300
	oneInAWhile = 12
)

func anyLimitOf(t *rapid.T, name, algorithm string) limit {
	l := limit{name: name, algorithm: algorithm}
	switch rapid.IntRange(0, 9).Draw(t, "rate") {
	case 0:
		l.average, l.period = 299, longest
	case 1:
		l.average, l.period = 104_729, aDay
	case 2:
		l.average, l.period = 999_983, longest
	case 3:
		l.average = mostUnits - rapid.Int64Range(0, 2).Draw(t, "less") // the largest products, with the largest burst
		l.period = 999 + micros(spread(t, int64(longest)-999, "period"))
	case 4, 5:
		l.average = rapid.Int64Range(1, 10).Draw(t, "average")
		l.period = rapid.SampledFrom([]micros{1_000, 1_000_000, 60_000_000, 3_600_000_000, aDay, 7 * aDay, longest}).Draw(t, "period")
	default:
		l.average = spread(t, mostUnits, "average")
		l.period = 999 + micros(spread(t, int64(longest)-999, "period"))
	}
	if algorithm == slidingLog && l.average > fewLogged && rapid.IntRange(0, oneInAWhile).Draw(t, "long log") > 0 {
		l.average = 1 + l.average%fewLogged
	}
	if algorithm == slidingLog && l.average > mostLogged {
		l.average = mostLogged
	}
	if algorithm == tokenBucket {
		l.burst = l.average
		switch rapid.IntRange(0, 5).Draw(t, "burst") {
		case 0, 1:
			l.burst = spread(t, mostUnits, "burst")
		case 2:
			l.burst = mostUnits
		}
		for !fillsInTime(l.burst, l) {
			l.burst = 1 + l.burst/2
		}
	}
	return l
}

// steps adds calls of up to requests requests of sources sources.
func (g *generator) steps(n, sources, requests int) {
	for i := 0; i < n; i++ {
		if !g.sameLimits && rapid.IntRange(0, oneInAWhile).Draw(g.t, "same configuration") == oneInAWhile {
			g.reconfigure()
		}
		g.now = g.later()
		c := call{limits: g.limits, now: g.now}
		for r := rapid.IntRange(1, requests).Draw(g.t, "requests"); r > 0; r-- {
			c.sources = append(c.sources, "s"+strconv.Itoa(rapid.IntRange(1, sources).Draw(g.t, "source")))
			c.costs = append(c.costs, g.cost())
		}
		g.calls = append(g.calls, c)
		g.outcomes = append(g.outcomes, playOn(g.memory, []call{c})[0])
	}
}

// reconfigure changes one limit, under its old name; the algorithm stays or is another's of the limits.
func (g *generator) reconfigure() {
	limits := append([]limit(nil), g.limits...)
	i := rapid.IntRange(0, len(limits)-1).Draw(g.t, "changed")
	from := rapid.IntRange(0, len(limits)-1).Draw(g.t, "algorithm from")
	changed := anyLimitOf(g.t, limits[i].name, limits[from].algorithm)
	if changed.algorithm == limits[i].algorithm {
		switch rapid.IntRange(0, 3).Draw(g.t, "keep") {
		case 0:
			changed.period = limits[i].period
		case 1:
			changed.average, changed.period = limits[i].average, limits[i].period
		}
		if changed.burst > 0 && !fillsInTime(changed.burst, changed) {
			changed.burst = 1
		}
	}
	limits[i] = changed
	g.limits = limits
}

// last is one verdict of the latest call, with the limit that gave it.
func (g *generator) last() (limit, verdict) {
	i := rapid.IntRange(0, len(g.limits)-1).Draw(g.t, "limit")
	if len(g.outcomes) == 0 {
		return g.limits[i], verdict{remaining: capacity(g.limits[i])}
	}
	outcomes := g.outcomes[len(g.outcomes)-1]
	return g.limits[i], outcomes[len(outcomes)-1].decision.verdicts[i]
}

// later draws the instant of the next call: the same, on an edge or one µs off it, after a while, or earlier.
func (g *generator) later() micros {
	l, v := g.last()
	now := g.now
	kinds := 13
	if g.forward {
		kinds = 9
	}
	switch rapid.IntRange(0, kinds).Draw(g.t, "time") {
	case 0, 1:
	case 2:
		now += v.retryAfter
	case 3:
		now += v.nextAfter
	case 4:
		now += v.resetAfter
	case 5:
		now += micros(rapid.SampledFrom([]int64{int64(v.retryAfter), int64(v.nextAfter), int64(v.resetAfter)}).Draw(g.t, "edge")) - 1
	case 6:
		now += micros(spread(g.t, int64(fillTime(l)), "short"))
	case 7:
		now += micros(spread(g.t, int64(longest), "long"))
	case 8:
		now += micros(spread(g.t, 1_000, "tiny"))
	case 9:
		now += micros(spread(g.t, 20*int64(longest), "on by years"))
	case 10:
		now -= micros(spread(g.t, int64(fillTime(l))/3+1, "back a little"))
	case 11:
		now -= fillTime(l) + micros(rapid.Int64Range(-2, 2).Draw(g.t, "off")) // the horizon, when the state is of now
	case 12:
		now -= micros(spread(g.t, 20*int64(longest), "back by years"))
	case 13:
		now -= micros(rapid.Int64Range(0, 3).Draw(g.t, "back a tick"))
	}
	if g.forward && now < g.now {
		now = g.now
	}
	if now < 0 {
		return 0
	}
	if now > latestNow {
		return latestNow
	}
	return now
}

// cost draws 0 to 5, or all that is left, one more, the capacity, one more; a log is given 1,000 at once at most.
func (g *generator) cost() int64 {
	l, v := g.last()
	var cost int64
	switch rapid.IntRange(0, 11).Draw(g.t, "cost") {
	case 0:
		cost = v.remaining
	case 1:
		cost = v.remaining + 1
	case 2:
		cost = capacity(l)
	case 3:
		cost = capacity(l) + 1
	case 4:
		cost = 1 + v.remaining/2
	default:
		return rapid.Int64Range(0, 5).Draw(g.t, "few")
	}
	for _, l := range g.limits {
		if l.algorithm == slidingLog && cost > 1_000 && cost <= l.average {
			return 1_000
		}
	}
	return cost
}

// What the differential test does not reach it does not test.
func TestGeneratorReaches(t *testing.T) {
	seen := map[string]int{}
	count := func(what string, is bool) {
		if is {
			seen[what]++
		}
	}
	all := []string{fixedWindow, slidingLog, tokenBucket}
	checkTimes(t, 20_000, func(rt *rapid.T) {
		g := newGenerator(rt, all, rapid.IntRange(1, 3).Draw(rt, "limits"))
		before := call{now: g.now, limits: g.limits}
		for step := 0; step < 20; step++ {
			states := map[string]state{}
			for k, v := range g.memory {
				states[k] = v
			}
			g.steps(1, 1, 1)
			c, d := g.calls[step], g.outcomes[step][0].decision
			since := c.now - before.now
			count("stands still", since == 0)
			count("jumps a year", since > longest)
			count("steps back a little", since < 0 && since > -1_000)
			count("steps back by years", since < -longest)
			count("changed configuration", step > 0 && &c.limits[0] != &before.limits[0])
			count("decided with a cost of "+strconv.FormatInt(c.costs[0], 10), c.costs[0] <= 5)
			count("denied although one allows", !d.allowed && anyAllows(d))
			for i, l := range c.limits {
				v, s := d.verdicts[i], states["s1 "+l.name+":"+algorithmOf(l).tag]
				name := l.algorithm + " "
				count(name+"allowed", v.allowed && c.costs[0] > 0)
				count(name+"emptied", d.allowed && c.costs[0] > 0 && v.remaining == 0)
				count(name+"denied", !v.allowed && !v.never)
				count(name+"never", v.never)
				count(name+"beyond the horizon", dated(s) > c.now+fillTime(l))
				count(name+"on the horizon", dated(s) == c.now+fillTime(l))
				count(name+"dated later than now", dated(s) > c.now)
				count(name+"of 1 ms", l.period == 1_000)
				count(name+"of 366 days", l.period == longest)
				count(name+"with the largest average", l.average == mostUnits || l.algorithm == slidingLog && l.average == mostLogged)
				count(name+"299 per 366 days", l.average == 299 && l.period == longest)
				count("999,983 per 366 days", l.average == 999_983 && l.period == longest)
				count("104,729 per day", l.average == 104_729 && l.period == aDay)
				count("count above the average", l.algorithm == fixedWindow && s.units > l.average)
				count("log longer than the average", int64(len(s.log)) > l.average)
				count("bucket fuller than the burst", l.algorithm == tokenBucket && s.units > l.burst)
				count("bucket of another scale", s.scale != 0 && s.scale != rateOf(l).scale)
				count("bucket refilled in part", s.scale != 0 && v.remaining > s.units && v.remaining < l.burst)
				count("bucket between two µs", s.parts > 0)
			}
			before = c
		}
	})

	wants := []string{
		"stands still", "jumps a year", "steps back a little", "steps back by years", "changed configuration",
		"decided with a cost of 0", "decided with a cost of 5", "denied although one allows",
		"999,983 per 366 days", "104,729 per day", "count above the average", "log longer than the average",
		"bucket fuller than the burst", "bucket of another scale", "bucket refilled in part", "bucket between two µs",
	}
	for _, name := range all {
		for _, what := range []string{"allowed", "emptied", "denied", "never", "beyond the horizon", "on the horizon",
			"dated later than now", "of 1 ms", "of 366 days"} {
			wants = append(wants, name+" "+what)
		}
	}
	wants = append(wants, "fixed-window 299 per 366 days", "sliding-log 299 per 366 days", "token-bucket 299 per 366 days",
		"fixed-window with the largest average", "sliding-log with the largest average", "token-bucket with the largest average")
	for _, want := range wants {
		t.Logf("%6d %s", seen[want], want)
		if seen[want] < 20 && !underRace && !testing.Short() {
			t.Errorf("%q happened %d times only", want, seen[want])
		}
	}
}

func anyAllows(d decision) bool {
	for _, v := range d.verdicts {
		if v.allowed {
			return true
		}
	}
	return false
}
