package ratelimit

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// flyers is how many goroutines make flights of b, or wait to.
func flyers(b *batch) int {
	stacks := make([]byte, 4<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), fmt.Sprintf("ratelimit.(*batch).fly(%p", b))
}

// eventuallyFlying waits until so many flights of b are out.
func eventuallyFlying(t *testing.T, b *batch, flights int) {
	t.Helper()
	eventually(t, "flights are out", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.flying == flights
	})
}

// Of the goroutines that make flights one waits for the next, and none after close; a request that comes even later is served all the same.
func TestOneGoroutineWaitsForRequests(t *testing.T) {
	b, proxy, server := batchAt(t, func(c *Config) { hourly(c); c.Redis.MinIdleConns = "4" })
	mustTake(t, b, "x")
	eventually(t, "there are connections for all flights", func() bool {
		_, ready := connections(b.client)
		return ready == 4
	})
	proxy.Delay(600 * time.Millisecond) // above timeout/besideShare: flights leave beside each other
	var all sync.WaitGroup
	for i := 0; i < 3; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			mustTake(t, b, "x")
		}()
		eventuallyFlying(t, b, i+1)
	}
	proxy.Delay(0)
	all.Wait()
	eventually(t, "one goroutine is left", func() bool { return flyers(b) == 1 })
	for i := 0; i < 100; i++ {
		mustTake(t, b, "x")
	}
	if got := flyers(b); got != 1 {
		t.Errorf("%d goroutines make flights for one request after the other, want 1", got)
	}
	b.close()
	eventually(t, "none is left", func() bool { return flyers(b) == 0 })
	mustTake(t, b, "x")
	eventually(t, "none is left after a late request", func() bool { return flyers(b) == 0 })
	if got := spent(t, b, server, "x"); got != 105 {
		t.Errorf("%d units were charged for 105 requests", got)
	}
}

// A batch that closes while its flights are out ends with them.
func TestCloseWhileAFlightIsOut(t *testing.T) {
	b, proxy, _ := batchAt(t, hourly)
	mustTake(t, b, "x")
	proxy.Delay(100 * time.Millisecond)
	p := newRequest("x", 1)
	b.enqueue([]*request{p})
	eventuallyFlying(t, b, 1)
	b.close()
	if !<-p.answer {
		t.Error(p.err)
	}
	eventually(t, "none is left", func() bool { return flyers(b) == 0 })
}

// What is decided about a connection while a flight has it, holds when the flight gives it back.
func TestConnectionsThatComeBack(t *testing.T) {
	for _, row := range []struct {
		why  string
		done func(c *redisClient)
	}{
		{"the server has another role now", func(c *redisClient) { c.forget() }},
		{"no configuration uses the client any more", func(c *redisClient) { c.retire() }},
	} {
		b, proxy, _ := batchAt(t, hourly)
		mustTake(t, b, "x")
		proxy.Delay(100 * time.Millisecond)
		p := newRequest("x", 1)
		b.enqueue([]*request{p})
		eventually(t, "the connection is in use", func() bool {
			_, ready := connections(b.client)
			return ready == 0
		})
		row.done(b.client)
		if !<-p.answer {
			t.Errorf("%s: %v", row.why, p.err)
		}
		eventually(t, row.why, func() bool {
			open, ready := connections(b.client)
			return open == 0 && ready == 0
		})
		if b.client.retired {
			mustTake(t, b, "x") // over an old router
			eventually(t, "nor is the connection of a late request kept", func() bool {
				open, _ := connections(b.client)
				return open == 0
			})
		}
	}
}

// Those who do not fit into a flight leave beside it, though nobody comes after them.
func TestRestOfTheQueueLeaves(t *testing.T) {
	b, proxy, _ := batchAt(t, func(c *Config) { hourly(c); c.Redis.MinIdleConns = "4" })
	mustTake(t, b, "x")
	eventually(t, "there are connections for both flights", func() bool {
		_, ready := connections(b.client)
		return ready == 4
	})
	proxy.Delay(700 * time.Millisecond)
	requests := make([]*request, batchSize+1)
	for i := range requests {
		requests[i] = newRequest("x", 1)
	}
	b.enqueue(requests)
	eventuallyFlying(t, b, 2)
	proxy.Delay(0)
	for _, p := range requests {
		<-p.answer
	}
}

