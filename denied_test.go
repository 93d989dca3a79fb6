package ratelimit

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// town is a Redis on a virtual clock with several gateways, each with its own denials.
type town struct {
	t        *rapid.T
	memory   map[string]state // what Redis keeps
	now      micros           // on the gateways' own clock, which never steps
	step     micros           // Redis' clock less the gateways'
	gateways []*gateway

	shaken  map[string]micros // by source: when anything but time and charges last changed what Redis would say
	charged map[string]micros // by source: when it was charged last
	hits    int
}

// gateway is one Traefik.
type gateway struct {
	limits  []limit
	denials *denials
	back    map[string]micros // by source and arrival: how long the reply was on its way back
}

func newTown(t *rapid.T) *town {
	v := &town{t: t, memory: map[string]state{}, shaken: map[string]micros{}, charged: map[string]micros{}}
	v.step = micros(rapid.Int64Range(1_600_000_000_000_000, 1_700_000_000_000_000).Draw(t, "start"))
	limits := townLimits(t)
	for i := rapid.IntRange(1, 3).Draw(t, "gateways"); i > 0; i-- {
		v.gateways = append(v.gateways, &gateway{limits: limits, denials: denialsUnder(limits), back: map[string]micros{}})
	}
	return v
}

// denialsUnder are the denials of a middleware with these limits, which sets all headers.
func denialsUnder(limits []limit) *denials {
	s := settingsFor(limits...)
	s.xRateLimit, s.rateLimit = true, true
	return newDenials(newHeaderRules(s))
}

func townLimits(t *rapid.T) []limit {
	var limits []limit
	for i := rapid.IntRange(1, 3).Draw(t, "limits"); i > 0; i-- {
		l := limit{name: strconv.Itoa(i), algorithm: rapid.SampledFrom([]string{fixedWindow, slidingLog, tokenBucket}).Draw(t, "algorithm")}
		l.average = rapid.Int64Range(1, 6).Draw(t, "average")
		l.period = micros(rapid.SampledFrom([]int64{300_000, 1_000_000, 7_000_000, 3_600_000_000}).Draw(t, "period"))
		if l.algorithm == tokenBucket {
			l.burst = rapid.Int64Range(1, 6).Draw(t, "burst")
		}
		limits = append(limits, l)
	}
	return limits
}

func clock(m micros) time.Duration { return time.Duration(m) * time.Microsecond }

// pass lets up to most µs pass.
func (v *town) pass(most int64, label string) { v.now += micros(spread(v.t, most, label)) - 1 }

// ask is a flight of requests from one gateway, after each was looked for among its denials.
func (v *town) ask(g *gateway) {
	var requests []*request
	for i := rapid.IntRange(1, 3).Draw(v.t, "requests"); i > 0; i-- {
		source := "s" + strconv.Itoa(rapid.IntRange(1, 2).Draw(v.t, "source"))
		requests = append(requests, newRequest(source, rapid.SampledFrom([]int64{1, 1, 1, 1, 0, 2, 3, 7}).Draw(v.t, "cost")))
	}
	for _, r := range requests {
		v.askOver(g, r)
	}
	aboard := recall(g.denials, requests, clock(v.now), true)
	for _, r := range requests {
		if r.denial != nil {
			v.wantRecalled(g, r)
		}
	}
	if len(aboard) == 0 {
		return
	}
	sent := v.now
	v.pass(40_000, "there")
	decidedAt := v.now
	c := call{limits: g.limits, now: v.now + v.step}
	for _, r := range aboard {
		c.sources = append(c.sources, r.source)
		c.costs = append(c.costs, r.cost)
	}
	outcomes := playOn(v.memory, []call{c})[0]
	v.pass(40_000, "back")
	v.now++ // no two replies arrive at once: back tells them apart
	for i, r := range aboard {
		if outcomes[i].decision.allowed && r.cost > 0 {
			v.charged[r.source] = decidedAt
			if v.mixed() {
				v.shaken[r.source] = decidedAt // what one configuration writes another may read as less
			}
		}
		g.back[r.source+clock(v.now).String()] = v.now - decidedAt
	}
	rememberDenied(g.denials, aboard, outcomes, clock(sent), clock(v.now))
}

