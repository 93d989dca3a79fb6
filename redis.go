package ratelimit

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Numbers that have no option.
const (
	// poolSizeDefault bounds the connections of one client. A batch has at most flightsAtOnce flights out,
	// and with a near Redis one; several middlewares share a client.
	poolSizeDefault = 16
	// idleTime is how long an unused connection is kept, beyond minIdleConns.
	idleTime = 5 * time.Minute
	// staleAfter is how long a connection must have been unused for its sudden end to mean that the server
	// (or a box between) closed it while idle, rather than that a call was lost.
	staleAfter = time.Second
	// replyMost bounds the bytes of one reply: room for a full batch of some 500 limits. Whatever listens at the address
	// may send without end, and Traefik's memory is at stake. vendor-patches/18-reply-bounds.patch bounds what it may announce.
	replyMost = 4 << 20
	// lateGrace: when a read has timed out, what has arrived by then still counts. On a saturated machine it is we
	// who are late, not Redis, and a flood must not pass for an outage.
	lateGrace = time.Millisecond
)

// errReplyTooLong is the cause when a reply exceeds replyMost.
var errReplyTooLong = errors.New("the reply is longer than any of the rate limiter's script")

// errStale says that an idle connection turned out to be closed before a byte of reply: ask again on another.
var errStale = errors.New("the connection was closed while idle")

// redisClient is one distinct way to connect to Redis, shared by every middleware with equal redisSettings.
// It keeps its connections itself, each a go-redis client that holds one connection for its life. So a flight
// takes its requests aboard only when a connection is in hand, a dial never costs a request more than its own
// wait, and a dial that came too late for its request still serves the next.
type redisClient struct {
	settings redisSettings
	health   health
	breaker  *breaker  // by pointer: it refers to batches, and they to the client, which Yaegi gets wrong by value
	cluster  clusterOf // to which it belongs, as a node's or as the one that asks for the slots; nil in another mode

	mu          sync.Mutex
	ready       []*connection   // unused ones, the latest used last
	open        int             // connections, with the one being dialled
	dialling    bool            // one attempt at a time
	dialCounted time.Time       // when that attempt began, or last counted as a failed flight
	waiting     []chan boarding // flights that need a connection, in order of arrival
	generation  int             // connections of an earlier one are closed when they come back
	retired     bool            // no configuration uses this client any more: no connection is kept
	reaping     bool            // reaper is set
	reaper      alarm           // closes idle connections
	prober      alarm           // asks while the breaker is open
	watcher     alarm           // mode sentinel: looks whether the master is still the same
	answered    int             // mode sentinel: the index of the sentinel that answered last
	master      string          // mode sentinel: the address of the last dial
	watching    bool            // mode sentinel: watcher is set
}

// connection is one open connection. Its fields belong to whoever holds it.
type connection struct {
	client     *redis.Client // closing it closes the connection
	conn       *redis.Conn
	line       *redis.Line // the shorter way, for script calls
	call       []byte      // the last one; kept for its space
	wire       *countingConn
	used       time.Time // the end of its last exchange
	generation int
}

// boarding is what a flight that waited for a connection gets.
type boarding struct {
	connection *connection
	err        error
}

// countingConn knows whether a byte has arrived, which go-redis' errors do not tell, and bounds how many may. It sets the deadlines
// of an exchange at the last moment: with thousands of requests at once, half a second may pass between two steps of a flight.
type countingConn struct {
	net.Conn
	writeTimeout time.Duration // of one message
	readTimeout  time.Duration // of a reply, from the moment at which the question was sent; 0 until the handshake is over
	sent         time.Time
	received     int64
	most         int64  // what may have been received by the end of this exchange
	refusal      string // what was the first thing the server said, if that was an error
	asked        bool   // for a client certificate
}

// Write implements net.Conn.
func (c *countingConn) Write(buffer []byte) (int, error) {
	_ = c.Conn.SetWriteDeadline(time.Now().Add(c.writeTimeout))
	n, err := c.Conn.Write(buffer)
	c.sent = time.Now()
	return n, err
}

