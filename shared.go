package ratelimit

import (
	"context"
	"sync"
	"time"
)

// grace is how long what a configuration used lives on after the next configuration has replaced it:
// Traefik cancels the old one's context while its requests still run.
const grace = 30 * time.Second

// middleware is what all routers that use one middleware share, across reloads that do not change it.
type middleware struct {
	settings   settings
	off        bool // there are no limits
	intake     *intake
	rules      *headerRules
	limiter    limiter       // batch, or in mode cluster dispatcher
	direct     bool          // limiter is batch
	fallback   *fallback     // when that fails
	local      *localLimiter // failure mode local only
	localRules *headerRules  // for its decisions
	client     *redisClient
	batch      *batch      // mode cluster: dispatcher's lobby
	dispatcher *dispatcher // mode cluster only
	denials    *denials    // the batch's
	users      int         // New calls whose grace is not over; guarded by registry.mu
}

// registry holds what outlives a single New. Traefik calls New once per router and reload and never says goodbye
// but by the context, so all of it is counted by users.
type registry struct {
	grace time.Duration

	mu          sync.Mutex
	middlewares map[string]*middleware  // by name and fingerprint
	lastGood    map[string]*middleware  // by name: what a faulty reload keeps
	faults      map[string]string       // by name: the faults that were logged last
	clients     map[string]*redisClient // by redisSettings.identity
	clientUsers map[string]int          // middlewares per client
	leaving     []leaving               // uses whose context has ended, in the order in which their grace ends
	releaser    alarm                   // is set while there are any
}

// leaving is one use of a middleware in its grace.
type leaving struct {
	middleware *middleware
	over       time.Time
}

var shared = newRegistry(grace)

func newRegistry(grace time.Duration) *registry {
	return &registry{
		grace:       grace,
		middlewares: map[string]*middleware{},
		lastGood:    map[string]*middleware{},
		faults:      map[string]string{},
		clients:     map[string]*redisClient{},
		clientUsers: map[string]int{},
	}
}

// use returns the middleware with these settings, the one that runs already or a new one, until ctx ends and the grace after it.
func (r *registry) use(ctx context.Context, s settings) *middleware {
	m, running := r.find(s)
	if !running {
		logDebug(s.name + ": " + s.words)
	}
	r.releaseAfter(ctx, m)
	return m
}

// find begins one use of the middleware with these settings, and reports whether it runs already.
// The lock is given up by defer here and below: after a panic under it no New would ever return.
func (r *registry) find(s settings) (*middleware, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.faults, s.name)
	m, running := r.middlewares[s.name+" "+s.fingerprint]
	if !running {
		m = r.build(s)
	}
	m.users++
	r.lastGood[s.name] = m
	return m, running
}

// useLastGood returns what ran before a faulty reload, or nil when nothing did. The faults are logged once per change.
func (r *registry) useLastGood(ctx context.Context, name string, faults error) *middleware {
	m, known := r.findLastGood(name, faults.Error())
	if m == nil {
		return nil
	}
	if !known {
		logError("%v\n%s: the last good settings stay in force", faults, name)
	}
	r.releaseAfter(ctx, m)
	return m
}

// findLastGood begins one use of what ran last under this name, if anything did, and reports whether the faults are known.
func (r *registry) findLastGood(name, faults string) (*middleware, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.lastGood[name]
	if m == nil {
		return nil, false
	}
	m.users++
	known := r.faults[name] == faults
	r.faults[name] = faults
	return m, known
}

// build makes a middleware and shares its Redis client. r.mu is held.
func (r *registry) build(s settings) *middleware {
	client := r.clients[s.redis.identity]
	if client == nil {
		client = newRedisClient(s.redis)
		r.clients[s.redis.identity] = client
	}
	r.clientUsers[s.redis.identity]++
	m := &middleware{settings: s, off: len(s.limits) == 0, intake: newIntake(plainKeyHead(&s)), client: client}
	m.fallback = &fallback{mode: s.failureMode, health: &client.health}
	if s.redis.mode != modeCluster {
		m.batch = newBatch(&s, client)
		m.limiter = m.batch
		m.direct = true
	} else {
		m.dispatcher = client.cluster.dispatcher(s)
		m.batch = m.dispatcher.lobby
		m.limiter = m.dispatcher
		m.fallback.dispatcher = m.dispatcher
	}
	m.denials = m.batch.denials
	m.rules = m.denials.rules
	if s.failureMode == failLocal {
		m.local = newLocalLimiter(s.local)
		m.localRules = newLocalRules(s)
		m.fallback.local = m.local
	}
	client.breaker.join(m.batch)
	m.open()
	r.middlewares[s.name+" "+s.fingerprint] = m
	return m
}

// releaseAfter gives up one use of m when ctx has ended and the grace is over. A closure of interpreted code keeps the frames of
// all its callers, some 10 kB for each router: it must not live through the grace, or reloads in a row would fill the memory.
func (r *registry) releaseAfter(ctx context.Context, m *middleware) {
	context.AfterFunc(ctx, func() { r.leave(m) })
}

// leave begins the grace of one use of m.
func (r *registry) leave(m *middleware) {
	defer recovered("leave")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaving = append(r.leaving, leaving{m, time.Now().Add(r.grace)})
	if len(r.leaving) == 1 {
		r.releaser.set(r.grace, r.releaseLeft)
	}
}

// releaseLeft ends the uses whose grace is over.
func (r *registry) releaseLeft() {
	defer recovered("release")
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for len(r.leaving) > 0 && !r.leaving[0].over.After(now) {
		r.release(r.leaving[0].middleware)
		r.leaving[0].middleware = nil
		r.leaving = r.leaving[1:]
	}
	if len(r.leaving) > 0 {
		r.releaser.set(r.leaving[0].over.Sub(now), r.releaseLeft)
	}
}

// release ends one use of m; after the last one nothing of it remains, nor of a Redis client that no other uses. r.mu is held.
func (r *registry) release(m *middleware) {
	m.users--
	if m.users > 0 {
		return
	}
	name, identity := m.settings.name, m.settings.redis.identity
	delete(r.middlewares, name+" "+m.settings.fingerprint)
	if r.lastGood[name] == m {
		delete(r.lastGood, name)
		delete(r.faults, name)
	}
	go m.close() // it may wait for room at the intake, and r.mu is held
	m.client.breaker.leave(m.batch)
	m.batch.close()
	if m.dispatcher != nil {
		m.dispatcher.leave()
	}
	r.clientUsers[identity]--
	if r.clientUsers[identity] == 0 {
		delete(r.clientUsers, identity)
		delete(r.clients, identity)
		go retire(m.client)
	}
}

// retire closes a client's connections on a goroutine of its own: closing may write to the network.
func retire(c *redisClient) {
	defer recovered("retire")
	c.retire()
}
