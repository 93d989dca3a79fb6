package ratelimit

import (
	"container/list"
	"math/big"
	"sync"
	"time"
)

// Numbers that have no option.
const (
	// localSources is how many sources one middleware counts in this process at most.
	localSources = 10_000
	// localEntries is how many sliding-log entries all of them hold together at most, 8 bytes each.
	localEntries = 1_000_000
)

// localLimiter is failure mode local: it counts in this process alone, by the same algorithms, while Redis cannot decide.
//
// What it cannot do: every instance of Traefik counts for itself and starts from untouched limits, so that n of them let up to n
// times localShare of a limit through, beside what Redis has. Its memory is bounded and forgets the source that was used
// least recently, so that who cycles through more than localSources sources is not limited. Use it where some limit is
// better than none and than a 503; not where a limit is a contract, which failure mode closed keeps.
//
// It outlives an outage: in the next one each source meets what is left of its local limits.
type localLimiter struct {
	limits      []limit       // this instance's share of each
	clock       func() micros // this process' wall clock
	mostSources int           // localSources
	mostEntries int           // localEntries

	mu      sync.Mutex
	sources map[string]*list.Element
	order   *list.List // of *localSource, the most recently used first
	entries int        // sliding-log entries of all sources
}

// localSource is what is kept of one source.
type localSource struct {
	source  string
	states  []state // one per limit
	entries int     // sliding-log entries in states
}

// newLocalLimiter returns a limiter over limits, which are this instance's share already.
func newLocalLimiter(limits []limit) *localLimiter {
	return &localLimiter{
		limits: limits, clock: wallClock, mostSources: localSources, mostEntries: localEntries,
		sources: map[string]*list.Element{}, order: list.New(),
	}
}

// wallClock is the instant by this process' clock. When that steps, the algorithms hold as they do for Redis'.
func wallClock() micros { return micros(time.Now().UnixMicro()) }

// take decides about cost units of source. It never fails, and waits for nothing but the lock.
func (l *localLimiter) take(source string, cost int64) (decision, error) {
	l.mu.Lock()
	defer l.mu.Unlock() // after a panic under it no request would ever be answered
	kept := l.use(source)
	states, decided := decide(l.limits, kept.states, l.clock(), cost)
	kept.states = states
	l.account(kept)
	decided.local = true
	return decided, nil
}

// use finds or makes what is kept of a source, and makes it the most recently used. l.mu is held.
func (l *localLimiter) use(source string) *localSource {
	element, known := l.sources[source]
	if known {
		l.order.MoveToFront(element)
		return element.Value.(*localSource)
	}
	kept := &localSource{source: source, states: make([]state, len(l.limits))}
	l.sources[source] = l.order.PushFront(kept)
	return kept
}

// account counts the log entries of the source just used anew, and forgets others, the least recently used first, until both
// bounds hold. That source itself stays even if its own logs, each bounded by its average, exceed mostEntries. l.mu is held.
func (l *localLimiter) account(kept *localSource) {
	l.entries -= kept.entries
	kept.entries = 0
	for i := range kept.states {
		kept.entries += len(kept.states[i].log)
	}
	l.entries += kept.entries
	for len(l.sources) > l.mostSources || l.entries > l.mostEntries && len(l.sources) > 1 {
		oldest := l.order.Remove(l.order.Back()).(*localSource)
		delete(l.sources, oldest.source)
		l.entries -= oldest.entries
	}
}

// shareOf is the part of a limit that one instance applies, for a share above 0 and at most 1: a token bucket fills more slowly
// (period/share, rounded up to whole µs) to a smaller burst (rounded up), another limit has a smaller average (rounded down).
// Nothing is rounded to naught, so that a source that passes through Redis passes here too, now and then.
// It reports false when the period is too long to be counted in 64 bits.
func shareOf(l limit, share *big.Rat) (limit, bool) {
	if l.algorithm != tokenBucket {
		l.average = roundedDown(times(l.average, share))
		if l.average < 1 {
			l.average = 1
		}
		return l, true
	}
	period := roundedUp(times(int64(l.period), new(big.Rat).Inv(share)))
	if !period.IsInt64() {
		return l, false
	}
	l.period = micros(period.Int64())
	l.burst = roundedUp(times(l.burst, share)).Int64()
	return l, true
}

// times is n · r, exactly.
func times(n int64, r *big.Rat) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt64(n), r)
}

// roundedDown is the largest whole number that is not above r, for r from 0 to 2^63 - 1.
func roundedDown(r *big.Rat) int64 {
	return new(big.Int).Quo(r.Num(), r.Denom()).Int64()
}

// roundedUp is the least whole number that is not below r, for r above 0.
func roundedUp(r *big.Rat) *big.Int {
	whole, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return whole
}
