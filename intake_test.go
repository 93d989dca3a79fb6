package ratelimit

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// gathering is a limiter that lets everything pass and notes how many requests came together.
type gathering struct {
	mu       sync.Mutex
	together []int
	sources  map[string]int
}

func (g *gathering) enqueue(requests []*request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.together = append(g.together, len(requests))
	for _, r := range requests {
		if g.sources == nil {
			g.sources = map[string]int{}
		}
		g.sources[r.source]++
		r.answered = true
		r.answer <- true
	}
}

// arriving is a request that has just come from an address.
func arriving(remote string) *request {
	p := newRequest("", 1)
	p.asked = httptest.NewRequest(http.MethodGet, "/", nil)
	p.asked.RemoteAddr = remote
	return p
}

// take takes in these requests, whatever panics.
func take(m *middleware, requests []*request) {
	m.intake.inHand = requests
	takeInMany(m, false)
	takeOneByOne(m)
}

// unattended is a middleware at whose intake nobody is yet.
func unattended(t *testing.T, l limiter) *middleware {
	t.Helper()
	s := settingsAt(t, "intake@test", "127.0.0.1:1", nil)
	m := &middleware{settings: s, limiter: l, denials: newDenials(newHeaderRules(&s))}
	m.rules = m.denials.rules
	m.intake = newIntake("")
	return m
}

func TestIntakeTakesInTogetherWhatHasCome(t *testing.T) {
	g := &gathering{}
	m := unattended(t, g)
	var came []*request
	for i := 0; i < takenAtOnce; i++ {
		if i == 3 {
			m.intake.arrivals <- nil // the wake-up call of close
			continue
		}
		p := arriving("203.0.113." + strconv.Itoa(i%5) + ":4711")
		came = append(came, p)
		m.intake.arrivals <- p
	}
	takeInRest(m)
	for i, p := range came {
		if p.asked != nil || p.cost != 1 {
			t.Fatalf("request %d is held on to, or costs %d", i, p.cost)
		}
	}
	if len(g.together) != 1 || g.together[0] != takenAtOnce-1 || len(g.sources) != 5 || g.sources["203.0.113.4"] != 25 {
		t.Errorf("%v requests together, of %v", g.together, g.sources)
	}
	takeInRest(m) // nobody there: it does not wait
}

// Requests that come over an old router while or after its configuration is given up are served like any other.
func TestRequestsWhileAndAfterTheIntakeCloses(t *testing.T) {
	others := goleak.IgnoreCurrent()
	for round := 0; round < 200; round++ {
		g := &gathering{}
		m := unattended(t, g)
		h := inFrontOf(noContent, m)
		m.open()
		var all sync.WaitGroup
		serve := func() {
			defer all.Done()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, arriving("203.0.113.7:4711").asked)
			if w.Code != http.StatusNoContent {
				t.Errorf("status %d", w.Code)
			}
		}
		all.Add(300)
		for i := 0; i < 150; i++ {
			go serve()
		}
		go m.close()
		for i := 0; i < 150; i++ {
			go serve()
		}
		all.Wait()
		all.Add(1)
		serve()
		if g.sources["203.0.113.7"] != 301 {
			t.Fatalf("%d requests were taken in, want 301", g.sources["203.0.113.7"])
		}
	}
	goleak.VerifyNone(t, others)
}

// A request that makes us panic has the failure mode decide about itself, and about nobody else.
func TestPanicIsOneRequestsFault(t *testing.T) {
	captureLog(t, "")
	g := &gathering{}
	m := unattended(t, g)
	var requests []*request
	for i := 0; i < 10; i++ {
		requests = append(requests, arriving("203.0.113."+strconv.Itoa(i)+":4711"))
	}
	requests[4].asked = nil
	take(m, requests)
	for i, p := range requests {
		passes := <-p.answer
		if passes != (i != 4) || (p.err == errCrashed) != (i == 4) {
			t.Errorf("request %d: passes %v, %v", i, passes, p.err)
		}
	}
	if len(g.sources) != 9 {
		t.Errorf("the limiter was asked about %v", g.sources)
	}
}

// halfway is a limiter that panics when it has seen to some of the requests: it has answered the first, and will answer the second.
type halfway struct{ gathering }

func (h *halfway) enqueue(requests []*request) {
	h.gathering.enqueue(requests[:1])
	if len(requests) > 1 {
		requests[1].deadline = time.Now().Add(time.Hour)
	}
	panic("fault")
}

