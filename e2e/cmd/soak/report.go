package main

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// report prints what was done and what came of it.
func (s *soak) report() {
	p := func(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }
	n, l := s.clerk.counts, &s.clerk.ledger
	p("\n%s of traffic, seed %d; Redis killed %d times and frozen %d times; %d reloads of the same configuration, %d of a changed one, %d of a faulty one",
		s.played.Round(time.Second), s.seed, s.troubles.kills, s.troubles.freezes, s.reloads.same, s.reloads.changed, s.reloads.faulty)
	p("\n%d requests were answered under the %d accounted middlewares:", n.passed+n.denied+n.sharePassed+n.shareDenied+n.open+n.unavailable, len(rules))
	p("  %8d passed and %d were denied by Redis' decision", n.passed, n.denied)
	p("  %8d passed and %d were denied by failure mode local", n.sharePassed, n.shareDenied)
	p("  %8d passed by failure mode open", n.open)
	p("  %8d got 503 by failure mode closed", n.unavailable)
	p("beside them %d hostile ones and ones to the middleware that changes; %d clients hung up", n.uncounted, n.hungUp)
	p("waits: half of the answers within %s, 99%% within %s, the longest %s; timeout is %s",
		ms(s.clerk.quantile(0.5)), ms(s.clerk.quantile(0.99)), ms(s.clerk.quantile(1)), waitMost)
	p("of the %d that Redis let pass, %d were accounted and %d saw two lives of Redis; sources reached their limits:", n.passed, l.entered, l.ambiguous)
	for i := range rules {
		p("  %8d times under %s", l.full[&rules[i]], rules[i].name)
	}
	p("\nlog lines of the three:")
	for _, word := range slices.Sorted(maps.Keys(s.logged)) {
		p("  %8d %s", s.logged[word], word)
	}
	s.meters.report(p)
}

// report prints the figures of each gateway.
func (m *meters) report(p func(format string, args ...any)) {
	p("\n%-12s  %-28s  %10s  %11s  %10s  %9s", "", "", "before", "first third", "last third", "after")
	for g, name := range gateways {
		for f := range figures {
			texts := [3]string{"-", "-", "-"}
			if first, last, ok := m.medians(f, g); ok {
				texts[0], texts[1] = f.shown(first), f.shown(last)
			}
			if m.after != nil {
				texts[2] = f.shown(m.after[g][f])
			}
			p("%-12s  %-28s  %10s  %11s  %10s  %9s", name, figureNames[f], f.shown(m.before[g][f]), texts[0], texts[1], texts[2])
		}
	}
	p("first third, last third: medians of %d samples; before and after: without traffic", len(m.samples)/3)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000) }
