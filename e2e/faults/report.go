package faults

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"
)

// head is the report's beginning; Report knows what is filled in.
const head = `# Faults: what clients get

A real Traefik (%s) with this plugin, on a real Redis (%s), meets each fault in each failure mode. This page is written by

` + "```sh" + `
make faults
` + "```" + `

which also exits with an error when a row breaks a promise: a status other than 200, 429 and, in mode ` + "`closed`" + `, 503; a request that took longer
than ` + "`timeout`" + ` and a second for a busy machine; more passed above the limit than [operations](operations.md#failure-mode-local) allows; goroutines or
connections left over; a line in the log that [operations](operations.md#log-lines) does not tell of; a Redis that nobody asks again.

**Traffic.** For each failure mode %d clients, each a source of its own, each with a request every %s. First %d requests of each; then, under traffic,
the fault, for %s unless its row says otherwise; then until Redis decides again; at last %d requests of each as fast as they go.
Each source may send %d requests an hour (` + "`token-bucket`" + `), ` + "`localShare`" + ` is %v, ` + "`timeout`" + ` %s, ` + "`dialTimeout`" + ` %s.
During %d of %d faults the machine, of %d processors, was busy with something else as well: sleepers were often woken more than 10 ms late.

## What clients get

- **by Redis**, **by mode**: requests while the fault lasted, by who decided them. A denial that is remembered for a second is Redis'.
- **p50**, **p99**, **longest**: from a client's request to its answer, while the fault lasted; the service behind Traefik answers at once.
- **above**: how many requests passed above the limit, of all sources together, from before the fault until after it; and what the documents allow for it. In mode ` + "`open`" + `
  that is as many as passed uncounted, in mode ` + "`local`" + ` the share; where Redis forgets, one capacity more for each source, and without a bound where it evicts.
- **back**: how long after the end of the fault until Redis decided for the first client, where anybody noticed the fault.
- **connections** to Redis, **goroutines** of the plugin: before the fault, and after it. Each middleware has two at rest, those of
  earlier faults included, which live on for half a minute.

| fault | mode | by Redis | by mode | 200 | 429 | 503 | p50 | p99 | longest | above | back | connections | goroutines |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

// middle is what stands between the tables.
const middle = `
## How each fault is made, and what the log says

Of the plugin's lines the start line and those of denials are left out. A line is shown once, whatever the number and failure mode, without what differs from
run to run, and without its end where that is ` + "`each middleware's failureMode decides until it is back`" + `.

| fault | made by | lines in the log |
|---|---|---|
`

// Report is the result as a page of Markdown.
func Report(r *Result) string {
	var page strings.Builder
	fmt.Fprintf(&page, head, r.Traefik, r.Redis, clientsEach, requestsEvery, requestsFirst, usualLength, requestsLast, average, localShare, timeout, dialTimeout,
		r.Busy, len(r.Rows)/len(modes), runtime.NumCPU())
	for i := range r.Rows {
		page.WriteString(tableRow(&r.Rows[i]))
	}
	page.WriteString(middle)
	for _, f := range faults {
		var lines []Line
		for _, row := range r.Rows {
			if row.Fault == f.name {
				lines = append(lines, row.Lines...)
			}
		}
		if lines != nil {
			fmt.Fprintf(&page, "| %s | %s%s | %s |\n", f.name, f.made, unusual(&f), cell(distinct(lines)))
		}
	}
	return page.String()
}

// tableRow is one row of the first table.
func tableRow(row *Row) string {
	back := "-"
	if row.noticed() {
		back = fmt.Sprintf("%.1f s", row.Back.Seconds())
	}
	bound := fmt.Sprintf("%d of %d", row.Above, row.Bound)
	if row.Bound == anyNumber {
		bound = fmt.Sprint(row.Above)
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %s | %s | %s | %s | %s | %d → %d | %d → %d |\n",
		row.Fault, row.Mode, row.ByRedis, row.ByMode,
		row.Statuses[http.StatusOK], row.Statuses[http.StatusTooManyRequests], row.Statuses[http.StatusServiceUnavailable],
		milliseconds(row.P50), milliseconds(row.P99), milliseconds(row.Most), bound, back,
		row.Connections[0], row.Connections[1], row.Goroutines[0], row.Goroutines[1])
}

// milliseconds rounds so that two runs differ little.
func milliseconds(d time.Duration) string {
	switch {
	case d >= 20*time.Millisecond:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return "< 1ms"
}

// unusual says what of the traffic is different for a fault.
func unusual(f *fault) string {
	text := ""
	if f.every > 0 {
		text += fmt.Sprintf("; a request every %s", f.every)
	}
	if f.lasts > 0 {
		text += fmt.Sprintf("; for %s", f.lasts)
	}
	return text
}

// distinct are the wordings of lines, in alphabetical order.
func distinct(lines []Line) []string {
	var all []string
	for _, line := range lines {
		if text := line.shown(); !strings.Contains(text, "@file: ") && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}

// cell is a list in one cell of a table.
func cell(lines []string) string {
	if len(lines) == 0 {
		return "none"
	}
	var text []string
	for _, line := range lines {
		text = append(text, "`"+strings.NewReplacer("|", `\|`, "`", "'", "\n", " ").Replace(line)+"`")
	}
	return strings.Join(text, "<br>")
}
