package ratelimit

import "net/http"

// newRequest is a request on whose answer nobody waits yet.
func newRequest(source string, cost int64) *request {
	return &request{header: http.Header{}, source: source, cost: cost, answer: make(chan bool, 1)}
}

// takeFrom asks a limiter about one request and waits for the answer.
func takeFrom(l limiter, source string, cost int64) (decision, error) {
	p := newRequest(source, cost)
	l.enqueue([]*request{p})
	<-p.answer
	return p.decision, p.err
}