// askOver lets a request come over one of two connections of its source, over which it may be denied at once.
func (v *town) askOver(g *gateway, r *request) {
	r.asked = &http.Request{RemoteAddr: r.source + rapid.SampledFrom([]string{":1", ":2"}).Draw(v.t, "port")}
	if held := g.denials.near[r.asked.RemoteAddr]; held != nil && clock(v.now) < held.until && r.cost == 1 {
		v.wantRecalled(g, &request{source: r.source, cost: r.cost, denial: held})
	}
}

// answerOf is the header of an answer that denies at now.
func answerOf(held *denial, now time.Duration) http.Header {
	w := httptest.NewRecorder()
	answerDenied(w, nil, nil, held, now)
	return w.Header()
}

// mixed reports whether gateways have different configurations.
func (v *town) mixed() bool {
	for _, g := range v.gateways {
		if !reflect.DeepEqual(g.limits, v.gateways[0].limits) {
			return true
		}
	}
	return false
}

// wantRecalled holds a remembered denial to what Redis would say.
func (v *town) wantRecalled(g *gateway, r *request) {
	held := r.denial
	v.hits++
	sent := micros((held.until - deniedSpan(&held.decision)) / time.Microsecond)
	if v.now-sent >= micros(deniedFor/time.Microsecond) {
		v.t.Fatalf("remembered for %d µs", v.now-sent)
	}
	if held.cost != r.cost {
		v.t.Fatalf("cost %d is denied because %d was", r.cost, held.cost)
	}
	if shaken, ok := v.shaken[r.source]; ok && shaken >= sent {
		return // felt within deniedFor, which is all that is promised
	}
	memory := map[string]state{}
	for key, s := range v.memory {
		memory[key] = s
	}
	ask := func(at micros) decision {
		return playOn(memory, []call{{limits: g.limits, now: at + v.step, sources: []string{r.source}, costs: []int64{r.cost}}})[0][0].decision
	}
	if now := ask(v.now); now.allowed {
		v.t.Fatalf("denied, though Redis would allow: %+v", now)
	}
	if charged, ok := v.charged[r.source]; ok && charged >= sent {
		return // a smaller cost was charged meanwhile: the denial holds, its numbers need not
	}
	for _, l := range g.limits {
		if dated(v.memory[r.source+" "+l.name+":"+algorithmOf(l).tag]) > sent+v.step+fillTime(l) {
			return // the clock went back so far that this is absent, until it comes into the horizon: then its numbers count again
		}
	}
	redis := ask(v.now - g.back[r.source+held.arrived.String()])
	rules := g.denials.rules
	if got, want := answerOf(held, clock(v.now)), answerOf(newDenial(rules, &redis, 0), 0); !reflect.DeepEqual(got, want) {
		v.t.Fatalf("remembered %v\nRedis      %v", got, want)
	}
}

// shake changes what Redis would say by something else than time and charges.
func (v *town) shake() {
	switch rapid.IntRange(0, 4).Draw(v.t, "shake") {
	case 0: // DEL, a flush, a restart
		v.memory = map[string]state{}
	case 1:
		v.step += micros(spread(v.t, 7_200_000_000, "forward"))
	case 2:
		v.step -= micros(spread(v.t, 7_200_000_000, "back"))
	case 3, 4: // this gateway was reloaded; the others still have the old configuration, or had this one before
		g := rapid.SampledFrom(v.gateways).Draw(v.t, "reloaded")
		g.limits = townLimits(v.t)
		if rapid.Bool().Draw(v.t, "changed back") {
			g.limits = v.gateways[0].limits
		}
		g.denials = denialsUnder(g.limits)
	}
	v.shaken["s1"], v.shaken["s2"] = v.now, v.now
}

// A remembered denial is what Redis would say, and where it cannot be, because a key was deleted, a clock stepped or another
// gateway has another configuration, it is gone within deniedFor.
func TestRememberedDenialsAreRedisOwn(t *testing.T) {
	hits := 0
	checkTimes(t, 20_000, func(rt *rapid.T) {
		v := newTown(rt)
		for i := rapid.IntRange(10, 40).Draw(rt, "steps"); i > 0; i-- {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0, 1:
				v.pass(3_000_000, "a while")
			case 2:
				if rapid.IntRange(0, 2).Draw(rt, "calm") == 0 {
					v.shake()
				}
			default:
				v.pass(100_000, "a moment")
				v.ask(rapid.SampledFrom(v.gateways).Draw(rt, "gateway"))
			}
		}
		hits += v.hits
	})
	if hits < 1000 {
		t.Errorf("only %d denials were remembered: the property holds nothing", hits)
	}
}

