package ratelimit

// micros is a whole number of microseconds, Redis' unit of time: a span, or as an instant the time since the Unix epoch.
// All arithmetic on it stays below 2^53, so that Lua's numbers hold it exactly.
type micros int64

// limit is one named rule: average requests per period by an algorithm.
type limit struct {
	name      string // unique within a middleware, [a-z0-9-]{1,32}
	algorithm string // fixedWindow, slidingLog or tokenBucket
	average   int64  // requests per period, 1 to 90,000,000 (sliding log: 100,000)
	period    micros // 1 ms to 366 days
	burst     int64  // token bucket only: the bucket's capacity, 1 to 90,000,000; 0 for the others
}

// The algorithms by the names that users write.
const (
	fixedWindow = "fixed-window"
	slidingLog  = "sliding-log"
	tokenBucket = "token-bucket"
)

// verdict is one limit's answer to one request.
type verdict struct {
	allowed    bool
	never      bool   // the cost exceeds the capacity: no wait helps; retryAfter is 0
	remaining  int64  // whole units left after this request, never negative
	retryAfter micros // until this same cost would pass if the source stays away; 0 when allowed
	resetAfter micros // until the limit is full again if the source stays away
	nextAfter  micros // until remaining grows by one; 0 when full
}

// decision is all verdicts on one request together.
type decision struct {
	allowed  bool      // every limit allows
	local    bool      // made in this process alone, by its share of each limit: failure mode local
	at       micros    // the instant of the decision by the clock that made it: Redis', or in failure mode local this process'
	verdicts []verdict // in the order of the limits; none when nobody counted this request
}

// state is what is kept of one source under one limit. The zero value is a source that was never charged.
type state struct {
	at    micros   // fixed-window: when the window began; token-bucket: when the bucket held units tokens, less its parts
	units int64    // fixed-window: units charged in the window; token-bucket: whole tokens held at that instant
	parts int64    // token-bucket: what that instant has beyond at, in µs/scale; 0 to scale-1
	scale int64    // token-bucket: the parts of a µs in which parts counts; 0 in the zero value only
	log   []micros // sliding-log: one instant for each unit charged, oldest first
}

// An algorithm asks one limit for cost units (0 to 1,000) at now, and returns the state after it: charged when the
// verdict allows, else as it was. A cost of 0 only looks, and always passes.
type algorithm struct {
	name string
	tag  string // marks its values in Redis: the algorithm and the version of their format
	take func(l limit, s state, now micros, cost int64) (state, verdict)
}

var algorithms = []algorithm{
	{fixedWindow, "fw1", takeWindow},
	{slidingLog, "sl1", takeLog},
	{tokenBucket, "tb1", takeBucket},
}

// algorithmOf returns the row of l's algorithm; l has passed compile, so there is one.
func algorithmOf(l limit) algorithm {
	for _, a := range algorithms {
		if a.name == l.algorithm {
			return a
		}
	}
	return algorithm{}
}

// decide asks every limit for cost units at now, all or nothing: the states come back charged if all of them allow, else as
// they were. The verdict of a limit that allowed while another denied describes what still holds, uncharged.
// states has one entry per limit and is not changed. Lua twin: the loop over the requests in script.
func decide(limits []limit, states []state, now micros, cost int64) ([]state, decision) {
	charged := make([]state, len(limits))
	d := decision{allowed: true, at: now, verdicts: make([]verdict, len(limits))}
	for i, l := range limits {
		charged[i], d.verdicts[i] = algorithmOf(l).take(l, states[i], now, cost)
		d.allowed = d.allowed && d.verdicts[i].allowed
	}
	if d.allowed {
		return charged, d
	}
	for i, l := range limits {
		if d.verdicts[i].allowed {
			_, d.verdicts[i] = algorithmOf(l).take(l, states[i], now, 0)
		}
	}
	return states, d
}

