package ratelimit

import (
	"errors"
	"math/rand"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Numbers that have no option.
const (
	// breakerFlights is how many flights must fail in a row to open the breaker.
	breakerFlights = 3
	// probeEvery is how long after the breaker has opened, or a probe has failed, the next probe begins; ± a fifth,
	// so that the gateways of a fleet do not all ask at once.
	probeEvery = time.Second
	// stalledAfter is how long the only dial may hold requests up until it counts as a failed flight, and then as another:
	// a server that hangs would else be found out only after dialTimeout. Not less, for on a saturated machine a dial takes its time.
	stalledAfter = time.Second
)

// errBroken is why a request gets no decision while the breaker is open.
var errBroken = errors.New("redis is lost")

// Causes of a flight that waits for a dial.
var (
	errStalled    = errors.New("a connection has not come about after 1s")
	errStalledTLS = errors.New("a connection has not come about after 1s; a port that does not speak TLS does not answer at all (redis.tls)")
)

// breaker keeps requests from waiting for a Redis that is lost. It opens after breakerFlights failed flights in a row and
// then answers everybody who waits, at once, and everybody who comes. One probe at a time asks Redis in the background,
// for ever, until it answers; no request is ever the probe.
//
// What counts is flights: not requests whose time ran out before a flight had left, unless no connection is open and the dial hangs;
// not clients that hang up, not a foreign value at one key. A flight that only denied proves nothing, since a Redis that refuses writes still reads.
type breaker struct {
	open atomic.Bool // read before requests are queued and before a flight; written under mu

	mu       sync.Mutex
	failures int             // failed flights in a row
	batches  map[*batch]bool // who may have waiters
	suspect  []limit         // the limits of the flight that failed last: the probe uses the same commands
	prefix   string          // of the probe's key, that of the same flight
}

// join and leave tell the breaker whose waiters to answer when it opens.
func (r *breaker) join(b *batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batches == nil {
		r.batches = map[*batch]bool{}
	}
	r.batches[b] = true
}

func (r *breaker) leave(b *batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.batches, b)
}

// flightFailed notes a flight of b that Redis did not answer, or whose writes it refused.
func (c *redisClient) flightFailed(b *batch, cause error) {
	r := c.breaker
	r.mu.Lock()
	r.failures++
	opens := r.failures >= breakerFlights && !r.open.Load()
	var batches []*batch
	if opens {
		r.open.Store(true)
		r.suspect = b.limits
		r.prefix = b.keyHead[:strings.IndexByte(b.keyHead, ':')]
		for joined := range r.batches {
			batches = append(batches, joined)
		}
	}
	r.mu.Unlock()
	c.health.settled.Store(false)
	if c.cluster != nil {
		c.cluster.askSoon() // another node may be promoted in the place of this one
	}
	if !opens {
		logDebug("redis: flight failed: " + cause.Error())
		return
	}
	c.health.failed(c.explained(cause))
	c.forget() // the probe dials anew: the name may lead to another server by then
	c.refuse(errBroken)
	for _, waiting := range batches {
		waiting.releaseAll(errBroken)
	}
	c.probeSoon()
}

// flightStalled notes that the time of requests of b ran out before a flight had taken them aboard.
func (c *redisClient) flightStalled(b *batch) {
	now := time.Now()
	c.mu.Lock()
	stalled := c.dialling && c.open == 1 && now.Sub(c.dialCounted) >= stalledAfter
	if stalled {
		c.dialCounted = now
	}
	c.mu.Unlock()
	if !stalled {
		return
	}
	cause := errStalled
	if c.settings.tls.on {
		cause = errStalledTLS
	}
	c.flightFailed(b, cause)
}

// explained is a cause as the log says it.
func (c *redisClient) explained(cause error) string {
	code := errorCode(cause)
	if c.cluster == nil && (code == "MOVED" || code == "ASK") {
		return cause.Error() + "; this is a Redis Cluster, for redis.mode: cluster"
	}
	return cause.Error()
}

