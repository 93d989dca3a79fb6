package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// cell is a scenario at a number of connections.
type cell struct {
	scenario    scenario
	connections int
}

// name is what CELLS selects by.
func (c cell) name() string { return c.scenario.name() + "/" + strconv.Itoa(c.connections) }

// reference is the cell of native RateLimit that a cell is compared with: under the same traffic.
func (c cell) reference() (cell, bool) {
	for _, s := range scenarios {
		if s.limiter == native && s.denied == c.scenario.denied && s.sources == c.scenario.sources {
			return cell{s, c.connections}, true
		}
	}
	return cell{}, false
}

// choose returns the cells that match and those that they are compared with, in the order in which they are measured.
func choose(pattern *regexp.Regexp) []cell {
	wanted := map[cell]bool{}
	for _, s := range scenarios {
		for _, n := range connections {
			c := cell{s, n}
			if !pattern.MatchString(c.name()) {
				continue
			}
			wanted[c] = true
			if reference, ok := c.reference(); ok {
				wanted[reference] = true
			}
		}
	}
	var chosen []cell
	for _, n := range connections {
		for _, s := range scenarios {
			if wanted[cell{s, n}] {
				chosen = append(chosen, cell{s, n})
			}
		}
	}
	return chosen
}

// results are the samples of each cell, by round.
type results map[cell][]sample

// traffic measures all cells once per round, each round beginning with another one.
func (b *bench) traffic(ctx context.Context, cells []cell, o options) (results, error) {
	all := results{}
	for round := range o.rounds {
		from := round * len(cells) / o.rounds
		order := slices.Concat(cells[from:], cells[:from])
		for i, c := range order {
			progress("traffic, round %d of %d, %d of %d: %s", round+1, o.rounds, i+1, len(order), c.name())
			got, err := b.measure(ctx, c.scenario, c.connections, o.span)
			if err != nil {
				return nil, err
			}
			all[c] = append(all[c], got)
		}
	}
	return all, nil
}

// progress says on a terminal what is being measured, over what was before.
func progress(format string, arguments ...any) {
	if about, err := os.Stderr.Stat(); err != nil || about.Mode()&os.ModeCharDevice == 0 {
		return
	}
	fmt.Fprintf(os.Stderr, "\r%-78s", fmt.Sprintf(format, arguments...))
}

// spread is a figure over the rounds.
type spread struct{ median, least, most float64 }

func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return spread{median: (sorted[(n-1)/2] + sorted[n/2]) / 2, least: sorted[0], most: sorted[n-1]}
}

// String is the median with the range behind it.
func (s spread) String() string { return fmt.Sprintf("%.2f (%.2f–%.2f)", s.median, s.least, s.most) }

// over is a figure of each round.
func (r results) over(c cell, figure func(sample) float64) spread {
	var values []float64
	for _, s := range r[c] {
		values = append(values, figure(s))
	}
	return spreadOf(values)
}

// ratio is a figure of c to that of other in the same round.
func (r results) ratio(c, other cell, figure func(sample) float64) spread {
	var values []float64
	for i, s := range r[c] {
		values = append(values, figure(s)/figure(r[other][i]))
	}
	return spreadOf(values)
}

// latency is a quantile over all rounds.
func (r results) latency(c cell, q float64) time.Duration {
	var all []time.Duration
	for _, s := range r[c] {
		all = append(all, s.latencies...)
	}
	return quantile(all, q)
}
