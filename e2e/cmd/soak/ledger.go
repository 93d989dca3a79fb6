package main

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// pass is one answer that let a request pass by Redis' decision, which was made between sent and received.
type pass struct {
	sent, received instant
	reset          int64 // X-RateLimit-Reset
	remaining      int   // X-RateLimit-Remaining
}

// account is whose passes are counted together.
type account struct {
	rule   *rule
	source string
}

// ledger holds all that passed by Redis' decision, by the life of Redis that decided.
type ledger struct {
	mu        sync.Mutex
	books     map[int]map[account][]pass
	closed    int // lives below this number were audited
	entered   int
	ambiguous int           // passes of which nobody can tell the life; they are in no book
	full      map[*rule]int // how often a source reached a limit: in a window, else in a life of Redis
}

// enter notes a pass.
func (l *ledger) enter(life int, a account, p pass) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if life < l.closed {
		l.ambiguous++
		return
	}
	if l.books == nil {
		l.books = map[int]map[account][]pass{}
	}
	if l.books[life] == nil {
		l.books[life] = map[account][]pass{}
	}
	l.books[life][a] = append(l.books[life][a], p)
	l.entered++
}

// doubt notes a pass of an unknown life.
func (l *ledger) doubt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ambiguous++
}

// audit checks and closes the books of the lives below before, and returns what passed above a limit.
func (l *ledger) audit(before int) []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var wrong []error
	for life, book := range l.books {
		if life >= before {
			continue
		}
		for a, passes := range book {
			full, err := check(a.rule, passes)
			if l.full == nil {
				l.full = map[*rule]int{}
			}
			l.full[a.rule] += full
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s, source %s, life %d of Redis: %w", a.rule.name, a.source, life, err))
			}
		}
		delete(l.books, life)
	}
	l.closed = max(l.closed, before)
	return wrong
}

// check compares the passes of one source in one life with each limit, and counts how often one let pass all it may.
func check(r *rule, passes []pass) (full int, err error) {
	slices.SortFunc(passes, func(a, b pass) int { return cmp.Compare(a.received, b.received) })
	for _, l := range r.limits {
		most, at := 0, 0
		switch {
		case l.algorithm == "fixed-window" && len(r.limits) == 1:
			full, err = tickets(passes, l)
			if err != nil {
				return full, err
			}
			continue
		case l.algorithm == "fixed-window":
			most, at = inWindow(passes, l)
		case l.algorithm == "sliding-log":
			most, at = inPeriod(passes, l)
		case l.algorithm == "token-bucket":
			most, at = aboveRate(passes, l)
		}
		if most == l.capacity() {
			full++
		}
		if most > l.capacity() {
			return full, fmt.Errorf("%s: %d passed where %d may, up to %+v", l.algorithm, most, l.capacity(), passes[at])
		}
	}
	return full, nil
}

// tickets sees that no two passes of one window have the same remaining: that is exact, whenever the answers arrived.
// It counts the windows whose last ticket was drawn.
func tickets(passes []pass, l limit) (full int, err error) {
	type ticket struct {
		reset     int64
		remaining int
	}
	drawn := map[ticket]bool{}
	for _, p := range passes {
		t := ticket{p.reset, p.remaining}
		if p.remaining < 0 || p.remaining >= l.average || p.reset%int64(l.period/time.Second) != 0 {
			return full, fmt.Errorf("fixed-window: %d remaining of %d until %d, which is no end of a window", p.remaining, l.average, p.reset)
		}
		if drawn[t] {
			return full, fmt.Errorf("fixed-window: two passed with %d remaining until %d", p.remaining, p.reset)
		}
		drawn[t] = true
		if p.remaining == 0 {
			full++
		}
	}
	return full, nil
}

// inWindow is the most that certainly passed in one window: those sent and received in it.
func inWindow(passes []pass, l limit) (most, at int) {
	passed := map[instant]int{}
	for i, p := range passes {
		window := p.sent / micros(l.period)
		if window != p.received/micros(l.period) {
			continue
		}
		passed[window]++
		if passed[window] > most {
			most, at = passed[window], i
		}
	}
	return most, at
}

// inPeriod is the most that certainly passed in one period, wherever it begins.
func inPeriod(passes []pass, l limit) (most, at int) {
	for _, first := range passes {
		n := 0
		for i, p := range passes {
			if p.sent < first.sent || p.received >= first.sent+micros(l.period) {
				continue
			}
			if n++; n > most {
				most, at = n, i
			}
		}
	}
	return most, at
}

// aboveRate is the most that certainly passed in any span, less what the bucket gained in it.
func aboveRate(passes []pass, l limit) (most, at int) {
	for _, first := range passes {
		n := 0
		for i, p := range passes {
			if p.sent < first.sent {
				continue
			}
			n++
			gained := int((p.received - first.sent) * instant(l.average) / micros(l.period))
			if n-gained > most {
				most, at = n-gained, i
			}
		}
	}
	return most, at
}

func micros(d time.Duration) instant { return instant(d.Microseconds()) }
