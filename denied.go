package ratelimit

import (
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
// so a flood of one source costs Redis about one call a second. One per middleware; never a source of decisions of its own.
//
// There are two generations: when the young one is full or as old as a denial can grow, it becomes the old one, and
// the old one is dropped. No entry needs to be looked for to be removed, and memory is bounded.
type denials struct {
	mu    sync.Mutex
	young map[string]*denial // by source
	old   map[string]*denial
	turn  time.Time // when young becomes old
}

// denial is one denied request. Nothing of it changes later.
type denial struct {
	cost     int64
	decision decision
	arrived  time.Time // the moment that decision.at is here
	until    time.Time // from then on only Redis knows
}

// rememberDenied notes the denials among the outcomes of one script call, which was sent and answered at these moments.
func rememberDenied(d *denials, requests []*request, outcomes []outcome, sent, arrived time.Time) {
	for i := range outcomes {
		decided := &outcomes[i].decision
		if decided.allowed || outcomes[i].refused != "" {
			continue
		}
		span := deniedSpan(decided)
		if span <= arrived.Sub(sent) {
			continue
		}
		remember(d, requests[i].source, &denial{cost: requests[i].cost, decision: *decided, arrived: arrived, until: sent.Add(span)})
	}
}

// deniedSpan is how long from its instant on a denial holds in all it says, if nobody else charges the source: until one of its
// limits has a unit more, or begins another window. Who charges it meanwhile can only make it wait longer.
func deniedSpan(d *decision) time.Duration {
	span := micros(deniedFor / time.Microsecond)
	for i := range d.verdicts {
		v := &d.verdicts[i]
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

// recall reports whether a request at now would only be denied again, and puts what Redis would say into answer.
func recall(d *denials, source string, cost int64, now time.Time, answer *decision) bool {
	d.mu.Lock()
	held := d.young[source]
	if held == nil {
		held = d.old[source]
	}
	d.mu.Unlock()
	if held == nil || held.cost != cost || !now.Before(held.until) {
		return false
	}
	passed := micros(now.Sub(held.arrived) / time.Microsecond)
	if passed < 0 {
		passed = 0 // now was read before the denial arrived
	}
	verdicts := append([]verdict(nil), held.decision.verdicts...)
	for i := range verdicts {
		v := &verdicts[i]
		v.retryAfter = left(v.retryAfter, passed)
		v.nextAfter = left(v.nextAfter, passed)
		v.resetAfter = left(v.resetAfter, passed)
	}
	*answer = decision{at: held.decision.at + passed, verdicts: verdicts}
	return true
}

// left is what is left of a span; 0 stays 0. No span of a denial that is still remembered has passed wholly.
func left(span, passed micros) micros {
	if span == 0 {
		return 0
	}
	return span - passed
}
