package main

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// answer is what a client was told.
type answer struct {
	sent, received instant
	status         int
	limit          int // X-RateLimit-Limit; 0 when nobody counted
	remaining      int
	reset          int64
}

// newAnswer reads the head of an answer.
func newAnswer(resp *http.Response, sent, received instant) answer {
	a := answer{sent: sent, received: received, status: resp.StatusCode}
	// What is no number is 0, which no capacity is.
	a.limit, _ = strconv.Atoi(resp.Header.Get("X-RateLimit-Limit"))
	a.remaining, _ = strconv.Atoi(resp.Header.Get("X-RateLimit-Remaining"))
	a.reset, _ = strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64)
	return a
}

// counts is how many requests ended how.
type counts struct {
	passed, denied           int // by Redis
	sharePassed, shareDenied int // by failure mode local
	open, unavailable        int // by failure modes open and closed
	uncounted                int // beside the rules: hostile ones and those to the middleware that changes
	hungUp                   int
}

// clerk judges each answer and enters in the ledger what passed.
type clerk struct {
	*promises
	lives  *lives
	ledger ledger

	mu     sync.Mutex
	counts counts
	waits  []time.Duration // of all answers by rules
}

// judge takes one answer under a rule.
func (c *clerk) judge(who account, a answer) {
	c.mu.Lock()
	c.waits = append(c.waits, time.Duration(a.received-a.sent)*time.Microsecond)
	c.count(who.rule, a)
	c.mu.Unlock()
	if !let(a.status) || !who.rule.decidedByRedis(a.limit) {
		return
	}
	life, ambiguous, err := c.lives.of(a.sent, a.received)
	if err != nil {
		c.broke("%s, source %s: %v", who.rule.name, who.source, err)
		return
	}
	if ambiguous {
		c.ledger.doubt()
		return
	}
	c.ledger.enter(life, who, pass{a.sent, a.received, a.reset, a.remaining})
}

// let says whether a status is that of a request that passed.
func let(status int) bool { return status == http.StatusOK || status == http.StatusSwitchingProtocols }

// count finds out who decided. c.mu is held.
func (c *clerk) count(r *rule, a answer) {
	n := &c.counts
	redis, share := r.decidedByRedis(a.limit), r.decidedByShare(a.limit)
	denied := a.status == http.StatusTooManyRequests
	switch {
	case let(a.status) && redis:
		n.passed++
	case denied && redis:
		n.denied++
	case let(a.status) && share:
		n.sharePassed++
	case denied && share:
		n.shareDenied++
	case let(a.status) && a.limit == 0 && r.mode == "open":
		n.open++
	case a.status == http.StatusServiceUnavailable && a.limit == 0 && r.mode == "closed":
		n.unavailable++
	default:
		c.broke("%s, failure mode %s: status %d with limit %d", r.name, r.mode, a.status, a.limit)
	}
}

// judgeUncounted takes an answer of which only the status matters.
func (c *clerk) judgeUncounted(path string, a answer) {
	c.mu.Lock()
	c.counts.uncounted++
	c.mu.Unlock()
	if a.status != http.StatusOK && a.status != http.StatusTooManyRequests {
		c.broke("%s: status %d", path, a.status)
	}
}

func (c *clerk) hungUp() {
	c.mu.Lock()
	c.counts.hungUp++
	c.mu.Unlock()
}

// audit closes the books of the lives below before.
func (c *clerk) audit(before int) {
	for _, err := range c.ledger.audit(before) {
		c.broke("%v", err)
	}
}

// quantile is the wait that a share of the answers stayed below.
func (c *clerk) quantile(share float64) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waits) == 0 {
		return 0
	}
	slices.Sort(c.waits)
	return c.waits[min(len(c.waits)-1, int(share*float64(len(c.waits))))]
}