// takeWindow is the algorithm fixed-window: count in windows that follow one another, and start each from nothing.
//
// Promise: at most average units pass in a window; so in any interval as long as a period at most twice the average, and
// that only around an edge. Windows are aligned to the epoch: 1h turns on the hour in UTC, 7 days on Thursdays.
//
// State: at, when the window began (µs), and units, how many it has let through.
//
// Rule: the window of now began at ws = now - now mod period. A count that began in [ws, now] holds, an older one is
// over. A request passes if its cost is at most average - units.
//
// Example: average 3, period 1m. At 12:00:50 three requests pass and the fourth is told to retry after 10 s;
// at 12:01:00 three more pass: six within ten seconds.
//
// Rounding: none. At ws + period - 1 µs the old window holds, at ws + period the new one.
//
// Clock: a window that began later than now (the clock stepped back) holds until its own end, and is what is charged.
// One that began later than now + period is absent, so at most one extra average passes for such a step.
//
// Price: one hash field of about 20 bytes, whatever the average; one read, one write.
//
// Choose it for quotas that people read on a calendar ("10,000 a day"), or where many sources must cost little.
// Not to protect a backend from bursts: all clients start afresh in the same instant.
//
// Lua twin: window in script.
func takeWindow(l limit, s state, now micros, cost int64) (state, verdict) {
	start := now - now%l.period
	stop := start + l.period
	var used int64
	switch {
	case s.at > now+l.period: // beyond the horizon: absent
	case s.at > now:
		start, stop, used = s.at, s.at+l.period, s.units
	case s.at >= start:
		used = s.units
	}

	v := verdict{remaining: notNegative(l.average - used), resetAfter: stop - now}
	v.allowed = cost <= v.remaining
	v.never = cost > l.average
	if v.allowed && cost > 0 {
		s = state{at: start, units: used + cost}
		v.remaining -= cost
	}
	if v.remaining < l.average {
		v.nextAfter = stop - now
	}
	if !v.allowed && !v.never {
		v.retryAfter = stop - now
	}
	return s, v
}

// takeLog is the algorithm sliding-log: remember when each unit was let through, and count those of the last period.
//
// Promise: in any interval as long as a period at most average units pass. No edges.
//
// State: log, one instant (µs) for each unit that was let through, oldest first. A denied request leaves none.
//
// Rule: an entry counts while it is later than t - period, t being the later of now and the newest entry, and only the
// newest average entries do. A request passes if its cost is at most average less those that count; it adds cost entries
// of t and drops those that no longer count.
//
// Example: average 3, period 1m. Requests at 0 s, 20 s and 40 s pass. At 50 s one is told to retry after 10 s; at 60 s
// it passes, since the first entry has just left, and the next may come at 80 s.
//
// Rounding: none. An entry counts until period - 1 µs after it, and no longer at period.
//
// Clock: after a step back entries of the future count, new ones are dated like the newest, and waits are told by the
// true now. A newest entry later than now + period makes the whole log absent: at most one extra average per such step.
//
// Price: 10 bytes for each unit let through, at most average; three to five reads of which a few search, three writes.
//
// Choose it for strict promises over small averages ("5 logins in 10 minutes", "never more than 100 in any minute").
// Not for averages of many thousands: memory grows with them, and compile refuses more than 100,000.
//
// Lua twin: log in script.
func takeLog(l limit, s state, now micros, cost int64) (state, verdict) {
	entries := counting(l, s.log, now)
	used := int64(len(entries))
	v := verdict{allowed: cost <= l.average-used, never: cost > l.average}
	if v.allowed && cost > 0 {
		t := now
		if used > 0 && entries[used-1] > t {
			t = entries[used-1]
		}
		entries = append(make([]micros, 0, used+cost), entries...)
		for i := int64(0); i < cost; i++ {
			entries = append(entries, t)
		}
		s = state{log: entries}
	}

	v.remaining = l.average - int64(len(entries))
	if len(entries) > 0 {
		v.nextAfter = entries[0] + l.period - now
		v.resetAfter = entries[len(entries)-1] + l.period - now
	}
	if !v.allowed && !v.never {
		v.retryAfter = entries[used+cost-l.average-1] + l.period - now
	}
	return s, v
}

// counting returns the entries of log that count at now.
func counting(l limit, log []micros, now micros) []micros {
	size := len(log)
	if size == 0 || log[size-1] > now+l.period { // beyond the horizon: absent
		return nil
	}
	if int64(size) > l.average { // written under a larger average
		log = log[int64(size)-l.average:]
	}
	t := log[len(log)-1]
	if now > t {
		t = now
	}
	first, end := 0, len(log) // by halves: a denied request leaves what has expired where it is
	for first < end {
		middle := (first + end) / 2
		if log[middle] <= t-l.period {
			first = middle + 1
		} else {
			end = middle
		}
	}
	return log[first:]
}

