package main

import (
	"strings"
	"testing"
)

// TestJudge: an answer that the failure mode does not allow breaks a promise, and only what Redis let pass is accounted.
func TestJudge(t *testing.T) {
	window, log, bucket := &rules[0], &rules[1], &rules[2] // failure modes closed, local and open
	for _, row := range []struct {
		why     string
		rule    *rule
		status  int
		limit   int
		held    bool
		entered int
	}{
		{"Redis lets pass", window, 200, 20, true, 1},
		{"Redis lets a WebSocket pass", window, 101, 20, true, 1},
		{"Redis denies", window, 429, 20, true, 0},
		{"closed", window, 503, 0, true, 0},
		{"closed lets nobody pass uncounted", window, 200, 0, false, 0},
		{"another's limit", window, 200, 30, false, 0},
		{"a fault of ours", window, 500, 0, false, 0},
		{"the router is gone", window, 404, 0, false, 0},
		{"Redis lets pass, by the whole", log, 200, 30, true, 1},
		{"the share lets pass", log, 200, 15, true, 0},
		{"the share denies", log, 429, 15, true, 0},
		{"local lets nobody pass uncounted", log, 200, 0, false, 0},
		{"local is never unavailable", log, 503, 0, false, 0},
		{"open", bucket, 200, 0, true, 0},
		{"open is never unavailable", bucket, 503, 0, false, 0},
		{"open has no share", bucket, 200, 10, false, 0},
	} {
		c := &clerk{promises: &promises{}, lives: &lives{}}
		c.lives.begin(1)
		c.judge(account{row.rule, "x"}, answer{sent: 2, received: 3, status: row.status, limit: row.limit, reset: 2})
		if err := c.err(); (err == nil) != row.held {
			t.Errorf("%s: %v", row.why, err)
		}
		if c.ledger.entered != row.entered {
			t.Errorf("%s: %d entered, want %d", row.why, c.ledger.entered, row.entered)
		}
	}
}

// TestNobodyDecided: a decision of Redis at a time without Redis is a lie.
func TestNobodyDecided(t *testing.T) {
	c := &clerk{promises: &promises{}, lives: &lives{}}
	c.judge(account{&rules[0], "x"}, answer{sent: 2, received: 3, status: 200, limit: 20})
	if err := c.err(); err == nil || !strings.Contains(err.Error(), "when there was none") {
		t.Error(err)
	}
}

// TestMetersFindGrowth: what grows through the run, or is still there at its end, breaks a promise.
func TestMetersFindGrowth(t *testing.T) {
	flat := []sample{{200 << 10, 60 << 10, 40, 4}, {200 << 10, 60 << 10, 40, 4}, {200 << 10, 60 << 10, 40, 4}}
	for f := range figures {
		m := &meters{before: flat, after: flat}
		for n := range 3 * windowLeast {
			grown := append([]sample(nil), flat...)
			grown[1][f] += n * (flat[1][f]/10 + 3)
			m.samples = append(m.samples, grown)
		}
		p := &promises{}
		m.judge(p.broke)
		if err := p.err(); err == nil || !strings.Contains(err.Error(), "gateway-2, "+figureNames[f]) {
			t.Errorf("%s grows on one gateway: %v", figureNames[f], err)
		}
	}
	for f, more := range map[figure]int{goroutines: 11, connections: 1} {
		left := append([]sample(nil), flat...)
		left[2][f] += more
		m := &meters{before: flat, after: left}
		p := &promises{}
		m.judge(p.broke)
		if err := p.err(); err == nil || !strings.Contains(err.Error(), "gateway-3, "+figureNames[f]) || !strings.Contains(err.Error(), "before the traffic") {
			t.Errorf("%s are left behind: %v", figureNames[f], err)
		}
	}
	m := &meters{before: flat, after: flat}
	p := &promises{}
	m.judge(p.broke)
	if err := p.err(); err != nil {
		t.Errorf("all is flat: %v", err)
	}
}
