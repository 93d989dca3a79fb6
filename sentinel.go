package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Mode sentinel: the endpoints are sentinels. Each dial asks them where the master is, and while connections are open they are
// asked again and again, for a master that was replaced may go on as one for ten seconds, and what it counts then is lost
// (docs/decisions/asking-sentinels.md). Nothing subscribes to the sentinels' news: that takes selects, which Yaegi gets wrong.

// askAgain is how often the sentinels are asked while a connection to the master is open, or while its dial takes its time.
const askAgain = 500 * time.Millisecond

// errMoved says that the sentinels named another master while this one was dialled: dial once more.
var errMoved = errors.New("the sentinels name another master now")

// shownRedis is what the log calls the Redis of these settings.
func shownRedis(s *redisSettings) string {
	endpoints := strings.Join(s.endpoints, ",")
	switch s.mode {
	case modeCluster:
		return "cluster " + endpoints
	case modeSentinel:
		return "master " + s.sentinel.masterSet + " of sentinels " + endpoints
	}
	return endpoints
}

// dialMaster connects to the master that the sentinels name.
func (c *redisClient) dialMaster(ctx context.Context) (*connection, error) {
	address, err := c.masterAddress(ctx)
	if err != nil {
		return nil, err
	}
	dialling, cancel := context.WithCancel(ctx)
	defer cancel()
	moved, leave := context.WithCancel(context.Background())
	context.AfterFunc(moved, cancel)
	c.leaveIfMoved(dialling, address, leave)

	wire := &countingConn{most: replyMost}
	options, err := serverOptions(&c.settings, address, wire)
	if err != nil {
		return nil, err
	}
	options.Dialer = closedWith(moved, options.Dialer)
	fresh, err := greet(dialling, &c.settings, options, wire)
	if err == nil {
		err = checkRole(dialling, fresh)
	}
	if err != nil && moved.Err() != nil {
		return nil, fmt.Errorf("master %s: %w", address, errMoved)
	}
	if err != nil {
		c.askAnother()
		return nil, fmt.Errorf("master %s: %w", address, err)
	}
	c.masterReached(address)
	return fresh, nil
}

// leaveIfMoved ends the dial of address by leave as soon as the sentinels name another master: one that hangs would else hold up
// the way to its successor. It looks each askAgain until dialling has ended.
func (c *redisClient) leaveIfMoved(dialling context.Context, address string, leave context.CancelFunc) {
	time.AfterFunc(askAgain, func() {
		defer recovered("dial")
		if dialling.Err() != nil {
			return
		}
		named, err := c.masterAddress(dialling)
		if err == nil && named != address {
			leave()
			return
		}
		c.leaveIfMoved(dialling, address, leave)
	})
}

// watch looks each askAgain whether the sentinels still name the master of the last dial, until no connection is open.
func (c *redisClient) watch() {
	defer recovered("watch")
	c.mu.Lock()
	c.watching = c.open > 0
	watching, master := c.watching, c.master
	c.mu.Unlock()
	if !watching {
		return
	}
	c.forgetUnless(master)
	c.mu.Lock()
	c.watcher.set(askAgain, c.watch)
	c.mu.Unlock()
}

// forgetUnless closes all connections when the sentinels name another master than this one. A panic must not end the watch.
func (c *redisClient) forgetUnless(master string) {
	defer recovered("watch")
	ctx, cancel := context.WithTimeout(context.Background(), c.settings.dialTimeout)
	defer cancel()
	named, err := c.masterAddress(ctx)
	if err == nil && named != master {
		c.forget()
	}
}

// masterReached notes to which master connections lead, and begins the watch.
func (c *redisClient) masterReached(address string) {
	c.mu.Lock()
	c.master = address
	if !c.watching {
		c.watching = true
		c.watcher.set(askAgain, c.watch)
	}
	c.mu.Unlock()
}

// askAnother lets the next sentinel be asked first: the one that answered last named a master that cannot be reached.
func (c *redisClient) askAnother() {
	c.mu.Lock()
	c.answered = (c.answered + 1) % len(c.settings.endpoints)
	c.mu.Unlock()
}

