package ratelimit

import (
	"net/http"
	"time"
)

// request is one request on its way to its answer. Its fields belong to whoever has it at the time: its own goroutine (inFrontOf) until
// the intake has it, then the intake, then a batch, under batch.mu, and its own goroutine again from its answer on.
type request struct {
	asked  *http.Request
	header http.Header // of the response
	source string      // who is counted
	key    []byte      // its key, as a bulk string, when it costs 1 and no limit has a key of its own; nil when a call has to say more
	cost   int64       // in units, 0 to 1,000; 0 only looks

	deadline time.Time // zero until it is enqueued
	answered bool
	trip     int // mode cluster: the number of the trip that it is on; 0: its flight carries it

	decision decision
	denial   *denial       // what denies it
	deniedAt time.Duration // sinceStart: when it was found that a denial still holds; 0 when Redis has denied
	err      error         // why nobody has decided

	answer chan bool // one slot, so that whoever answers never waits: whether it passes; then header is set
}

// limiter decides requests. It is the one interface: a batch, and in mode cluster a dispatcher of batches.
type limiter interface {
	// enqueue takes requests whose source and cost are known, and does not wait. Each gets its answer within the timeout.
	enqueue(requests []*request)
}

// fail answers requests that nobody will decide.
func fail(requests []*request, err error) {
	for _, p := range requests {
		p.answered = true
		p.err = err
		p.answer <- false
	}
}
