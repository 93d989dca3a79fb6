package suite

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// What a failover may cost.
const (
	failoverBudget = time.Second     // timeout of the middleware
	failoverGrace  = 2 * time.Second // of the plugin's outage beyond the servers' own
)

// sentinelFailover plays two failovers under traffic: one that an operator asks for, and one that a kill -9 makes necessary.
// It states what they cost: the replicas follow asynchronously, so the new master may lack the last charges.
func sentinelFailover(t *testing.T, w *world) {
	s := redistest.StartSentinels(t, 2, 3, nil)
	var endpoints []interface{}
	for _, endpoint := range s.Endpoints() {
		endpoints = append(endpoints, endpoint)
	}
	first := s.Endpoints()[0] // is in every line of the log about this Redis
	handler := w.mustMake(backend, map[string]interface{}{
		"algorithm": "sliding-log", "average": 100000, "period": "1h", "timeout": failoverBudget.String(),
		"redis": map[string]interface{}{
			"endpoints": endpoints, "mode": "sentinel", "sentinel": map[string]interface{}{"masterSet": redistest.MasterSet},
		},
	}, w.name)
	w.settled(handler, func() *http.Request { return getFrom("198.51.100.99:1") })

	charged, lost := 0, 0
	for _, failover := range []struct {
		by    string
		begin func(master *redistest.Server)
	}{
		{"SENTINEL FAILOVER", func(*redistest.Server) { s.Failover() }},
		{"kill -9", (*redistest.Server).Kill},
	} {
		s.Settle()
		old := s.Master()
		f := startFlow(handler, 8, get)
		w.eventually("Redis decides", func() bool { return f.decidedSoFar() > 100 })
		begin := time.Now()
		failover.begin(old)
		over := successor(w, s, old)
		time.Sleep(failoverGrace + time.Second) // the requests of this time must be decided
		f.stop()

		undecided, from, to := f.outage(begin)
		if to.Sub(over) > failoverGrace+w.plugin.Slack {
			t.Errorf("%s: a request is undecided %v after the servers' own outage", failover.by, to.Sub(over))
		}
		if f.slowest > failoverBudget+failoverBudget/2+w.plugin.Slack {
			t.Errorf("%s: an answer took %v with a timeout of %v", failover.by, f.slowest, failoverBudget)
		}
		if len(f.statuses) != 1 || f.statuses[http.StatusOK] == 0 {
			t.Errorf("%s: answers by status: %v, want 200 alone", failover.by, f.statuses)
		}
		s.Settle()
		charged += f.decided
		lostNow := charged - lost - counted(w, s)
		lost += lostNow
		t.Logf("%s: the servers' own outage took %v, the plugin's %v: of %d requests %d were undecided, the slowest answer took %v; of %d charges %d were lost",
			failover.by, over.Sub(begin), to.Sub(from), f.statuses[http.StatusOK], undecided, f.slowest, f.decided, lostNow)
	}
	w.eventually("the log says that Redis is back", func() bool {
		ask(handler, get())
		log := w.plugin.Errors()
		return w.lines(log, "redis lost: master "+redistest.MasterSet, first) == w.lines(log, "redis back: master "+redistest.MasterSet, first)
	})
	if n := w.lines(w.plugin.Errors(), "redis lost", first); n < 1 || n > 2 {
		t.Errorf("%d lines for two losses: %s", n, w.plugin.Errors())
	}
}

// successor waits until a sentinel names another master than old, and that one takes writes, and returns when that was.
func successor(w *world, s *redistest.Sentinels, old *redistest.Server) time.Time {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		master := s.Master()
		if master == nil || master == old {
			continue
		}
		client := master.Client()
		err := client.Do(context.Background(), "SET", "successor", "1", "EX", 60).Err()
		client.Close()
		if err == nil {
			return time.Now()
		}
	}
	w.t.Fatal("no other master within a minute")
	return time.Time{}
}

// counted is how many charges the master has of the case's one client.
func counted(w *world, s *redistest.Sentinels) int {
	w.t.Helper()
	client := s.Master().Client()
	defer client.Close()
	n, err := redistest.Number(client, "LLEN", "ratelimit:"+w.name+":{203.0.113.7}:default:sl1")
	if err != nil {
		w.t.Fatal(err)
	}
	return int(n)
}

// flow is a number of clients that ask all the time, and what they got.
type flow struct {
	all sync.WaitGroup

	mu        sync.Mutex
	over      bool
	statuses  map[int]int
	decided   int
	undecided []time.Time // when each answer without limits came
	slowest   time.Duration
}

func startFlow(handler http.Handler, clients int, request func() *http.Request) *flow {
	f := &flow{statuses: map[int]int{}}
	f.all.Add(clients)
	for i := 0; i < clients; i++ {
		go func() {
			defer f.all.Done()
			for f.note(ask(handler, request())) {
				time.Sleep(2 * time.Millisecond) // leave the servers time to fail over in
			}
		}()
	}
	return f
}

// note keeps one answer and reports whether to go on.
func (f *flow) note(got answer) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.statuses[got.status]++
	if len(got.header["X-Ratelimit-Limit"]) > 0 {
		f.decided++
	} else {
		f.undecided = append(f.undecided, time.Now())
	}
	if got.took > f.slowest {
		f.slowest = got.took
	}
	return !f.over
}

func (f *flow) decidedSoFar() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.decided
}

func (f *flow) stop() {
	f.mu.Lock()
	f.over = true
	f.mu.Unlock()
	f.all.Wait()
}

// outage is how many answers since begin were undecided, and when the first and the last came; both are begin when none was.
func (f *flow) outage(begin time.Time) (undecided int, from, to time.Time) {
	from, to = begin, begin
	for _, at := range f.undecided {
		if at.Before(begin) {
			continue
		}
		if undecided == 0 {
			from = at
		}
		undecided++
		to = at
	}
	return undecided, from, to
}
