package ratelimit

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// crashing is a limiter with a fault.
type crashing struct{}

func (crashing) enqueue([]*request) { panic("fault") }

// failing is a limiter that cannot decide.
type failing struct{}

func (failing) enqueue(requests []*request) { fail(requests, errTimeUp) }

// passing lets everything pass uncounted.
type passing struct{}

func (passing) enqueue(requests []*request) {
	for _, r := range requests {
		r.answer <- true
	}
}

// opened is a middleware that takes in until the test ends, in front of next.
func opened(t *testing.T, m *middleware, next http.Handler) http.Handler {
	t.Helper()
	m.denials = newDenials(newHeaderRules(&m.settings))
	m.rules = m.denials.rules
	m.intake = newIntake("")
	m.open()
	t.Cleanup(m.close)
	return inFrontOf(next, m)
}

// noContent is a service behind Traefik.
var noContent = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })

func TestPanicOfOursIsDecidedByTheFailureMode(t *testing.T) {
	for mode, want := range map[string]int{failOpen: http.StatusNoContent, failClosed: http.StatusServiceUnavailable} {
		s := settingsAt(t, "crash@test", "127.0.0.1:1", func(c *Config) { c.FailureMode = mode })
		for _, row := range []struct {
			why     string
			limiter limiter
			asked   *http.Request
			lines   int
		}{
			{"on the way to Redis", crashing{}, httptest.NewRequest(http.MethodGet, "/", nil), 1},
			{"before it is known who asks", passing{}, nil, 1},
		} {
			h := opened(t, &middleware{settings: s, limiter: row.limiter, fallback: &fallback{mode: mode, health: &health{}}}, noContent)
			l := captureLog(t, "panic in crash@test")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, row.asked)
			if w.Code != want {
				t.Errorf("a fault %s, failure mode %s: status %d, want %d", row.why, mode, w.Code, want)
			}
			if got := len(l.lines()); got != row.lines {
				t.Errorf("a fault %s: %d lines in the log, want %d", row.why, got, row.lines)
			}
		}
	}
}

// In failure mode local this process decides, as long as it can.
func TestPanicOfOursInFailureModeLocal(t *testing.T) {
	s := settingsAt(t, "crash@test", "127.0.0.1:1", func(c *Config) { c.FailureMode, c.Average = failLocal, "1" })
	asked := httptest.NewRequest(http.MethodGet, "/", nil)
	for _, row := range []struct {
		why      string
		local    *localLimiter
		fallback *fallback
		asked    *http.Request
		statuses [2]int
		lines    int
	}{
		{"a fault on the way to Redis", newLocalLimiter(s.local), &fallback{mode: failLocal, local: newLocalLimiter(s.local), health: &health{}}, asked, [2]int{204, 429}, 2},
		{"and one where the failure mode decides", newLocalLimiter(s.local), nil, asked, [2]int{204, 429}, 4},
		{"and one here: it lets pass", nil, nil, asked, [2]int{204, 204}, 6},
		{"a fault before it is known who asks: it lets pass", newLocalLimiter(s.local), nil, nil, [2]int{204, 204}, 2},
	} {
		h := opened(t, &middleware{settings: s, localRules: newLocalRules(s), limiter: crashing{}, local: row.local, fallback: row.fallback}, noContent)
		l := captureLog(t, "panic in crash@test")
		for i, want := range row.statuses {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, row.asked)
			if w.Code != want {
				t.Errorf("%s: request %d gets %d, want %d", row.why, i+1, w.Code, want)
			}
		}
		if got := len(l.lines()); got != row.lines {
			t.Errorf("%s: %d lines in the log, want %d", row.why, got, row.lines)
		}
	}
}

// A fault where the failure mode decides, too: what is not closed lets pass.
func TestPanicWhileTheFailureModeDecides(t *testing.T) {
	for mode, want := range map[string]int{failOpen: http.StatusNoContent, failClosed: http.StatusServiceUnavailable} {
		s := settingsAt(t, "crash@test", "127.0.0.1:1", func(c *Config) { c.FailureMode = mode })
		h := opened(t, &middleware{settings: s, limiter: failing{}}, noContent)
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
	h := opened(t, &middleware{settings: s, limiter: passing{}}, next)
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("recovered %v, want %v", got, http.ErrAbortHandler)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
}