// Whose time runs out while a second connection comes about, is not charged by the second attempt.
func TestSecondAttemptChargesNobodyWhoHasGone(t *testing.T) {
	b, proxy, server := batchAt(t, func(c *Config) { hourly(c); c.Timeout = "50ms" })
	eventually(t, "there is a connection", func() bool {
		_, err := takeFrom(b, "x", 0)
		return err == nil
	})
	age(b.client)
	proxy.CloseAll()
	proxy.Hold(300 * time.Millisecond)
	if _, err := takeFrom(b, "x", 1); !errors.Is(err, errTimeUp) {
		t.Errorf("%v, want %v", err, errTimeUp)
	}
	eventually(t, "the second connection is there, and given back", func() bool {
		_, ready := connections(b.client)
		b.mu.Lock()
		defer b.mu.Unlock()
		return ready == 1 && b.flying == 0
	})
	if got := spent(t, b, server, "x"); got != 0 {
		t.Errorf("%d units were charged for a request that was released before", got)
	}
}

// A connection that a flight gives back goes to whoever waits for one.
func TestFlightsShareOneConnection(t *testing.T) {
	b, _, _ := batchAt(t, func(c *Config) { hourly(c); c.Redis.PoolSize, c.Timeout = "1", "10s" })
	s := settingsAt(t, "other@test", b.client.settings.endpoints[0], func(c *Config) { hourly(c); c.Timeout = "10s" })
	other := newBatch(&s, b.client)
	t.Cleanup(other.close)
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		on := b
		if i%2 == 0 {
			on = other
		}
		all.Add(1)
		go func() {
			defer all.Done()
			for turn := 0; turn < 400; turn++ {
				if _, err := takeFrom(on, "x", 0); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	all.Wait()
}

// Of a flight everybody gets what was decided about him, but for those who have an answer already: they are gone, and nobody may touch their header.
func TestClaim(t *testing.T) {
	allowed := outcome{decision: decision{allowed: true}}
	denied := outcome{denial: &denial{}}
	refused := outcome{refused: "OOM command not allowed"}
	for _, row := range []struct {
		why                string
		outcomes           []outcome
		late               []int
		wantAllowed, other []int
	}{
		{"all are allowed", []outcome{allowed, allowed, allowed}, nil, []int{0, 1, 2}, nil},
		{"one is late", []outcome{allowed, allowed, allowed}, []int{1}, []int{0, 2}, nil},
		{"all are late", []outcome{allowed, allowed}, []int{0, 1}, nil, nil},
		{"one is denied, one refused", []outcome{denied, allowed, refused}, nil, []int{1}, []int{0, 2}},
		{"one who is denied is late", []outcome{denied, allowed, denied}, []int{0}, []int{1}, []int{2}},
		{"one who is allowed is late beside one who is denied", []outcome{denied, allowed, allowed}, []int{2}, []int{1}, []int{0}},
	} {
		others := 0
		for _, o := range row.outcomes {
			if !o.decision.allowed {
				others++
			}
		}
		for _, told := range []int{others, len(row.outcomes)} { // it may be told of more than there are
			b, l := &batch{}, &landing{}
			var requests []*request
			for range row.outcomes {
				requests = append(requests, newRequest("x", 1))
			}
			for _, i := range row.late {
				answerTo(requests[i], errTimeUp)
			}
			b.line, b.aboard = append(b.line, requests...), len(requests)
			claim(b, l, requests, append([]outcome(nil), row.outcomes...), told)
			pick := func(places []int) []*request {
				var picked []*request
				for _, i := range places {
					picked = append(picked, requests[i])
				}
				return picked
			}
			if !slices.Equal(l.allowed, pick(row.wantAllowed)) || !slices.Equal(l.others, pick(row.other)) {
				t.Errorf("%s, told of %d others: allowed %d, others %d", row.why, told, len(l.allowed), len(l.others))
			}
			for _, p := range l.others {
				if p.denial == nil && p.err == nil {
					t.Errorf("%s: nothing denies or refuses", row.why)
				}
			}
			if len(b.line) != 0 || b.aboard != 0 {
				t.Errorf("%s: %d are left in line, %d aboard", row.why, len(b.line), b.aboard)
			}
		}
	}
}

// A panic on the way of a flight must answer everybody, give its connection back, and end nothing else.
func TestCrashedFlightAnswersEverybody(t *testing.T) {
	captureLog(t, "panic in flight")
	b, _, _ := batchAt(t, hourly)
	for i := 0; i < 3*poolSizeDefault; i++ {
		mustTake(t, b, "x")
		b.client.mu.Lock()
		b.client.ready[0].wire = nil // as a fault of ours might leave it
		if i%2 == 0 {
			b.client.ready[0].client = nil // then giving it back panics, too
		}
		b.client.mu.Unlock()
		_, err := takeFrom(b, "x", 1)
		if !errors.Is(err, errCrashed) {
			t.Fatalf("a crashed flight: %v, want %v", err, errCrashed)
		}
	}
	mustTake(t, b, "x")
	eventually(t, "one connection is left", func() bool {
		open, ready := connections(b.client)
		return open == 1 && ready == 1
	})
}

// A panic after the outcomes are noted leaves nobody without the answer that Redis gave.
func TestCrashWhereHeadersAreSet(t *testing.T) {
	l := captureLog(t, "panic in flight")
	b, _, server := batchAt(t, hourly)
	mustTake(t, b, "x")
	var requests []*request
	for i := 0; i < 3; i++ {
		requests = append(requests, newRequest("x", 1))
		requests[i].answer = make(chan bool, 3) // so that a second answer is seen
	}
	requests[1].header = nil
	b.enqueue(requests)
	for i, p := range requests {
		if passes := <-p.answer; !passes || p.err != nil {
			t.Errorf("request %d: passes %v, %v", i, passes, p.err)
		}
	}
	mustTake(t, b, "x")
	for i, p := range requests {
		if len(p.answer) > 0 {
			t.Errorf("request %d is answered twice", i)
		}
	}
	if got := spent(t, b, server, "x"); got != 5 || len(l.lines()) != 1 {
		t.Errorf("%d units were charged for 5 requests; the log says %q", got, l.lines())
	}
}

// A panic before anybody is aboard is felt by those in the queue, not by those who are out on another flight.
func TestCrashBeforeBoarding(t *testing.T) {
	b, _, _ := batchAt(t, hourly)
	out, queued := newRequest("x", 1), newRequest("x", 1)
	b.line = []*request{out, queued}
	b.aboard, b.flying, b.boarding = 1, 1, 1
	landCrashed(b, &inFlight{boards: true})
	if <-queued.answer || !errors.Is(queued.err, errCrashed) || out.answered {
		t.Errorf("in the queue: %v; out: answered %v", queued.err, out.answered)
	}
	if b.boarding != 0 || b.aboard != 2 {
		t.Errorf("%d flights board, %d are aboard, want 0 and 2: who is answered is not taken aboard", b.boarding, b.aboard)
	}
	answerAll(b, []*request{out}, errTimeUp)
	if len(b.line) != 0 || b.aboard != 0 {
		t.Errorf("%d are in line, %d aboard", len(b.line), b.aboard)
	}
	b.flying = 0
	mustTake(t, b, "x")
}

// Whoever has landed is held on to by nobody, whatever the order in which flights come back.
func TestNobodyIsLeftInLine(t *testing.T) {
	s := settingsAt(t, "line@test", "127.0.0.1:1", hourly)
	b := newBatch(&s, newRedisClient(s.redis))
	first, second, third := []*request{newRequest("a", 1)}, []*request{newRequest("b", 1), newRequest("c", 1)}, newRequest("d", 1)
	line := append(append(append([]*request(nil), first...), second...), third)
	b.line, b.aboard = line, 3
	allowed := outcome{decision: decision{allowed: true}}
	land(b, second, []outcome{allowed, allowed})
	if len(b.line) != 4 {
		t.Fatalf("%d are in line, want 4: the head has not landed", len(b.line))
	}
	land(b, first, []outcome{allowed})
	if len(b.line) != 1 || b.line[0] != third || b.aboard != 0 || line[0] != nil || line[1] != nil || line[2] != nil {
		t.Errorf("%d are in line, %d aboard, %v", len(b.line), b.aboard, line)
	}
}

// faulty carries a flight as far as its fault: by then the first request has its answer, and the last travels on another trip.
type faulty struct{ held *connection }

func (f *faulty) carry(b *batch, held *connection, requests []*request) {
	f.held = held
	land(b, requests[:1], []outcome{{decision: decision{allowed: true}}})
	requests[len(requests)-1].trip = 1
	panic("fault")
}

// A panic in the middle of a flight answers those that it leaves, each once, and its connection is used no more: a reply may be under way.
func TestCrashInTheMiddleOfAFlight(t *testing.T) {
	captureLog(t, "panic in flight")
	b, _, _ := batchAt(t, func(c *Config) { c.Timeout = "10s" })
	f := &faulty{}
	b.carrier = f
	var requests []*request
	for i := 0; i < 5; i++ {
		requests = append(requests, newRequest("x", 1))
	}
	b.enqueue(requests)
	for i, want := range []error{nil, errCrashed, errCrashed, errCrashed} {
		<-requests[i].answer
		if !errors.Is(requests[i].err, want) {
			t.Errorf("request %d: %v, want %v", i, requests[i].err, want)
		}
	}
	eventually(t, "only the one that travels is in line, and no flight is out", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.line) == 1 && b.line[0] == requests[4] && !requests[4].answered && b.flying == 0
	})
	if _, ready := connections(b.client); ready != 0 {
		t.Error("the connection may carry another flight")
	}
	b.releaseAll(errTimeUp)
	b.carrier = nil
	mustTake(t, b, "x")
	_ = f.held.client.Close()
}
