package main

import (
	"fmt"
	"strings"
	"time"
)

// figures of one sample, per request.
func traefikMicros(s sample) float64 { return micros(s.traefik) / float64(s.requests) }
func redisMicros(s sample) float64   { return micros(s.redis) / float64(s.requests) }
func callsEach(s sample) float64     { return float64(s.calls) / float64(s.requests) }

// tables are the results in Markdown, a table for each number of connections.
func (r results) tables() string {
	var text strings.Builder
	for _, n := range connections {
		rows := r.rows(n)
		if len(rows) == 0 {
			continue
		}
		plural := "s"
		if n == 1 {
			plural = ""
		}
		fmt.Fprintf(&text, "### %d connection%s\n\n", n, plural)
		text.WriteString(table(
			"limiter", "traffic", "sources", "Traefik µs", "Redis µs", "ratio of CPU to native", "requests/s", "ratio", "p50 ms", "p99 ms", "script calls",
		)(rows))
		text.WriteString("\n")
	}
	return text.String()
}

// rows are the cells at n connections.
func (r results) rows(n int) [][]string {
	var rows [][]string
	for _, s := range scenarios {
		c := cell{s, n}
		if len(r[c]) == 0 {
			continue
		}
		cpu, rate := "", ""
		if reference, ok := c.reference(); ok && reference != c {
			cpu = r.ratio(c, reference, sample.cpu).String()
			rate = r.ratio(c, reference, sample.rate).String()
		}
		rows = append(rows, []string{
			s.limiter.name, s.traffic(), fmt.Sprint(s.sources),
			fmt.Sprintf("%.0f", r.over(c, traefikMicros).median), fmt.Sprintf("%.1f", r.over(c, redisMicros).median), cpu,
			fmt.Sprintf("%.0f", r.over(c, sample.rate).median), rate,
			milliseconds(r.latency(c, 0.5)), milliseconds(r.latency(c, 0.99)), fmt.Sprintf("%.3f", r.over(c, callsEach).median),
		})
	}
	return rows
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}

// table returns what writes rows below a header.
func table(header ...string) func(rows [][]string) string {
	return func(rows [][]string) string {
		text := "| " + strings.Join(header, " | ") + " |\n|" + strings.Repeat("---|", len(header)) + "\n"
		for _, row := range rows {
			text += "| " + strings.Join(row, " | ") + " |\n"
		}
		return text
	}
}