// Whatever the number of sources and the time, two generations are all that is kept.
func TestDenialsAreBounded(t *testing.T) {
	d := denialsUnder([]limit{{name: "default", algorithm: fixedWindow, average: 1, period: aMinute}})
	start := sinceStart()
	denied := []outcome{{decision: decision{verdicts: []verdict{{retryAfter: 5e6, resetAfter: 5e6, nextAfter: 5e6}}}}}
	for i := 0; i < 5*deniedMost; i++ {
		rememberDenied(d, []*request{{source: strconv.Itoa(i), cost: 1}}, denied, start, start)
		if kept := len(d.young) + len(d.old); kept > 2*deniedMost {
			t.Fatalf("%d denials are kept", kept)
		}
	}
	last := strconv.Itoa(5*deniedMost - 1)
	if !recalls(d, last, start) {
		t.Error("the latest is forgotten")
	}
	for i := 1; i <= 3; i++ { // a flood that has ended does not fill the memory for ever
		later := start + time.Duration(i)*2*deniedFor
		rememberDenied(d, []*request{{source: "later", cost: 1}}, denied, later, later)
	}
	if kept := len(d.young) + len(d.old); kept > 2 {
		t.Errorf("%d denials are kept after their time", kept)
	}
	if len(d.some) == 0 {
		t.Error("nobody would look for the denials that there are")
	}
	recalls(d, "later", start+10*deniedFor)
	if kept := len(d.young) + len(d.old); kept > 0 || len(d.some) > 0 {
		t.Errorf("%d denials are kept, some %v, when all are over", kept, len(d.some) > 0)
	}
}

// recalls reports whether a request of source would be denied from memory.
func recalls(d *denials, source string, now time.Duration) bool {
	unknown := recall(d, []*request{newRequest(source, 1)}, now, false)
	return len(unknown) == 0
}

// Of one flight only those whom the script itself has denied are remembered.
func TestOnlyDenialsOfTheScriptAreRemembered(t *testing.T) {
	v := []verdict{{retryAfter: 5e6, resetAfter: 5e6, nextAfter: 5e6}}
	now := sinceStart()
	for _, row := range []struct {
		name       string
		outcome    outcome
		took       time.Duration
		remembered bool
	}{
		{"denied", outcome{decision: decision{verdicts: v}}, 0, true},
		{"allowed", outcome{decision: decision{allowed: true, verdicts: v}}, 0, false},
		{"refused by Redis", outcome{refused: "OOM command not allowed"}, 0, false},
		{"over before it arrived", outcome{decision: decision{verdicts: v}}, deniedFor, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := denialsUnder([]limit{{name: "default", algorithm: fixedWindow, average: 1, period: aMinute}})
			rememberDenied(d, []*request{{source: "x", cost: 1}}, []outcome{row.outcome}, now-row.took, now)
			if got := recalls(d, "x", now); got != row.remembered {
				t.Errorf("remembered: %v, want %v", got, row.remembered)
			}
		})
	}
}

// Over a connection whose last request was denied from memory the next one is denied at once, as long as that holds, and any other request
// is taken in.
func TestDeniedAtOnce(t *testing.T) {
	const over = "203.0.113.7:4711"
	for _, row := range []struct {
		why    string
		known  string // the connection of the request that was denied before
		remote bool
		holds  time.Duration
		denied bool
	}{
		{"the same connection", over, true, time.Hour, true},
		{"another connection, of the same client", "203.0.113.7:4712", true, time.Hour, false},
		{"it holds no more", over, true, 0, false},
		{"who is counted is not seen from the address", over, false, time.Hour, false},
	} {
		t.Run(row.why, func(t *testing.T) {
			m := unattended(t, &gathering{})
			m.settings.source.remote = row.remote
			now := sinceStart()
			held := newDenial(m.rules, &decision{verdicts: []verdict{{retryAfter: 3_600_000_000}}}, now)
			held.cost, held.until = 1, now+time.Hour
			remember(m.denials, "203.0.113.7", held)
			before := arriving(row.known)
			take(m, []*request{before})
			if <-before.answer || before.denial != held {
				t.Fatal("the one before was not denied from memory")
			}
			held.until = now + row.holds
			w := httptest.NewRecorder()
			done := make(chan bool)
			go func() {
				inFrontOf(noContent, m).ServeHTTP(w, arriving(over).asked)
				close(done)
			}()
			if !row.denied {
				eventually(t, "it waits to be taken in", func() bool { return len(m.intake.arrivals) == 1 })
				takeInRest(m)
				<-done
				return
			}
			<-done // nobody takes it in
			if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "3600" {
				t.Errorf("status %d, header %v", w.Code, w.Header())
			}
		})
	}
}

