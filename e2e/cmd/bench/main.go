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
	"syscall"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/traefik"
)

// connections are the numbers of connections at which each scenario is measured.
var connections = []int{1, 32, 128, 512}

// options say what is measured.
type options struct {
	cells  *regexp.Regexp // of the cells' names
	rounds int
	span   time.Duration // of one measurement
}

// longestSpan keeps a measurement from using up the limit of a sliding log: its requests are bounded by allowedAverageLog.
const longestSpan = 5 * time.Second

func main() {
	cells := flag.String("cells", "", "measure only the cells whose name, such as token-bucket/allowed/1/128, matches this regular expression, beside their native ones")
	rounds := flag.Int("rounds", 5, "how often each cell is measured, in turn with all others")
	span := flag.Duration("span", time.Second, "how long each measurement is, at most "+longestSpan.String())
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *cells, *rounds, *span); err != nil {
		fmt.Fprintln(os.Stderr, "\nbench:", err)
		os.Exit(1)
	}
}

// run measures and reports.
func run(ctx context.Context, cells string, rounds int, span time.Duration) error {
	o := options{rounds: rounds, span: span}
	var err error
	if o.cells, err = regexp.Compile(cells); err != nil {
		return fmt.Errorf("cells: %w", err)
	}
	if rounds < 1 || span <= 0 || span > longestSpan {
		return fmt.Errorf("rounds must be at least 1 and span at most %s, got %d and %s", longestSpan, rounds, span)
	}
	chosen := choose(o.cells)
	if len(chosen) == 0 {
		return errors.New("cells: no cell has such a name")
	}
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
	b, err := startBench(ctx, program, dir, scenarios)
	defer b.stop()
	if err != nil {
		return err
	}
	results, err := b.traffic(ctx, chosen, o)
	if err != nil {
		return err
	}
	fmt.Print(results.tables())
	return nil
}
