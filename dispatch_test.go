package ratelimit

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// TestRedirectionsAreFollowedOnce: two nodes that send to each other are asked once each.
func TestRedirectionsAreFollowedOnce(t *testing.T) {
	low, high := halves(t)
	for _, row := range []struct {
		words, then string
		decided     bool
		calls       int // at both nodes
	}{
		{"MOVED", "", true, 2},
		{"ASK", "", true, 2},
		{"MOVED", "MOVED", false, 2},
		{"ASK", "MOVED", false, 2},
		{"MOVED", "TRYAGAIN Multiple keys request during rehashing of slot", false, 2},
		{"TRYAGAIN Multiple keys request during rehashing of slot", "", false, 1},
		{"CLUSTERDOWN The cluster is down", "", false, 1},
		{"CLUSTERDOWN Hash slot not served", "", false, 1},
	} {
		p, _ := inCluster(t, nil, low.Addr())
		source := sourceIn(p, 0, slotCount/2-1)
		mustDecide(t, p, source) // the slots are known, and the script at low
		mustDecide(t, p, sourceIn(p, slotCount/2, slotCount-1))
		slot := strconv.Itoa(slotOf(p.settings.keyHead + source + "}"))
		says := func(node, other *fakeNode, words string) {
			if words == "MOVED" || words == "ASK" {
				words += " " + slot + " " + other.Addr()
			}
			node.say(words)
		}
		_, before := low.counts()
		_, beforeHigh := high.counts()
		says(low, high, row.words)
		says(high, low, row.then)
		_, err := takeFrom(p, source, 1)
		low.say("")
		high.say("")
		_, after := low.counts()
		_, afterHigh := high.counts()
		if calls := after + afterHigh - before - beforeHigh; calls != row.calls || (err == nil) != row.decided {
			t.Errorf("%s, then %q: %d calls, %v; want %d, decided %v", row.words, row.then, calls, err, row.calls, row.decided)
		}
	}
}

// TestTroubleOfOneSlotOpensNoBreaker: TRYAGAIN and an unserved slot are their sources' own matter.
func TestTroubleOfOneSlotOpensNoBreaker(t *testing.T) {
	for words, opens := range map[string]bool{
		"TRYAGAIN Multiple keys request during rehashing of slot": false,
		"CLUSTERDOWN Hash slot not served":                        false,
		"CLUSTERDOWN The cluster is down":                         true,
		"LOADING Redis is loading the dataset in memory":          true,
	} {
		node := newFakeNode(t)
		p, c := inCluster(t, nil, node.Addr())
		mustDecide(t, p, "x")
		node.say(words)
		for i := 0; i < breakerFlights; i++ {
			if _, err := takeFrom(p, "x", 1); err == nil {
				t.Errorf("%s: decided", words)
			}
		}
		c.mu.Lock()
		open := c.slots[0].client.breaker.open.Load()
		c.mu.Unlock()
		if open != opens {
			t.Errorf("%s: the breaker is open %v, want %v", words, open, opens)
		}
	}
}

// TestHungNodeHoldsUpNoOther: neither its own sources, nor those that another node sends to it.
func TestHungNodeHoldsUpNoOther(t *testing.T) {
	low := newFakeNode(t)
	gone := hanging(t)
	low.serve(slotRange{0, slotCount/2 - 1, low.Addr()}, slotRange{slotCount / 2, slotCount - 1, gone})
	p, _ := inCluster(t, func(c *Config) { c.Timeout, c.Redis.DialTimeout = "100ms", "1m" }, low.Addr())
	well, moving := sourceIn(p, 0, 4000), sourceIn(p, 4001, slotCount/2-1)
	eventually(t, "the slots are known", func() bool {
		_, err := takeFrom(p, well, 1)
		return err == nil
	})
	for i := 0; i < 2*followersMost; i++ {
		low.say("ASK " + strconv.Itoa(slotOf(p.settings.keyHead+moving+"}")) + " " + gone)
		start := time.Now()
		if _, err := takeFrom(p, moving, 1); err == nil {
			t.Error("decided by a node that hangs")
		}
		if waited := time.Since(start); waited > 5*time.Second {
			t.Errorf("waited %v for a node that hangs", waited)
		}
		low.say("")
		mustDecide(t, p, well)
	}
	b := p.batchOf(well)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away > followersMost {
		t.Errorf("%d trips are out, want %d at most", b.away, followersMost)
	}
}

