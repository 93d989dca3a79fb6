package ratelimit

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"go.uber.org/goleak"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// fakeNode is a miniredis that answers CLUSTER SLOTS and script calls as the test says.
type fakeNode struct {
	*miniredis.Miniredis

	mu    sync.Mutex
	slots []slotRange
	says  string // in the place of a script call; "" decides
	once  bool   // it says so a single time
	asked int    // for the slots
	calls int    // of the script
}

func newFakeNode(t *testing.T) *fakeNode {
	t.Helper()
	f := &fakeNode{Miniredis: miniredis.RunT(t)}
	f.serve(slotRange{0, slotCount - 1, f.Addr()})
	f.Server().SetPreHook(func(c *server.Peer, command string, _ ...string) bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		switch command {
		case "CLUSTER":
			f.asked++
			writeSlots(c, f.slots)
			return true
		case "EVALSHA", "EVAL":
			f.calls++
			if f.says != "" {
				c.WriteError(f.says)
				if f.once {
					f.says = ""
				}
				return true
			}
		}
		return false
	})
	return f
}

// writeSlots is a reply to CLUSTER SLOTS.
func writeSlots(c *server.Peer, slots []slotRange) {
	c.WriteLen(len(slots))
	for _, r := range slots {
		host, port, _ := net.SplitHostPort(r.address)
		number, _ := strconv.Atoi(port)
		c.WriteLen(3)
		c.WriteInt(r.first)
		c.WriteInt(r.last)
		c.WriteLen(3)
		c.WriteBulk(host)
		c.WriteInt(number)
		c.WriteBulk("id")
	}
}

// serve changes the node's map.
func (f *fakeNode) serve(slots ...slotRange) {
	f.mu.Lock()
	f.slots = slots
	f.mu.Unlock()
}

func (f *fakeNode) say(words string) {
	f.mu.Lock()
	f.says = words
	f.mu.Unlock()
}

func (f *fakeNode) counts() (asked, calls int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked, f.calls
}

// inCluster is a middleware's limiter on the cluster of these seeds.
func inCluster(t *testing.T, change func(c *Config), seeds ...string) (*dispatcher, *cluster) {
	t.Helper()
	s := settingsAt(t, "cluster@test", "", func(c *Config) {
		hourly(c)
		c.Redis.Endpoints, c.Redis.Mode = seeds, modeCluster
		if change != nil {
			change(c)
		}
	})
	c := newCluster(s.redis)
	t.Cleanup(c.lobby.retire)
	p := c.dispatcher(s)
	c.lobby.breaker.join(p.lobby)
	return p, c
}

// sourceIn is a source in one of the slots from first to last.
func sourceIn(p *dispatcher, first, last int) string {
	for i := 0; ; i++ {
		source := "s" + strconv.Itoa(i)
		if slot := slotOf(p.settings.keyHead + source + "}"); slot >= first && slot <= last {
			return source
		}
	}
}

// halves are two nodes that share the slots.
func halves(t *testing.T) (low, high *fakeNode) {
	low, high = newFakeNode(t), newFakeNode(t)
	both := []slotRange{{0, slotCount/2 - 1, low.Addr()}, {slotCount / 2, slotCount - 1, high.Addr()}}
	low.serve(both...)
	high.serve(both...)
	return low, high
}

func mustDecide(t *testing.T, p *dispatcher, source string) decision {
	t.Helper()
	decided, err := takeFrom(p, source, 1)
	if err != nil {
		t.Fatalf("source %s: %v", source, err)
	}
	return decided
}

// TestSourcesGoToTheirNodes: each node counts its own, and nobody is redirected once the slots are known.
func TestSourcesGoToTheirNodes(t *testing.T) {
	low, high := halves(t)
	p, _ := inCluster(t, nil, nowhere, low.Addr())
	for i := 0; i < 3; i++ {
		for _, source := range []string{sourceIn(p, 0, slotCount/2-1), sourceIn(p, slotCount/2, slotCount-1)} {
			d := mustDecide(t, p, source)
			if d.verdicts[0].remaining != 999-int64(i) {
				t.Errorf("request %d of %s: %d remaining", i, source, d.verdicts[0].remaining)
			}
		}
	}
	if len(low.Keys()) != 1 || len(high.Keys()) != 1 {
		t.Errorf("keys at the nodes: %q and %q, want one each", low.Keys(), high.Keys())
	}
	asked, _ := low.counts()
	again, _ := high.counts()
	if asked+again != 1 {
		t.Errorf("the slots were asked for %d times, want once", asked+again)
	}
}

