package ratelimit

import (
	"bytes"
	"log"
	"strings"
	"sync"
	"testing"
	"time"
)

// logged collects what goes to Traefik's log at ERROR during a test.
type logged struct {
	about string // only lines that contain it: timers of other tests log here too, so each test has an endpoint of its own

	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for _, line := range strings.Split(l.text.String(), "\n") {
		if strings.Contains(line, l.about) && line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// captureLog collects the log lines that contain about until the test ends.
func captureLog(t *testing.T, about string) *logged {
	l := &logged{about: about}
	before := log.Writer()
	log.SetOutput(l)
	t.Cleanup(func() { log.SetOutput(before) })
	return l
}

func wantLines(t *testing.T, l *logged, want ...string) {
	t.Helper()
	got := l.lines()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("logged\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestLostAndBackAreOneLineEach(t *testing.T) {
	l := captureLog(t, "redis1:6379")
	h := &health{endpoint: "redis1:6379"}
	h.decidedWithout() // before the last success, so not since Redis was lost
	noteAnswered(h)
	for i := 0; i < 5; i++ {
		h.failed("EOF")
		h.decidedWithout()
	}
	h.lastFailure = time.Now().Add(-2 * backAfter)
	noteAnswered(h)
	noteAnswered(h)
	wantLines(t, l,
		"redis lost: redis1:6379: EOF; each middleware's failureMode decides until it is back",
		"redis back: redis1:6379; 5 requests were decided without it",
	)
}

func TestNeverReachedHasItsOwnWords(t *testing.T) {
	l := captureLog(t, "redis2:6379")
	h := &health{endpoint: "redis2:6379"}
	h.failed("dial tcp: connection refused")
	h.failed("dial tcp: connection refused")
	wantLines(t, l, "redis lost: never reached redis2:6379 since start: dial tcp: connection refused; each middleware's failureMode decides until it is back")
}

func TestStillLostIsLoggedEveryMinute(t *testing.T) {
	l := captureLog(t, "redis3:6379")
	h := &health{endpoint: "redis3:6379", reached: true}
	h.failed("EOF")
	h.decidedWithout()
	h.decidedWithout()
	h.lastLine = h.lastLine.Add(-lostAgain)
	h.failed("i/o timeout")
	h.failed("i/o timeout")
	wantLines(t, l,
		"redis lost: redis3:6379: EOF; each middleware's failureMode decides until it is back",
		"redis still lost: redis3:6379: i/o timeout; 2 requests were decided without it so far",
	)
}

// While Redis refuses writes, denials still succeed: failures and successes alternate, and the log must not follow.
func TestAlternatingFlightsStayLost(t *testing.T) {
	l := captureLog(t, "redis4:6379")
	h := &health{endpoint: "redis4:6379", reached: true}
	for i := 0; i < 100; i++ {
		h.failed("OOM")
		noteAnswered(h)
	}
	wantLines(t, l, "redis lost: redis4:6379: OOM; each middleware's failureMode decides until it is back")
}

func TestBackIsLoggedWithoutFurtherTraffic(t *testing.T) {
	l := captureLog(t, "redis5:6379")
	h := &health{endpoint: "redis5:6379", reached: true}
	h.failed("EOF")
	noteAnswered(h)
	eventually(t, "the line that Redis is back", func() bool { return len(l.lines()) == 2 })
	wantLines(t, l,
		"redis lost: redis5:6379: EOF; each middleware's failureMode decides until it is back",
		"redis back: redis5:6379; 0 requests were decided without it",
	)
}

// A probe of a node that hangs may end seconds after the node was replaced: a line then would never be followed by one that Redis is back.
func TestNodeThatHasLeftIsNotLostAgain(t *testing.T) {
	l := captureLog(t, "redis8:6379")
	h := &health{endpoint: "redis8:6379", reached: true}
	h.failed("EOF")
	h.left()
	h.failed("i/o timeout")
	h.left()
	wantLines(t, l,
		"redis lost: redis8:6379: EOF; each middleware's failureMode decides until it is back",
		"redis back: redis8:6379 serves no slots any more; 0 requests were decided without it",
	)
}

// The timer that waits for quiet must not take a failure after the last success for quiet.
func TestFailureAfterTheLastSuccessStaysLost(t *testing.T) {
	l := captureLog(t, "redis6:6379")
	h := &health{endpoint: "redis6:6379", reached: true}
	h.failed("EOF")
	noteAnswered(h)
	h.failed("EOF")
	h.lastFailure = time.Now()
	h.lastSuccess = h.lastFailure.Add(-time.Millisecond)
	h.settle()
	if !h.lost {
		t.Error("back without a success after the last failure")
	}
	wantLines(t, l, "redis lost: redis6:6379: EOF; each middleware's failureMode decides until it is back")
}

func TestForeignKeyIsLoggedOnceAMinute(t *testing.T) {
	l := captureLog(t, "redis7:6379")
	h := &health{endpoint: "redis7:6379", reached: true}
	h.foreignKey("ratelimit:api@file:{x}", "WRONGTYPE Operation against a key holding the wrong kind of value")
	h.foreignKey("ratelimit:api@file:{x}", "WRONGTYPE Operation against a key holding the wrong kind of value")
	wantLines(t, l, "redis redis7:6379: key ratelimit:api@file:{x} holds a foreign value: WRONGTYPE Operation against a key holding the wrong kind of value; its requests are decided by failureMode until it is deleted")
}