// Read implements net.Conn.
func (c *countingConn) Read(buffer []byte) (int, error) {
	if c.readTimeout > 0 {
		_ = c.Conn.SetReadDeadline(c.sent.Add(c.readTimeout))
	}
	n, err := c.Conn.Read(buffer)
	if err != nil || c.received == 0 || c.received+int64(n) > c.most {
		n, err = c.readOddly(buffer, n, err)
	}
	c.received += int64(n)
	return n, err
}

// readOddly ends a Read that was not like all others, of which there are many.
func (c *countingConn) readOddly(buffer []byte, n int, err error) (int, error) {
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.Conn.SetReadDeadline(time.Now().Add(lateGrace))
		n, err = c.Conn.Read(buffer)
	}
	if c.received == 0 && n > 0 {
		c.refusal = refusalIn(buffer[:n])
	}
	if c.received+int64(n) > c.most {
		return 0, errReplyTooLong
	}
	return n, err
}

// refusalIn is the error that the first bytes of a server are, in words; "" when they are none.
func refusalIn(first []byte) string {
	switch first[0] {
	case '-':
		return strings.TrimSpace(string(first[1:]))
	case tlsAlert:
		return "the server speaks TLS at this port, which is redis.tls"
	}
	return ""
}

// newRedisClient returns a client that has not connected yet: New must not touch the network.
func newRedisClient(s redisSettings) *redisClient {
	if s.mode == modeCluster {
		return newCluster(s).lobby
	}
	return &redisClient{settings: s, breaker: &breaker{}, health: health{endpoint: shownRedis(&s)}}
}

// connect returns a connection for one flight, which must give it back with release. While the breaker is open there is none.
// It waits for a dial in progress or for another flight's connection as long as it takes: dialTimeout bounds the
// former, the exchange's timeout the latter.
func (c *redisClient) connect() (*connection, error) {
	taken, err := takeConnection(c, false)
	return taken, err
}

// takeConnection is connect, for a probe even while the breaker is open.
func takeConnection(c *redisClient, probing bool) (*connection, error) {
	if !probing && c.breaker.open.Load() {
		return nil, errBroken
	}
	c.mu.Lock()
	last := len(c.ready) - 1
	if last >= 0 {
		taken := c.ready[last]
		c.ready = c.ready[:last]
		c.mu.Unlock()
		return taken, nil
	}
	waited, err := c.await()
	return waited, err
}

// await waits for a connection that comes back or is dialled. c.mu is held since none was ready, so that none comes back in between
// and is left lying; while it waits it is not.
func (c *redisClient) await() (*connection, error) {
	turn := make(chan boarding, 1)
	c.waiting = append(c.waiting, turn)
	c.dialIfNeeded()
	c.mu.Unlock()
	got := <-turn
	return got.connection, got.err
}

// refuse answers all flights that wait for a connection.
func (c *redisClient) refuse(err error) {
	c.mu.Lock()
	c.refuseLocked(err)
	c.mu.Unlock()
}

func (c *redisClient) refuseLocked(err error) {
	for i := range c.waiting { // by index: in Yaegi ranging over the values of a slice of channels panics
		c.waiting[i] <- boarding{err: err}
	}
	c.waiting = nil
}

// release gives a connection back. usable is false when its last exchange did not end with a complete reply.
func (c *redisClient) release(given *connection, usable bool) {
	given.used = time.Now()
	c.mu.Lock()
	kept := usable && c.keep(given)
	if !kept {
		c.open--
		c.dialIfNeeded()
	}
	c.mu.Unlock()
	if !kept {
		_ = given.client.Close()
	}
}

// keep places a connection, unless it is of an earlier generation or nobody will want it any more. c.mu is held.
func (c *redisClient) keep(free *connection) bool {
	if free.generation != c.generation || c.retired && len(c.waiting) == 0 {
		return false
	}
	c.place(free)
	return true
}

// place hands a connection to the first that waits, else keeps it. c.mu is held.
func (c *redisClient) place(free *connection) {
	if len(c.waiting) > 0 {
		turn := c.waiting[0]
		c.waiting = c.waiting[1:]
		turn <- boarding{connection: free}
		return
	}
	c.ready = append(c.ready, free)
	if !c.reaping {
		c.reaping = true
		c.reaper.set(idleTime, c.reap)
	}
}

