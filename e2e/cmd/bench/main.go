// Command bench measures what the limiter costs in the real Traefik, beside no middleware, a plugin that does nothing
// and Traefik's own RateLimit with Redis: one Traefik, one Redis, one backend, all on this machine, which is Linux.
// It exits with 1 when any answer, any count or any key is not what it must be.
//
// Run it in the folder of the module e2e.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/e2e/traefik"
)

// connections are the numbers of connections at which each scenario is measured.
var connections = []int{1, 32, 128, 512}

// parts are what there is to measure, in the order of the document.
var parts = []string{"traffic", "growth", "memory", "script", "steps"}

// options say what is measured.
type options struct {
	plugin    string         // root folder of the plugin's source
	parts     []string       // some of parts
	cells     *regexp.Regexp // of the names of the cells of traffic
	rounds    int
	span      time.Duration // of one measurement
	decisions int           // of one measurement of the script
	turns     int           // of each step
	out       string        // folder of the document to write, "" only prints it
	// profiles is the folder for profiles of Traefik under each cell's traffic, for go tool pprof; "" takes none.
	profiles string
}

// longestSpan keeps a measurement from using up the limit of a sliding log: its requests are bounded by allowedAverageLog.
const longestSpan = 5 * time.Second

func main() {
	var o options
	cells := flag.String("cells", "", "measure only the traffic of cells whose name, such as token-bucket/allowed/1/128, matches this regular expression, beside their native ones")
	chosen := flag.String("parts", strings.Join(parts, ","), "what to measure")
	flag.StringVar(&o.plugin, "plugin", "..", "root folder of the plugin's source")
	flag.IntVar(&o.rounds, "rounds", 5, "how often everything is measured, in turn")
	flag.DurationVar(&o.span, "span", time.Second, "how long traffic is measured, at most "+longestSpan.String())
	flag.IntVar(&o.decisions, "decisions", 10_000, "how many decisions of the script are measured at once")
	flag.IntVar(&o.turns, "turns", 5_000, "how often each step of a request's way is taken")
	flag.StringVar(&o.out, "out", "", "write benchmark.md and benchmark.svg in this folder")
	flag.StringVar(&o.profiles, "profiles", "", "measure nothing, but write profiles of Traefik under the traffic of each cell into this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := o.complete(*cells, *chosen)
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "\nbench:", err)
		os.Exit(1)
	}
}

// complete checks the options.
func (o *options) complete(cells, chosen string) error {
	var err error
	if o.cells, err = regexp.Compile(cells); err != nil {
		return fmt.Errorf("cells: %w", err)
	}
	if len(choose(o.cells)) == 0 {
		return fmt.Errorf("cells: no cell has a name like %q", cells)
	}
	o.parts = strings.Split(chosen, ",")
	if cells != "" || o.profiles != "" {
		o.parts = parts[:1]
	}
	for _, part := range o.parts {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("parts: must be some of %q, got %q", parts, part)
		}
	}
	if o.out != "" && len(o.parts) < len(parts) {
		return errors.New("out: the document needs all parts and cells")
	}
	if o.rounds < 1 || o.span <= 0 || o.span > longestSpan || o.decisions < 1 || o.turns < 1 {
		return fmt.Errorf("rounds, decisions and turns must be at least 1 and span at most %s, got %d, %d, %d and %s", longestSpan, o.rounds, o.decisions, o.turns, o.span)
	}
	return nil
}

// run measures and reports.
func run(ctx context.Context, o options) error {
	program, from, err := traefik.Find(ctx, ".", os.Stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ratelimit-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintf(os.Stderr, "Traefik %s, %s\n", program, from)
	server, err := harness.StartRedis(ctx, dir)
	if err != nil {
		return err
	}
	defer server.Stop()
	text, err := circumstances(ctx, program, server, o)
	if err != nil {
		return err
	}
	var chart []byte
	for _, part := range o.parts {
		fmt.Fprintf(os.Stderr, "Measuring: %s\n", part)
		var measured string
		switch part {
		case "traffic":
			measured, chart, err = traffic(ctx, program, dir, o)
		case "growth":
			measured, err = growth(ctx, program, dir, o)
		case "memory":
			measured, err = memory(ctx, program, o.plugin, dir, o.rounds)
		case "script":
			measured, err = script(ctx, server, o.plugin, o.decisions, o.rounds)
		case "steps":
			measured, err = steps(ctx, o.plugin, o.turns)
		}
		if err != nil {
			return err
		}
		progress("")
		text += "\n" + titles[part] + "\n" + measured
	}
	if o.out == "" || chart == nil {
		fmt.Print(text)
		return nil
	}
	return writeDocument(o.out, text, chart)
}

// traffic measures the cells that are wanted, or takes profiles of them.
func traffic(ctx context.Context, program, dir string, o options) (string, []byte, error) {
	b, err := startBench(ctx, program, o.plugin, dir, scenarios)
	defer b.stop()
	if err != nil {
		return "", nil, err
	}
	cells := choose(o.cells)
	if o.profiles != "" {
		return "", nil, b.profile(ctx, cells, o)
	}
	all, err := b.traffic(ctx, cells, o)
	if err != nil {
		return "", nil, err
	}
	text := all.targets() + "\n" + all.tables()
	if len(cells) < len(scenarios)*len(connections) {
		return text, nil, nil
	}
	chart, err := all.chart()
	return text, chart, err
}

// growth measures with more sources and more routers.
func growth(ctx context.Context, program, dir string, o options) (string, error) {
	b, err := startBench(ctx, program, o.plugin, dir, growing)
	defer b.stop()
	if err != nil {
		return "", err
	}
	sources, err := b.sources(ctx, o)
	if err != nil {
		return "", err
	}
	routers, err := b.routers(ctx, o)
	return sources + "\n" + routers, err
}
