package main

import (
	"strings"
	"testing"
	"time"
)

const milli = instant(1000)

// at is a pass that was sent at a and received at b, in ms.
func at(a, b instant) pass { return pass{sent: a * milli, received: b * milli} }

// repeated is n times the same pass.
func repeated(n int, p pass) []pass {
	var all []pass
	for range n {
		all = append(all, p)
	}
	return all
}

// drawn are passes of a fixed window that ends at reset.
func drawn(reset int64, remaining ...int) []pass {
	var all []pass
	for _, r := range remaining {
		all = append(all, pass{reset: reset, remaining: r})
	}
	return all
}

// TestCheck: what certainly is above a limit is found, and nothing else.
func TestCheck(t *testing.T) {
	window := limit{algorithm: "fixed-window", average: 3, period: 2 * time.Second}
	log := limit{algorithm: "sliding-log", average: 3, period: 2 * time.Second}
	bucket := limit{algorithm: "token-bucket", average: 2, period: time.Second, burst: 3}
	spike := limit{algorithm: "token-bucket", average: 100, period: time.Second, burst: 100}
	for _, row := range []struct {
		why    string
		limits []limit
		passes []pass
		full   int
		want   string // in the error; "" for none
	}{
		{"every ticket once", []limit{window}, drawn(4, 2, 1, 0), 1, ""},
		{"a call without an answer has charged", []limit{window}, drawn(4, 2, 0), 1, ""},
		{"the same tickets in two windows", []limit{window}, append(drawn(4, 2, 1), drawn(6, 2, 1)...), 0, ""},
		{"a ticket twice", []limit{window}, drawn(4, 2, 1, 1), 0, "two passed with 1 remaining"},
		{"one more than there are", []limit{window}, drawn(4, 2, 1, 0, -1), 1, "-1 remaining"},
		{"more remaining than there can be", []limit{window}, drawn(4, 3), 0, "3 remaining"},
		{"no end of a window", []limit{window}, drawn(5, 2), 0, "no end of a window"},

		{"all of the second limit in one window", []limit{spike, window}, repeated(3, at(2000, 3999)), 1, ""},
		{"one too many", []limit{spike, window}, repeated(4, at(2000, 3999)), 1, "4 passed where 3 may"},
		{"the fourth may belong to the next window", []limit{spike, window}, append(repeated(3, at(2000, 3999)), at(3999, 4000)), 1, ""},

		{"all in one period", []limit{log}, []pass{at(1, 2), at(3, 4), at(2000, 2000)}, 1, ""},
		{"one too many in a period", []limit{log}, []pass{at(1, 2), at(3, 4), at(5, 6), at(2000, 2000)}, 0, "4 passed where 3 may"},
		{"the fourth just after the period", []limit{log}, []pass{at(1, 2), at(3, 4), at(5, 6), at(2000, 2001)}, 1, ""},
		{"answers in another order", []limit{log}, []pass{at(5, 6), at(1, 900), at(3, 4), at(2, 3)}, 0, "4 passed where 3 may"},

		{"the burst", []limit{bucket}, repeated(3, at(1, 2)), 1, ""},
		{"one above the burst", []limit{bucket}, append(repeated(3, at(1, 2)), at(400, 500)), 0, "4 passed where 3 may"},
		{"a token after half a second", []limit{bucket}, append(repeated(3, at(1, 2)), at(400, 501)), 1, ""},
		{"above the rate later on", []limit{bucket}, append([]pass{at(1, 2)}, repeated(4, at(9000, 9001))...), 0, "4 passed where 3 may"},
	} {
		full, err := check(&rule{limits: row.limits}, row.passes)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.why, err, row.want)
		}
		if err == nil && full != row.full {
			t.Errorf("%s: the limit was reached %d times, want %d", row.why, full, row.full)
		}
	}
}

// TestLives: an answer belongs to the one life that may have decided it.
func TestLives(t *testing.T) {
	l := &lives{}
	l.begin(100)
	l.end(200)
	l.begin(300)
	for _, row := range []struct {
		why            string
		sent, received instant
		number         int
		ambiguous, err bool
	}{
		{"in the first", 110, 190, 0, false, false},
		{"received when it was dead", 190, 250, 0, false, false},
		{"sent before the second was born", 250, 310, 1, false, false},
		{"in the second, which lives", 400, 500, 1, false, false},
		{"saw the first end and the second begin", 190, 310, 1, true, false},
		{"decided by nobody", 210, 290, 0, false, true},
		{"before there was any", 10, 20, 0, false, true},
	} {
		number, ambiguous, err := l.of(row.sent, row.received)
		if number != row.number || ambiguous != row.ambiguous || (err != nil) != row.err {
			t.Errorf("%s: life %d, ambiguous %v, %v", row.why, number, ambiguous, err)
		}
	}
}

// TestLivesAreAccountedApart: what a restart has forgotten may pass again, and a book that is closed is not opened again.
func TestLivesAreAccountedApart(t *testing.T) {
	var l ledger
	who := account{&rules[0], "x"}
	for life := range 3 {
		for _, p := range drawn(4, 2, 1) {
			l.enter(life, who, p)
		}
	}
	if wrong := l.audit(1); len(wrong) > 0 || len(l.books) != 2 {
		t.Errorf("%v, %d books left, want 2", wrong, len(l.books))
	}
	l.enter(0, who, pass{reset: 4, remaining: 2})
	l.enter(1, who, pass{reset: 4, remaining: 2})
	if wrong := l.audit(3); len(wrong) != 1 || !strings.Contains(wrong[0].Error(), "fixed-window, source x, life 1 of Redis") {
		t.Errorf("%v, want what passed twice in life 1", wrong)
	}
	if l.entered != 7 || l.ambiguous != 1 || len(l.books) != 0 {
		t.Errorf("%d entered, %d ambiguous, %d books left; want 7, 1 and 0", l.entered, l.ambiguous, len(l.books))
	}
}
