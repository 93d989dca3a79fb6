package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestRulesInTheDocument: the page on endurance names the middlewares that are accounted.
func TestRulesInTheDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/endurance.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		var limits []string
		for _, l := range r.limits {
			text := fmt.Sprintf("%d per %s", l.average, l.period)
			if l.burst > 0 {
				text += fmt.Sprintf(", burst %d", l.burst)
			}
			if len(r.limits) > 1 {
				text = "`" + l.algorithm + "` " + text
			}
			limits = append(limits, text)
		}
		mode := "`" + r.mode + "`"
		if r.mode == "local" {
			mode += ", half of it"
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |", r.name, strings.Join(limits, "; "), mode); !strings.Contains(string(page), row+"\n") {
			t.Errorf("docs/endurance.md has no row %s", row)
		}
	}
}

// TestWhoDecided: X-RateLimit-Limit tells Redis' decision from the share's, whichever limit it describes.
func TestWhoDecided(t *testing.T) {
	for _, r := range rules {
		for _, l := range r.limits {
			if !r.decidedByRedis(l.capacity()) || r.decidedByShare(l.capacity()) || r.decidedByRedis(l.share()) {
				t.Errorf("%s: %d and %d do not tell who decided", r.name, l.capacity(), l.share())
			}
		}
		if r.decidedByRedis(0) || r.decidedByShare(0) {
			t.Errorf("%s: somebody decides without a word", r.name)
		}
	}
}
