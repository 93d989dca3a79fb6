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

// goneWithin is how long what the traffic leaves behind may take to go: a Redis client that no configuration names any more
// lives on for 30 s.
const goneWithin = 60 * time.Second

// onTopOfBudget is what an answer may take beyond the time budget on a busy machine.
const onTopOfBudget = time.Second

// end looks at what is left when the traffic is over. Redis is restarted first, so that only what is used comes back.
func (s *soak) end() error {
	fmt.Fprintln(s.out, "the traffic is over; what it left behind has", goneWithin, "to go")
	s.world.redis.Kill()
	s.world.lives.end(now())
	s.world.lives.begin(now())
	if err := s.world.redis.Start(context.Background()); err != nil {
		return err
	}
	s.clerk.audit(math.MaxInt)
	s.world.backend.CloseIdle()
	deadline := time.Now().Add(goneWithin)
	for {
		if err := s.settle(&s.meters.after); err != nil {
			return err
		}
		if !s.meters.leftBehind() || time.Now().After(deadline) {
			break
		}
		time.Sleep(time.Second)
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

// leftBehind reports whether more is there than before the traffic.
func (m *meters) leftBehind() bool {
	for g := range m.before {
		for _, f := range []figure{goroutines, connections} {
			if m.after[g][f] > m.before[g][f]+f.slack(m.before[g][f]) {
				return true
			}
		}
	}
	return false
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
