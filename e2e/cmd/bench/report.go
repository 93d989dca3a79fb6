package main

import (
	"fmt"
	"strings"
	"time"
)

// titles introduce the parts of the document.
var titles = map[string]string{
	"traffic": `## Traffic

The processor time of Traefik and of Redis is per request. A ratio is to native RateLimit under the same traffic in the same round: the median of
all rounds, with the least and the greatest. Script calls are per request.
`,
	"growth": `## Growth

By the number of sources that Redis knows, at 128 connections; then by the number of routers that share one middleware, requests going to all of them in turn.
A reload is one after a change of another router.
`,
	"memory": `## Memory

Of a Traefik that has just started, without any router. The live heap is what remains after a garbage collection.
`,
	"script": `## The script

Redis' processor time per decision in µs, with the reading of the command and the writing of the reply: by how many requests share a call, then by
the size of a sliding log that is full. Bytes are Redis' own account, ` + "`MEMORY USAGE`" + `, of all keys of a source after one request.
`,
	"steps": `## The way of a request

What each step of our own code costs, interpreted, without Traefik: from ` + "`ServeHTTP`" + ` to next, one request after the other; then what the intake and a flight do for
one request, and for 128 together. Asking Redis is the time until the reply is there, Redis' own included. Garbage collection falls where it falls.
`,
}

// figures of one sample, per request.
func traefikMicros(s sample) float64 { return micros(s.traefik) / float64(s.requests) }
func redisMicros(s sample) float64   { return micros(s.redis) / float64(s.requests) }
func callsEach(s sample) float64     { return float64(s.calls) / float64(s.requests) }

// targets is the table of what the limiter is meant to cost at most, as far as it was measured.
func (r results) targets() string {
	var rows [][]string
	for _, row := range []struct {
		what      string
		a, b      string // names of scenarios
		figure    func(sample) float64
		goal      string
		goalAtOne string
	}{
		{"CPU, allowed, to native", "token-bucket/allowed/1", "native/allowed/1", sample.cpu, "≤ 1.0", "≤ 1.8"},
		{"CPU, denied, to native", "token-bucket/denied/1", "native/denied/1", sample.cpu, "≤ 0.5", ""},
		{"requests/s, allowed, to native", "token-bucket/allowed/1", "native/allowed/1", sample.rate, "≥ 1.0", ""},
		{"CPU, three limits to one", "token-bucket-3/allowed/1", "token-bucket/allowed/1", sample.cpu, "≤ 1.3", "≤ 1.3"},
		{"CPU, three limits to three native middlewares", "token-bucket-3/allowed/1", "native-3/allowed/1", sample.cpu, "< 1.0", "< 1.0"},
		{"script calls per allowed request", "token-bucket/allowed/1", "", callsEach, "≤ 0.1 at 128", ""},
	} {
		cells := []string{row.what, row.goal}
		if row.goalAtOne != "" && row.goalAtOne != row.goal {
			cells[1] += ", at 1 " + row.goalAtOne
		}
		measured := false
		for _, n := range connections {
			text := r.target(row.a, row.b, n, row.figure)
			measured = measured || text != ""
			cells = append(cells, text)
		}
		if measured {
			rows = append(rows, cells)
		}
	}
	return table("target", "", "1 connection", "32", "128", "512")(rows)
}

// target is a figure of the scenario named a, or its ratio to that of b, at n connections; "" if that was not measured.
func (r results) target(a, b string, n int, figure func(sample) float64) string {
	first, ok := r.find(a, n)
	if !ok {
		return ""
	}
	if b == "" {
		return fmt.Sprintf("%.3f", r.over(first, figure).median)
	}
	second, ok := r.find(b, n)
	if !ok {
		return ""
	}
	return r.ratio(first, second, figure).String()
}

// find is the measured cell of a scenario.
func (r results) find(name string, n int) (cell, bool) {
	for c := range r {
		if c.scenario.name() == name && c.connections == n {
			return c, true
		}
	}
	return cell{}, false
}

// tables are the results in Markdown, a table for each number of connections.
func (r results) tables() string {
	var text []string
	for _, n := range connections {
		if rows := r.rows(n); len(rows) > 0 {
			text = append(text, "### "+plural(n, "connection")+"\n\n"+table(
				"limiter", "traffic", "sources", "Traefik µs", "Redis µs", "ratio of CPU to native", "requests/s", "ratio", "p50 ms", "p99 ms", "script calls",
			)(rows))
		}
	}
	return strings.Join(text, "\n")
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

// plural is n of what word names.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// table returns what writes rows below a header, in Markdown.
func table(header ...string) func(rows [][]string) string {
	return func(rows [][]string) string {
		text := "| " + strings.Join(header, " | ") + " |\n|" + strings.Repeat("---|", len(header)) + "\n"
		for _, row := range rows {
			text += "| " + strings.Join(row, " | ") + " |\n"
		}
		return text
	}
}
