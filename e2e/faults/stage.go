package faults

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

const (
	// backWithin is how long a row waits for Redis to decide again; backMost, in judge.go, is what is promised.
	backWithin = 20 * time.Second
	// settleWithin is how long connections and goroutines may take to be as before.
	settleWithin = 5 * time.Second
)

// stage is where the faults are played, one after the other.
type stage struct {
	ctx   context.Context
	dir   string
	proxy *harness.Traefik
	names *names
}

// dynamic is the configuration of one fault. JSON is YAML, and so is a string in Go's quotes.
const dynamic = `
http:
  routers:
    open: {rule: "Path(` + "`/open`" + `)", middlewares: [open], service: backend}
    closed: {rule: "Path(` + "`/closed`" + `)", middlewares: [closed], service: backend}
    local: {rule: "Path(` + "`/local`" + `)", middlewares: [local], service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: %q}]}}
  middlewares:
`

// middleware is one of its middlewares: mode, options of the mode, endpoint, options of redis.
const middleware = `    %[1]s: {plugin: {ratelimit: {average: %[2]d, period: 1h, failureMode: %[1]s, %[3]ssourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: [%[4]q], dialTimeout: %[5]s%[6]s}}}}
`

// configuration is what Traefik gets for the fault in w.
func configuration(backend string, w *world) string {
	var text strings.Builder
	fmt.Fprintf(&text, dynamic, backend)
	for _, mode := range modes {
		share, more := "", ""
		if mode == "local" {
			share = fmt.Sprintf("localShare: %v, ", localShare)
		}
		if w.fault.user {
			more = fmt.Sprintf(", username: gate, password: %s", password)
		}
		if w.fault.cluster {
			more = ", mode: cluster"
		}
		fmt.Fprintf(&text, middleware, mode, average, share, w.endpoints[mode], dialTimeout, more)
	}
	return text.String()
}

// play plays one fault in all failure modes at once.
func (s *stage) play(f *fault) ([]Row, error) {
	backend, err := harness.StartBackend(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "passed") }))
	if err != nil {
		return nil, err
	}
	defer backend.Stop()
	w, err := newWorld(s, f)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	r := &run{stage: s, world: w, fault: f, clients: map[string][]*client{}}
	for _, mode := range modes {
		r.clients[mode] = newClients(s.proxy.URL+"/"+mode, strings.ReplaceAll(f.name, " ", "-")+"-"+mode)
	}
	defer r.hangUp()
	entries, err := s.proxy.Entries()
	if err != nil {
		return nil, err
	}
	r.logged = len(entries)
	if f.early {
		err = f.begin(w)
		r.began = time.Now()
	}
	if err == nil {
		err = s.proxy.Apply(s.ctx, "faults.yml", configuration(backend.URL, w))
	}
	if err == nil {
		err = r.play()
	}
	if err != nil {
		return nil, err
	}
	return r.rows()
}

// run is one fault as it is played.
type run struct {
	*stage
	world   *world
	fault   *fault
	clients map[string][]*client // by failure mode
	logged  int                  // entries in the log before it

	began, ended, over      time.Time // of the fault: when its begin and its end were asked for, and when it was over
	connections, goroutines map[string][2]int
}

// all are the clients of all modes.
func (r *run) all() []*client { return slices.Concat(slices.Collect(maps.Values(r.clients))...) }

func (r *run) hangUp() {
	for _, c := range r.all() {
		c.http.CloseIdleConnections()
	}
}

// play sends the traffic before, during and after the fault.
func (r *run) play() error {
	r.connections, r.goroutines = map[string][2]int{}, map[string][2]int{}
	if !r.fault.early {
		if err := r.settle(); err != nil {
			return fmt.Errorf("before the fault: %w", err)
		}
		askEach(r.ctx, r.all(), requestsFirst, requestsEvery)
		if err := r.measure(0, func() error { return nil }); err != nil {
			return err
		}
	} else if err := r.countGoroutines(0, len(modes)); err != nil { // a middleware's goroutine for flights comes with its first request, and stays
		return err
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		loop(r.ctx, r.all(), r.every(), func(int) bool {
			select {
			case <-stop:
				return false
			default:
				return true
			}
		})
	}()
	err := r.beginAndEnd()
	close(stop)
	<-stopped
	if err != nil {
		return err
	}
	if err := r.back(); err != nil {
		return err
	}
	askEach(r.ctx, r.all(), requestsLast, 0)
	return r.measure(1, r.asBefore)
}

// every is how long a client waits between two requests.
func (r *run) every() time.Duration {
	if r.fault.every > 0 {
		return r.fault.every
	}
	return requestsEvery
}

