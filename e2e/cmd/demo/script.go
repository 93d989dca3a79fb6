package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// A scene plays one router and says what it showed.
type scene struct {
	path string // the router's path
	rule string // its limits, in words
	play func(*script) error
	show string // what the scene shows
}

var scenes = []scene{
	{
		path: "/fixed-window", rule: "fixed-window, 5 requests per 2s", play: fixedWindow,
		show: "A window counts for itself: 5 pass at its end and 5 more at the start of the next, twice the average around the edge.",
	},
	{
		path: "/sliding-log", rule: "sliding-log, 5 requests per 2s", play: slidingLog,
		show: "Never more than 5 in any 2s, edge or not: the first three places come free 2s after they were taken, the other two later.",
	},
	{
		path: "/token-bucket", rule: "token-bucket, 1 request per 1s, burst 5", play: tokenBucket,
		show: "A full bucket lets 5 pass at once, then one more for each second: Retry-After 1, and one passes, not five.",
	},
	{
		path: "/two-limits", rule: "spike: token-bucket, 3 per 1s; hourly: sliding-log, 5 per 1h", play: twoLimits,
		show: "All limits must allow, and a denied request charges none: the spike ends after a second, the hourly limit stays.",
	},
}

// beforeEdge is how long before the end of a window its last requests are
// sent: long enough for five of them on a busy machine.
const beforeEdge = 400 * time.Millisecond

// script is a run of all scenes.
type script struct {
	ctx   context.Context
	url   string
	redis *redis.Client
	path  string    // of the scene that plays
	began time.Time // when it began
	last  answer    // the last one seen
}

// answer is what a client saw.
type answer struct {
	status                              int
	remaining, reset, retryAfter, limit string
}

// warmUp waits until the plugin has its connection to Redis: before that, its
// failure mode decides and the answers carry no limits.
func (s *script) warmUp() error {
	s.path = "/warm-up"
	return harness.Until(s.ctx, 10*time.Second, func() error {
		a, err := s.ask()
		if err == nil && a.remaining == "" {
			err = fmt.Errorf("status %d without limits: the plugin has not reached Redis", a.status)
		}
		return err
	})
}

// play plays every scene. The first that shows something else ends the run.
func (s *script) play() error {
	began := time.Now()
	fmt.Println("\nBelow is what a client sees. remaining, reset, retry-after and denied by are X-RateLimit-Remaining,")
	fmt.Println("X-RateLimit-Reset (a whole second, rounded up, and how far away it is), Retry-After and X-RateLimit-Name.")
	for _, c := range scenes {
		s.path = c.path
		fmt.Printf("\n%s    %s\n", c.path, c.rule)
		fmt.Printf("  %8s  %6s  %9s  %21s  %11s  %s\n", "time", "status", "remaining", "reset", "retry-after", "denied by")
		s.began = time.Now()
		if err := c.play(s); err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		fmt.Printf("  => %s\n", c.show)
	}
	fmt.Printf("\nAll as it should be, in %s.\n", time.Since(began).Round(100*time.Millisecond))
	return nil
}

func fixedWindow(s *script) error {
	const period = 2 * time.Second
	// A machine that stands still across the edge proves nothing: once more.
	for range 3 {
		edge, err := s.nextEdge(period)
		if err != nil {
			return err
		}
		if err := s.wait(time.Until(edge) - beforeEdge); err != nil {
			return err
		}
		fmt.Printf("  %8s  -- %s before the edge of a window --\n", "", beforeEdge)
		if err := s.expect(pass(4), pass(3), pass(2), pass(1), pass(0)); err != nil {
			return err
		}
		if time.Now().After(edge) {
			fmt.Println("  the machine was too slow to send five before the edge, again:")
			continue
		}
		if err := s.expect(denied("")); err != nil {
			return err
		}
		if err := s.wait(time.Until(edge) + 50*time.Millisecond); err != nil {
			return err
		}
		fmt.Printf("  %8s  -- after the edge of the window --\n", "")
		return s.expect(pass(4), pass(3), pass(2), pass(1), pass(0), denied(""))
	}
	return fmt.Errorf("the machine is too slow for this scene")
}

func slidingLog(s *script) error {
	if err := s.expect(pass(4), pass(3), pass(2)); err != nil {
		return err
	}
	fmt.Printf("  %8s  -- 1 s later --\n", "")
	if err := s.wait(time.Second); err != nil {
		return err
	}
	if err := s.expect(pass(1), pass(0), denied("")); err != nil {
		return err
	}
	if err := s.waitRetryAfter(); err != nil {
		return err
	}
	return s.expect(pass(2), pass(1), pass(0), denied(""))
}

