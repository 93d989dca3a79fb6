package ratelimit

import "errors"

// followersMost is how many trips to other nodes one batch may have out beside its flights. A near node is asked and has
// answered before the next flight follows; one that hangs must not gather trips without end.
const followersMost = 2 * flightsAtOnce

// sendOut leads requests from the lobby to their nodes, now that the slots are known.
func (p *dispatcher) sendOut(groups []*group) {
	trips := newTrips()
	unserved := false
	p.cluster.mu.Lock()
	for _, g := range groups {
		serving := p.cluster.slots[slotOf(p.lobby.keyHead+g.requests[0].source+"}")]
		if serving == nil {
			unserved = true
			g.err = errNoNode
		} else {
			trips.add(serving.client, g)
		}
	}
	p.cluster.mu.Unlock()
	if unserved {
		cause := p.cluster.unserved()
		if cause == nil { // somebody serves it by now
			cause = errNoNode
		}
		p.lobby.client.flightFailed(p.lobby, cause)
	} else {
		exchangeSucceeded(p.lobby.client, true)
	}
	for _, g := range groups {
		if g.err != nil {
			answerAll(p.lobby, g.requests, g.err)
		}
	}
	p.follow(p.lobby, trips, true)
}

// sendAgain asks once more: where the node of from said, or on a new connection to it.
func (p *dispatcher) sendAgain(b *batch, from *redisClient, groups []*group) {
	t := newTrips()
	for _, g := range groups {
		words := g.err.Error()
		code := replyCode(words)
		to := from
		if code == "MOVED" || code == "ASK" {
			g.asking = code == "ASK"
			to = p.cluster.moved(from, words)
		}
		if to == nil {
			from.flightFailed(b, g.err)
			answerAll(b, g.requests, g.err)
		} else {
			t.add(to, g)
		}
	}
	p.follow(b, t, false)
}

// trips are groups by the node that they are to be asked at.
type trips struct {
	order  []*redisClient
	groups map[*redisClient][]*group
}

func newTrips() *trips { return &trips{groups: map[*redisClient][]*group{}} }

func (t *trips) add(to *redisClient, g *group) {
	if len(t.groups[to]) == 0 {
		t.order = append(t.order, to)
	}
	t.groups[to] = append(t.groups[to], g)
}

// errTooManyTrips is why a request gets no decision when followersMost trips are out.
var errTooManyTrips = errors.New("too many requests follow redirections")

// follow asks each node on a goroutine of its own: one that hangs must not hold up the flights to others.
func (p *dispatcher) follow(b *batch, t *trips, retry bool) {
	for _, to := range t.order {
		groups := t.groups[to]
		number := b.depart(groups)
		if number == 0 {
			for _, g := range groups {
				answerAll(b, g.requests, errTooManyTrips)
			}
			continue
		}
		go p.trip(b, to, groups, retry, number)
	}
}

// depart notes that requests travel apart from their flight, and returns the number of their trip; 0 when too many are out.
func (b *batch) depart(groups []*group) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away >= followersMost && !b.lobby {
		return 0
	}
	b.away++
	b.trips++
	for _, g := range groups {
		for _, r := range g.requests {
			r.trip = b.trips
		}
	}
	return b.trips
}

// arrive ends a trip. Those whom a panic has left without an answer get one here, but not those who are on another trip by now.
func (b *batch) arrive(groups []*group, number int) {
	b.mu.Lock()
	b.away--
	for _, g := range groups {
		for _, r := range g.requests {
			if r.trip == number {
				answerTo(r, errCrashed)
			}
		}
	}
	shorten(b)
	b.mu.Unlock()
}

// trip asks the node of to about requests that have come on another flight.
func (p *dispatcher) trip(b *batch, to *redisClient, groups []*group, retry bool, number int) {
	p.tripOnce(b, to, groups, retry)
	b.arrive(groups, number)
}

// tripOnce leaves requests without an answer when it panics.
func (p *dispatcher) tripOnce(b *batch, to *redisClient, groups []*group, retry bool) {
	defer recovered("flight")
	held, err := to.connect()
	if err != nil {
		if !errors.Is(err, errBroken) {
			to.flightFailed(b, err)
		}
		for _, g := range groups {
			answerAll(b, g.requests, err)
		}
		return
	}
	var waiting []*group
	for _, g := range groups {
		still := b.stillWaiting(g.requests)
		if len(still) > 0 {
			waiting = append(waiting, &group{requests: still, asking: g.asking})
		}
	}
	if len(waiting) == 0 {
		to.release(held, true)
		return
	}
	p.ask(b, to, held, waiting, retry)
}