// closedWith is dial, except that the end of moved closes what it has dialled: go-redis minds only the deadline of a context.
func closedWith(moved context.Context, dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(moved, func() { _ = conn.Close() })
		return conn, nil
	}
}

// checkRole closes a connection to a server that says it is no master: the sentinels have not noticed yet, or the server
// has not. An ACL need not allow ROLE; a replica then refuses the first write.
func checkRole(ctx context.Context, fresh *connection) error {
	role, err := fresh.conn.Do(ctx, "ROLE").Slice()
	if err != nil {
		switch errorCode(err) {
		case "NOPERM", "ERR":
			return nil
		}
		_ = fresh.client.Close()
		return err
	}
	kind := ""
	if len(role) > 0 {
		kind = fmt.Sprint(role[0])
	}
	if kind != "master" {
		_ = fresh.client.Close()
		return errors.New("is no master, its role is " + quote(kind))
	}
	return nil
}

// masterAddress asks the sentinels, one after the other, where the master is: first the one that answered last, and each for
// its share of the time that ctx leaves, so that one that hangs leaves time for the others and for the master.
func (c *redisClient) masterAddress(ctx context.Context) (string, error) {
	endpoints := c.settings.endpoints
	deadline, _ := ctx.Deadline()
	c.mu.Lock()
	first := c.answered
	c.mu.Unlock()
	var causes []string
	for i := range endpoints {
		asked := (first + i) % len(endpoints)
		share := time.Until(deadline) / time.Duration(len(endpoints)-i+1)
		address, err := askSentinel(ctx, &c.settings, endpoints[asked], share)
		if err == nil {
			c.mu.Lock()
			c.answered = asked
			c.mu.Unlock()
			return address, nil
		}
		causes = append(causes, endpoints[asked]+": "+err.Error())
	}
	return "", errors.New("no sentinel names the master: " + strings.Join(causes, "; "))
}

// askSentinel asks one sentinel where the master is, within share.
func askSentinel(ctx context.Context, s *redisSettings, endpoint string, share time.Duration) (string, error) {
	asking, cancel := context.WithTimeout(ctx, share)
	defer cancel()
	wire := &countingConn{most: replyMost}
	options, err := sentinelOptions(s, endpoint, wire)
	if err != nil {
		return "", err
	}
	sentinel, err := greet(asking, s, options, wire)
	if err != nil {
		return "", err
	}
	reply, err := sentinel.conn.Do(asking, "SENTINEL", "get-master-addr-by-name", s.sentinel.masterSet).Result()
	_ = sentinel.client.Close()
	if err != nil && err.Error() == "redis: nil" { // by the text: errors.Is does not find redis.Nil in Yaegi
		return "", errors.New("it knows no master set " + s.sentinel.masterSet)
	}
	if err != nil {
		return "", err
	}
	return addressIn(reply)
}

// addressIn reads the reply to get-master-addr-by-name: host and port.
func addressIn(reply interface{}) (string, error) {
	parts, ok := reply.([]interface{})
	if !ok || len(parts) != 2 {
		return "", errors.New("it does not answer like a sentinel")
	}
	address := net.JoinHostPort(fmt.Sprint(parts[0]), fmt.Sprint(parts[1]))
	f := &faults{}
	checkEndpoint(f, "", address, modeSentinel)
	if len(f.lines) > 0 {
		return "", errors.New("it names a master at " + quote(address))
	}
	return address, nil
}

// mayHaveMoved reports whether a refusal can mean that the sentinels have promoted another server: a master that is cut off
// from its replicas and from the sentinels is told so by nobody, and a connection to it would be kept.
func (c *redisClient) mayHaveMoved(code string) bool {
	return c.settings.mode == modeSentinel && code == "NOREPLICAS"
}

// sentinelOptions are driverOptions for a sentinel, which has users and passwords of its own and no databases.
func sentinelOptions(s *redisSettings, endpoint string, wire *countingConn) (*redis.Options, error) {
	password, err := passwordNow("redis.sentinel.passwordFile", s.sentinel.password, s.sentinel.passwordFile)
	if err != nil {
		return nil, err
	}
	options := driverOptions(s, endpoint, wire)
	options.DB = 0
	options.Username = s.sentinel.username
	options.Password = password
	return options, nil
}
