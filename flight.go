package ratelimit

import (
	"errors"
	"runtime"
	"time"
)

// inFlight is what a goroutine that makes flights has in hand; after a panic, what it has left.
type inFlight struct {
	boards   bool        // it waits for a connection, and counts in batch.boarding
	out      bool        // it has left, and counts in batch.flying
	held     *connection // not given back yet
	requests []*request  // aboard
	landing  landing     // those of them whose outcome is noted, until they are told
	over     bool        // the goroutine is to end
}

// fly makes flights on a goroutine of its own.
func (b *batch) fly() {
	f := &inFlight{boards: true}
	for !f.over {
		flyMany(b, f)
		if !f.over {
			landCrashed(b, f)
		}
	}
}

// flyMany makes flights while requests are queued, and again whenever it is called; unless the batch is closed, or another goroutine waits to
// be called already. A flight takes a connection, then requests aboard, asks Redis about them, and once more, on a new connection, about those
// of whom nothing was said that counts. A panic leaves what was in hand.
//
// It is one long loop, since interpreted a call costs by the length of what is called, and a turn of a loop does not (docs/decisions/hot-path.md).
func flyMany(b *batch, f *inFlight) {
	defer recovered("flight")
	client, timeout, rules := b.client, b.client.settings.readTimeout, b.denials.rules
	var c *connection
	var requests, again []*request
	var call []byte
	var reply string
	var outcomes []outcome
	var err error
	var now time.Time
	var sent time.Duration
	n, others, second, on, plain := 0, 0, false, false, false
	for {
		if !f.boards && !second {
			b.mu.Lock()
			if f.out {
				b.flying--
				f.out = false
			}
			if len(b.line) > b.aboard {
				b.boarding++
				b.mu.Unlock()
			} else {
				f.over = b.idle || b.closed
				b.idle = b.idle || !b.closed
				b.mu.Unlock()
				f.requests = nil // nobody else holds on to them, as far as Yaegi lets go: of the last flight it keeps some until the next
				requests = nil
				outcomes = nil
				call = nil
				reply = ""
				c = nil
				if f.over {
					return
				}
				on = <-b.called
				if !on {
					f.over = true
					return
				}
			}
			f.boards = true
		}
		c = nil
		client.mu.Lock() // as in takeConnection, for which most find no need
		if n = len(client.ready) - 1; n >= 0 && !client.breaker.open.Load() {
			c = client.ready[n]
			client.ready = client.ready[:n]
		}
		client.mu.Unlock()
		err = nil
		if c == nil {
			c, err = takeConnection(client, false)
		}
		f.held = c
		if second {
			requests = b.stillWaiting(again)
		} else {
			letOthersCome()
			now = time.Now()
			b.mu.Lock()
			for b.aboard < len(b.line) && !b.line[b.aboard].deadline.After(now) {
				answerTo(b.line[b.aboard], errTimeUp) // the timer is late
				b.aboard++
			}
			n = len(b.line) - b.aboard
			if n > batchSize && err == nil { // without a connection nobody gets further
				n = batchSize
			}
			requests = append([]*request(nil), b.line[b.aboard:b.aboard+n]...)
			b.aboard += n
			b.boarding--
			f.boards = false
			b.flying++
			f.out = true
			b.left = now
			if len(b.line) > b.aboard {
				startFlight(b)
			}
			b.mu.Unlock()
		}
		f.requests = requests
		again = nil
		if err != nil {
			b.failedToConnect(err)
			answerAll(b, requests, err)
		} else if len(requests) == 0 {
			f.held = nil
			client.release(c, true)
		} else if b.carrier != nil {
			f.held = nil
			b.carrier.carry(b, c, requests)
			answerLeft(b, requests)
		} else {
			call = appendCallAbout(c.call[:0], b, requests)
			c.call = call
			sent = sinceStart()
			reply, err = exchange(c, call, timeout)
			if err == nil {
				outcomes, others, err = parseReply(reply, b.limits, len(requests))
			}
			if err == nil && others > 0 {
				rememberDenied(b.denials, requests, outcomes, sent, sinceStart())
			}
			f.held = nil
			if err != nil {
				again = b.failed(c, requests, err, !second)
			} else if others > 0 && anyRefused(outcomes) {
				again = b.partlyRefused(c, requests, outcomes, !second)
			} else {
				client.mu.Lock() // as in release, which has more to look after
				plain = c.generation == client.generation && len(client.waiting) == 0 && client.reaping && !client.retired
				if plain {
					c.used = time.Now()
					client.ready = append(client.ready, c)
				}
				client.mu.Unlock()
				if !plain {
					client.release(c, true)
				}
				if !client.health.settled.Load() {
					exchangeSucceeded(client, others < len(outcomes))
				}
				claim(b, &f.landing, requests, outcomes, others)
				setHeaders(rules, f.landing.allowed)
				if len(f.landing.others) > 0 {
					logDenied(b.name, b.keyHead, f.landing.others)
					tell(f.landing.others, false)
					f.landing.others = nil
				}
				for _, p := range f.landing.allowed {
					p.answer <- true
				}
				f.landing.allowed = nil
			}
		}
		second = len(again) > 0
	}
}

// letOthersCome lets everybody run who can: on a busy machine those who are about to ask come along and share the flight,
// fewer flights in all; on an idle one there is nobody, and it takes no time. Twice: who runs first may wake others.
func letOthersCome() {
	runtime.Gosched()
	runtime.Gosched()
}