// takeBucket is the algorithm token-bucket: a bucket of burst tokens into which average tokens fall per period, evenly;
// a request takes out its cost.
//
// Promise: in any interval of d at most burst + d·average/period units pass, and requests period/average apart always
// do. Exact for every average, period and burst that compile accepts, for ever: no drift.
//
// State: at + parts/scale (µs) is the instant at which the bucket held exactly units whole tokens; scale is A below.
//
// Rule: with g = gcd(average, period), A = average/g and P = period/g one token takes P/A µs, kept as whole and rest:
// P div A µs and P mod A parts of 1/A µs. Refill by as many whole tokens as have fallen by now, at most to burst, and move
// the instant to that of the last of them; a full bucket starts at now. A request passes if its cost is at most units.
//
// Example: average 3, period 1s, burst 2. At 0 µs two pass. A third is told to retry after 333,334 µs, the first whole
// µs at which a token is there; then it passes, and the next may come at 666,667 µs.
//
// Rounding: the state never; waits up to whole µs, so who waits exactly as told passes. A changed A rounds the instant up
// by at most 1 µs.
//
// Clock: a bucket dated later than now does not refill until then. One dated later than now + the time to fill it from
// empty is absent, so at most one extra burst passes for such a step back.
//
// Price: one hash field of about 30 bytes, whatever the burst; one read, one write.
//
// Choose it when in doubt: it lets small bursts through and keeps the rate. Not where "n in any period" is a contract:
// up to burst + average may pass in one.
//
// Lua twin: bucket in script.
func takeBucket(l limit, s state, now micros, cost int64) (state, verdict) {
	r := rateOf(l)
	held := refilled(l, r, s, now)

	v := verdict{allowed: cost <= held.units, never: cost > l.burst}
	if v.allowed && cost > 0 {
		held.units -= cost
		s = held
	}
	v.remaining = held.units
	if held.units < l.burst {
		v.nextAfter = held.at + r.dueUp(held.parts, 1) - now
		v.resetAfter = held.at + r.dueUp(held.parts, l.burst-held.units) - now
	}
	if !v.allowed && !v.never {
		v.retryAfter = held.at + r.dueUp(held.parts, cost-held.units) - now
	}
	return s, v
}

// refilled returns the bucket s as it is at now, before anything is taken.
func refilled(l limit, r rate, s state, now micros) state {
	full := state{at: now, units: l.burst, scale: r.scale}
	if s.scale == 0 { // never charged
		return full
	}
	if s.scale != r.scale { // written under another average or period
		s.at, s.parts, s.scale = s.at+1, 0, r.scale
	}
	if s.at > now+fillTime(l) { // beyond the horizon: absent. Looked at last, so that what is charged now is not absent right after
		return full
	}
	if now > s.at && s.units < l.burst {
		k := r.tokensIn(s.parts, now-s.at, l.burst-s.units)
		after, parts := r.due(s.parts, k)
		s.at, s.units, s.parts = s.at+after, s.units+k, parts
	}
	if s.units >= l.burst {
		return full
	}
	return s
}

// rate is the time of one token of a bucket: whole + rest/scale µs, in lowest terms.
type rate struct {
	whole micros
	rest  int64 // 0 to scale-1
	scale int64 // 1 to 90,000,000
}

// rateOf returns the rate of the token bucket l.
func rateOf(l limit) rate {
	g, b := l.average, int64(l.period)
	for b != 0 {
		g, b = b, g%b
	}
	scale, span := l.average/g, int64(l.period)/g
	return rate{whole: micros(span / scale), rest: span % scale, scale: scale}
}

// due returns how long after at the bucket has gained k tokens, when it holds whole tokens at at + parts/scale µs:
// in whole µs, and parts of 1/scale µs. No product overflows: k and rest are below 90,000,000, and compile has seen to it
// that k tokens take 100 years at most.
func (r rate) due(parts, k int64) (micros, int64) {
	x := k*r.rest + parts
	return micros(k)*r.whole + micros(x/r.scale), x % r.scale
}

// dueUp is due rounded up to whole µs.
func (r rate) dueUp(parts, k int64) micros {
	after, rest := r.due(parts, k)
	if rest > 0 {
		after++
	}
	return after
}

// tokensIn returns how many whole tokens the bucket of due gains in d, at most most. The quotient of floats is a guess that
// is a step off at worst; the exact due puts it right.
func (r rate) tokensIn(parts int64, d micros, most int64) int64 {
	scale := float64(r.scale)
	guess := (float64(d) - float64(parts)/scale) / (float64(r.whole) + float64(r.rest)/scale)
	k := most
	if guess < float64(most) {
		k = notNegative(int64(guess))
	}
	for k > 0 && r.dueUp(parts, k) > d {
		k--
	}
	for k < most && r.dueUp(parts, k+1) <= d {
		k++
	}
	return k
}

// capacity is what a limit lets through at once when untouched.
func capacity(l limit) int64 {
	if l.algorithm == tokenBucket {
		return l.burst
	}
	return l.average
}

// fillTime is how long an empty limit takes to fill, rounded up. It is also the horizon: state dated later than now and
// this is from a clock that was wrong, and counts as absent. l has passed compile: no more than 100 years.
func fillTime(l limit) micros {
	if l.algorithm != tokenBucket {
		return l.period
	}
	return rateOf(l).dueUp(0, l.burst)
}

// notNegative returns n, or 0 when it is negative.
func notNegative(n int64) int64 {
	if n < 0 {
		return 0
	}
	return n
}
