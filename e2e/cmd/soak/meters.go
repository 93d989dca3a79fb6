package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// A figure is one of the things that must stay flat.
type figure int

const (
	resident    figure = iota // kB, as the operating system counts
	heap                      // kB in use, after a collection
	goroutines                // of the process
	connections               // to Redis
	figures
)

var figureNames = [figures]string{"resident memory, MB", "heap after a collection, MB", "goroutines", "connections to Redis"}

// shown is the value for people.
func (f figure) shown(value int) string {
	if f == resident || f == heap {
		return fmt.Sprintf("%.1f", float64(value)/1024)
	}
	return fmt.Sprint(value)
}

// slack is by how much a figure may differ and still count as flat: collections and flights come when they come.
func (f figure) slack(before int) int {
	switch f {
	case resident:
		return before/5 + 8<<10
	case heap:
		return before/10 + 4<<10
	case goroutines:
		return before/5 + 20
	}
	return before/2 + 6
}

// sample is one look at one gateway.
type sample [figures]int

// look takes a sample of each gateway.
func (w *world) look(ctx context.Context) ([]sample, error) {
	byUser, err := w.connectionsByUser(ctx)
	if err != nil {
		return nil, err
	}
	samples := make([]sample, len(w.proxies))
	err = w.each(func(i int) error {
		s, p := &samples[i], w.proxies[i]
		var err error
		if s[heap], err = heapOf(p); err != nil {
			return err
		}
		if s[goroutines], err = p.Goroutines(); err != nil {
			return err
		}
		s[connections] = byUser[gateways[i]]
		s[resident], err = residentOf(p.PID())
		return err
	})
	return samples, err
}

// connectionsByUser asks Redis for the connections of each user.
func (w *world) connectionsByUser(ctx context.Context) (map[string]int, error) {
	client := w.redis.Client()
	defer client.Close()
	list, err := client.ClientList(ctx).Result()
	if err != nil {
		return nil, err
	}
	n := map[string]int{}
	for line := range strings.Lines(list) {
		for _, field := range strings.Fields(line) {
			if user, ok := strings.CutPrefix(field, "user="); ok {
				n[user]++
			}
		}
	}
	return n, nil
}

// heapOf is how many kB of the process' heap are in use after a collection.
func heapOf(p *harness.Traefik) (int, error) {
	body, err := p.Get("/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		return 0, err
	}
	_, at, _ := strings.Cut(string(body), "# HeapAlloc = ")
	var n int
	_, err = fmt.Sscan(at, &n)
	return n >> 10, err
}

// residentOf is the process' resident memory in kB.
func residentOf(pid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, at, _ := strings.Cut(string(status), "VmRSS:")
	var n int
	_, err = fmt.Sscan(at, &n)
	return n, err
}

// meters are the samples of a run, in their order.
type meters struct {
	before  []sample   // each gateway, before the traffic
	samples [][]sample // along the way
	after   []sample   // when the traffic has ended and what it left behind has had its time to go; nil when it was interrupted
}

const (
	// sampleEvery is how often to look, and settledAfter when what comes and goes has found its level: what an old
	// configuration used lives on for 30 s, and memory grows until it is first collected at full traffic.
	sampleEvery  = 5 * time.Second
	settledAfter = 40 * time.Second
)

// measure looks every sampleEvery from settledAfter on until ctx ends. A look that fails because Redis is away is no look.
func (m *meters) measure(ctx context.Context, w *world) {
	for ok := wait(ctx, settledAfter); ok; ok = wait(ctx, sampleEvery) {
		look, cancel := context.WithTimeout(ctx, time.Second)
		samples, err := w.look(look)
		cancel()
		if err == nil {
			m.samples = append(m.samples, samples)
		}
	}
}

// windowLeast is how many samples a median needs.
const windowLeast = 4

// medians are a figure of one gateway in the first and in the last third of the samples; ok is false when the run was too short for them.
func (m *meters) medians(f figure, gateway int) (first, last int, ok bool) {
	n := len(m.samples) / 3
	if n < windowLeast {
		return 0, 0, false
	}
	return median(m.samples[:n], f, gateway), median(m.samples[len(m.samples)-n:], f, gateway), true
}

func median(samples [][]sample, f figure, gateway int) int {
	var values []int
	for _, s := range samples {
		values = append(values, s[gateway][f])
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// judge sees that all figures are flat.
func (m *meters) judge(broke func(format string, args ...any)) {
	for f := range figures {
		for g, name := range gateways {
			first, last, ok := m.medians(f, g)
			if ok && last > first+f.slack(first) {
				broke("%s, %s: %s in the first third of the run, %s in the last", name, figureNames[f], f.shown(first), f.shown(last))
			}
		}
	}
	for _, what := range m.left() {
		broke("%s", what)
	}
}

// left is of what more is there after the traffic than before. Traefik's own goroutines come and go by a few.
func (m *meters) left() []string {
	var left []string
	for g := range m.after {
		for _, row := range []struct {
			f    figure
			more int
		}{{goroutines, 10}, {connections, 0}} {
			if before, after := m.before[g][row.f], m.after[g][row.f]; after > before+row.more {
				left = append(left, fmt.Sprintf("%s, %s: %d before the traffic, %d after", gateways[g], figureNames[row.f], before, after))
			}
		}
	}
	return left
}