// beginAndEnd lets the fault last under traffic.
func (r *run) beginAndEnd() error {
	if !r.fault.early {
		r.began = time.Now()
		if err := r.fault.begin(r.world); err != nil {
			return fmt.Errorf("begin: %w", err)
		}
	}
	length := usualLength
	if r.fault.lasts > 0 {
		length = r.fault.lasts
	}
	select {
	case <-time.After(length):
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
	r.ended = time.Now()
	if err := r.fault.end(r.world); err != nil {
		return fmt.Errorf("end: %w", err)
	}
	r.over = time.Now()
	return nil
}

// settle waits until Redis decides in every mode, asking for a source of its own.
func (r *run) settle() error {
	for _, mode := range modes {
		c := newClients(r.proxy.URL+"/"+mode, "settle-"+mode)[0]
		defer c.http.CloseIdleConnections()
		err := harness.Until(r.ctx, backWithin, func() error {
			c.ask(r.ctx)
			if last := c.samples[len(c.samples)-1]; !last.redisDecided() {
				return fmt.Errorf("%s answers %d with the limit %q", mode, last.status, last.limit)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// back lets the clients ask until Redis decides in every mode, and the log says so where it said that Redis was lost.
func (r *run) back() error {
	return harness.Until(r.ctx, backWithin, func() error {
		askEach(r.ctx, r.all(), 1, requestsEvery)
		lines, err := r.lines()
		if err != nil {
			return err
		}
		for _, mode := range modes {
			for _, c := range r.clients[mode] {
				if last := c.samples[len(c.samples)-1]; !last.redisDecided() {
					return fmt.Errorf("%s is not decided by Redis again: %d with the limit %q; the log: %q", mode, last.status, last.limit, distinct(lines))
				}
			}
			own := of(lines, mode, r.world.endpoints)
			if count(own, "redis lost: ") > count(own, "redis back: ") {
				return fmt.Errorf("%s: the log does not say that Redis is back: %v", mode, own)
			}
		}
		return nil
	})
}

// lines are what the plugin has written since the fault's configuration came.
func (r *run) lines() ([]Line, error) {
	entries, err := r.proxy.Entries()
	if err != nil {
		return nil, err
	}
	return r.ours(written(entries[r.logged:])), nil
}

// ours are the lines without those about the Cluster of an earlier fault, which is asked for its slots until its grace is over.
func (r *run) ours(lines []Line) []Line {
	var ours []Line
	for _, line := range lines {
		about := !strings.HasPrefix(line.Text, "redis lost: cluster ")
		for _, endpoint := range r.world.endpoints {
			about = about || strings.Contains(line.Text, endpoint)
		}
		if about {
			ours = append(ours, line)
		}
	}
	return ours
}

// measure counts connections and goroutines, at 0 before the fault and at 1 after it, until enough returns nil or time is up.
func (r *run) measure(at int, enough func() error) error {
	var failed error
	_ = harness.Until(r.ctx, settleWithin, func() error {
		if failed = r.countGoroutines(at, 0); failed != nil {
			return failed
		}
		for _, mode := range modes {
			n, err := r.world.connections(mode)
			if failed = err; err != nil {
				return err
			}
			r.connections[mode] = with(r.connections[mode], at, n)
		}
		return enough()
	})
	return failed
}

// countGoroutines counts goroutines alone, and more that are to come.
func (r *run) countGoroutines(at, more int) error {
	body, err := r.proxy.Get("/debug/pprof/goroutine?debug=1")
	if err != nil {
		return err
	}
	for _, mode := range modes {
		r.goroutines[mode] = with(r.goroutines[mode], at, interpreted(string(body))+more)
	}
	return nil
}

func with(pair [2]int, at, n int) [2]int {
	pair[at] = n
	return pair
}

// asBefore returns nil when no goroutine is left.
func (r *run) asBefore() error {
	for mode, pair := range r.goroutines {
		if pair[1] > pair[0] {
			return fmt.Errorf("%s: %d goroutines, %d before", mode, pair[1], pair[0])
		}
	}
	return nil
}

// interpreted counts the goroutines of a profile that run interpreted code: the plugin's, and no others.
func interpreted(profile string) int {
	total := 0
	for record := range strings.SplitSeq(profile, "\n\n") {
		var n int
		for line := range strings.Lines(record) {
			if _, err := fmt.Sscanf(line, "%d @", &n); err == nil {
				break
			}
		}
		if strings.Contains(record, "traefik/yaegi/interp") {
			total += n
		}
	}
	return total
}