// TestRequestsWaitForTheSlotsWithinTheirTimeout: seeds that hang cost a request its timeout and no more, one that answers then serves all.
func TestRequestsWaitForTheSlotsWithinTheirTimeout(t *testing.T) {
	node := newFakeNode(t)
	proxy := redistest.NewProxy(t, node.Addr())
	proxy.Hold(300 * time.Millisecond)
	p, _ := inCluster(t, func(c *Config) { c.Timeout = "50ms" }, proxy.Addr)
	_, err := takeFrom(p, "x", 1)
	if !errors.Is(err, errTimeUp) {
		t.Errorf("before the slots are known: %v, want %v", err, errTimeUp)
	}
	eventually(t, "a request is decided", func() bool {
		_, err := takeFrom(p, "y", 1)
		return err == nil
	})
	if node.Exists(p.settings.keyHead + "x}") {
		t.Error("a request that was released before its flight left was charged")
	}
}

// TestMovedCorrectsTheMap, and ASK does not.
func TestMovedCorrectsTheMap(t *testing.T) {
	low, high := halves(t)
	p, c := inCluster(t, nil, low.Addr())
	source := sourceIn(p, 0, slotCount/2-1)
	slot := slotOf(p.settings.keyHead + source + "}")
	at := func() string {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.slots[slot].address
	}
	mustDecide(t, p, source)
	low.say("ASK " + strconv.Itoa(slot) + " " + high.Addr())
	mustDecide(t, p, source)
	if at() != low.Addr() {
		t.Error("ASK has changed the map")
	}
	both := []slotRange{{0, slotCount - 1, high.Addr()}}
	low.serve(both...)
	high.serve(both...)
	low.say("MOVED " + strconv.Itoa(slot) + " " + high.Addr())
	mustDecide(t, p, source)
	if at() != high.Addr() {
		t.Error("MOVED has not changed the map")
	}
	eventually(t, "the whole map is asked for", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.slots[0].address == high.Addr()
	})
}

// TestUnservedSlots: their sources are decided by the failure mode, the log names the slots, and others go on.
func TestUnservedSlots(t *testing.T) {
	node := newFakeNode(t)
	node.serve(slotRange{0, 99, node.Addr()}, slotRange{200, slotCount - 1, node.Addr()})
	l := captureLog(t, node.Addr())
	p, c := inCluster(t, nil, node.Addr())
	hole, well := sourceIn(p, 100, 199), sourceIn(p, 200, slotCount-1)
	for i := 0; i < breakerFlights; i++ {
		if _, err := takeFrom(p, hole, 1); !errors.Is(err, errNoNode) && (i < breakerFlights-1 || !errors.Is(err, errBroken)) {
			t.Errorf("nobody serves it: %v, want %v", err, errNoNode)
		}
		mustDecide(t, p, well)
	}
	if _, err := takeFrom(p, hole, 1); !errors.Is(err, errBroken) {
		t.Errorf("%v, want %v at once", err, errBroken)
	}
	if err := c.unserved(); err == nil || err.Error() != "no node serves slots 100 to 199" {
		t.Errorf("got %v", err)
	}
	node.serve(slotRange{0, slotCount - 1, node.Addr()})
	eventually(t, "the slots are served", func() bool {
		_, err := takeFrom(p, hole, 1)
		return err == nil
	})
	eventually(t, "the log has both lines", func() bool { return len(l.lines()) == 2 })
	wantLines(t, l,
		"redis lost: never reached cluster "+node.Addr()+" since start: no node serves slots 100 to 199; each middleware's failureMode decides until it is back",
		"redis back: cluster "+node.Addr()+"; 0 requests were decided without it")
}

