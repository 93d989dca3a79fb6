package ratelimit

import (
	"math/bits"
	"net/http"
	"strconv"
	"time"
)

// Header names in the canonical form of net/http, for assigning to the map directly.
const (
	headerLimit        = "X-Ratelimit-Limit"
	headerRemaining    = "X-Ratelimit-Remaining"
	headerReset        = "X-Ratelimit-Reset"
	headerName         = "X-Ratelimit-Name"
	headerPolicy       = "Ratelimit-Policy"
	headerRateLimit    = "Ratelimit"
	headerRetryAfter   = "Retry-After"
	headerCacheControl = "Cache-Control"
	headerContentType  = "Content-Type"
)

// headerRules is all of an answer that no request changes. Its slices have one entry per limit, in the order of the limits.
type headerRules struct {
	xRateLimit  bool // flavour x-ratelimit
	rateLimit   bool // flavour ratelimit
	capacities  []int64
	limitValues [][]string // X-RateLimit-Limit; a field's value is shared by all answers that say the same, and never changed
	nameValues  [][]string // X-RateLimit-Name; sorted, so that the first of equals wins a tie by name
	items       []string   // what stands before the remaining in RateLimit: `"burst";r=`
	policy      string     // the whole of RateLimit-Policy
	statusCode  int        // of the denied answer, as are the next two
	contentType []string
	body        []byte
}

// noStore is Cache-Control of the answers that we give ourselves.
// https://www.rfc-editor.org/rfc/rfc6585#section-4: a 429 must not be stored by a cache; an operator's own status neither.
var noStore = []string{"no-store"}

// newHeaderRules prepares what the answers of one middleware have in common.
func newHeaderRules(s *settings) *headerRules {
	rules := &headerRules{
		xRateLimit:  s.xRateLimit,
		rateLimit:   s.rateLimit,
		statusCode:  s.denied.statusCode,
		contentType: []string{s.denied.contentType},
		body:        []byte(s.denied.body),
	}
	for i, l := range s.limits {
		text := strconv.FormatInt(capacity(l), 10)
		rules.capacities = append(rules.capacities, capacity(l))
		rules.limitValues = append(rules.limitValues, []string{text})
		rules.nameValues = append(rules.nameValues, []string{l.name})
		rules.items = append(rules.items, `"`+l.name+`";r=`)
		if i > 0 {
			rules.policy += ", "
		}
		rules.policy += `"` + l.name + `";q=` + text
		if w := secondsToFill(l); w > 0 {
			rules.policy += ";w=" + strconv.FormatInt(w, 10)
		}
	}
	return rules
}

// newLocalRules is newHeaderRules for the decisions of failure mode local: they are by this instance's share of the limits,
// and what a client is told of the limit must be what it is held to.
func newLocalRules(s settings) *headerRules {
	s.limits = s.local
	return newHeaderRules(&s)
}

// secondsToFill is how long an empty limit takes to be full again, in seconds rounded up; 0 when that is under one second.
// A bucket gains average tokens per period, so burst tokens take burst·period/average, a product of up to 72 bits.
func secondsToFill(l limit) int64 {
	units, rate := int64(1), int64(1)
	if l.algorithm == tokenBucket {
		units, rate = l.burst, l.average
	}
	high, low := bits.Mul64(uint64(units), uint64(l.period))
	whole, rest := bits.Div64(high, low, uint64(rate)*1e6)
	if whole > 0 && rest > 0 {
		whole++
	}
	return int64(whole)
}

// wholeSeconds rounds a span or an instant up to whole seconds.
func wholeSeconds(m micros) int64 {
	return (int64(m) + 999999) / 1000000
}

// setHeaders tells the clients of these allowed requests where they stand, in the flavours that the operator chose. X-RateLimit-* are about
// the limit with the least share left. It changes nothing of a request that nobody counted.
func setHeaders(rules *headerRules, allowed []*request) {
	xRateLimit, rateLimit, several := rules.xRateLimit, rules.rateLimit, len(rules.capacities) > 1
	var h http.Header
	var v *verdict
	var verdicts []verdict
	var reset []string
	best, seconds, written := 0, micros(0), micros(-1)
	for _, p := range allowed {
		verdicts = p.decision.verdicts
		if len(verdicts) == 0 {
			continue
		}
		h = p.header
		if rateLimit {
			setRateLimit(h, rules, &p.decision, 0)
		}
		if !xRateLimit {
			continue
		}
		if several {
			best = leastLeft(rules.capacities, verdicts)
		}
		v = &verdicts[best]
		if h[headerLimit] != nil && heldTighter(h, v.remaining, rules.capacities[best]) {
			continue
		}
		// wholeSeconds
		seconds = (p.decision.at + v.resetAfter + 999999) / 1000000
		if seconds != written {
			written = seconds
			reset = []string{strconv.FormatInt(int64(seconds), 10)}
		}
		h[headerLimit] = rules.limitValues[best]
		h[headerRemaining] = []string{strconv.FormatInt(v.remaining, 10)}
		h[headerReset] = reset
	}
}

// setRateLimit sets the fields of all limits, of a decision that was made passed µs ago.
func setRateLimit(h http.Header, rules *headerRules, d *decision, passed micros) {
	h[headerPolicy] = appendItems(h[headerPolicy], rules.policy)
	h[headerRateLimit] = appendItems(h[headerRateLimit], rateLimitItems(rules.items, d, passed))
}