// oneNode is a limiter on a Cluster of one node, a real one behind a proxy, which the node names as its address.
func oneNode(t *testing.T, change func(c *Config)) (*dispatcher, *redistest.Proxy, *redistest.Server) {
	t.Helper()
	server := redistest.Start(t, "--cluster-enabled", "yes")
	server.Must("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	proxy := redistest.NewProxy(t, server.Addr)
	_, port, _ := net.SplitHostPort(proxy.Addr)
	server.Must("CONFIG", "SET", "cluster-announce-port", port)
	p, _ := inCluster(t, change, server.Addr)
	eventually(t, "the node serves", func() bool {
		_, err := takeFrom(p, "warm", 1)
		return err == nil
	})
	if at := p.batchOf("warm").client.settings.endpoints[0]; at != proxy.Addr {
		t.Fatalf("the node is at %s, not behind the proxy", at)
	}
	return p, proxy, server
}

// TestLostPartOfAPipeline: each call of a flight has its own fate. What was answered is decided, what was not is neither decided nor asked again.
func TestLostPartOfAPipeline(t *testing.T) {
	p, proxy, _ := oneNode(t, func(c *Config) { c.Timeout = "10s" })
	b := p.batchOf("warm")
	var requests []*request
	for i := 0; i < 20; i++ {
		r := newRequest("s"+strconv.Itoa(i%10), 1)
		r.deadline = time.Now().Add(time.Hour)
		requests = append(requests, r)
	}
	held, err := b.client.connect()
	if err != nil {
		t.Fatal(err)
	}
	held.used = held.used.Add(-2 * staleAfter) // even so: with a byte of reply, a call may have been executed
	whole, cut := "", false
	proxy.Replies(func(reply []byte) []byte {
		whole += string(reply)
		parts := strings.SplitAfterN(whole, "]\r\n", 7)
		switch {
		case cut:
			return nil
		case len(parts) < 7 || parts[6] == "":
			return []byte{}
		}
		cut = true
		time.AfterFunc(time.Second, proxy.CloseAll) // what was answered has arrived by then
		return []byte(strings.Join(parts[:6], "") + parts[6][:1])
	})
	b.mu.Lock()
	b.line, b.aboard = append([]*request(nil), requests...), len(requests)
	b.mu.Unlock()
	p.carry(b, held, requests)
	proxy.Replies(nil)
	decided := 0
	for i, r := range requests {
		<-r.answer
		if r.err == nil {
			decided++
		}
		if (r.err == nil) != (i%10 < 6) {
			t.Errorf("request %d of source %s: %v", i, r.source, r.err)
		}
	}
	if decided != 12 {
		t.Errorf("%d requests were decided, want 12", decided)
	}
	for i := 0; i < 10; i++ {
		if d := mustDecide(t, p, "s"+strconv.Itoa(i)); d.verdicts[0].remaining != 997 {
			t.Errorf("source %d: %d remaining, want 997: each of its requests was charged once", i, d.verdicts[0].remaining)
		}
	}
}

// TestIdleNodeConnectionThatWasClosedIsReplaced: all sources aboard are asked again, none is charged twice.
func TestIdleNodeConnectionThatWasClosedIsReplaced(t *testing.T) {
	p, proxy, _ := oneNode(t, nil)
	b := p.batchOf("warm")
	mustDecide(t, p, "x")
	age(b.client)
	proxy.CloseAll()
	if d := mustDecide(t, p, "x"); d.verdicts[0].remaining != 998 {
		t.Errorf("%d remaining of 1000 after 2 requests", d.verdicts[0].remaining)
	}
	if b.client.breaker.failures > 0 {
		t.Error("a connection closed while idle counts as a failure of the node")
	}
}

// TestScriptFlushOnANodeIsNotNoticed, and neither is a node that has never heard of the script.
func TestScriptFlushOnANodeIsNotNoticed(t *testing.T) {
	p, _, server := oneNode(t, nil)
	for i := int64(1); i <= 3; i++ {
		server.Must("SCRIPT", "FLUSH")
		for _, source := range []string{"x", "y"} {
			if d := mustDecide(t, p, source); d.verdicts[0].remaining != 1000-i {
				t.Errorf("%d remaining of 1000 after %d requests", d.verdicts[0].remaining, i)
			}
		}
	}
}

// TestForeignValueAtANodeFailsAlone: other sources of the same flights are decided.
func TestForeignValueAtANodeFailsAlone(t *testing.T) {
	p, _, server := oneNode(t, nil)
	server.Must("SET", p.settings.keyHead+"bad}", "foreign")
	b := p.batchOf("warm")
	for i := 0; i < 2*breakerFlights; i++ {
		if _, err := takeFrom(p, "bad", 1); err == nil || errorCode(err) != "WRONGTYPE" {
			t.Errorf("a foreign value: %v", err)
		}
	}
	mustDecide(t, p, "good")
	if b.client.breaker.failures > 0 {
		t.Error("a foreign value at one key counts as a failure of the node")
	}
}

// TestNodeThatRefusesWritesIsLost, and back when its probe, on a key of its own slots, has written.
func TestNodeThatRefusesWritesIsLost(t *testing.T) {
	p, _, server := oneNode(t, nil)
	b := p.batchOf("warm")
	server.Must("CONFIG", "SET", "maxmemory", "1")
	for i := 0; i < breakerFlights; i++ {
		if _, err := takeFrom(p, "x", 1); err == nil || errorCode(err) != "OOM" && !errors.Is(err, errBroken) {
			t.Errorf("a full node: %v", err)
		}
	}
	if closed(b)() {
		t.Fatal("closed after failed flights")
	}
	server.Must("CONFIG", "SET", "maxmemory", "0")
	eventually(t, "a probe closes the breaker", closed(b))
	if d := mustDecide(t, p, "x"); d.verdicts[0].remaining != 999 {
		t.Errorf("%d remaining of 1000: refused calls charge nothing", d.verdicts[0].remaining)
	}
}

// TestFirstRequestIsRedirectedToo: it has come to its node from the lobby, and goes on from there.
func TestFirstRequestIsRedirectedToo(t *testing.T) {
	low, high := halves(t)
	for _, word := range []string{"MOVED", "ASK"} {
		p, _ := inCluster(t, func(c *Config) { c.Timeout = "10s" }, low.Addr())
		source := sourceIn(p, 0, slotCount/2-1)
		low.say(word + " " + strconv.Itoa(slotOf(p.settings.keyHead+source+"}")) + " " + high.Addr())
		if d := mustDecide(t, p, source); d.verdicts[0].remaining != 999 {
			t.Errorf("%s: %d remaining of 1000", word, d.verdicts[0].remaining)
		}
		low.say("")
		high.FlushAll()
	}
}

// TestNodeThatNamesItself: its address leads to another server by now, which a new connection reaches, and all connections are to be new.
func TestNodeThatNamesItself(t *testing.T) {
	node := newFakeNode(t)
	p, _ := inCluster(t, func(c *Config) { c.Timeout = "10s" }, node.Addr())
	mustDecide(t, p, "x")
	node.mu.Lock()
	node.once = true
	node.mu.Unlock()
	client := p.batchOf("x").client
	words := "MOVED " + strconv.Itoa(slotOf(p.settings.keyHead+"x}")) + " " + node.Addr()
	node.say(words)
	if d := mustDecide(t, p, "x"); d.verdicts[0].remaining != 998 {
		t.Errorf("%d remaining of 1000 after 2 requests", d.verdicts[0].remaining)
	}
	client.mu.Lock()
	for _, held := range client.ready {
		if held.generation == 0 {
			t.Error("a connection to the old server is kept")
		}
	}
	client.mu.Unlock()

	client.breaker.suspect, client.breaker.prefix = p.settings.limits, "p"
	node.say(words)
	result := &probed{}
	client.probeInto(result)
	if result.err != nil {
		t.Errorf("a probe: %v", result.err)
	}
	mustDecide(t, p, "x")
	if client.breaker.failures > 0 {
		t.Errorf("%d failed flights", client.breaker.failures)
	}
}

// TestReleasedOnATripIsNotCharged: whose time is up before the other node is reached must not be counted there.
func TestReleasedOnATripIsNotCharged(t *testing.T) {
	low, high := halves(t)
	proxy := redistest.NewProxy(t, high.Addr())
	proxy.Hold(500 * time.Millisecond)
	low.serve(slotRange{0, slotCount - 1, low.Addr()})
	p, c := inCluster(t, func(c *Config) { c.Timeout = "100ms" }, low.Addr())
	eventually(t, "the slots are known", func() bool {
		_, err := takeFrom(p, "warm", 1)
		return err == nil
	})
	low.say("ASK " + strconv.Itoa(slotOf(p.settings.keyHead+"x}")) + " " + proxy.Addr)
	if _, err := takeFrom(p, "x", 1); !errors.Is(err, errTimeUp) {
		t.Errorf("during the handshake: %v, want %v", err, errTimeUp)
	}
	eventually(t, "the trip has ended", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		other := c.nodes[proxy.Addr].client
		other.mu.Lock()
		defer other.mu.Unlock()
		return len(other.ready) == 1
	})
	if high.Exists(p.settings.keyHead + "x}") {
		t.Error("a request that was released on its trip was charged")
	}
}