// TestNodesThatLeave: their connections go, at once when they are lost, and the log says that others have taken over.
func TestNodesThatLeave(t *testing.T) {
	others := goleak.IgnoreCurrent()
	low, high := halves(t)
	lowAddr, highAddr := low.Addr(), high.Addr()
	l := captureLog(t, highAddr)
	p, c := inCluster(t, nil, lowAddr)
	source := sourceIn(p, slotCount/2, slotCount-1)
	mustDecide(t, p, source)
	mustDecide(t, p, sourceIn(p, 0, slotCount/2-1))

	c.learn([]slotRange{{0, slotCount - 1, lowAddr}})
	if high.CurrentConnectionCount() == 0 {
		t.Error("a node that left has no grace")
	}
	c.mu.Lock()
	c.nodes[highAddr].wanted = time.Now().Add(-2 * grace)
	c.mu.Unlock()
	c.learn([]slotRange{{0, slotCount - 1, lowAddr}})
	eventually(t, "no connection is left to the node that left", func() bool { return high.CurrentConnectionCount() == 0 })
	c.mu.Lock()
	if len(c.nodes) != 1 {
		t.Errorf("%d nodes are known, want the one that is left", len(c.nodes))
	}
	c.mu.Unlock()

	low.serve(slotRange{0, slotCount - 1, highAddr})
	high.serve(slotRange{0, slotCount - 1, highAddr})
	c.learn([]slotRange{{0, slotCount - 1, highAddr}})
	mustDecide(t, p, source)
	high.Close()
	for i := 0; i < breakerFlights; i++ {
		_, _ = takeFrom(p, source, 1)
	}
	asked, _ := low.counts()
	eventually(t, "the slots are asked for again and again", func() bool {
		now, _ := low.counts()
		return now > asked+2
	})
	low.serve(slotRange{0, slotCount - 1, lowAddr})
	eventually(t, "the other node takes over", func() bool {
		_, err := takeFrom(p, source, 1)
		return err == nil
	})
	eventually(t, "the log says so", func() bool { return len(l.lines()) == 2 })
	if got := l.lines()[1]; got != "redis back: node "+highAddr+" of cluster "+lowAddr+" serves no slots any more; 0 requests were decided without it" {
		t.Errorf("the log says %s", got)
	}
	p.leave()
	p.lobby.close()
	mustDecide(t, p, source) // over an old router: no goroutine waits for another one
	c.lobby.retire()
	eventually(t, "no connection is left", func() bool { return low.CurrentConnectionCount() == 0 })
	low.Close()
	goleak.VerifyNone(t, others)
}

// TestLostNodeThatAsksNames: while a slot is on its way to a node that is lost, each answer to CLUSTER SLOTS would else forget its breaker:
// its requests would wait again and again, with two lines in the log each time.
func TestLostNodeThatAsksNames(t *testing.T) {
	low := newFakeNode(t)
	l := captureLog(t, nowhere)
	p, c := inCluster(t, nil, low.Addr())
	mustDecide(t, p, "x")
	low.say("ASK " + strconv.Itoa(slotOf(p.settings.keyHead+"x}")) + " " + nowhere)
	for i := 0; i < 5*breakerFlights; i++ {
		if _, err := takeFrom(p, "x", 1); err == nil {
			t.Error("decided by a node that is not there")
		}
		c.refreshOnce()
	}
	wantLines(t, l, "redis lost: never reached node "+nowhere+" of cluster "+low.Addr()+
		" since start: dial tcp "+nowhere+": connect: connection refused; each middleware's failureMode decides until it is back")
	c.mu.Lock()
	gone := c.nodes[nowhere]
	if gone != nil {
		gone.awaited = time.Now().Add(-grace)
	}
	c.mu.Unlock()
	c.refreshOnce()
	if lines := l.lines(); gone == nil || len(lines) != 2 {
		t.Errorf("a lost node to which nothing leads any more is kept: %q", lines)
	}
}

