package ratelimit

import (
	"errors"
	"time"
)

// dispatcher is a middleware's limiter on a cluster: a batch for each node, and one more, the lobby, for requests of which nobody knows yet
// where they belong.
//
// A script call may name the keys of one slot only, so each source aboard a flight has a call of its own, and a flight is a pipeline
// of calls to one node.
type dispatcher struct {
	cluster  *cluster
	settings settings
	id       string // the middleware's name and fingerprint
	lobby    *batch
	left     bool // no configuration uses this middleware any more; guarded by cluster.mu
}

// dispatcher returns the limiter of one middleware.
func (c *cluster) dispatcher(s settings) *dispatcher {
	p := &dispatcher{cluster: c, settings: s, id: s.name + " " + s.fingerprint}
	p.lobby = newBatch(&p.settings, c.lobby)
	p.lobby.carrier = p
	p.lobby.lobby = true
	return p
}

// enqueue implements limiter.
func (p *dispatcher) enqueue(requests []*request) {
	var order []*batch
	queues := map[*batch][]*request{}
	for _, r := range requests {
		b := p.batchOf(r.source)
		if len(queues[b]) == 0 {
			order = append(order, b)
		}
		queues[b] = append(queues[b], r)
	}
	for _, b := range order {
		b.enqueue(queues[b])
	}
}

// batchOf is the batch of the node that counts source.
func (p *dispatcher) batchOf(source string) *batch {
	slot := slotOf(p.settings.keyHead + source + "}")
	c := p.cluster
	c.mu.Lock()
	b := p.lobby
	if serving := c.slots[slot]; serving != nil {
		b = serving.batches[p.id]
		if b == nil {
			b = p.join(serving)
		}
	}
	c.mu.Unlock()
	return b
}

// join makes the batch for a node. cluster.mu is held.
func (p *dispatcher) join(n *node) *batch {
	b := newBatch(&p.settings, n.client)
	b.carrier = p
	b.denials = p.lobby.denials // of all nodes: a slot may move
	b.closed = p.left
	if !p.left {
		n.batches[p.id] = b
		n.client.breaker.join(b)
	}
	return b
}

// leave ends the batches: no configuration uses this middleware any more.
func (p *dispatcher) leave() {
	c := p.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	p.left = true
	for _, n := range c.nodes {
		if b := n.batches[p.id]; b != nil {
			n.client.breaker.leave(b)
			b.close()
			delete(n.batches, p.id)
		}
	}
}

// decidedWithout counts a request that the failure mode decided, for the line of the node that counts its source.
func (p *dispatcher) decidedWithout(source string) {
	p.batchOf(source).client.health.decidedWithout()
}

// group is what one script call asks: the requests aboard that are of one source.
type group struct {
	requests []*request
	asking   bool // the node has not got the whole slot yet: say ASKING before
	outcomes []outcome
	err      error
}

// grouped parts requests by source, in order of arrival.
func grouped(requests []*request) []*group {
	var groups []*group
	bySource := map[string]*group{}
	for _, r := range requests {
		g := bySource[r.source]
		if g == nil {
			g = &group{}
			bySource[r.source] = g
			groups = append(groups, g)
		}
		g.requests = append(g.requests, r)
	}
	return groups
}

// carry implements carrier.
func (p *dispatcher) carry(b *batch, held *connection, requests []*request) {
	defer recovered("flight")
	groups := grouped(requests)
	if b.lobby {
		b.client.release(held, true)
		p.sendOut(groups)
		return
	}
	p.ask(b, b.client, held, groups, true)
}

// ask is one exchange with the node of from. It answers the requests, or sends them on their one retry.
func (p *dispatcher) ask(b *batch, from *redisClient, held *connection, groups []*group, retry bool) {
	for _, g := range groups {
		g.err = errCrashed
	}
	b.askAll(held, groups, from.settings.readTimeout)
	f := &flown{usable: true}
	for _, g := range groups {
		if g.err == nil {
			p.decided(f, b, from, g)
		} else {
			p.failed(f, from, g, retry)
		}
	}
	if f.replaced {
		from.forget()
	}
	from.release(held, f.usable)
	if f.stale {
		from.forgetStale()
	}
	switch {
	case f.cause != nil && !f.charged:
		from.flightFailed(b, f.cause)
	case f.decided:
		exchangeSucceeded(from, f.charged)
	}
	for _, g := range f.landed {
		if g.err != nil {
			answerAll(b, g.requests, g.err)
		} else {
			land(b, g.requests, g.outcomes)
		}
	}
	if len(f.again) > 0 {
		p.sendAgain(b, from, f.again)
	}
	p.cluster.askIfOld()
}

// flown is what became of a flight.
type flown struct {
	landed   []*group // to be answered
	again    []*group // to be asked once more
	usable   bool     // the connection
	stale    bool     // and others may be, too
	replaced bool     // another server is at the node's address by now
	decided  bool     // at least one source
	charged  bool     // and one was charged: the node takes writes, and whatever failed is the matter of single slots
	cause    error    // what failed, if anything did
}

// decided sorts what the script answered. A foreign value is its source's own matter.
func (p *dispatcher) decided(f *flown, b *batch, from *redisClient, g *group) {
	f.landed = append(f.landed, g)
	f.decided = true
	f.charged = f.charged || charged(g.outcomes)
	for i := range g.outcomes {
		words := g.outcomes[i].refused
		if words == "" {
			continue
		}
		if replyCode(words) == "WRONGTYPE" {
			from.health.foreignKey(b.keyHead+g.requests[i].source+"}", words)
		} else {
			f.cause = errors.New(words)
		}
	}
}

// failed sorts a call without a reply of the script.
func (p *dispatcher) failed(f *flown, from *redisClient, g *group, retry bool) {
	code, stale := errorCode(g.err), errors.Is(g.err, errStale)
	f.usable = f.usable && usable(g.err)
	f.stale = f.stale || stale
	f.replaced = f.replaced || from.namesItself(g.err)
	if retry && (stale || code == "MOVED" || code == "ASK") {
		f.again = append(f.again, g)
		return
	}
	f.landed = append(f.landed, g)
	switch words := g.err.Error(); {
	case code == "TRYAGAIN": // of the source's keys some have moved with their slot, some are not there
		logDebug("redis: call failed: " + words)
	case words == slotUnserved: // by any node
		logDebug("redis: call failed: " + words)
		p.cluster.askSoon()
	default:
		f.cause = g.err
	}
}

// slotUnserved is what a node says of one slot. It says nothing of others, unlike "CLUSTERDOWN The cluster is down".
const slotUnserved = "CLUSTERDOWN Hash slot not served"

// askAll is one exchange on an open connection: a script call for each group. It leaves the groups as they are when it panics.
func (b *batch) askAll(held *connection, groups []*group, timeout time.Duration) {
	defer recovered("flight")
	calls := make([]nodeCall, len(groups))
	for i, g := range groups {
		calls[i] = nodeCall{command: appendCallAbout(nil, b, g.requests), asking: g.asking}
	}
	sent := sinceStart()
	replies := exchangeAll(held, calls, timeout)
	arrived := sinceStart()
	for i, g := range groups {
		text, err := "", replies[i].err
		if err == nil {
			text, err = replyText(replies[i].reply)
		}
		if err == nil {
			g.outcomes, _, err = parseReply(text, b.limits, len(g.requests))
		}
		if err == nil {
			rememberDenied(b.denials, g.requests, g.outcomes, sent, arrived)
		}
		g.err = err
	}
}