// landing are requests that have come back from a flight in time, until they are told.
type landing struct {
	allowed []*request
	others  []*request // denied, or refused by Redis
}

// land answers requests by their outcomes, whatever panics: what that leaves without may lack a field, but is decided. Late ones
// have their answer already.
func land(b *batch, requests []*request, outcomes []outcome) {
	l := &landing{}
	landGuarded(b, l, requests, outcomes)
	tell(l.allowed, true)
	tell(l.others, false)
}

func landGuarded(b *batch, l *landing, requests []*request, outcomes []outcome) {
	defer recovered("flight")
	claim(b, l, requests, outcomes, len(requests))
	setHeaders(b.denials.rules, l.allowed)
	logDenied(b.name, b.keyHead, l.others)
}

// claim notes the outcomes of requests that have no answer yet, which nobody else will give them from now on. Up to others of the
// outcomes do not simply allow.
func claim(b *batch, l *landing, requests []*request, outcomes []outcome, others int) {
	late := 0
	b.mu.Lock()
	for i, p := range requests {
		if p.answered {
			outcomes[i].late = true
			late++
			continue
		}
		p.answered = true
		p.decision = outcomes[i].decision
	}
	n, line := len(requests), b.line
	if n > 0 && n <= batchSize && n <= len(line) && line[0] == requests[0] && line[n-1] == requests[n-1] { // they are the head of line, as of one flight alone
		copy(line, gone[:n])
		line = line[n:]
		b.line = line
		b.aboard -= n
	}
	if len(line) > 0 && line[0].answered {
		shorten(b)
	}
	if late == 0 && others == 0 {
		l.allowed = requests
	} else {
		sortOut(l, requests, outcomes)
	}
	b.mu.Unlock()
}

// gone is what takes the place of requests that have left the line, so that nothing holds on to them.
var gone = make([]*request, batchSize)

// sortOut is claim of requests of which some are late or not allowed. batch.mu is held.
func sortOut(l *landing, requests []*request, outcomes []outcome) {
	for i, p := range requests {
		o := &outcomes[i]
		switch {
		case o.late:
		case o.decision.allowed:
			l.allowed = append(l.allowed, p)
		default:
			p.denial = o.denial
			if o.refused != "" {
				p.err = errors.New(o.refused)
			}
			l.others = append(l.others, p)
		}
	}
}

// tell ends the wait of requests.
func tell(requests []*request, passes bool) {
	for _, p := range requests {
		p.answer <- passes
	}
}

// answerAll tells requests that have no answer yet why nobody decides.
func answerAll(b *batch, requests []*request, why error) {
	b.mu.Lock()
	for _, r := range requests {
		answerTo(r, why)
	}
	shorten(b)
	b.mu.Unlock()
}

// answerLeft answers those whom a panic, a carrier's too, has left without an answer, unless they travel on a trip.
func answerLeft(b *batch, requests []*request) {
	b.mu.Lock()
	for _, r := range requests {
		if r.trip == 0 {
			answerTo(r, errCrashed)
		}
	}
	shorten(b)
	b.mu.Unlock()
}

// landCrashed ends a flight that a panic has ended: everybody aboard gets an answer, or those in the queue when nobody was aboard yet, and
// the connection is given back as after any other failure. What can panic once more comes last.
func landCrashed(b *batch, f *inFlight) {
	defer recovered("flight")
	held, requests, l := f.held, f.requests, f.landing
	f.held = nil
	f.requests = nil
	f.landing = landing{}
	tell(l.allowed, true)
	tell(l.others, false)
	if f.boards {
		f.boards = false
		b.mu.Lock()
		b.boarding--
		requests = append([]*request(nil), b.line[b.aboard:]...)
		b.aboard = len(b.line)
		b.mu.Unlock()
	}
	answerLeft(b, requests)
	if held != nil {
		b.client.release(held, false)
		b.client.flightFailed(b, errCrashed)
	}
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

// appendCallAbout appends to line what Redis is asked about these requests.
func appendCallAbout(line []byte, b *batch, requests []*request) []byte {
	n := len(requests)
	if n > batchSize {
		line = appendCallWith(line, b, requests)
		return line
	}
	began := len(line)
	line = append(line, plainHeads[n]...)
	for _, r := range requests {
		if r.key == nil {
			line = appendCallWith(line[:began], b, requests)
			return line
		}
		line = append(line, r.key...)
	}
	line = append(line, b.argument...)
	line = append(line, plainTails[n]...)
	return line
}

// appendCallWith is appendCallAbout with costs of their own, or keys that a sliding log has.
func appendCallWith(line []byte, b *batch, requests []*request) []byte {
	keys := make([]string, len(requests))
	costs := make([]int64, len(requests))
	for i, r := range requests {
		keys[i] = b.keyHead + r.source + "}"
		costs[i] = r.cost
	}
	line = appendCall(line, scriptKeys(b.limits, keys), b.argument, scriptCosts(costs))
	return line
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
	answerAll(b, requests, err)
	return nil
}

// failedToConnect counts a flight that got no connection, unless the breaker kept it from one.
func (b *batch) failedToConnect(err error) {
	if !errors.Is(err, errBroken) {
		b.client.flightFailed(b, err)
	}
}

// anyRefused reports whether the script could not read or write for some.
func anyRefused(outcomes []outcome) bool {
	for i := range outcomes {
		if outcomes[i].refused != "" {
			return true
		}
	}
	return false
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
	land(b, requests, outcomes)
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
