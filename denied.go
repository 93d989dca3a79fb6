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
// so a flood of one source costs Redis about one call a second, or one for each unit that becomes free. One per middleware.
// It only repeats decisions of the script, and makes none.
//
// There are two generations: when the young one is full or as old as a denial can grow, it becomes the old one, and
// the old one is dropped. No entry needs to be looked for to be removed, and memory is bounded.
type denials struct {
	rules *headerRules
	some  chan bool // has an entry while some may be remembered: else nobody need look. To look at its length costs no call. Written under mu

	mu    sync.Mutex
	young map[string]*denial // by source
	old   map[string]*denial
	near  map[string]*denial // by remote address: the denial over which its last request was denied from memory; at most deniedMost, dropped when young turns old
	turn  time.Duration      // sinceStart: when young becomes old
}

func newDenials(rules *headerRules) *denials {
	return &denials{rules: rules, some: make(chan bool, 1), near: map[string]*denial{}}
}

// denial is one denied request, with what its answer says. Nothing of it changes later.
type denial struct {
	rules       *headerRules
	xRateLimit  bool // of rules, as are the next four: here they cost a step less
	rateLimit   bool
	statusCode  int
	contentType []string
	body        []byte

	decision  decision
	name      []string // X-RateLimit-Name: the limit that the client is told of
	limit     []string // X-RateLimit-Limit
	remaining []string // X-RateLimit-Remaining
	reset     []string // X-RateLimit-Reset
	retry     []string // Retry-After; nil when no wait helps
	retryLess []string // the same, a second less

	cost    int64
	arrived time.Duration // sinceStart: the moment that decision.at is here
	lessAt  time.Duration // sinceStart: from then on retryLess holds
	until   time.Duration // sinceStart: from then on only Redis knows
}

// newDenial prepares the answer to a request that d denies, which is known here since arrived.
func newDenial(rules *headerRules, d *decision, arrived time.Duration) *denial {
	by := tightestDenying(d)
	v := &d.verdicts[by]
	fresh := &denial{
		rules: rules, xRateLimit: rules.xRateLimit, rateLimit: rules.rateLimit,
		statusCode: rules.statusCode, contentType: rules.contentType, body: rules.body,
		decision: *d, arrived: arrived, name: rules.nameValues[by], limit: rules.limitValues[by],
		remaining: []string{strconv.FormatInt(v.remaining, 10)},
		reset:     []string{strconv.FormatInt(wholeSeconds(d.at+v.resetAfter), 10)},
	}
	if retry := longestRetry(d); retry > 0 {
		seconds := wholeSeconds(retry)
		fresh.retry = []string{strconv.FormatInt(seconds, 10)}
		fresh.retryLess = []string{strconv.FormatInt(seconds-1, 10)}
		fresh.lessAt = arrived + time.Duration(retry)*time.Microsecond - time.Duration(seconds-1)*time.Second
	}
	return fresh
}

// sinceStart is a moment of this process, by the monotonic clock.
func sinceStart() time.Duration { return time.Since(started) }

var started = time.Now()

// rememberDenied prepares the denials among the outcomes of one script call, which was sent and answered at these moments, and remembers
// those that hold for a while.
func rememberDenied(d *denials, requests []*request, outcomes []outcome, sent, arrived time.Duration) {
	for i := range outcomes {
		if !outcomes[i].decision.allowed && outcomes[i].refused == "" {
			outcomes[i].denial = rememberOne(d, requests[i], &outcomes[i].decision, sent, arrived)
		}
	}
}

// rememberOne prepares one denial, and remembers it if it still holds now that it is known.
func rememberOne(d *denials, r *request, decided *decision, sent, arrived time.Duration) *denial {
	fresh := newDenial(d.rules, decided, arrived)
	span := deniedSpan(decided)
	if span > arrived-sent {
		fresh.cost = r.cost
		fresh.until = sent + span
		remember(d, r.source, fresh)
	}
	return fresh
}

// deniedSpan is how long from its instant on a denial holds in all it says, if nobody else charges the source: until one of its
// limits has a unit more, or begins another window. Who charges it meanwhile can only make it wait longer. At most deniedFor.
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
	if len(d.young) >= deniedMost || fresh.arrived > d.turn {
		d.old = d.young
		d.young = map[string]*denial{}
		d.near = map[string]*denial{}
		d.turn = fresh.arrived + deniedFor
	}
	d.young[source] = fresh
	if len(d.some) == 0 {
		d.some <- true
	}
	d.mu.Unlock()
}

// recall finds the denials that these requests would only meet again at now, and returns those for which there is none. Where only the
// remote address counts, further requests of their connections are denied at once.
func recall(d *denials, requests []*request, now time.Duration, remote bool) []*request {
	var unknown []*request
	var held *denial
	d.mu.Lock()
	if now > d.turn+deniedFor { // all are over
		d.young = map[string]*denial{}
		d.old = nil
		d.near = map[string]*denial{}
		if len(d.some) > 0 {
			<-d.some
		}
	}
	for _, p := range requests {
		held = d.young[p.source]
		if held == nil {
			held = d.old[p.source]
		}
		if held == nil || held.cost != p.cost || now >= held.until {
			unknown = append(unknown, p)
		} else {
			p.denial = held
			p.deniedAt = now
			if remote && p.asked != nil && p.cost == 1 && len(d.near) < deniedMost {
				d.near[p.asked.RemoteAddr] = held
			}
		}
		p.asked = nil // nobody else holds on to it
	}
	d.mu.Unlock()
	return unknown
}

// denyAgain answers those of these requests for which recall has found a denial.
func denyAgain(requests []*request) {
	for _, p := range requests {
		if p.denial != nil {
			p.answered = true
			p.answer <- false
		}
	}
}

// passedSince is how long ago a denial was decided. 0 when now was read before it arrived.
func passedSince(held *denial, now time.Duration) micros {
	if now < held.arrived {
		return 0
	}
	return micros((now - held.arrived) / time.Microsecond)
}
