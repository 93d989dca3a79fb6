package ratelimit

import (
	"errors"
	"runtime"
	"strings"
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
//	enqueue ──▶ queue ──▶ fly: connect, board, exchange, land ──▶ each request's channel
//	           └────── timer: time is up ────────────────────────────────▲
type batch struct {
	client   *redisClient
	limits   []limit
	argument string // ARGV[1]
	logged   bool   // one of the limits is a sliding log, which has a key of its own
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
	launch   alarm     // begins a flight
	late     alarm     // rings at the first deadline in line
	clocked  bool      // late is set
	next     alarm     // rings when another flight may leave beside those that are out
	beside   bool      // next is set
}

// carrier takes the requests aboard a flight where they belong, in the place of askOnce.
type carrier interface {
	carry(b *batch, held *connection, requests []*request)
}

// newBatch returns the batch of one middleware.
func newBatch(s *settings, client *redisClient) *batch {
	logged := false
	for _, l := range s.limits {
		logged = logged || l.algorithm == slidingLog
	}
	return &batch{
		client: client, limits: s.limits, argument: scriptLimits(s.limits), logged: logged,
		name: s.name, keyHead: s.keyHead, timeout: s.timeout, denials: &denials{rules: newHeaderRules(s)},
	}
}

// enqueue implements limiter. A client that hangs up meanwhile changes nothing: the flight is not its own.
func (b *batch) enqueue(requests []*request) {
	if b.client.breaker.open.Load() {
		fail(requests, errBroken)
		return
	}
	b.mu.Lock()
	if room := queueBound - (len(b.line) - b.aboard); room < len(requests) {
		fail(requests[room:], errQueueFull)
		requests = requests[:room]
	}
	deadline := time.Now().Add(b.timeout)
	for _, r := range requests {
		r.deadline = deadline
	}
	b.line = append(b.line, requests...)
	if b.boarding == 0 && (b.flying == 0 || !b.beside) || !b.clocked {
		attend(b)
	}
	b.mu.Unlock()
}

// attend sees to it that the queue is served: a flight leaves or a timer is set. b.mu is held. Most requests find all that done
// and do not call it: interpreted, a call costs by the length of what is called.
func attend(b *batch) {
	startFlight(b)
	if !b.clocked {
		b.clocked = true
		b.late.set(b.timeout, b.releaseLate)
	}
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
	if b.launch.timer != nil {
		b.launch.timer.Reset(0) // as set does; interpreted, b.fly has a price
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
	shorten(b, late)
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
	shorten(b, len(b.line))
	b.mu.Unlock()
}

// shorten takes the first n, all answered, out of line. b.mu is held.
func shorten(b *batch, n int) {
	for i := 0; i < n; i++ {
		b.line[i] = nil
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

// fly makes flights on a goroutine of the batch while requests are queued.
func (b *batch) fly() {
	defer recovered("batch")
	for {
		c, err := takeConnection(b.client, false)
		letOthersCome()
		requests := board(b, err)
		if err != nil {
			b.failedToConnect(err)
			land(b, requests, nil, err)
		} else if len(requests) == 0 {
			b.client.release(c, true)
		} else {
			f := &carried{}
			carryAcross(f, b, c, requests)
			if !f.whole {
				landCrashed(b, requests)
			}
		}
		if !flyOn(b) {
			return
		}
	}
}

// letOthersCome lets everybody run who can: on a busy machine those who are about to ask come along and share the flight,
// fewer flights in all; on an idle one there is nobody, and it takes no time. Twice: who runs first may wake others.
func letOthersCome() {
	runtime.Gosched()
	runtime.Gosched()
}

// board takes requests from the queue aboard: a batch, or when there is no connection to be had, all.
func board(b *batch, err error) []*request {
	now := time.Now()
	b.mu.Lock()
	for b.aboard < len(b.line) && !b.line[b.aboard].deadline.After(now) {
		answerTo(b.line[b.aboard], errTimeUp) // the timer is late
		b.aboard++
	}
	n := len(b.line) - b.aboard
	if n > batchSize && err == nil {
		n = batchSize
	}
	requests := append([]*request(nil), b.line[b.aboard:b.aboard+n]...)
	b.aboard += n
	b.boarding--
	b.flying++
	b.left = now
	if len(b.line) > b.aboard {
		startFlight(b)
	}
	b.mu.Unlock()
	return requests
}

// flyOn ends a flight and reports whether the next one follows on the same goroutine.
func flyOn(b *batch) bool {
	b.mu.Lock()
	b.flying--
	on := len(b.line) > b.aboard
	if on {
		b.boarding++
	}
	b.mu.Unlock()
	return on
}

// land answers requests by their outcomes, or all by err. Late ones have their answer already.
func land(b *batch, requests []*request, outcomes []outcome, err error) {
	l := &landing{}
	claim(b, l, requests, outcomes, err)
	prepare(b, l)
	for _, r := range l.failed {
		r.answer <- false
	}
	for _, r := range l.denied {
		r.answer <- false
	}
	for _, r := range l.allowed {
		r.answer <- true
	}
}

// landing are requests that have come back from a flight in time, by what they are to be told.
type landing struct{ allowed, denied, failed []*request }

// claim notes the outcomes of requests that have no answer yet, which nobody else will give them from now on.
func claim(b *batch, l *landing, requests []*request, outcomes []outcome, err error) {
	b.mu.Lock()
	for i, r := range requests {
		if r.answered {
			continue
		}
		r.answered = true
		if err != nil {
			r.err = err
			l.failed = append(l.failed, r)
			continue
		}
		o := &outcomes[i]
		r.decision = o.decision
		switch {
		case o.refused != "":
			r.err = errors.New(o.refused)
			l.failed = append(l.failed, r)
		case o.decision.allowed:
			l.allowed = append(l.allowed, r)
		default:
			r.denial = o.denial
			l.denied = append(l.denied, r)
		}
	}
	answered := 0
	for answered < len(b.line) && b.line[answered].answered {
		answered++
	}
	shorten(b, answered)
	b.mu.Unlock()
}

// prepare sets the header of the answers. What a panic leaves without may lack a field, but is decided.
func prepare(b *batch, l *landing) {
	defer recovered("flight")
	rules := b.denials.rules
	setHeaders(rules, l.allowed)
	if len(l.denied) > 0 {
		setDenied(rules, l.denied, 0) // as it was decided, whatever has passed since
		logDenied(b.name, b.keyHead, l.denied)
	}
}

// landCrashed answers those whom a panic has left without an answer.
func landCrashed(b *batch, requests []*request) {
	crashed := false
	b.mu.Lock()
	for _, r := range requests {
		if !r.answered && r.trip == 0 {
			answerTo(r, errCrashed)
			crashed = true
		}
	}
	b.mu.Unlock()
	if crashed {
		land(b, nil, nil, nil)
	}
}

// carried says how far carryAcross has got.
type carried struct{ whole bool }

// carryAcross asks Redis about the requests aboard, and once more, on a new connection, about those of them that askOnce returns.
// It leaves f as it is when it panics, or when a carrier may have.
func carryAcross(f *carried, b *batch, c *connection, requests []*request) {
	defer recovered("flight")
	if b.carrier != nil {
		b.carrier.carry(b, c, requests)
		return
	}
	again := askOnce(b, c, requests, true)
	if len(again) > 0 {
		b.askAgain(again)
	}
	f.whole = true
}

// askAgain asks once more, on a new connection.
func (b *batch) askAgain(requests []*request) {
	c, err := b.client.connect()
	if err != nil {
		b.failedToConnect(err)
		land(b, requests, nil, err)
		return
	}
	waiting := b.stillWaiting(requests)
	if len(waiting) == 0 {
		b.client.release(c, true)
		return
	}
	askOnce(b, c, waiting, false)
}

// stillWaiting are the requests whose time is not up: the others must not be charged.
func (b *batch) stillWaiting(requests []*request) []*request {
	var waiting []*request
	b.mu.Lock()
	for _, r := range requests {
		if !r.answered {
			waiting = append(waiting, r)
		}
	}
	b.mu.Unlock()
	return waiting
}

// answer is what became of a script call: an outcome for each request, or why there is none.
type answer struct {
	outcomes []outcome
	err      error
}

// askOnce is one script call. It answers the requests and returns those to ask about once more, none if !retry.
func askOnce(b *batch, c *connection, requests []*request, retry bool) []*request {
	result := &answer{err: errCrashed}
	askInto(b, result, c, requests)
	if result.err != nil {
		return b.failed(c, requests, result.err, retry)
	}
	return landDecided(b, c, requests, result.outcomes, retry)
}

// askInto leaves the result as it is when it panics: then the connection is given back as after any other failure.
func askInto(b *batch, result *answer, c *connection, requests []*request) {
	defer recovered("flight")
	call := callAbout(b, requests)
	sent := sinceStart()
	reply, err := exchange(c, call, b.client.settings.readTimeout)
	arrived := sinceStart()
	var outcomes []outcome
	if err == nil {
		outcomes, err = parseReply(reply, b.limits, len(requests))
	}
	if err == nil {
		rememberDenied(b.denials, requests, outcomes, sent, arrived)
	}
	*result = answer{outcomes: outcomes, err: err}
}

// ones is the scriptCosts of a batch whose requests cost 1 each.
var ones = strings.Repeat("1 ", batchSize)

// callAbout is what Redis is asked about these requests.
func callAbout(b *batch, requests []*request) *scriptCall {
	n := len(requests)
	words := make([]interface{}, 3, n+6)
	plain := !b.logged && n <= batchSize
	for _, r := range requests {
		words = append(words, b.keyHead+r.source+"}")
		plain = plain && r.cost == 1
	}
	if !plain {
		question := callWith(b, requests)
		return question
	}
	words[0] = "evalsha"
	words[1] = scriptHash
	words[2] = n
	words = append(words, b.argument, ones[:2*n], "")
	return &scriptCall{words: words}
}

// callWith is callAbout with costs of their own, or keys that a sliding log has.
func callWith(b *batch, requests []*request) *scriptCall {
	keys := make([]string, len(requests))
	costs := make([]int64, len(requests))
	for i, r := range requests {
		keys[i] = b.keyHead + r.source + "}"
		costs[i] = r.cost
	}
	return newCall(scriptKeys(b.limits, keys), b.argument, scriptCosts(costs))
}

// failed ends a call without a reply of the script.
func (b *batch) failed(c *connection, requests []*request, err error, retry bool) []*request {
	b.client.release(c, usable(err))
	stale, readonly := errors.Is(err, errStale), errorCode(err) == "READONLY"
	if stale {
		b.client.forgetStale()
	}
	if readonly || b.client.mayHaveMoved(errorCode(err)) {
		b.client.forget()
	}
	if retry && (stale || readonly) {
		return requests
	}
	b.client.flightFailed(b, err)
	land(b, requests, nil, err)
	return nil
}

// failedToConnect counts a flight that got no connection, unless the breaker kept it from one.
func (b *batch) failedToConnect(err error) {
	if !errors.Is(err, errBroken) {
		b.client.flightFailed(b, err)
	}
}

// landDecided ends a call that the script answered.
func landDecided(b *batch, c *connection, requests []*request, outcomes []outcome, retry bool) []*request {
	for i := range outcomes {
		if outcomes[i].refused != "" {
			again := b.partlyRefused(c, requests, outcomes, retry)
			return again
		}
	}
	giveBack(b.client, c)
	exchangeSucceeded(b.client, charged(outcomes))
	land(b, requests, outcomes, nil)
	return nil
}

// partlyRefused ends a call in which the script could not read or write for some. What was refused is
// the requests' own affair (WRONGTYPE: the key holds a foreign value) or, by Redis' words for a refused command, the flight's failure.
func (b *batch) partlyRefused(c *connection, requests []*request, outcomes []outcome, retry bool) []*request {
	cause, readonly, moved := "", false, false
	for i := range outcomes {
		words := outcomes[i].refused
		if words == "" {
			continue
		}
		code := replyCode(words)
		switch code {
		case "WRONGTYPE":
			b.client.health.foreignKey(b.keyHead+requests[i].source+"}", words)
		case "READONLY":
			cause, readonly = words, true
		default:
			cause = words
			if b.client.mayHaveMoved(code) {
				moved = true
			}
		}
	}
	b.client.release(c, !readonly && !moved)
	if moved {
		b.client.forget()
	}
	var again []*request
	if readonly {
		b.client.forget()
		if retry {
			again, requests, outcomes = splitReadonly(requests, outcomes)
		}
	}
	if cause == "" {
		exchangeSucceeded(b.client, charged(outcomes))
	} else if len(again) == 0 {
		b.client.flightFailed(b, errors.New(cause))
	}
	land(b, requests, outcomes, nil)
	return again
}

// splitReadonly takes out the requests that a read-only server refused: they were not charged.
func splitReadonly(requests []*request, outcomes []outcome) ([]*request, []*request, []outcome) {
	var again, others []*request
	var othersOutcomes []outcome
	for i, r := range requests {
		if replyCode(outcomes[i].refused) == "READONLY" {
			again = append(again, r)
		} else {
			others = append(others, r)
			othersOutcomes = append(othersOutcomes, outcomes[i])
		}
	}
	return again, others, othersOutcomes
}