// leastLeft is the index of the limit with the least remaining share of its capacity, the first of equals. There is one verdict per
// capacity and at least one.
func leastLeft(capacities []int64, verdicts []verdict) int {
	best := 0
	for i := 1; i < len(verdicts); i++ {
		// Shares compared as products: exact, and below 2^53 for capacities up to 90,000,000.
		if verdicts[i].remaining*capacities[best] < verdicts[best].remaining*capacities[i] {
			best = i
		}
	}
	return best
}

// tightestDenying is the index of the limit that a client should heed first, of those that deny: one that can never allow, else the one with
// the longest wait. The first of equals wins.
func tightestDenying(d *decision) int {
	best := 0
	for i := range d.verdicts {
		v, b := &d.verdicts[i], &d.verdicts[best]
		if !v.allowed && (b.allowed || v.never && !b.never || v.never == b.never && v.retryAfter > b.retryAfter) {
			best = i
		}
	}
	return best
}

// heldTighter reports whether h already holds X-RateLimit fields, set by another middleware on the same router that allowed
// this request, with no greater remaining share than remaining of limit. Fields that are no numbers do not count.
func heldTighter(h http.Header, remaining, limit int64) bool {
	heldLimits, heldRemainings := h[headerLimit], h[headerRemaining]
	if len(heldLimits) == 0 || len(heldRemainings) == 0 {
		return false
	}
	// 31 bits each keep the products below 2^63.
	heldLimit, err := strconv.ParseUint(heldLimits[0], 10, 31)
	if err != nil {
		return false
	}
	heldRemaining, err := strconv.ParseUint(heldRemainings[0], 10, 31)
	if err != nil {
		return false
	}
	return int64(heldRemaining)*limit <= remaining*int64(heldLimit)
}

// rateLimitItems is the RateLimit field: every limit when all allow, on a denial those that deny.
// https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-11
func rateLimitItems(items []string, d *decision, passed micros) string {
	text := ""
	for i := range d.verdicts {
		v := &d.verdicts[i]
		if v.allowed != d.allowed {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += items[i] + strconv.FormatInt(v.remaining, 10)
		if v.nextAfter > 0 {
			text += ";t=" + strconv.FormatInt(wholeSeconds(v.nextAfter-passed), 10)
		}
	}
	return text
}

// appendItems adds items to a list field that another middleware may have begun. One line holds all of them,
// because many clients read only the first.
func appendItems(held []string, items string) []string {
	if len(held) == 0 {
		return []string{items}
	}
	text := ""
	for _, line := range held {
		text += line + ", "
	}
	return []string{text + items}
}

// longestRetry is the longest retry after of all limits that deny; 0 when no wait helps because one of them never allows this cost.
func longestRetry(d *decision) micros {
	longest := micros(1)
	for i := range d.verdicts {
		if d.verdicts[i].never {
			return 0
		}
		if d.verdicts[i].retryAfter > longest {
			longest = d.verdicts[i].retryAfter
		}
	}
	return longest
}

// answerDenied answers a request with the denial that is held, at now by sinceStart, or 0 for when it was decided; if nil is held, with one
// that recall has found for the same connection. It reports whether there is one that holds. X-RateLimit-* of one that denies win over what
// another middleware has set. Nothing here can panic: all was prepared by newDenial. To look and to answer are one function, since it is all that
// a request costs in a flood of those who are denied: as three functions it took a third more (docs/decisions/denials.md).
func answerDenied(w http.ResponseWriter, r *http.Request, d *denials, held *denial, now time.Duration) bool {
	if held == nil {
		now = time.Since(started) // sinceStart
		d.mu.Lock()
		held = d.near[r.RemoteAddr]
		d.mu.Unlock()
		if held == nil || now >= held.until {
			return false
		}
	}
	h := w.Header()
	if held.xRateLimit {
		h[headerLimit] = held.limit
		h[headerRemaining] = held.remaining
		h[headerReset] = held.reset
		h[headerName] = held.name
	}
	if held.rateLimit {
		setRateLimitDenied(h, held, now)
	}
	h[headerRetryAfter] = held.retry
	if now >= held.lessAt {
		setRetryLess(h, held)
	}
	h[headerCacheControl] = noStore
	h[headerContentType] = held.contentType
	w.WriteHeader(held.statusCode)
	w.Write(held.body) // a client that has gone needs no answer
	return true
}

// setRateLimitDenied sets the fields of all limits that deny, at now.
func setRateLimitDenied(h http.Header, held *denial, now time.Duration) {
	setRateLimit(h, held.rules, &held.decision, passedSince(held, now))
}

// setRetryLess sets Retry-After when there is a second less to wait than when it was decided, or when no wait helps.
func setRetryLess(h http.Header, held *denial) {
	if held.retryLess == nil {
		delete(h, headerRetryAfter)
		return
	}
	h[headerRetryAfter] = held.retryLess
}

// answerUnavailable answers a request that nobody could decide, in failure mode closed.
func answerUnavailable(w http.ResponseWriter) {
	h := w.Header()
	h[headerRetryAfter] = []string{"1"}
	h[headerCacheControl] = noStore
	h[headerContentType] = []string{"text/plain; charset=utf-8"}
	w.WriteHeader(http.StatusServiceUnavailable)
	w.Write([]byte("Service Unavailable"))
}