// TestWhomToAsk: nodes that are well take turns, then come the seeds, last the lost nodes; and one that hangs takes only its share.
func TestWhomToAsk(t *testing.T) {
	_, c := inCluster(t, nil, "seed:1", "a:1")
	c.learn([]slotRange{{0, 0, "a:1"}, {1, 1, "b:1"}, {2, 2, "c:1"}, {3, 3, "d:1"}})
	c.nodes["d:1"].client.breaker.open.Store(true)
	for i, want := range []string{"b:1 c:1 a:1 seed:1 d:1", "c:1 a:1 b:1 seed:1 d:1", "a:1 b:1 c:1 seed:1 d:1", "b:1 c:1 a:1 seed:1 d:1"} {
		if got := strings.Join(c.whomToAsk(), " "); got != want {
			t.Errorf("time %d: %s, want %s", i, got, want)
		}
	}

	node := newFakeNode(t)
	p, _ := inCluster(t, func(c *Config) { c.Timeout, c.Redis.DialTimeout = "10s", "3s" }, hanging(t), nowhere, node.Addr())
	start := time.Now()
	mustDecide(t, p, "x")
	if took := time.Since(start); took > 2500*time.Millisecond {
		t.Errorf("the first decision took %v, want about a third of 3 s", took)
	}
}

// TestNoNodeTells: the log must say why for each seed.
func TestNoNodeTells(t *testing.T) {
	single := redistest.Start(t)
	odd := miniredis.RunT(t)
	odd.Server().SetPreHook(func(c *server.Peer, command string, _ ...string) bool {
		if command == "CLUSTER" {
			c.WriteOK()
		}
		return command == "CLUSTER"
	})
	p, _ := inCluster(t, nil, nowhere, single.Addr, odd.Addr())
	_, err := takeFrom(p, "x", 1)
	want := "no node tells the slots: " + nowhere + ": dial tcp " + nowhere + ": connect: connection refused; " +
		single.Addr + ": ERR This instance has cluster support disabled; " + odd.Addr() + ": it does not answer like a node of a cluster"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestNodeThatWasTakenOut: what it knows must not replace what a node knows that serves all slots.
func TestNodeThatWasTakenOut(t *testing.T) {
	low, high := halves(t)
	p, c := inCluster(t, nil, low.Addr(), high.Addr())
	mustDecide(t, p, "x")
	for _, out := range []*fakeNode{low, high} {
		low.serve(slotRange{0, slotCount - 1, low.Addr()})
		high.serve(slotRange{0, slotCount - 1, high.Addr()})
		out.serve()
		for i := 0; i < 3; i++ {
			c.refreshOnce()
			if err := c.unserved(); err != nil {
				t.Errorf("the map of a node that was taken out is taken for one: %v", err)
			}
			mustDecide(t, p, "x")
		}
	}
	low.serve(slotRange{0, 99, low.Addr()})
	high.serve(slotRange{0, 9, high.Addr()})
	c.refreshOnce()
	if err := c.unserved(); err == nil || err.Error() != "no node serves slots 100 to 16383" {
		t.Errorf("%v, want the map that has most slots", err)
	}
}

// TestAskedNowAndThen: whatever happens, the slots are asked for twice a second at most, and by requests alone each slotsEvery.
func TestAskedNowAndThen(t *testing.T) {
	node := newFakeNode(t)
	p, c := inCluster(t, nil, node.Addr())
	start := time.Now()
	mustDecide(t, p, "x")
	for i := 0; i < 1000; i++ {
		c.askSoon()
	}
	eventually(t, "the slots are asked for again", func() bool {
		c.askSoon()
		asked, _ := node.counts()
		return asked > 2
	})
	asked, _ := node.counts()
	if most := 1 + int(time.Since(start)/askAgain); asked > most {
		t.Errorf("asked %d times within %v", asked, time.Since(start))
	}
	eventually(t, "nobody asks", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return !c.pending
	})
	asked, _ = node.counts()
	for i := 0; i < 10; i++ {
		mustDecide(t, p, "x")
	}
	if now, _ := node.counts(); now != asked {
		t.Error("a request asked for the slots though they are fresh")
	}
	c.mu.Lock()
	c.asked = time.Now().Add(-2 * slotsEvery)
	c.mu.Unlock()
	mustDecide(t, p, "x")
	eventually(t, "the slots are asked for by a request", func() bool {
		now, _ := node.counts()
		return now == asked+1
	})
}

