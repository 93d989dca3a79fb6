package yaegitest

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"sort"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// openedSteps is a file beside the plugin's own: the steps of a request's way, each alone.
const openedSteps = `package ratelimit

import (
	"context"
	"net/http"
	"time"
)

// decided is a limiter that answers at once.
type decided struct{ decision decision }

func (d *decided) enqueue(requests []*request) {
	for _, r := range requests {
		r.decision = d.decision
		r.answer <- true
	}
}

// Steps are functions that take a step n times, by what it is.
func Steps(config *Config, next http.Handler, w http.ResponseWriter, r *http.Request) map[string]func(n int) {
	s, err := compile(config, "steps@file")
	if err != nil {
		panic(err)
	}
	running := shared.use(context.Background(), s)
	allowed := decision{allowed: true, at: 1700000000000000, verdicts: []verdict{{allowed: true, remaining: 5, resetAfter: 100000}}}
	denied := decision{at: 1700000000000000, verdicts: []verdict{{resetAfter: 3600000000, nextAfter: 3600000000, retryAfter: 3600000000}}}
	held := newDenial(running.rules, &denied, sinceStart())
	held.cost = 1
	held.until = sinceStart() + time.Hour
	passing := &middleware{settings: s, rules: running.rules, limiter: &decided{allowed}, intake: newIntake(""), denials: newDenials(running.rules)}
	denying := &middleware{settings: s, rules: running.rules, intake: newIntake(""), denials: newDenials(running.rules)}
	remember(denying.denials, sourceOf(&s.source, r), held)
	denying.denials.turn = held.until
	passing.open()
	denying.open()

	steps := map[string]func(n int){}
	addServed(steps, "1 ServeHTTP, allowed by a limiter that answers at once", inFrontOf(next, passing), w, r)
	addServed(steps, "2 ServeHTTP, denied from memory", inFrontOf(next, denying), w, r)
	steps["3 next"] = func(n int) {
		for i := 0; i < n; i++ {
			next.ServeHTTP(w, r)
		}
	}
	addIntake(steps, "4 intake of 1: ", denying, &allowed, 1)
	addIntake(steps, "5 intake of 128: ", denying, &allowed, 128)
	addTakenIn(steps, "5 intake of 128: whole, allowed by a limiter that answers at once", unopened(passing), r, 128)
	addTakenIn(steps, "5 intake of 128: whole, denied from memory", unopened(denying), r, 128)
	addFlight(steps, "6 flight of 1: ", running.batch, 1)
	addFlight(steps, "7 flight of 128: ", running.batch, 128)
	steps["6 flight of 1: whole, with the wait for it"] = func(n int) {
		for i := 0; i < n; i++ {
			p := aboard(1)
			running.batch.enqueue(p)
			<-p[0].answer
			if p[0].err != nil {
				panic(p[0].err)
			}
		}
	}
	return steps
}

// unopened is a middleware like m at whose intake nobody is.
func unopened(m *middleware) *middleware {
	return &middleware{settings: m.settings, rules: m.rules, limiter: m.limiter, intake: newIntake(""), denials: m.denials}
}

// aboard are so many requests.
func aboard(n int) []*request {
	key := []byte(bulk(keyHead("ratelimit", "steps@file") + "127.0.0.1}"))
	requests := make([]*request, n)
	for i := range requests {
		requests[i] = &request{header: http.Header{}, source: "127.0.0.1", key: key, cost: 1, answer: make(chan bool, 1)}
	}
	return requests
}

// addTakenIn adds all that the intake of m does, with the answers, for so many requests of r.
func addTakenIn(steps map[string]func(n int), name string, m *middleware, r *http.Request, many int) {
	requests := aboard(many)
	steps[name] = func(n int) {
		for i := 0; i < n; i++ {
			for _, p := range requests {
				p.asked = r
				p.source = ""
				p.denial = nil
			}
			m.intake.inHand = requests
			takeInMany(m, false)
			for _, p := range requests {
				<-p.answer
			}
		}
	}
}

// addIntake adds what is done to requests together before and after they are decided.
func addIntake(steps map[string]func(n int), name string, m *middleware, d *decision, many int) {
	requests := aboard(many)
	steps[name+"look for a denial"] = func(n int) {
		for i := 0; i < n; i++ {
			recall(m.denials, requests, sinceStart(), true)
		}
	}
	steps[name+"header, allowed"] = func(n int) {
		for i := 0; i < n; i++ {
			for _, p := range requests {
				p.decision = *d
				p.header = http.Header{}
			}
			setHeaders(m.rules, requests)
		}
	}
}

func addServed(steps map[string]func(n int), name string, h http.Handler, w http.ResponseWriter, r *http.Request) {
	steps[name] = func(n int) {
		for i := 0; i < n; i++ {
			h.ServeHTTP(w, r)
		}
	}
}

// addFlight adds the steps of a flight with so many aboard.
func addFlight(steps map[string]func(n int), name string, b *batch, many int) {
	requests := aboard(many)
	c, err := b.client.connect()
	if err != nil {
		panic(err)
	}
	call := appendCallAbout(nil, b, requests)
	reply, err := exchange(c, call, 10*time.Second)
	if err != nil {
		panic(err)
	}
	outcomes, _, err := parseReply(reply, b.limits, many)
	if err != nil {
		panic(err)
	}
	steps[name+"what to ask"] = func(n int) {
		for i := 0; i < n; i++ {
			c.call = appendCallAbout(c.call[:0], b, requests)
		}
	}
	steps[name+"ask Redis"] = func(n int) {
		for i := 0; i < n; i++ {
			_, err := exchange(c, call, 10*time.Second)
			if err != nil {
				panic(err)
			}
		}
	}
	steps[name+"read the reply"] = func(n int) {
		for i := 0; i < n; i++ {
			parseReply(reply, b.limits, many)
		}
	}
	steps[name+"answer"] = func(n int) {
		for i := 0; i < n; i++ {
			for _, r := range requests {
				r.answered = false
				r.header = http.Header{}
			}
			land(b, requests, outcomes)
			for _, r := range requests {
				<-r.answer
			}
		}
	}
}
`

// steps are the interpreted steps of a request's way, on a Redis of their own.
func steps(tb testing.TB) map[string]func(n int) {
	tb.Helper()
	server := redistest.Start(tb)
	plugin, i := openPlugin(tb, openedSteps)
	config, err := plugin.Config(map[string]any{"average": "1000000", "redis": map[string]any{"endpoints": server.Addr}, "timeout": "10s"})
	if err != nil {
		tb.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "127.0.0.1:4711"
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	results := eval(tb, i, "Steps").Call([]reflect.Value{
		config, reflect.ValueOf(http.Handler(next)), reflect.ValueOf(http.ResponseWriter(nowhere{http.Header{}})), reflect.ValueOf(r),
	})
	return results[0].Interface().(map[string]func(n int))
}

// nowhere is a ResponseWriter whose cost is none.
type nowhere struct{ header http.Header }

func (w nowhere) Header() http.Header          { return w.header }
func (nowhere) Write(body []byte) (int, error) { return len(body), nil }
func (nowhere) WriteHeader(int)                {}

// TestSteps takes every step once, so that the benchmark does not rot.
func TestSteps(t *testing.T) {
	for _, step := range steps(t) {
		step(1)
	}
}

// BenchmarkSteps is the price of each step of a request's way, interpreted.
func BenchmarkSteps(b *testing.B) {
	all := steps(b)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) { all[name](b.N) })
	}
}
