package ratelimit

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// crashing is a limiter with a fault.
type crashing struct{}

func (crashing) take(context.Context, string, int64) (decision, error) { panic("fault") }

func TestPanicOfOursIsDecidedByTheFailureMode(t *testing.T) {
	for mode, want := range map[string]int{failOpen: http.StatusNoContent, failClosed: http.StatusServiceUnavailable} {
		s := settingsAt(t, "crash@test", "127.0.0.1:1", func(c *Config) { c.FailureMode = mode })
		next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		h := &handler{next: next, middleware: &middleware{settings: s, rules: newHeaderRules(&s), limiter: crashing{}, denials: &denials{}}}
		l := captureLog(t, "crash@test")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != want {
			t.Errorf("failure mode %s: status %d, want %d", mode, w.Code, want)
		}
		wantLines(t, l, "panic in crash@test: fault")
	}
}

// In failure mode local this process decides, as long as it can.
func TestPanicOfOursInFailureModeLocal(t *testing.T) {
	s := settingsAt(t, "crash@test", "127.0.0.1:1", func(c *Config) { c.FailureMode, c.Average = failLocal, "1" })
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	for _, row := range []struct {
		why      string
		local    *localLimiter
		request  *http.Request
		statuses [2]int
		lines    int
	}{
		{"a fault on the way to Redis", newLocalLimiter(s.local), request, [2]int{204, 429}, 2},
		{"and one here: it lets pass", nil, request, [2]int{204, 204}, 4},
		{"a fault before it is known who asks: it lets pass", newLocalLimiter(s.local), nil, [2]int{204, 204}, 2},
	} {
		m := &middleware{settings: s, rules: newHeaderRules(&s), localRules: newLocalRules(s), limiter: crashing{}, denials: &denials{}, local: row.local}
		h := &handler{next: next, middleware: m}
		l := captureLog(t, "panic in crash@test")
		for i, want := range row.statuses {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, row.request)
			if w.Code != want {
				t.Errorf("%s: request %d gets %d, want %d", row.why, i+1, w.Code, want)
			}
		}
		if got := len(l.lines()); got != row.lines {
			t.Errorf("%s: %d lines in the log, want %d", row.why, got, row.lines)
		}
	}
}

// failing is a limiter that cannot decide.
type failing struct{}

func (failing) take(context.Context, string, int64) (decision, error) { return undecided, errTimeUp }

// A fault where the failure mode decides, too: what is not closed lets pass.
func TestPanicWhileTheFailureModeDecides(t *testing.T) {
	for mode, want := range map[string]int{failOpen: http.StatusNoContent, failClosed: http.StatusServiceUnavailable} {
		s := settingsAt(t, "crash@test", "127.0.0.1:1", func(c *Config) { c.FailureMode = mode })
		next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		h := &handler{next: next, middleware: &middleware{settings: s, rules: newHeaderRules(&s), limiter: failing{}, denials: &denials{}}}
		l := captureLog(t, "panic in crash@test")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != want || len(l.lines()) != 1 {
			t.Errorf("failure mode %s: status %d, want %d; logged %q", mode, w.Code, want, l.lines())
		}
	}
}

func TestPanicInNewIsAnError(t *testing.T) {
	captureLog(t, "")
	h, err := New(background, nil, nil, "nil@test") // a nil Config makes compile panic
	if err == nil || h != nil {
		t.Errorf("got %v, %v; want an error", h, err)
	}
}

// A panic of next is not ours: http.ErrAbortHandler and whatever else must go on to Traefik.
func TestPanicOfNextPasses(t *testing.T) {
	s := settingsAt(t, "next@test", "127.0.0.1:1", nil)
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	h := &handler{next: next, middleware: &middleware{settings: s, limiter: passing{}, denials: &denials{}}}
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("recovered %v, want %v", got, http.ErrAbortHandler)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
}

// passing lets everything pass uncounted.
type passing struct{}

func (passing) take(context.Context, string, int64) (decision, error) {
	return decision{allowed: true}, nil
}