// dialIfNeeded starts a dial when a flight or minIdleConns wants one more connection and the bounds allow it. c.mu is held.
func (c *redisClient) dialIfNeeded() {
	wanted := len(c.waiting) > 0 || !c.retired && c.open > 0 && len(c.ready) < c.settings.minIdleConns
	if !wanted || c.dialling || c.open >= c.bound() {
		return
	}
	c.dialling = true
	c.dialCounted = time.Now()
	c.open++
	go c.dial(c.generation)
}

// bound is how many connections may be open at once.
func (c *redisClient) bound() int {
	bound := c.settings.poolSize
	if bound == 0 {
		bound = poolSizeDefault
	}
	if most := c.settings.maxActiveConns; most > 0 && most < bound {
		bound = most
	}
	return bound
}

// dial opens one connection in the background. The generation is that of its beginning:
// what was forgotten meanwhile may be the very server that it has reached.
func (c *redisClient) dial(generation int) {
	defer recovered("dial")
	fresh, err := c.dialOnce()
	if err != nil {
		c.dialFailed(err)
		return
	}
	fresh.generation = generation
	if !c.dialled(fresh) {
		_ = fresh.client.Close()
	}
}

// dialled ends a dial that succeeded and reports whether the connection is kept.
func (c *redisClient) dialled(fresh *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialling = false
	kept := c.keep(fresh)
	if !kept {
		c.open--
	}
	c.dialIfNeeded()
	return kept
}

// dialFailed ends a dial that failed.
func (c *redisClient) dialFailed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialling = false
	c.open--
	if c.open > 0 {
		return // flights may still get a connection that another one holds: a server may refuse more clients
	}
	c.refuseLocked(err)
}

// dialOnce dials, encrypts, greets and authenticates, all within dialTimeout; in mode sentinel once more when the master has moved meanwhile.
func (c *redisClient) dialOnce() (*connection, error) {
	result := &boarding{err: errors.New("panic while dialling")}
	c.dialInto(result)
	if errors.Is(result.err, errMoved) {
		c.dialInto(result)
	}
	return result.connection, result.err
}

// dialInto leaves the result as it is when it panics.
func (c *redisClient) dialInto(result *boarding) {
	defer recovered("dial")
	ctx, cancel := context.WithTimeout(context.Background(), c.settings.dialTimeout)
	defer cancel()
	switch c.settings.mode {
	case modeSentinel:
		fresh, err := c.dialMaster(ctx)
		*result = boarding{connection: fresh, err: err}
		return
	case modeCluster:
		fresh, err := c.cluster.ask(ctx)
		*result = boarding{connection: fresh, err: err}
		return
	}
	fresh, err := reach(ctx, &c.settings, c.settings.endpoints[0])
	*result = boarding{connection: fresh, err: err}
}

// reach opens a connection to one server that counts.
func reach(ctx context.Context, s *redisSettings, endpoint string) (*connection, error) {
	wire := &countingConn{most: replyMost}
	options, err := serverOptions(s, endpoint, wire)
	if err != nil {
		return nil, err
	}
	return greet(ctx, s, options, wire)
}

// greet opens a connection, authenticates on it and pings.
func greet(ctx context.Context, s *redisSettings, options *redis.Options, wire *countingConn) (*connection, error) {
	client := redis.NewClient(options)
	conn := client.Conn()
	err := conn.Ping(ctx).Err()
	if err != nil && errorCode(err) != "NOPERM" { // an ACL need not allow PING
		_ = client.Close()
		return nil, dialCause(err, s, wire, options.Password)
	}
	line, err := conn.Line(ctx)
	if err != nil {
		_ = client.Close()
		return nil, dialCause(err, s, wire, options.Password)
	}
	return &connection{client: client, conn: conn, line: line, wire: wire, used: time.Now()}, nil
}