func tokenBucket(s *script) error {
	if err := s.expect(pass(4), pass(3), pass(2), pass(1), pass(0), denied("")); err != nil {
		return err
	}
	for range 2 {
		if err := s.waitRetryAfter(); err != nil {
			return err
		}
		if err := s.expect(pass(0), denied("")); err != nil {
			return err
		}
	}
	return nil
}

func twoLimits(s *script) error {
	if err := s.expect(pass(2), pass(1), pass(0), denied("spike")); err != nil {
		return err
	}
	if err := s.waitRetryAfter(); err != nil {
		return err
	}
	return s.expect(pass(1), pass(0), denied("hourly"))
}

// want is what an answer must be.
type want struct {
	status    int
	remaining string
	limit     string // X-RateLimit-Name of a denial by one of several limits
}

func pass(remaining int) want  { return want{status: 200, remaining: strconv.Itoa(remaining)} }
func denied(limit string) want { return want{status: 429, remaining: "0", limit: limit} }

// expect sends one request for each of wants, prints the answers, and returns
// what differs.
func (s *script) expect(wants ...want) error {
	for _, w := range wants {
		a, err := s.ask()
		if err != nil {
			return err
		}
		row := fmt.Sprintf("  %7.2fs  %6d  %9s  %21s  %11s  %s", time.Since(s.began).Seconds(), a.status, a.remaining, readable(a.reset), a.retryAfter, a.limit)
		fmt.Println(strings.TrimRight(row, " "))
		if a.status != w.status || (w.limit == "" || w.limit == a.limit) && a.remaining != w.remaining {
			return fmt.Errorf("status %d, remaining %s expected", w.status, w.remaining)
		}
		if w.limit != "" && a.limit != w.limit {
			return fmt.Errorf("a denial by the limit %s expected, not by %q", w.limit, a.limit)
		}
		if seconds, _ := strconv.Atoi(a.retryAfter); (w.status == 429) != (seconds > 0) {
			return fmt.Errorf("Retry-After of at least 1 expected on a denial, and none else")
		}
		if _, err := strconv.ParseInt(a.reset, 10, 64); err != nil {
			return fmt.Errorf("X-RateLimit-Reset: %w", err)
		}
		s.last = a
	}
	return nil
}

// ask sends one request.
func (s *script) ask() (answer, error) {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodGet, s.url+s.path, nil)
	if err != nil {
		return answer{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return answer{}, err
	}
	return answer{
		status:     resp.StatusCode,
		remaining:  resp.Header.Get("X-RateLimit-Remaining"),
		reset:      resp.Header.Get("X-RateLimit-Reset"),
		retryAfter: resp.Header.Get("Retry-After"),
		limit:      resp.Header.Get("X-RateLimit-Name"),
	}, nil
}

// readable adds to a Unix time in seconds how far away it is.
func readable(reset string) string {
	unix, err := strconv.ParseInt(reset, 10, 64)
	if err != nil {
		return reset
	}
	return fmt.Sprintf("%s (%.1fs)", reset, time.Until(time.Unix(unix, 0)).Seconds())
}

// nextEdge returns when, by this machine's clock, the window that Redis' clock
// is in ends, at least beforeEdge from now.
func (s *script) nextEdge(period time.Duration) (time.Time, error) {
	redisNow, err := s.redis.Time(s.ctx).Result()
	if err != nil {
		return time.Time{}, err
	}
	left := period - time.Duration(redisNow.UnixNano())%period
	if left < beforeEdge+50*time.Millisecond {
		left += period
	}
	return time.Now().Add(left), nil
}

// waitRetryAfter waits as long as the last denial asked for.
func (s *script) waitRetryAfter() error {
	seconds, err := strconv.Atoi(s.last.retryAfter)
	if err != nil {
		return fmt.Errorf("Retry-After: %w", err)
	}
	fmt.Printf("  %8s  -- %d s later, as Retry-After says --\n", "", seconds)
	return s.wait(time.Duration(seconds) * time.Second)
}

// wait waits for d.
func (s *script) wait(d time.Duration) error {
	select {
	case <-s.ctx.Done():
		return s.ctx.Err()
	case <-time.After(d):
		return nil
	}
}
