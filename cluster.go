package ratelimit

import (
	"context"
	"errors"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Mode cluster: the endpoints are seeds, any of which tells by CLUSTER SLOTS which node serves which slots. Each node has a client
// of its own, with its own connections, breaker and lines in the log, so that a lost node concerns its own sources alone.
// go-redis' ClusterClient takes selects, which Yaegi gets wrong, and asks again whatever it likes (docs/decisions/cluster.md).

// Numbers that have no option.
const (
	// slotsEvery is how often the slots are asked for while requests come. What moves is told by MOVED at once:
	// this only finds out which nodes are gone.
	slotsEvery = 30 * time.Second
	// nodesMost bounds the nodes of one cluster: Redis itself recommends no more, and a foreign server may name any number.
	nodesMost = 1000
	// tagsTried bounds the search for a key of the probe: a node with one slot alone is found after slotCount tries on average.
	tagsTried = 8 * slotCount
)

// errNoNode is why a request gets no decision when nobody serves its slot.
var errNoNode = errors.New("no node serves its slot")

// cluster is one Redis Cluster, shared by every middleware with equal redisSettings.
type cluster struct {
	settings redisSettings
	lobby    *redisClient // asks for the slots when a request has no node to go to: before the first answer, or while slots are unserved

	mu      sync.Mutex
	slots   []*node          // by slot; nil: nobody is known to serve it
	nodes   map[string]*node // by address: those that serve slots, and others in their grace
	turn    int              // whom to ask first
	asked   time.Time        // when the slots were asked for last
	learned time.Time        // when they were last told
	pending bool             // somebody asks, or asker is set
	asker   alarm            // asks for the slots
	sweeps  bool             // sweeper is set
	sweeper alarm            // looks for nodes whose grace is over
	retired bool
}

// clusterOf is the cluster as its clients see it. An interface: Yaegi mistakes the types of structs that refer to each other in
// more than one ring.
type clusterOf interface {
	ask(ctx context.Context) (*connection, error)
	askSoon()
	probeKey(prefix string, probed *redisClient) string
	unserved() error
	retire()
	dispatcher(s settings) *dispatcher
}

// node is one server of a cluster that counts.
type node struct {
	address string
	client  *redisClient
	wanted  time.Time         // when it served a slot, or a redirection named it, last; guarded by cluster.mu
	awaited time.Time         // when an ASK named it last: a slot is on its way to it; guarded by cluster.mu
	batches map[string]*batch // by dispatcher.id; guarded by cluster.mu
}

// newCluster returns a cluster of which nothing is known yet.
func newCluster(s redisSettings) *cluster {
	c := &cluster{settings: s, slots: make([]*node, slotCount), nodes: map[string]*node{}}
	asking := s
	asking.poolSize, asking.minIdleConns = 1, 0
	c.lobby = &redisClient{settings: asking, breaker: &breaker{}, health: health{endpoint: shownRedis(&s)}, cluster: c}
	return c
}

// nodeAt is the node at address, a new one if need be; nil when there are nodesMost already. c.mu is held.
func (c *cluster) nodeAt(address string, now time.Time) *node {
	found := c.nodes[address]
	if found == nil && len(c.nodes) >= nodesMost {
		return nil
	}
	if found == nil {
		s := c.settings
		s.mode = modeStandalone
		s.endpoints = []string{address}
		client := &redisClient{settings: s, breaker: &breaker{}, cluster: c, retired: c.retired}
		client.health.endpoint = "node " + address + " of " + c.lobby.health.endpoint
		found = &node{address: address, client: client, batches: map[string]*batch{}}
		c.nodes[address] = found
	}
	found.wanted = now
	return found
}

// learn replaces what is known of the slots.
func (c *cluster) learn(ranges []slotRange) {
	now := time.Now()
	c.mu.Lock()
	slots := make([]*node, slotCount)
	for _, r := range ranges {
		serving := c.nodeAt(r.address, now)
		for slot := r.first; slot <= r.last; slot++ {
			slots[slot] = serving
		}
	}
	c.slots = slots
	c.learned = now
	left := c.takeLeft(now)
	c.mu.Unlock()
	retireAll(left)
}

// takeLeft takes out the nodes that serve nothing: the lost ones at once, since nobody can tell whether they will be back, the others
// and those to which ASK leads after the grace: while a slot is on its way to a lost node, its breaker must last. c.mu is held.
func (c *cluster) takeLeft(now time.Time) []*node {
	var left []*node
	waits := false
	for address, n := range c.nodes {
		if n.wanted.Equal(now) {
			continue
		}
		lost := n.client.breaker.open.Load() && now.Sub(n.awaited) >= grace
		if lost || now.Sub(n.wanted) >= grace {
			left = append(left, n)
			delete(c.nodes, address)
			for _, b := range n.batches {
				b.close()
			}
		} else {
			waits = true
		}
	}
	if waits && !c.sweeps {
		c.sweeps = true
		c.sweeper.set(grace, c.sweep)
	}
	return left
}

// sweep asks for the slots once more when the grace of nodes that serve nothing is over.
func (c *cluster) sweep() {
	defer recovered("cluster")
	c.mu.Lock()
	c.sweeps = false
	c.mu.Unlock()
	c.askSoon()
}

// retireAll closes the connections to nodes that have left.
func retireAll(left []*node) {
	for _, n := range left {
		n.client.retire()
		n.client.health.left()
	}
}

// moved notes where a slot has moved by the words of a node's MOVED, or where to ask once by its ASK, and returns its client;
// nil when the words name none.
func (c *cluster) moved(from *redisClient, words string) *redisClient {
	slot, address := redirection(words, from.settings.endpoints[0])
	if address == "" {
		return nil
	}
	asked := strings.HasPrefix(words, "ASK ")
	c.mu.Lock()
	now := time.Now()
	named := c.nodeAt(address, now)
	if named != nil && asked {
		named.awaited = now
	} else if named != nil {
		c.slots[slot] = named
	}
	c.mu.Unlock()
	if !asked {
		c.askSoon()
	}
	if named == nil {
		return nil
	}
	return named.client
}

// namesItself reports whether a node says that a slot has moved to the very address that it has: by now that leads to another server,
// as a name or a proxy may. Only a new connection reaches it, and go-redis does not use this one any more.
func (c *redisClient) namesItself(err error) bool {
	if c.cluster == nil || errorCode(err) != "MOVED" {
		return false
	}
	_, address := redirection(err.Error(), c.settings.endpoints[0])
	return address == c.settings.endpoints[0]
}

// askSoon has the slots asked for in the background, at most once each askAgain.
func (c *cluster) askSoon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending || c.retired {
		return
	}
	c.pending = true
	c.asker.set(askAgain-time.Since(c.asked), c.refresh)
}

