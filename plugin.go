// Package ratelimit is a Traefik middleware that counts requests per client in Redis, so that all instances of
// Traefik share one count. Traefik loads it as Go source and interprets it with Yaegi.
//
// The way of a request, top to bottom:
//
//	ServeHTTP      plugin.go     this file
//	source         source.go     who is counted: the address, a header, the host
//	denials        denied.go     who was denied a moment ago is denied again, without Redis
//	batch          batch.go      waits, at most timeout, for a flight to Redis that it shares with others
//	redis          redis.go      an open connection; exchange.go: one script call on it
//	script         lua.go        decides all limits of all requests aboard, atomically, by Redis' clock
//	fallback       fallback.go   when Redis could not decide, the failure mode does
//	headers        headers.go    tells the client where it stands, or denies
//	next           the service behind Traefik
//
// local.go is failure mode local, to which fallback turns then.
//
// What an algorithm means stands in algorithms.go, what an option means in config.go,
// and what routers and reloads share in shared.go.
package ratelimit

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// CreateConfig returns a Config in which nothing is set. The defaults are compile's.
func CreateConfig() *Config {
	return &Config{}
}

// New returns the middleware called name in front of next. Traefik calls it once per router that uses the middleware,
// and again at every reload of its dynamic configuration.
//
// The error lists all faults of the configuration, one a line; then Traefik drops the router. When the same middleware
// ran before, its last good settings stay in force instead. New never touches the network and writes nothing into config.
func New(ctx context.Context, next http.Handler, config *Config, name string) (http.Handler, error) {
	// A panic here would end Traefik's configuration loop for good: it becomes the error that is already in place.
	result := &built{err: errors.New(name + ": panic while reading the configuration")}
	buildInto(result, ctx, config, name)
	if result.err != nil {
		return nil, result.err
	}
	return &handler{next: next, middleware: result.middleware}, nil
}

// built is the outcome of New.
type built struct {
	middleware *middleware
	err        error
}

// buildInto leaves the result as it is when it panics.
func buildInto(result *built, ctx context.Context, config *Config, name string) {
	defer recovered(name)
	s, faults := compile(config, name)
	if faults == nil {
		*result = built{middleware: shared.use(ctx, s)}
		return
	}
	running := shared.useLastGood(ctx, name, faults)
	if running == nil {
		*result = built{err: faults}
		return
	}
	*result = built{middleware: running}
}

// handler is the middleware in front of one router.
type handler struct {
	next       http.Handler
	middleware *middleware
}

// ServeHTTP lets the request pass to next, or answers it. The ResponseWriter is passed on as it is:
// wrapped, WebSockets and event streams would break.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m := h.middleware
	asked := &asking{err: errCrashed}
	ask(asked, m, r)
	if asked.passes {
		setHeaders(w.Header(), &m.rules, &asked.decision)
	} else if !passesAfterAll(w, m, asked) {
		return
	}
	h.next.ServeHTTP(w, r)
}

// passesAfterAll reports whether a request that Redis has not simply allowed passes; if not, it has its answer.
func passesAfterAll(w http.ResponseWriter, m *middleware, p *asking) bool {
	if p.held != nil {
		answerDenied(w, &m.rules, p.held, p.passed)
		return false
	}
	if p.err != nil {
		askWithout(p, m)
	}
	if p.err != nil {
		answerUnavailable(w)
		return false
	}
	rules := &m.rules
	if p.decision.local {
		rules = &m.localRules
	}
	if !p.decision.allowed {
		denyNow(w, m, rules, p)
		return false
	}
	setHeaders(w.Header(), rules, &p.decision)
	return true
}

// asking is one request's way to its decision.
type asking struct {
	source   string
	held     *denial // of a moment ago, which stands in for a decision
	passed   micros  // since then
	decision decision
	passes   bool  // Redis allows, or all limits are off
	err      error // nobody decided, and the failure mode is not open
}

// ask finds out who is counted and what is decided. It leaves p.err as it is when it panics.
func ask(p *asking, m *middleware, r *http.Request) {
	defer recovered(m.settings.name)
	if m.off {
		p.passes = true
		return
	}
	p.source = sourceOf(&m.settings.source, r)
	now := time.Now()
	p.held = recall(m.denials, p.source, 1, now)
	if p.held != nil {
		p.passed = passedSince(p.held, now)
		return
	}
	if m.onlyBatch {
		p.decision, p.err = takeAboard(m.batch, p.source, 1)
	} else {
		p.decision, p.err = m.limiter.take(r.Context(), p.source, 1)
	}
	p.passes = p.err == nil && p.decision.allowed
	if p.err != nil {
		fallBack(p, m, r)
	}
}

// fallBack lets the failure mode decide.
func fallBack(p *asking, m *middleware, r *http.Request) {
	p.decision, p.err = m.fallback.take(r.Context(), p.source, 1)
}

// denyNow answers a request that was denied just now.
func denyNow(w http.ResponseWriter, m *middleware, rules *headerRules, p *asking) {
	fresh := newDenial(rules, &p.decision)
	logDenied(m, rules.names[fresh.by], p)
	answerDenied(w, rules, fresh, 0)
}

// askWithout lets the failure mode decide where fallBack has not, after a panic of ours: no fault of ours is a 500. What is not
// closed lets pass, unless this process counts and can still tell who asks.
func askWithout(p *asking, m *middleware) {
	defer recovered(m.settings.name)
	if m.settings.failureMode == failClosed {
		return
	}
	p.err = nil
	p.decision = decision{allowed: true}
	if m.settings.failureMode == failLocal && p.source != "" {
		decided, _ := m.local.take(context.Background(), p.source, 1)
		p.decision = decided
	}
}

// logDenied makes a denial traceable at DEBUG: which middleware, by which limit, counted under which key, and whether here alone.
// What is denied again without asking Redis is not logged again.
func logDenied(m *middleware, limit string, p *asking) {
	how := ""
	if p.decision.local {
		how = ", in failureMode local"
	}
	logDebug(m.settings.name + ": denied by limit " + limit + ", key " + m.settings.keyHead + p.source + "}" + how)
}
