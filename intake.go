package ratelimit

import "sync"

// Numbers that have no option.
const (
	// takenAtOnce is how many requests the intake takes in together at most.
	takenAtOnce = 128
	// knownMost is how many connections' sources an intake remembers before it begins anew.
	knownMost = 8192
)

// intake takes in the requests of one middleware, all that have come meanwhile together: it finds out who is counted, denies again
// who was denied a moment ago, and hands the others to the limiter. It waits for nothing but requests.
//
// In Yaegi a call costs by the length of what is called, and a turn of a loop only by what it does. So a request does next to
// nothing on its own goroutine, and the rest is done in loops over many (docs/decisions/intake.md).
type intake struct {
	arrivals chan *request
	closed   chan bool // has an entry when nobody need be there to take in. To look at its length costs no call

	turn   sync.Mutex        // held by whoever takes in
	inHand []*request        // what is being taken in; after a panic, what it has left
	known  map[string]string // sources by remote address
}

func newIntake() *intake {
	return &intake{arrivals: make(chan *request, takenAtOnce), closed: make(chan bool, 1), known: map[string]string{}}
}

// open begins to take in, on a goroutine of the middleware, until close.
func (m *middleware) open() {
	go takeIn(m)
}

// close ends takeIn: no configuration uses the middleware any more. Requests that still come over an old router are served all the same.
func (m *middleware) close() {
	defer recovered(m.settings.name)
	m.intake.closed <- true
	m.intake.arrivals <- nil // wakes takeIn: what arrived before is taken in by it, who comes later sees that closed has an entry
}

// takeIn takes in until close.
func takeIn(m *middleware) {
	m.intake.turn.Lock()
	for len(m.intake.closed) == 0 {
		takeInMany(m)
		takeOneByOne(m)
	}
	m.intake.turn.Unlock()
	takeInRest(m)
}

// takeInRest takes in what has arrived.
func takeInRest(m *middleware) {
	m.intake.turn.Lock()
	for len(m.intake.arrivals) > 0 {
		take(m, withOthers(m.intake, nil))
	}
	m.intake.turn.Unlock()
}

// takeInMany takes in until close or a panic, which leaves what was in hand. turn is held, here and below.
func takeInMany(m *middleware) {
	defer recovered(m.settings.name)
	var first *request
	for len(m.intake.closed) == 0 {
		first = <-m.intake.arrivals
		letOthersCome()
		m.intake.inHand = withOthers(m.intake, first)
		takeInHand(m)
	}
}

// withOthers is the first request, unless that is nil, and those that have arrived after it.
func withOthers(i *intake, first *request) []*request {
	requests := make([]*request, 1+len(i.arrivals))
	n, next := 0, first
	for {
		if next != nil {
			requests[n] = next
			n++
		}
		if n == len(requests) || len(i.arrivals) == 0 {
			return requests[:n]
		}
		next = <-i.arrivals
	}
}

// takeInHand sees to it that each request in hand gets its answer, now or within the timeout.
func takeInHand(m *middleware) {
	if len(m.intake.known) >= knownMost {
		m.intake.known = map[string]string{}
	}
	identify(&m.settings.source, m.intake.known, m.intake.inHand)
	unknown := denyAgain(m.denials, m.intake.inHand, sinceStart())
	if len(unknown) > 0 {
		m.limiter.enqueue(unknown)
	}
	m.intake.inHand = nil
}

// take is takeInHand of these requests, whatever panics.
func take(m *middleware, requests []*request) {
	m.intake.inHand = requests
	takeInHandGuarded(m)
	takeOneByOne(m)
}

func takeInHandGuarded(m *middleware) {
	defer recovered(m.settings.name)
	takeInHand(m)
}

// takeOneByOne takes in once more what a panic has left: it is the fault of a single request, in which the others have no share.
func takeOneByOne(m *middleware) {
	left := m.intake.inHand
	for _, p := range left {
		if isTaken(p) {
			continue
		}
		if len(left) > 1 {
			m.intake.inHand = []*request{p}
			takeInHandGuarded(m)
		}
		if m.intake.inHand != nil && !isTaken(p) {
			fail(m.intake.inHand, errCrashed)
		}
	}
	m.intake.inHand = nil
}

// isTaken reports whether somebody else sees to it that a request gets its answer, or has done so. One that was enqueued is its batch's
// by now: nothing else of it may be read.
func isTaken(p *request) bool { return !p.deadline.IsZero() || p.answered }

// identifyAlone finds out, before the intake, the source of a request that may bring a long chain of addresses: it takes up to a millisecond to
// walk, for which nobody else should wait. After a panic the source is left to the intake.
func identifyAlone(m *middleware, p *request) {
	defer recovered(m.settings.name)
	p.source = sourceOf(&m.settings.source, p.asked)
}