// serverOptions are driverOptions with the user and the password of this moment.
func serverOptions(s *redisSettings, endpoint string, wire *countingConn) (*redis.Options, error) {
	password, err := passwordNow("redis.passwordFile", s.password, s.passwordFile)
	if err != nil {
		return nil, err
	}
	options := driverOptions(s, endpoint, wire)
	options.Username = s.username
	options.Password = password
	return options, nil
}

// driverOptions turns off whatever go-redis would decide by itself: retries, pooling, idle times.
func driverOptions(s *redisSettings, endpoint string, wire *countingConn) *redis.Options {
	network := "tcp"
	if strings.HasPrefix(endpoint, unixScheme) {
		network = "unix"
	}
	return &redis.Options{
		Network:  network,
		Addr:     strings.TrimPrefix(endpoint, unixScheme),
		Protocol: 2,
		DB:       s.db,
		Dialer: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialWire(ctx, s, wire, network, address)
			if err != nil {
				return nil, err
			}
			wire.Conn = conn
			wire.writeTimeout = s.writeTimeout
			return wire, nil
		},
		MaxRetries:            -1,
		DisableIdentity:       true,
		ContextTimeoutEnabled: true, // a handshake ends with the dial's context, an exchange by countingConn's deadlines
		DialTimeout:           s.dialTimeout,
		ReadTimeout:           -1, // none beside these: dialTimeout may be the shorter or the longer one
		WriteTimeout:          -1,
		PoolSize:              2, // one is used; with a pool of one, a failed dial would start go-redis' own dialling loop
		ConnMaxIdleTime:       -1,
	}
}

// passwordNow is the password of this moment: a file, that of option, is read at each dial, so that it can be rotated.
func passwordNow(option, password, file string) (string, error) {
	if file == "" {
		return password, nil
	}
	return readPassword(option, file)
}

// withoutPassword is what a handshake failed by, as it may be logged. A server that does not know HELLO or AUTH repeats what it was
// sent, cut off where it pleases: ERR unknown command 'AUTH', with args beginning with: 'secr
func withoutPassword(text, password string) string {
	if at := strings.Index(text, ", with args beginning with"); at >= 0 {
		text = text[:at]
	}
	if password != "" {
		text = strings.ReplaceAll(text, password, "***")
	}
	return text
}

// forget closes all connections, those in use when they come back: their server has another role now.
func (c *redisClient) forget() {
	c.mu.Lock()
	c.generation++
	ready := c.ready
	c.ready = nil
	c.open -= len(ready)
	c.mu.Unlock()
	closeAll(ready)
}

// forgetStale closes the ready connections that were unused for staleAfter.
func (c *redisClient) forgetStale() {
	closeAll(c.takeUnused(staleAfter, 0))
}

// reap closes the connections that were unused for idleTime, except minIdleConns, and looks again while any is left.
func (c *redisClient) reap() {
	defer recovered("reap")
	closeAll(c.takeUnused(idleTime, c.settings.minIdleConns))
	c.mu.Lock()
	c.reaping = len(c.ready) > 0 && !c.retired
	if c.reaping {
		c.reaper.set(idleTime, c.reap)
	}
	c.mu.Unlock()
}

// takeUnused takes out the ready connections that were unused for at least span, but leaves keep ready ones.
func (c *redisClient) takeUnused(span time.Duration, keep int) []*connection {
	c.mu.Lock()
	n := 0
	for n < len(c.ready)-keep && time.Since(c.ready[n].used) >= span {
		n++
	}
	unused := append([]*connection(nil), c.ready[:n]...)
	c.ready = append([]*connection(nil), c.ready[n:]...)
	c.open -= n
	c.mu.Unlock()
	return unused
}

// retire closes all connections for good: no configuration uses this client any more.
// Requests that still come over an old router are served, each on a connection of its own.
func (c *redisClient) retire() {
	c.mu.Lock()
	c.retired = true
	if c.reaping {
		c.reaper.stop() // in Yaegi it holds on to a connection of 64 kB, which would outlive the grace by idleTime
	}
	c.mu.Unlock()
	c.forget()
	if c.settings.mode == modeCluster {
		c.cluster.retire()
	}
}

func closeAll(connections []*connection) {
	for _, old := range connections {
		_ = old.client.Close() // what the peer makes of it matters no more
	}
}
