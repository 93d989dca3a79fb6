// Package faults plays, in a real Traefik on a real Redis, every fault that the limiter is known to meet, in each failure
// mode, measures what clients get, and holds it to what the documents promise.
package faults

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// modes are the failure modes. Each has a router, a middleware and an address of Redis of its own, and therefore
// connections, a breaker and lines in the log of its own.
var modes = []string{"open", "closed", "local"}

// What the middlewares are given, and what is sent.
const (
	average       = 40                     // requests per hour and source; a token bucket, which gains none in a row's time
	localShare    = 0.25                   // of average
	localMost     = 10                     // what that lets through at once
	timeout       = 200 * time.Millisecond // the default
	dialTimeout   = time.Second            // a dial that hangs is over within the row
	clientsEach   = 4                      // clients, each a source of its own, for each failure mode
	requestsEvery = 25 * time.Millisecond  // of each client
	requestsFirst = 10                     // of each client before the fault
	requestsLast  = 60                     // of each client after it: more than all that can be left
	usualLength   = 3 * time.Second        // of a fault
)

// fault is one way in which Redis, or the way to it, is not as it should be.
type fault struct {
	name string
	made string // how it is made, for people

	redis   []string // options of the redis-server
	linked  bool     // a proxy stands in front of Redis
	user    bool     // Traefik is the user gate, who may do what operations.md says
	named   bool     // Redis is known to Traefik by a host name
	cluster bool     // Redis is a Cluster, and Traefik knows
	clock   bool     // Redis' clock can be set
	early   bool     // begins before Traefik hears of this Redis

	every   time.Duration // between two requests of a client; 0: requestsEvery
	lasts   time.Duration // 0: usualLength
	decides decider       // who must decide while it lasts
	says    string        // what the log must contain
	forgets int           // capacities that Redis may forget for each source meanwhile; anyNumber: eviction

	begin func(*world) error
	end   func(*world) error
}

// decider says who must decide while a fault lasts.
type decider int

const (
	byMode   decider = iota // the failure mode, as soon as the breaker is open; the log says "redis lost", later "redis back"
	byRedis                 // Redis: nobody notices the fault
	byEither                // either, from one request to the next
	byKey                   // the failure mode for the one key that is at fault, Redis for all others
)

// anyNumber says that there is no bound.
const anyNumber = -1

// Options say what is played, and where.
type Options struct {
	Program  string    // path of the Traefik program
	Plugin   string    // root folder of the plugin's source
	Dir      string    // everything is kept below it
	Progress io.Writer // gets a line for each fault
	Only     []string  // names of the faults to play; none: all
}

// Result is a whole run.
type Result struct {
	Traefik, Redis string // versions
	Rows           []Row
	Busy           int      // faults during which the machine was busy with something else
	Broken         []string // promises that did not hold, as fault, mode: what
}

// Run plays the faults one after the other, in one Traefik.
func Run(ctx context.Context, o Options) (*Result, error) {
	played, err := chosen(o.Only)
	if err != nil {
		return nil, err
	}
	words, err := readWordings(filepath.Join(o.Plugin, "docs", "operations.md"))
	if err != nil {
		return nil, err
	}
	names, err := newNames(o.Dir)
	if err != nil {
		return nil, err
	}
	proxy, err := harness.StartTraefik(ctx, harness.Options{Program: names.wrapped(o.Program), Plugin: o.Plugin, Dir: o.Dir, Env: environment(o.Program)})
	if err != nil {
		return nil, err
	}
	defer proxy.Stop()
	result := &Result{}
	if result.Traefik, err = traefikVersion(o.Program); err != nil {
		return nil, err
	}
	if result.Redis, err = redisVersion(); err != nil {
		return nil, err
	}
	s := &stage{ctx: ctx, dir: o.Dir, proxy: proxy, names: names}
	for _, f := range played {
		began := time.Now()
		rows, what, busy, err := s.playCalmly(&f, words)
		if err != nil {
			return nil, err
		}
		if busy {
			result.Busy++
		}
		result.Rows = append(result.Rows, rows...)
		result.Broken = append(result.Broken, what...)
		fmt.Fprintf(o.Progress, "%-28s %5.1f s, %d promises broken\n", f.name, time.Since(began).Seconds(), len(what))
	}
	if proxy.Ended() {
		result.Broken = append(result.Broken, "Traefik has ended by itself: "+proxy.Said())
	}
	if said := proxy.Said(); said != "" {
		result.Broken = append(result.Broken, "Traefik wrote past its log: "+said)
	}
	return result, nil
}

// chosen are the faults with these names, or all.
func chosen(only []string) ([]fault, error) {
	if len(only) == 0 {
		return faults, nil
	}
	var some []fault
	for _, name := range only {
		at := slices.IndexFunc(faults, func(f fault) bool { return f.name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no fault %q", name)
		}
		some = append(some, faults[at])
	}
	return some, nil
}

// environment is Traefik's: what its wrapper needs, and nothing that belongs to us.
func environment(program string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "TRAEFIK=" + program}
}
