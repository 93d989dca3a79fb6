package ratelimit

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// lostAgain is how often a Redis that stays away is logged.
const lostAgain = time.Minute

// backAfter is how long flights must succeed without a failure before Redis counts as back:
// while writes are refused (OOM, READONLY) denials still succeed, and every other flight would be a line in the log.
const backAfter = time.Second

// causeMost is how many bytes of a cause the log repeats: what a server says has no bound.
const causeMost = 300

// health is what the log knows of one Redis client: whether its flights fail, since when, and how many requests
// were decided without Redis meanwhile. It decides nothing.
type health struct {
	endpoint string
	// settled: another answer of Redis would change nothing, here or in the breaker. Who notes a failure, or a decision without Redis, takes
	// it back, after noting it.
	settled atomic.Bool

	mu          sync.Mutex
	lost        bool
	reached     bool      // a flight has succeeded since start
	lastFailure time.Time // of a flight
	lastSuccess time.Time // of a flight, while lost
	lastLine    time.Time // "lost" or "still lost"
	without     int64     // requests decided without Redis since the last success before it was lost
	settling    bool      // settler is set
	settler     alarm     // looks again at the end of backAfter
	gone        bool      // it has left its cluster: a probe or a flight that ends later says nothing any more
	lastForeign time.Time // line about a foreign value at one of our keys
}

// failed notes a failed flight.
func (h *health) failed(cause string) {
	now := time.Now()
	cause = shortened(cause)
	h.mu.Lock()
	h.lastFailure = now
	first := !h.lost && !h.gone
	again := h.lost && now.Sub(h.lastLine) >= lostAgain
	reached, without := h.reached, h.without
	if first || again {
		h.lost, h.lastLine = true, now
	}
	h.mu.Unlock()
	h.settled.Store(false)

	switch {
	case first && !reached:
		logError("redis lost: never reached %s since start: %s; each middleware's failureMode decides until it is back", h.endpoint, cause)
	case first:
		logError("redis lost: %s: %s; each middleware's failureMode decides until it is back", h.endpoint, cause)
	case again:
		logError("redis still lost: %s: %s; %d requests were decided without it so far", h.endpoint, cause, without)
	}
}

// noteAnswered notes that Redis has answered a flight, and reports whether it was lost.
func noteAnswered(h *health) bool {
	h.mu.Lock()
	lost := h.lost
	if !lost {
		h.reached = true
		h.without = 0
	}
	h.mu.Unlock()
	if lost {
		h.answeredAgain()
	}
	return lost
}

// answeredAgain notes a flight that Redis answered after it was lost.
func (h *health) answeredAgain() {
	h.mu.Lock()
	h.lastSuccess = time.Now()
	quiet := h.lastSuccess.Sub(h.lastFailure)
	if !h.lost || quiet < backAfter {
		if h.lost && !h.settling {
			h.settling = true
			h.settler.set(backAfter-quiet, h.settle)
		}
		h.mu.Unlock()
		return
	}
	without := h.without
	h.lost, h.reached, h.without = false, true, 0
	h.mu.Unlock()
	logError("redis back: %s; %d requests were decided without it", h.endpoint, without)
}

// settle looks again at the end of backAfter. A failure since the last success leaves Redis lost.
func (h *health) settle() {
	defer recovered("health")
	h.mu.Lock()
	h.settling = false
	answered := h.lastSuccess.After(h.lastFailure)
	h.mu.Unlock()
	if answered {
		noteAnswered(h)
	}
}

// left notes that this server counts no more: its slots are at others by now, or at nobody, which is the cluster's trouble.
func (h *health) left() {
	h.mu.Lock()
	lost, without := h.lost, h.without
	h.lost, h.gone = false, true
	h.mu.Unlock()
	if lost {
		logError("redis back: %s serves no slots any more; %d requests were decided without it", h.endpoint, without)
	}
}

// decidedWithout counts a request that the failure mode decided.
func (h *health) decidedWithout() {
	h.mu.Lock()
	h.without++
	h.mu.Unlock()
	h.settled.Store(false)
}

// foreignKey logs, at most once a lostAgain, that a key of ours holds a value of another type.
func (h *health) foreignKey(key, words string) {
	now := time.Now()
	h.mu.Lock()
	due := h.lastForeign.IsZero() || now.Sub(h.lastForeign) >= lostAgain
	if due {
		h.lastForeign = now
	}
	h.mu.Unlock()
	if due {
		logError("redis %s: key %s holds a foreign value: %s; its requests are decided by failureMode until it is deleted", h.endpoint, key, shortened(words))
	}
}

// shortened is text, or its beginning when it is longer than causeMost.
func shortened(text string) string {
	return shortenedTo(causeMost, text)
}

func shortenedTo(most int, text string) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}
