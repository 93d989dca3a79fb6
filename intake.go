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

	turn  sync.Mutex        // held by whoever takes in
	known map[string]string // sources by remote address
}

func newIntake() *intake {
	return &intake{arrivals: make(chan *request, takenAtOnce), closed: make(chan bool, 1), known: map[string]string{}}
}

// open begins to take in, on a goroutine of the middleware, until close.
func (m *middleware) open() {
	go m.takeIn()
}

// close ends takeIn: no configuration uses the middleware any more. Requests that still come over an old router are served all the same.
func (m *middleware) close() {
	defer recovered(m.settings.name)
	m.intake.closed <- true
	m.intake.arrivals <- nil // wakes takeIn: what arrived before is taken in by it, who comes later sees that closed has an entry
}

// takeIn takes in until close.
func (m *middleware) takeIn() {
	m.intake.turn.Lock()
	for len(m.intake.closed) == 0 {
		first := <-m.intake.arrivals
		letOthersCome()
		m.take(m.intake.withOthers(first))
	}
	m.intake.turn.Unlock()
	m.takeInRest()
}

// takeInRest takes in what has arrived.
func (m *middleware) takeInRest() {
	m.intake.turn.Lock()
	for len(m.intake.arrivals) > 0 {
		m.take(m.intake.withOthers(nil))
	}
	m.intake.turn.Unlock()
}

// withOthers is the first request, unless that is nil, and those that have arrived after it. turn is held.
func (i *intake) withOthers(first *request) []*request {
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

// taking says how far take has got.
type taking struct{ whole bool }

// take sees to it that each of these requests gets its answer, now or within the timeout. A panic of ours is the fault of a single one,
// in which the others have no share.
func (m *middleware) take(requests []*request) {
	t := &taking{}
	m.takeInto(t, requests)
	if t.whole {
		return
	}
	for _, p := range requests {
		switch {
		case p.answered || !p.deadline.IsZero():
		case len(requests) == 1:
			fail(requests, errCrashed)
		default:
			m.take([]*request{p})
		}
	}
}

// takeInto leaves t as it is when it panics.
func (m *middleware) takeInto(t *taking, requests []*request) {
	defer recovered(m.settings.name)
	if len(m.intake.known) >= knownMost {
		m.intake.known = map[string]string{}
	}
	identify(&m.settings.source, m.intake.known, requests)
	unknown := denyAgain(m.denials, requests, sinceStart())
	if len(unknown) > 0 {
		m.limiter.enqueue(unknown)
	}
	t.whole = true
}
