package faults

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	// onTop is what an answer may take beyond timeout on a busy machine.
	onTop = time.Second
	// backMost is how long after a fault's end Redis may be left unasked: a probe's 1.2 s, a dial, and a busy machine.
	backMost = 4 * time.Second
	// nameKept is how long Go goes by the file of host names that it has read.
	nameKept = 5 * time.Second
	// connectionsMost is redis.poolSize.
	connectionsMost = 16
	// linesMost is how many lines at ERROR one failure mode's Redis may cause: never one for each request.
	linesMost = 10
	// missed is the share of decisions that a busy machine may cost where nobody should notice anything.
	missed = 0.05
)

// broken are the promises that a row does not hold.
func broken(f *fault, row *Row, words []wording) []string {
	var all []string
	say := func(format string, arguments ...any) {
		all = append(all, row.Fault+", "+row.Mode+": "+fmt.Sprintf(format, arguments...))
	}
	for status, n := range row.Statuses {
		unavailable := status == http.StatusServiceUnavailable && row.Mode == "closed"
		if status != http.StatusOK && status != http.StatusTooManyRequests && !unavailable {
			say("%d answers with the status %d", n, status)
		}
	}
	if most := timeout + onTop; row.Most > most {
		say("a request took %s, longer than %s", row.Most, most)
	}
	if row.Bound != anyNumber && row.Above > row.Bound {
		say("%d passed above the limit, more than the %d of the documents", row.Above, row.Bound)
	}
	if row.Goroutines[1] > row.Goroutines[0] {
		say("%d goroutines of the plugin are left, %d before", row.Goroutines[1], row.Goroutines[0])
	}
	if row.Connections[1] < 1 || row.Connections[1] > connectionsMost {
		say("%d connections are left, want 1 to %d", row.Connections[1], connectionsMost)
	}
	most := backMost
	if f.named {
		most += nameKept
	}
	if row.Back > most || row.Back == 0 {
		say("Redis decided again after %s, want within %s", row.Back, most)
	}
	brokenLines(f, row, words, say)
	brokenDecider(f, row, say)
	return all
}

// brokenLines holds the log to the table in operations.md.
func brokenLines(f *fault, row *Row, words []wording, say func(string, ...any)) {
	errors := count(row.Lines, "")
	if errors > linesMost {
		say("%d lines at ERROR, want at most %d", errors, linesMost)
	}
	if n := count(row.Lines, "panic in "); n > 0 {
		say("%d panics", n)
	}
	if lost, back := count(row.Lines, "redis lost: "), count(row.Lines, "redis back: "); lost != back {
		say("%d lines say that Redis is lost, %d that it is back", lost, back)
	}
	said := false
	unknown := map[string]bool{}
	for _, line := range row.Lines {
		said = said || strings.Contains(line.Text, f.says)
		if text := line.shown(); !known(line, words) && !unknown[text] {
			unknown[text] = true
			say("operations.md does not tell of the line %q at %s", text, line.Level)
		}
	}
	if f.says != "" && !said {
		say("the log does not say %q", f.says)
	}
}

// brokenDecider holds the row to who must decide.
func brokenDecider(f *fault, row *Row, say func(string, ...any)) {
	lost, asked := count(row.Lines, "redis lost: "), row.ByRedis+row.ByMode
	switch f.decides {
	case byMode:
		if lost == 0 {
			say("the log does not say that Redis is lost")
		}
		if row.ByRedis > row.ByMode {
			say("Redis decided %d of %d requests", row.ByRedis, asked)
		}
		if f.early && count(row.Lines, "redis lost: never reached ") != 1 {
			say("the log does not say that Redis was never reached")
		}
	case byRedis:
		if lost > 0 {
			say("the log says that Redis is lost")
		}
		if float64(row.ByMode) > missed*float64(asked) {
			say("the failure mode decided %d of %d requests", row.ByMode, asked)
		}
	case byKey:
		if lost > 0 || count(row.Lines, "redis ") != 1 {
			say("the log does not say once that a key holds a foreign value, or that Redis is lost")
		}
		share := float64(row.ByMode) / float64(asked)
		if one := 1 / float64(clientsEach); share < one-2*missed || share > one+missed {
			say("the failure mode decided %d of %d requests, want those of one of %d sources", row.ByMode, asked, clientsEach)
		}
	}
}
