// Command soak lets three Traefik processes and one Redis run for a while as in production on a bad day: mixed traffic, a reload
// every two seconds, and at random moments Redis killed or frozen. It exits with 1 when a promise is broken:
//
//   - of what Redis let pass, nothing is above a limit; each life of Redis is accounted apart
//   - every answer is one that the middleware's failure mode allows, none is a 500, and 99 of 100 come within the timeout and a second
//   - no panic, and no word in the logs but those for what was done to Redis
//   - memory, goroutines and connections of each Traefik stay flat
//
// It ends by itself, or cleanly at Ctrl-C. Run it in the folder of the module e2e, on Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/traefik"
)

// options say how a soak runs.
type options struct {
	length time.Duration // of the traffic
	seed   uint64        // of all that is random
	rate   float64       // requests per second
}

func main() {
	var o options
	flag.DurationVar(&o.length, "length", 2*time.Minute, "how long the traffic lasts")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "of all that is random")
	flag.Float64Var(&o.rate, "rate", 300, "requests per second")
	flag.Parse()
	logging.Disable() // go-redis' words on a Redis that we have killed
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "\nsoak:", err)
		os.Exit(1)
	}
}

// run soaks and reports.
func run(ctx context.Context, o options, out io.Writer) error {
	if o.length <= 0 || o.rate <= 0 {
		return fmt.Errorf("length and rate must be positive, got %s and %g", o.length, o.rate)
	}
	program, from, err := traefik.Find(ctx, ".", os.Stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ratelimit-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintf(out, "Traefik %s, %s\n", program, from)
	w, err := startWorld(ctx, program, dir)
	defer w.stop()
	if err != nil {
		return err
	}
	for i, p := range w.proxies {
		fmt.Fprintf(out, "%s at %s\n", gateways[i], p.URL)
	}
	fmt.Fprintf(out, "Redis at %s\n%s of %g requests per second, seed %d\n", w.redis.Addr, o.length, o.rate, o.seed)
	s := &soak{options: o, world: w, clerk: &clerk{promises: &promises{}, lives: &w.lives}, logged: map[string]int{}, out: out}
	if err := s.play(ctx); err != nil {
		return err
	}
	s.report()
	return s.clerk.err()
}

// soak is one run.
type soak struct {
	options
	world    *world
	clerk    *clerk
	meters   meters
	troubles troubles
	reloads  reloads
	played   time.Duration
	logged   map[string]int // lines of the gateways' logs, by kind
	out      io.Writer
}

// play sends the traffic and makes the trouble, and looks before, meanwhile and, unless ctx has ended, after.
func (s *soak) play(ctx context.Context) error {
	if err := s.settle(&s.meters.before); err != nil {
		return err
	}
	began := time.Now()
	traffic, end := context.WithTimeout(ctx, s.length)
	defer end()
	var all sync.WaitGroup
	shared := newHTTP()
	for i := range clients {
		c := &client{
			ctx: traffic, world: s.world, clerk: s.clerk, http: shared,
			rng: rand.New(rand.NewPCG(s.seed, uint64(i))), pause: time.Duration(clients / s.rate * float64(time.Second)),
		}
		all.Go(c.run)
	}
	var failed [2]error
	all.Go(func() {
		if s.reloads, failed[0] = reload(traffic, s.world); failed[0] != nil {
			end()
		}
	})
	all.Go(func() {
		rng := rand.New(rand.NewPCG(s.seed, clients))
		if s.troubles, failed[1] = trouble(traffic, s.world, rng, s.clerk.audit, s.out); failed[1] != nil {
			end()
		}
	})
	all.Go(func() { s.meters.measure(traffic, s.world) })
	all.Wait()
	s.played = time.Since(began)
	shared.CloseIdleConnections()
	if err := errors.Join(failed[:]...); err != nil {
		return errors.Join(err, s.clerk.err())
	}
	return s.end(ctx.Err() != nil)
}
