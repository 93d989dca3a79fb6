package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

const (
	// lastChanges is how many configurations the end goes through, each with a Redis client of its own.
	lastChanges = 10
	// goneWithin is how long what came before may take to go: a Redis client that no configuration names any more lives on for 30 s.
	goneWithin = 60 * time.Second
	// onTopOfBudget is what an answer may take beyond the time budget on a busy machine.
	onTopOfBudget = time.Second
)

// end judges the run. Unless it was interrupted, it also looks at what is left when the traffic is over.
func (s *soak) end(interrupted bool) error {
	s.clerk.audit(math.MaxInt)
	if !interrupted {
		fmt.Fprintln(s.out, "the traffic is over; what it left behind has", goneWithin, "to go")
		if err := s.clear(); err != nil {
			return err
		}
	}
	s.meters.judge(s.clerk.broke)
	if most := s.clerk.quantile(0.99); most > waitMost+onTopOfBudget {
		s.clerk.broke("one of a hundred answers took longer than %s, with a timeout of %s", most, waitMost)
	}
	for i, proxy := range s.world.proxies {
		if err := s.readLog(gateways[i], proxy); err != nil {
			return err
		}
	}
	return nil
}

// clear restarts Redis, so that only what is used comes back, changes the configuration lastChanges times, and waits until as much is
// there as before the traffic.
func (s *soak) clear() error {
	ctx, w := context.Background(), s.world
	w.redis.Kill()
	w.lives.end(now())
	w.lives.begin(now())
	if err := w.redis.Start(ctx); err != nil {
		return err
	}
	for n := range lastChanges {
		err := w.each(func(i int) error {
			return w.proxies[i].Apply(ctx, "changing.yml", changed(w.redis.Addr, gateways[i], 1_000_000+n, false))
		})
		if err != nil {
			return err
		}
		if err := s.settle(&s.meters.after); err != nil { // each client connects
			return err
		}
	}
	for deadline := time.Now().Add(goneWithin); len(s.meters.left()) > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Second)
		if err := s.settle(&s.meters.after); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until Redis decides at every router of every gateway, and looks.
func (s *soak) settle(into *[]sample) error {
	ctx := context.Background()
	requests := newHTTP()
	err := s.world.each(func(i int) error {
		names := []string{hostileName, changingName}
		for _, r := range rules {
			names = append(names, r.name)
		}
		for _, name := range names {
			if err := limited(ctx, requests, s.world.proxies[i].URL+"/"+name); err != nil {
				return err
			}
		}
		return nil
	})
	requests.CloseIdleConnections()
	s.world.backend.CloseIdle()
	if err != nil {
		return err
	}
	*into, err = s.world.look(ctx)
	return err
}

// limited waits until an answer carries limits.
func limited(ctx context.Context, client *http.Client, url string) error {
	return harness.Until(ctx, 30*time.Second, func() error {
		resp, err := client.Get(url)
		if err != nil {
			return err
		}
		if resp.Header.Get("X-RateLimit-Limit") == "" {
			err = fmt.Errorf("%s answers %s without limits", url, resp.Status)
		}
		return errors.Join(err, finish(resp))
	})
}

// expectedWords begin the lines of the log that are there for what was done to Redis and to the configuration.
var expectedWords = []string{"redis lost: ", "redis still lost: ", "redis back: "}

// readLog sees that a gateway wrote nothing else than it must.
func (s *soak) readLog(name string, proxy *harness.Traefik) error {
	if proxy.Ended() {
		s.clerk.broke("%s has ended by itself: %s", name, proxy.Said())
	}
	if said := proxy.Said(); said != "" {
		s.clerk.broke("%s wrote past its log: %s", name, said)
	}
	entries, err := proxy.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Level == "error" && !expected(e.Message) || strings.Contains(e.Message, "panic") {
			s.clerk.broke("%s, log: %s %s %s", name, e.Level, e.Message, e.Error)
		}
		s.logged[word(e)]++
	}
	return nil
}

// expected reports whether a line at ERROR was to be expected.
func expected(message string) bool {
	for _, w := range expectedWords {
		if strings.HasPrefix(message, w) {
			return true
		}
	}
	return strings.HasSuffix(message, "the last good settings stay in force")
}

// word sorts an entry.
func word(e harness.Entry) string {
	for _, w := range expectedWords {
		if strings.HasPrefix(e.Message, w) {
			return strings.TrimSuffix(w, ": ")
		}
	}
	if expected(e.Message) {
		return "the last good settings stay in force"
	}
	return "at " + strings.ToUpper(e.Level)
}
