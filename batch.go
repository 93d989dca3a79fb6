package ratelimit

import (
	"errors"
	"sync"
	"time"
)

// Numbers that have no option.
const (
	// batchSize is how many requests one flight carries at most.
	batchSize = 128
	// flightsAtOnce is how many flights of one batch may be out beside each other.
	flightsAtOnce = 8
	// besideShare: when the newest flight has been out for timeout/besideShare, the next may leave beside it.
	// Together with flightsAtOnce this serves every Redis whose round trip is below 7/8 of timeout:
	// a request waits 1/8 at most, and 7 flights cover the rest (docs/decisions/flights.md).
	besideShare = 8
	// queueBound is how many requests may wait to be taken aboard; beyond it the failure mode decides at once.
	queueBound = 4096
)

// Why a request got no decision from Redis though no flight failed.
var (
	errTimeUp    = errors.New("timeout ran out")
	errQueueFull = errors.New("too many requests wait for Redis")
	errCrashed   = errors.New("panic in a flight to Redis")
)

// batch is group commit: requests that arrive while a flight is out share the next one. It is also what bounds
// waiting: a request waits on its own channel, and one timer releases those whose time is up, whatever became of
// the flight. No select: in Yaegi all goroutines that run one share their cases (yaegi#1658). No line that holds mu can panic, so
// nothing is unlocked by a defer, which costs much where this is interpreted.
//
//	enqueue ──▶ queue ──▶ flight.go: connect, board, exchange, land ──▶ each request's channel
//	           └────── timer: time is up ────────────────────────────────▲
type batch struct {
	client   *redisClient
	limits   []limit
	argument string // ARGV[1], as a bulk string
	name     string // the middleware's
	keyHead  string
	timeout  time.Duration
	denials  *denials
	carrier  carrier // mode cluster: what carries this batch's flights; nil in another
	lobby    bool    // mode cluster: of no node

	mu sync.Mutex
	// line holds the unanswered requests in order of arrival, which is the order of their deadlines too:
	// the first aboard have left with a flight, the others are the queue.
	line     []*request
	aboard   int
	boarding int       // flights that wait for a connection
	flying   int       // flights that are out
	away     int       // mode cluster: trips to other nodes that are out
	trips    int       // mode cluster: trips that there have been so far
	left     time.Time // when the newest flight left
	launch   alarm     // begins a flight on a goroutine of its own
	idle     bool      // a goroutine that made flights waits for called
	called   chan bool // whether to make flights again, or to end
	closed   bool      // no goroutine is to wait any more
	late     alarm     // rings at the first deadline in line
	clocked  bool      // late is set
	next     alarm     // rings when another flight may leave beside those that are out
	beside   bool      // next is set
}

// carrier takes the requests aboard a flight where they belong, in the place of the one script call.
type carrier interface {
	carry(b *batch, held *connection, requests []*request)
}

// newBatch returns the batch of one middleware.
func newBatch(s *settings, client *redisClient) *batch {
	return &batch{
		client: client, limits: s.limits, argument: bulk(scriptLimits(s.limits)),
		name: s.name, keyHead: s.keyHead, timeout: s.timeout, denials: newDenials(newHeaderRules(s)), called: make(chan bool, 1),
	}
}

// close ends the goroutine that waits for requests: no configuration uses the batch any more. Requests that still come are served all the same.
func (b *batch) close() {
	b.mu.Lock()
	b.closed = true
	if b.idle {
		b.idle = false
		b.called <- false
	}
	b.mu.Unlock()
}

// enqueue implements limiter. A client that hangs up meanwhile changes nothing: the flight is not its own.
func (b *batch) enqueue(requests []*request) {
	if b.client.breaker.open.Load() {
		fail(requests, errBroken)
		return
	}
	b.mu.Lock()
	if len(b.line)-b.aboard+len(requests) > queueBound {
		requests = thatFit(b, requests)
	}
	deadline := time.Now().Add(b.timeout)
	for _, r := range requests {
		r.deadline = deadline
	}
	b.line = append(b.line, requests...)
	if b.idle && b.flying == 0 && b.boarding == 0 {
		b.idle = false // as in startFlight, for which most find no need
		b.boarding = 1
		b.called <- true
	} else if b.boarding == 0 && (b.flying == 0 || !b.beside) {
		startFlight(b)
	}
	if !b.clocked {
		setClock(b)
	}
	b.mu.Unlock()
}

// thatFit are as many requests as there is room for in the queue. The others are told. b.mu is held.
func thatFit(b *batch, requests []*request) []*request {
	room := queueBound - (len(b.line) - b.aboard)
	fail(requests[room:], errQueueFull)
	return requests[:room]
}

// setClock sees to it that late requests are released. b.mu is held.
func setClock(b *batch) {
	b.clocked = true
	b.late.set(b.timeout, b.releaseLate)
}

// startFlight lets a flight leave for the queue, now or as soon as it may. b.mu is held.
func startFlight(b *batch) {
	if len(b.line) == b.aboard || b.boarding > 0 || b.flying >= flightsAtOnce {
		return
	}
	if b.flying > 0 {
		wait := b.timeout/besideShare - time.Since(b.left)
		if wait > 0 {
			if !b.beside {
				b.beside = true
				b.next.set(wait, b.startBeside)
			}
			return
		}
	}
	b.boarding++
	if b.idle {
		b.idle = false
		b.called <- true
		return
	}
	b.launch.set(0, b.fly)
}

// startBeside is startFlight by the clock.
func (b *batch) startBeside() {
	defer recovered("batch")
	b.mu.Lock()
	b.beside = false
	startFlight(b)
	b.mu.Unlock()
}

// releaseLate answers the requests whose time is up; those still in the queue are not charged.
func (b *batch) releaseLate() {
	defer recovered("batch")
	now := time.Now()
	b.mu.Lock()
	late := 0
	for late < len(b.line) && (b.line[late].answered || !b.line[late].deadline.After(now)) {
		answerTo(b.line[late], errTimeUp)
		late++
	}
	leftBehind := late > b.aboard
	shorten(b)
	b.clocked = len(b.line) > 0
	if b.clocked {
		b.late.set(b.line[0].deadline.Sub(now), b.releaseLate)
	}
	b.mu.Unlock()
	if leftBehind {
		b.client.flightStalled(b)
	}
}

// releaseAll answers everybody who waits, those aboard too: whatever their flights bring is dropped.
func (b *batch) releaseAll(err error) {
	b.mu.Lock()
	for _, r := range b.line {
		answerTo(r, err)
	}
	shorten(b)
	b.mu.Unlock()
}

// shorten takes out of line those at its head that are answered. b.mu is held.
func shorten(b *batch) {
	n := 0
	for n < len(b.line) && b.line[n].answered {
		b.line[n] = nil
		n++
	}
	b.line = b.line[n:]
	b.aboard -= n
	if b.aboard < 0 {
		b.aboard = 0
	}
}

// answerTo tells a request that has no answer yet why nobody decides. batch.mu is held.
func answerTo(r *request, why error) {
	if !r.answered {
		r.answered = true
		r.err = why
		r.answer <- false
	}
}