// However many connections there are, so many are remembered at most, and none longer than a denial can hold.
func TestDeniedConnectionsAreBounded(t *testing.T) {
	d := denialsUnder([]limit{{name: "default", algorithm: fixedWindow, average: 1, period: aMinute}})
	now := sinceStart()
	denyOne := func(at time.Duration) {
		held := newDenial(d.rules, &decision{verdicts: []verdict{{retryAfter: 5_000_000}}}, at)
		held.cost, held.until = 1, at+deniedFor
		remember(d, "x", held)
	}
	denyOne(now)
	for i := 0; i < deniedMost+100; i++ {
		p := arriving("203.0.113.7:" + strconv.Itoa(i))
		p.source = "x"
		if unknown := recall(d, []*request{p}, now, true); len(unknown) > 0 || p.asked != nil {
			t.Fatal("not denied from memory, or held on to")
		}
	}
	if len(d.near) != deniedMost {
		t.Errorf("%d connections are remembered", len(d.near))
	}
	denyOne(now + 2*deniedFor)
	if len(d.near) != 0 {
		t.Errorf("%d connections are remembered after their time", len(d.near))
	}
	p := arriving("203.0.113.7:1")
	p.source = "x"
	recall(d, []*request{p}, now+2*deniedFor, true)
	recalls(d, "x", now+5*deniedFor)
	if len(d.near) != 0 {
		t.Errorf("%d connections are remembered when all denials are over", len(d.near))
	}
}

// A client is told the same whether Redis has denied its request just now, the intake from memory, or its own goroutine at once.
func TestDenialsAreTheSameAllThreeWays(t *testing.T) {
	server := redistest.Start(t)
	others := http.Header{
		"X-Ratelimit-Limit": {"7"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"5"}, "Retry-After": {"99"},
		"Ratelimit": {`"x";r=1`, `"y";r=2`}, "Ratelimit-Policy": {`"x";q=1`, `"y";q=2`}, "Cache-Control": {"public"}, "Vary": {"Origin"},
	}
	for i, flavours := range [][]string{{}, {"x-ratelimit"}, {"ratelimit"}, {"x-ratelimit", "ratelimit"}} {
		s := settingsAt(t, "ways"+strconv.Itoa(i)+"@test", server.Addr, func(c *Config) { c.Average, c.Period, c.Timeout, c.Headers = "1", "8784h", "2s", flavours })
		ctx, cancel := context.WithCancel(background)
		m := newRegistry(0).use(ctx, s)
		h := inFrontOf(noContent, m)
		for _, held := range []http.Header{{}, others} {
			var answers []http.Header
			for _, way := range []string{"allowed", "Redis", "intake", "at once"} {
				w := httptest.NewRecorder()
				for name, values := range held {
					w.Header()[name] = append([]string(nil), values...)
				}
				if way == "Redis" { // as when nobody was denied before
					recall(m.denials, nil, sinceStart()+time.Hour, true)
				}
				h.ServeHTTP(w, arriving("203.0.113.7:4711").asked)
				if way == "allowed" {
					continue
				}
				if got := map[string]int{"Redis": 0, "intake": 1, "at once": 1}[way]; w.Code != http.StatusTooManyRequests || len(m.denials.near) != got {
					t.Errorf("%v, %s: status %d, %d connections are remembered, want %d", flavours, way, w.Code, len(m.denials.near), got)
				}
				answers = append(answers, w.Header())
			}
			for _, name := range []string{"Retry-After", "Ratelimit"} { // a second may begin between two of them
				for _, answer := range answers {
					for k, value := range answer[name] {
						answer[name][k] = secondsIn.ReplaceAllString(value, "many")
					}
				}
			}
			if !reflect.DeepEqual(answers[0], answers[1]) || !reflect.DeepEqual(answers[0], answers[2]) {
				t.Errorf("%v:\nRedis   %v\nintake  %v\nat once %v", flavours, answers[0], answers[1], answers[2])
			}
		}
		cancel()
	}
}

// secondsIn are the seconds of the limit's period.
var secondsIn = regexp.MustCompile(`[0-9]{8}`)
