package ratelimit

import (
	"strconv"
	"sync"
	"time"
)

// Numbers that have no option.
const (
	// deniedFor is the longest time that a denial is remembered: what makes Redis forget a source (DEL, a flush, a step
	// of its clock) is felt within it.
	deniedFor = time.Second
	// deniedMost is how many sources one generation of denials holds; two generations are kept.
	deniedMost = 8192
)

// denials remembers whom the script has denied, for as long as asking again could only be answered the same:
// so a flood of one source costs Redis about one call a second, or one for each unit that becomes free. One per middleware; never a source of decisions of its own.
//
// There are two generations: when the young one is full or as old as a denial can grow, it becomes the old one, and
// the old one is dropped. No entry needs to be looked for to be removed, and memory is bounded.
type denials struct {
	rules *headerRules

	mu    sync.Mutex
	young map[string]*denial // by source
	old   map[string]*denial
	turn  time.Time // when young becomes old
}

// denial is one denied request, with what its answer says. Nothing of it changes later.
type denial struct {
	decision   decision
	by         int      // the index of the limit that the client is told of
	remaining  []string // X-RateLimit-Remaining
	reset      []string // X-RateLimit-Reset
	retryAfter micros   // from decision.at on; 0 when no wait helps

	cost    int64
	arrived time.Time // the moment that decision.at is here
	until   time.Time // from then on only Redis knows
}

// newDenial prepares the answer to a request that d denies.
func newDenial(rules *headerRules, d *decision) *denial {
	by := tightest(rules.capacities, d)
	v := &d.verdicts[by]
	return &denial{
		decision: *d, by: by, retryAfter: retryAfter(d),
		remaining: []string{strconv.FormatInt(v.remaining, 10)},
		reset:     []string{strconv.FormatInt(wholeSeconds(d.at+v.resetAfter), 10)},
	}
}

// rememberDenied notes the denials among the outcomes of one script call, which was sent and answered at these moments.
func rememberDenied(d *denials, requests []*request, outcomes []outcome, sent, arrived time.Time) {
	for i := range outcomes {
		if !outcomes[i].decision.allowed && outcomes[i].refused == "" {
			rememberOne(d, requests[i], &outcomes[i].decision, sent, arrived)
		}
	}
}

func rememberOne(d *denials, r *request, decided *decision, sent, arrived time.Time) {
	span := deniedSpan(decided)
	if span <= arrived.Sub(sent) {
		return
	}
	fresh := newDenial(d.rules, decided)
	fresh.cost = r.cost
	fresh.arrived = arrived
	fresh.until = sent.Add(span)
	remember(d, r.source, fresh)
}

// deniedSpan is how long from its instant on a denial holds in all it says, if nobody else charges the source: until one of its
// limits has a unit more, or begins another window. Who charges it meanwhile can only make it wait longer.
func deniedSpan(d *decision) time.Duration {
	span := micros(deniedFor / time.Microsecond)
	for i := range d.verdicts {
		v := &d.verdicts[i]
		if v.never {
			return 0 // a cost above the capacity, which no request has: not worth a rule
		}
		if v.nextAfter > 0 && v.nextAfter < span {
			span = v.nextAfter
		}
		if v.resetAfter > 0 && v.resetAfter < span {
			span = v.resetAfter
		}
	}
	return time.Duration(span) * time.Microsecond
}

// remember places one denial.
func remember(d *denials, source string, fresh *denial) {
	d.mu.Lock()
	if len(d.young) >= deniedMost || fresh.arrived.After(d.turn) {
		d.old = d.young
		d.young = map[string]*denial{}
		d.turn = fresh.arrived.Add(deniedFor)
	}
	d.young[source] = fresh
	d.mu.Unlock()
}

// recall is the denial that a request at now would only meet again, or nil when Redis must be asked.
func recall(d *denials, source string, cost int64, now time.Time) *denial {
	d.mu.Lock()
	held := d.young[source]
	if held == nil {
		held = d.old[source]
	}
	d.mu.Unlock()
	if held == nil || held.cost != cost || !now.Before(held.until) {
		return nil
	}
	return held
}

// passedSince is how long ago a denial was decided. 0 when now was read before it arrived.
func passedSince(held *denial, now time.Time) micros {
	passed := now.Sub(held.arrived) / time.Microsecond
	if passed < 0 {
		return 0
	}
	return micros(passed)
}
