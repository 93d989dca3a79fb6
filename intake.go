package ratelimit

import "sync"

// Numbers that have no option.
const (
	// takenAtOnce is how many requests the intake takes in together at most.
	takenAtOnce = 128
	// knownMost is how many connections' peers an intake remembers before it begins anew.
	knownMost = 8192
)

// intake takes in the requests of one middleware, all that have come meanwhile together: it finds out who is counted, denies again
// who was denied a moment ago, and hands the others to the limiter. It waits for nothing but requests.
//
// In Yaegi a call costs by the length of what is called, and a turn of a loop only by what it does. So a request does next to
// nothing on its own goroutine, and the rest is done in loops over many (docs/decisions/intake.md).
type intake struct {
	arrivals chan *request
	keyHead  string    // plainKeyHead
	closed   chan bool // has an entry when nobody need be there to take in. To look at its length costs no call

	turn   sync.Mutex       // held by whoever takes in
	inHand []*request       // what is being taken in; after a panic, what it has left
	known  map[string]*peer // by remote address
}

func newIntake(keyHead string) *intake {
	return &intake{keyHead: keyHead, arrivals: make(chan *request, takenAtOnce), closed: make(chan bool, 1), known: map[string]*peer{}}
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
		takeInMany(m, true)
		takeOneByOne(m)
	}
	m.intake.turn.Unlock()
	takeInRest(m)
}

// takeInRest takes in what has arrived.
func takeInRest(m *middleware) {
	m.intake.turn.Lock()
	for len(m.intake.arrivals) > 0 {
		takeInMany(m, false)
		takeOneByOne(m)
	}
	m.intake.turn.Unlock()
}

// takeInMany takes in the requests in hand, or if there are none those that have arrived; when it stays it waits for them, again and
// again until close. It sees to it that each gets its answer, now or within the timeout. A panic leaves what was in hand. turn is held,
// here and below. It is one long loop, since interpreted a call costs by the length of what is called, and a turn of a loop does not.
func takeInMany(m *middleware, stays bool) {
	defer recovered(m.settings.name)
	i, d := m.intake, m.denials
	arrivals, known, remote := i.arrivals, i.known, m.settings.source.remote
	var next *request
	var who *peer
	var requests, unknown []*request
	n, left, someDenied := 0, 0, false
	for {
		if len(i.inHand) == 0 {
			n = 0
			if stays {
				next = <-arrivals
				letOthersCome()
			}
			left = len(arrivals) // nobody else takes any out
			requests = make([]*request, 1+left)
			if stays && next != nil {
				requests[0] = next
				n = 1
			}
			for ; left > 0; left-- {
				next = <-arrivals
				if next != nil {
					requests[n] = next
					n++
				}
			}
			i.inHand = requests[:n]
		}
		requests = i.inHand
		if len(known) >= knownMost {
			known = map[string]*peer{}
			i.known = known
		}
		someDenied = len(d.some) > 0
		for _, p := range requests {
			p.cost = 1 // set here, where it costs no slot of a frame
			if p.source == "" {
				if remote {
					who = known[p.asked.RemoteAddr]
				}
				if who != nil {
					p.source = who.source
					p.key = who.key
				} else {
					identify(m, p)
					if remote {
						known[p.asked.RemoteAddr] = &peer{source: p.source, key: p.key}
					}
				}
			}
			if !someDenied {
				p.asked = nil // nobody else holds on to it
			}
		}
		unknown = requests
		if someDenied {
			unknown = recall(d, requests, sinceStart(), remote)
			denyAgain(requests)
		}
		if len(unknown) > 0 && m.direct {
			(*batch).enqueue(m.batch, unknown) // as below, at a quarter of the price
		} else if len(unknown) > 0 {
			m.limiter.enqueue(unknown)
		}
		i.inHand = nil
		requests = nil // nobody else holds on to them
		unknown = nil
		if !stays || len(i.closed) > 0 {
			return
		}
	}
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
			takeInMany(m, false)
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

// peer is who sends over a connection, where only the remote address counts.
type peer struct {
	source string
	key    []byte // request.key
}

// identify finds out who is counted.
func identify(m *middleware, p *request) {
	p.source = sourceOf(&m.settings.source, p.asked)
	if m.intake.keyHead != "" {
		p.key = []byte(bulk(m.intake.keyHead + p.source + "}"))
	}
}

// identifyAlone finds out, before the intake, the source of a request that may bring a long chain of addresses: it takes up to a millisecond to
// walk, for which nobody else should wait. After a panic the source is left to the intake.
func identifyAlone(m *middleware, p *request) {
	defer recovered(m.settings.name)
	identify(m, p)
}