// askIfOld has the slots asked for when the last answer is slotsEvery ago.
func (c *cluster) askIfOld() {
	c.mu.Lock()
	old := !c.pending && time.Since(c.asked) >= slotsEvery
	c.mu.Unlock()
	if old {
		c.askSoon()
	}
}

// refresh asks for the slots, and again and again while a node is lost: another will be promoted in its place.
func (c *cluster) refresh() {
	c.refreshOnce()
	c.mu.Lock()
	c.pending = false
	lost := false
	for _, n := range c.nodes {
		lost = lost || n.client.breaker.open.Load()
	}
	c.mu.Unlock()
	if lost {
		c.askSoon()
	}
}

// refreshOnce must not end refresh by a panic.
func (c *cluster) refreshOnce() {
	defer recovered("cluster")
	ctx, cancel := context.WithTimeout(context.Background(), c.settings.dialTimeout)
	defer cancel()
	held, err := c.ask(ctx)
	if err != nil {
		c.mu.Lock()
		retired := c.retired
		c.mu.Unlock()
		if !retired { // else nobody would say that it is back
			c.lobby.health.failed(err.Error())
		}
		return
	}
	_ = held.client.Close()
	if c.unserved() == nil {
		noteAnswered(&c.lobby.health)
	}
}

// ask learns which node serves which slot from the first that knows all slots, each asked for its share of the time that ctx leaves,
// and returns the connection to it. Where none does, it is the one that knows most: a node that was taken out of its cluster knows few.
func (c *cluster) ask(ctx context.Context) (*connection, error) {
	addresses := c.whomToAsk()
	deadline, _ := ctx.Deadline()
	var causes []string
	var best *told
	for i, address := range addresses {
		share := time.Until(deadline) / time.Duration(len(addresses)-i)
		answer, err := askNode(ctx, &c.settings, address, share)
		if err != nil {
			causes = append(causes, address+": "+err.Error())
			continue
		}
		best = better(best, answer)
		if best.slots >= slotCount {
			break
		}
	}
	if best == nil {
		return nil, errors.New("no node tells the slots: " + strings.Join(causes, "; "))
	}
	c.learn(best.ranges)
	return best.held, nil
}

// whomToAsk are the addresses of the nodes, in turn, so that one that is behind is not asked for ever; then the seeds; last the nodes
// that are lost or serve nothing any more.
func (c *cluster) whomToAsk() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = time.Now()
	var well, others []string
	for address, n := range c.nodes {
		if n.client.breaker.open.Load() || n.wanted.Before(c.learned) {
			others = append(others, address)
		} else {
			well = append(well, address)
		}
	}
	sort.Strings(well) // by the map's chance no turn would be fair
	if len(well) > 0 {
		c.turn = (c.turn + 1) % len(well)
		well = append(append([]string(nil), well[c.turn:]...), well[:c.turn]...)
	}
	for _, seed := range c.settings.endpoints {
		if c.nodes[seed] == nil {
			well = append(well, seed)
		}
	}
	return append(well, others...)
}

// probeKey is a key in a slot of the node that is probed; where it serves none, any. The search goes over a copy: interpreted it
// may take a second, and every request needs the lock.
func (c *cluster) probeKey(prefix string, probed *redisClient) string {
	slots := make([]*node, slotCount)
	c.mu.Lock()
	copy(slots, c.slots)
	c.mu.Unlock()
	serves := false
	for _, n := range slots {
		serves = serves || n != nil && n.client == probed
	}
	for n := 0; serves && n < tagsTried; n++ {
		key := prefix + ":probe:{" + strconv.Itoa(n) + "}"
		serving := slots[slotOf(key)]
		if serving != nil && serving.client == probed {
			return key
		}
	}
	return prefix + ":probe:{0}"
}

// unserved is an error that names the first slots that no node serves; nil when there are none.
func (c *cluster) unserved() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for first := 0; first < slotCount; first++ {
		if c.slots[first] != nil {
			continue
		}
		last := first
		for last+1 < slotCount && c.slots[last+1] == nil {
			last++
		}
		return errors.New("no node serves slots " + strconv.Itoa(first) + " to " + strconv.Itoa(last))
	}
	return nil
}

// retire closes all connections for good: no configuration uses this cluster any more.
func (c *cluster) retire() {
	c.mu.Lock()
	c.retired = true
	var clients []*redisClient
	for _, n := range c.nodes {
		clients = append(clients, n.client)
	}
	c.mu.Unlock()
	for _, client := range clients {
		client.retire()
	}
}
