package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// loaded is what a Traefik takes that has just started.
type loaded struct {
	resident float64 // MB
	heap     float64 // MB that live after a garbage collection
	start    time.Duration
}

// memory measures what loading a plugin adds to Traefik: each kind of Traefik is started once a round.
func memory(ctx context.Context, program, plugin, dir string, rounds int) (string, error) {
	empty := map[string]string{emptyModule: emptyFolder}
	kinds := []struct {
		name    string
		options harness.Options
	}{
		{"no plugin", harness.Options{Without: true}},
		{"the empty plugin", harness.Options{Without: true, Others: empty}},
		{"this plugin", harness.Options{Plugin: plugin}},
	}
	all := make([][]loaded, len(kinds))
	for round := range rounds {
		for i, kind := range kinds {
			progress("memory, round %d of %d: %s", round+1, rounds, kind.name)
			kind.options.Program, kind.options.Dir, kind.options.Level = program, dir, "ERROR"
			got, err := startAndWeigh(ctx, kind.options)
			if err != nil {
				return "", fmt.Errorf("memory: %s: %w", kind.name, err)
			}
			all[i] = append(all[i], got)
		}
	}
	var rows [][]string
	var without loaded
	for i, kind := range kinds {
		got := middle(all[i])
		if i == 0 {
			without = got
		}
		rows = append(rows, []string{
			kind.name, fmt.Sprintf("%.0f", got.resident), fmt.Sprintf("%+.0f", got.resident-without.resident),
			fmt.Sprintf("%.0f", got.heap), fmt.Sprintf("%+.0f", got.heap-without.heap), fmt.Sprintf("%.2f", got.start.Seconds()),
		})
	}
	return table("Traefik with", "resident MB", "more", "live heap MB", "more", "start s")(rows), nil
}

// middle is the median of each figure.
func middle(all []loaded) loaded {
	median := func(figure func(loaded) float64) float64 {
		var values []float64
		for _, l := range all {
			values = append(values, figure(l))
		}
		return spreadOf(values).median
	}
	return loaded{
		resident: median(func(l loaded) float64 { return l.resident }),
		heap:     median(func(l loaded) float64 { return l.heap }),
		start:    time.Duration(median(func(l loaded) float64 { return float64(l.start) })),
	}
}

// startAndWeigh starts a Traefik, weighs it and stops it.
func startAndWeigh(ctx context.Context, o harness.Options) (loaded, error) {
	began := time.Now()
	proxy, err := harness.StartTraefik(ctx, o)
	if err != nil {
		return loaded{}, err
	}
	defer proxy.Stop()
	got := loaded{start: time.Since(began)}
	if got.resident, err = residentMB(proxy.PID()); err != nil {
		return got, err
	}
	profile, err := proxy.Get("/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		return got, err
	}
	var bytes float64
	if _, err := fmt.Sscan(strings.TrimPrefix(field(string(profile), "# HeapAlloc"), "= "), &bytes); err != nil {
		return got, fmt.Errorf("heap profile: %w", err)
	}
	got.heap = bytes / (1 << 20)
	return got, nil
}

// residentMB is the resident memory of a process.
func residentMB(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	var kB float64
	if _, err := fmt.Sscan(field(string(status), "VmRSS:"), &kB); err != nil {
		return 0, fmt.Errorf("VmRSS: %w", err)
	}
	return kB / 1024, nil
}
