// Package ratelimit is a Traefik middleware that counts requests per client in Redis, so that all instances of
// Traefik share one count. Traefik loads it as Go source and interprets it with Yaegi.
//
// The way of a request, top to bottom:
//
//	inFrontOf      plugin.go     this file
//	intake         intake.go     takes in, all together, the requests that have come meanwhile
//	source         source.go     who is counted: the address, a header, the host
//	denials        denied.go     who was denied a moment ago is denied again, without Redis; the next over the same connection at once
//	batch          batch.go      waits, at most timeout, for a flight to Redis that it shares with others
//	flight         flight.go     takes requests aboard, asks Redis about them, answers them
//	redis          redis.go      an open connection; exchange.go: one script call on it
//	script         lua.go        decides all limits of all requests aboard, atomically, by Redis' clock
//	headers        headers.go    tells the client where it stands
//	fallback       fallback.go   when Redis could not decide, the failure mode does
//	next           the service behind Traefik, or a denial
//
// A request does the first and the last two on its own goroutine, and waits meanwhile for the others, which many go together. One that
// is denied at once waits for nobody, and a denial is answered with its header on the request's own goroutine.
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
	if result.middleware.off {
		return next, nil
	}
	return inFrontOf(next, result.middleware), nil
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

// inFrontOf is the middleware in front of one router. It lets a request pass to next, or answers it. The ResponseWriter is passed on as
// it is: wrapped, WebSockets and event streams would break. Interpreted, a function costs less than a method, which copies its receiver's
// fields for each request.
func inFrontOf(next http.Handler, m *middleware) http.Handler {
	arrivals, closed, denials := m.intake.arrivals, m.intake.closed, m.denials
	var some chan bool // nil has no length: by a header or a host nobody is denied at once
	if m.settings.source.remote {
		some = denials.some
	}
	chained := len(m.settings.source.excluded) > 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(some) > 0 {
			if answerDenied(w, r, denials, nil, 0) {
				return
			}
		}
		p := new(request) // in Yaegi &request{…} costs twice as much
		p.asked = r
		p.header = w.Header()
		p.answer = make(chan bool, 1)
		if chained {
			identifyAlone(m, p)
		}
		arrivals <- p
		if len(closed) > 0 {
			takeInRest(m)
		}
		passes := <-p.answer
		if passes || passesAfterAll(w, m, p) {
			next.ServeHTTP(w, r)
		}
	})
}

// passesAfterAll reports whether a request that Redis has not simply allowed passes; if not, it has its answer.
func passesAfterAll(w http.ResponseWriter, m *middleware, p *request) bool {
	if p.denial == nil {
		return passesWithout(w, m, p)
	}
	answerDenied(w, nil, nil, p.denial, p.deniedAt)
	return false
}

// passesWithout is passesAfterAll where Redis has not decided: the failure mode does.
func passesWithout(w http.ResponseWriter, m *middleware, p *request) bool {
	fallBack(p, m)
	if p.err != nil {
		askWithout(p, m)
	}
	if p.err != nil {
		answerUnavailable(w)
		return false
	}
	rules := m.rules
	if p.decision.local {
		rules = m.localRules
	}
	if p.decision.allowed {
		setHeaders(rules, []*request{p})
		return true
	}
	p.denial = newDenial(rules, &p.decision, 0)
	logDenied(m.settings.name, m.settings.keyHead, []*request{p})
	answerDenied(w, nil, nil, p.denial, 0)
	return false
}

// fallBack lets the failure mode decide about a request of which it is known who asks. It leaves p.err as it is when it panics.
func fallBack(p *request, m *middleware) {
	defer recovered(m.settings.name)
	if p.source != "" {
		p.decision, p.err = m.fallback.take(p.source, p.cost)
	}
}

// askWithout lets the failure mode decide where fallBack has not, after a panic of ours: no fault of ours is a 500. What is not
// closed lets pass, unless this process counts and can still tell who asks.
func askWithout(p *request, m *middleware) {
	defer recovered(m.settings.name)
	if m.settings.failureMode == failClosed {
		return
	}
	p.err = nil
	p.decision = decision{allowed: true}
	if m.settings.failureMode == failLocal && p.source != "" {
		decided, _ := m.local.take(p.source, p.cost)
		p.decision = decided
	}
}

// logDenied makes denials traceable at DEBUG: which middleware, by which limit, counted under which key, and whether here alone.
// What is denied again without asking Redis is not logged again.
func logDenied(name, keyHead string, denied []*request) {
	for _, p := range denied {
		if p.denial == nil {
			continue // Redis has refused
		}
		how := ""
		if p.decision.local {
			how = ", in failureMode local"
		}
		logDebug(name + ": denied by limit " + p.denial.name[0] + ", key " + keyHead + p.source + "}" + how)
	}
}