// TestNobodyTellsTheSlotsAnyMore: what is known stays in use, and the log says that it may be old.
func TestNobodyTellsTheSlotsAnyMore(t *testing.T) {
	node := newFakeNode(t)
	l := captureLog(t, node.Addr())
	p, c := inCluster(t, nil, node.Addr())
	mustDecide(t, p, "x")
	node.serve(slotRange{0, slotCount, node.Addr()})
	c.refreshOnce()
	mustDecide(t, p, "x")
	node.serve(slotRange{0, 0, node.Addr()})
	c.refreshOnce()
	node.serve(slotRange{0, slotCount - 1, node.Addr()})
	eventually(t, "the log has both lines", func() bool {
		c.refreshOnce()
		return len(l.lines()) == 2
	})
	cluster := "cluster " + node.Addr()
	wantLines(t, l,
		"redis lost: "+cluster+": no node tells the slots: "+node.Addr()+": it does not answer like a node of a cluster; each middleware's failureMode decides until it is back",
		"redis back: "+cluster+"; 0 requests were decided without it")
}

// TestNodesAreBounded: a foreign server may name any number.
func TestNodesAreBounded(t *testing.T) {
	_, c := inCluster(t, nil, nowhere)
	var ranges []slotRange
	for i := 0; i < slotCount; i++ {
		ranges = append(ranges, slotRange{i, i, fmt.Sprintf("10.0.%d.%d:1", i/256, i%256)})
	}
	c.learn(ranges)
	if len(c.nodes) != nodesMost {
		t.Errorf("%d nodes, want %d", len(c.nodes), nodesMost)
	}
	if c.moved(c.nodes["10.0.0.0:1"].client, "MOVED 1 10.1.0.0:1") != nil {
		t.Error("another node beyond the bound")
	}
}

// TestProbeKeysBelongToTheirNode: another node would not answer.
func TestProbeKeysBelongToTheirNode(t *testing.T) {
	_, c := inCluster(t, nil, nowhere)
	c.learn([]slotRange{{0, 0, "a:1"}, {1, 8000, "b:1"}, {8001, slotCount - 1, "c:1"}})
	for _, address := range []string{"a:1", "b:1", "c:1"} {
		key := c.probeKey("ratelimit", c.nodes[address].client)
		if got := c.slots[slotOf(key)].address; got != address || !strings.HasPrefix(key, "ratelimit:probe:{") {
			t.Errorf("the probe of %s writes to %s, which is at %s", address, key, got)
		}
	}
	c.nodeAt("d:1", time.Now()) // a slot is on its way to it
	if key := c.probeKey("ratelimit", c.nodes["d:1"].client); key != "ratelimit:probe:{0}" {
		t.Errorf("the probe of a node without slots writes to %s", key)
	}
}

// TestReloadsShareACluster: its connections outlive reloads, and nothing outlives the last use.
func TestReloadsShareACluster(t *testing.T) {
	low, high := halves(t)
	others := goleak.IgnoreCurrent()
	r := newRegistry(20 * time.Millisecond)
	settings := func(average string) settings {
		return settingsAt(t, "same@test", "", func(c *Config) {
			patient(c)
			c.Average = average
			c.Redis.Endpoints, c.Redis.Mode = []string{low.Addr()}, modeCluster
		})
	}
	now := nextReload(nil)
	first := r.use(now.ctx, settings("1000"))
	var changed *middleware
	for i := 0; i < 100; i++ {
		for source := 0; source < 20; source++ {
			if _, err := takeFrom(first.limiter, "s"+strconv.Itoa(source), 1); err != nil {
				t.Fatal(err)
			}
		}
		now = nextReload(now)
		if r.use(now.ctx, settings("1000")) != first {
			t.Fatal("an unchanged configuration made a new middleware")
		}
		changed = r.use(now.ctx, settings(strconv.Itoa(1+i)))
		if changed.client != first.client {
			t.Fatal("equal Redis settings made two clusters")
		}
		if _, err := takeFrom(changed.limiter, "other", 1); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the batches of two middlewares are left", func() bool {
		c := first.dispatcher.cluster
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, n := range c.nodes {
			if len(n.batches) > 2 || len(n.client.breaker.batches) > 2 {
				return false
			}
		}
		return true
	})
	if n := low.TotalConnectionCount() + high.TotalConnectionCount(); n > 6 {
		t.Errorf("%d connections were made", n)
	}
	now.cancel()
	eventually(t, "nothing is left after the last use", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.middlewares)+len(r.clients) == 0 && low.CurrentConnectionCount()+high.CurrentConnectionCount() == 0
	})
	goleak.VerifyNone(t, others)
}