// Who is taken when the intake panics, is not taken once more: nobody would fetch a second answer, and who gives it would wait for ever.
func TestPanicTakesNobodyTwice(t *testing.T) {
	captureLog(t, "")
	h := &halfway{}
	m := unattended(t, h)
	var requests []*request
	for i := 0; i < 5; i++ {
		p := arriving("203.0.113." + strconv.Itoa(i) + ":4711")
		p.answer = make(chan bool, 3) // so that a second one is seen
		requests = append(requests, p)
	}
	denied := decision{verdicts: []verdict{{retryAfter: aMinute, resetAfter: aMinute, nextAfter: aMinute}}}
	held := newDenial(m.rules, &denied, sinceStart())
	held.cost, held.until = 1, sinceStart()+time.Minute
	remember(m.denials, "203.0.113.4", held)
	take(m, requests)
	for i, p := range requests {
		if want := map[bool]int{true: 0, false: 1}[i == 1]; len(p.answer) != want || p.err != nil {
			t.Errorf("request %d: %d answers, want %d; %v", i, len(p.answer), want, p.err)
		}
	}
	if requests[4].denial == nil || h.sources["203.0.113.0"] != 1 || h.sources["203.0.113.2"] != 1 || len(h.sources) != 3 {
		t.Errorf("denied %v, the limiter was asked about %v", requests[4].denial, h.sources)
	}
}

// What has arrived before close is taken in by the goroutine that ends, however late it is.
func TestIntakeEndsWithNobodyLeft(t *testing.T) {
	m := unattended(t, &gathering{})
	p := arriving("203.0.113.7:4711")
	m.intake.arrivals <- p
	m.close()
	takeIn(m)
	if len(p.answer) != 1 {
		t.Error("no answer")
	}
}

// Whatever the number of connections, the memory of their sources is bounded, and what has left it is found out anew.
func TestKnownSourcesAreBounded(t *testing.T) {
	m := unattended(t, &gathering{})
	for i := 0; i < 3*knownMost; i++ {
		p := arriving("203.0.113.7:" + strconv.Itoa(i))
		take(m, []*request{p})
		if <-p.answer; p.source != "203.0.113.7" {
			t.Fatalf("connection %d is counted as %q", i, p.source)
		}
		if kept := len(m.intake.known); kept > knownMost {
			t.Fatalf("%d are known", kept)
		}
	}
}

// By a header or a host, a connection has more than one source.
func TestOnlyRemoteAddressesAreKnownByConnection(t *testing.T) {
	m := unattended(t, &gathering{})
	m.settings.source = criterion{headerName: "X-Client", ipv6Subnet: 64}
	one, two := arriving("203.0.113.7:4711"), arriving("203.0.113.7:4711")
	one.asked.Header.Set("X-Client", "one")
	two.asked.Header.Set("X-Client", "two")
	take(m, []*request{one, two})
	if one.source == two.source || len(m.intake.known) != 0 {
		t.Errorf("%q and %q, %v", one.source, two.source, m.intake.known)
	}
}

// What one client's chain of addresses costs, no other one waits for: the intake gets its request with the source.
func TestChainsAreWalkedByTheirOwnRequests(t *testing.T) {
	captureLog(t, "")
	g := &gathering{}
	m := unattended(t, g)
	m.settings.source.remote = false
	m.settings.source.excluded = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	h := inFrontOf(noContent, m)
	for _, row := range []struct {
		why, source string
		asked       *http.Request
	}{
		{"a chain", "203.0.113.7", arriving("10.0.0.1:4711").asked},
		{"a fault on the way: the intake meets it again, and the failure mode decides", "", nil},
	} {
		if row.asked != nil {
			row.asked.Header.Set("X-Forwarded-For", "203.0.113.7, 10.0.0.3, 10.0.0.2")
		}
		w := httptest.NewRecorder()
		served := make(chan bool)
		go func() {
			h.ServeHTTP(w, row.asked)
			served <- true
		}()
		p := <-m.intake.arrivals
		if p.source != row.source {
			t.Errorf("%s: it comes as %q, want %q", row.why, p.source, row.source)
		}
		take(m, []*request{p})
		<-served
		if w.Code != http.StatusNoContent {
			t.Errorf("%s: status %d", row.why, w.Code)
		}
	}
}

// The moment at which a denial is found to hold is the one that its answer tells of: whatever passes in between, nobody is told to come back in no time.
func TestOneMomentDecidesAndTells(t *testing.T) {
	for i := 0; i < 5; i++ {
		m := unattended(t, &gathering{})
		m.denials.young = map[string]*denial{}
		d := decision{verdicts: []verdict{{retryAfter: aSecond, resetAfter: aSecond, nextAfter: aSecond}}}
		now := sinceStart()
		held := newDenial(m.rules, &d, now-970*time.Millisecond)
		held.cost, held.until = 1, now+30*time.Millisecond
		remember(m.denials, "203.0.113.7", held)
		p := arriving("203.0.113.7:4711")
		m.denials.mu.Lock()
		time.AfterFunc(60*time.Millisecond, m.denials.mu.Unlock)
		take(m, []*request{p})
		w := httptest.NewRecorder()
		if passes := <-p.answer; !passes && !passesAfterAll(w, m, p) && w.Header().Get("Retry-After") != "1" {
			t.Fatalf("Retry-After: %q, want 1", w.Header().Get("Retry-After"))
		}
	}
}