// exchangeSucceeded notes that Redis has answered for all requests of an exchange, and whether that proves that it takes writes. While
// the health is settled there is no need to call it.
func exchangeSucceeded(c *redisClient, wrote bool) {
	r := c.breaker
	if wrote {
		c.health.settled.Store(true) // first: what is noted from now on takes it back
	}
	r.mu.Lock()
	if wrote {
		r.failures = 0
	}
	open := r.open.Load()
	r.mu.Unlock()
	// An open breaker: it left before that opened, and only a probe closes it.
	if open || noteAnswered(&c.health) {
		c.health.settled.Store(false)
	}
}

// charged reports whether any of the outcomes wrote to Redis.
func charged(outcomes []outcome) bool {
	for i := range outcomes {
		if outcomes[i].decision.allowed {
			return true
		}
	}
	return false
}

// probeSoon arms the next probe.
func (c *redisClient) probeSoon() {
	fifth := int64(probeEvery / 5)
	c.mu.Lock()
	c.prober.set(probeEvery+time.Duration(rand.Int63n(2*fifth)-fifth), c.probe)
	c.mu.Unlock()
}

// probe asks Redis once and closes the breaker when it answers, else arms the next probe.
// A retired client needs none: no connection of it may come back.
func (c *redisClient) probe() {
	defer recovered("probe")
	c.mu.Lock()
	retired := c.retired
	c.mu.Unlock()
	if retired {
		return
	}
	result := &probed{err: errCrashed}
	c.probeInto(result)
	if result.err != nil {
		c.health.failed(c.explained(result.err))
		c.probeSoon()
		return
	}
	c.breaker.mu.Lock()
	c.breaker.failures = 0
	c.breaker.open.Store(false)
	c.breaker.mu.Unlock()
	noteAnswered(&c.health)
}

// probed is the outcome of a probe.
type probed struct{ err error }

// probeInto makes one call of the script like those that failed, on a key of its own, with a cost that is always allowed
// and therefore written. It leaves the result as it is when it panics.
func (c *redisClient) probeInto(result *probed) {
	defer recovered("probe")
	held, err := takeConnection(c, true)
	if err != nil {
		result.err = err
		return
	}
	if c.settings.mode == modeCluster {
		c.release(held, false) // the next probe's dial asks anew; by then nobody else may
		result.err = c.cluster.unserved()
		return
	}
	limits := probeLimits(c.breaker.suspect)
	key := c.breaker.prefix + ":probe"
	if c.cluster != nil {
		key = c.cluster.probeKey(c.breaker.prefix, c)
	}
	call := appendCall(nil, scriptKeys(limits, []string{key}), bulk(scriptLimits(limits)), scriptCosts([]int64{1}))
	reply, err := exchange(held, call, c.settings.readTimeout)
	var outcomes []outcome
	if err == nil {
		outcomes, _, err = parseReply(reply, limits, 1)
	}
	if err == nil && outcomes[0].refused != "" && replyCode(outcomes[0].refused) != "WRONGTYPE" {
		err = errors.New(outcomes[0].refused)
	}
	if err != nil && (errorCode(err) == "READONLY" || c.mayHaveMoved(errorCode(err)) || c.namesItself(err)) {
		c.forget()
	}
	c.release(held, usable(err))
	if err != nil && c.cluster != nil && redirects(errorCode(err)) {
		err = nil // it is there, and its slots are asked for while it is lost
	}
	result.err = err
}

// probeLimits are limits of the same algorithms that never deny: each with the largest average, in a period of probeEvery/2,
// so that what a probe writes is gone before the next.
func probeLimits(suspect []limit) []limit {
	limits := append([]limit(nil), suspect...)
	for i := range limits {
		limits[i].average = averageMostLog
		limits[i].period = micros(probeEvery / 2 / time.Microsecond)
		if limits[i].algorithm == tokenBucket {
			limits[i].burst = averageMostLog
		}
	}
	return limits
}
