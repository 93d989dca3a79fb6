package ratelimit

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// settingsAt are settings with one limit for a Redis at address, as compile makes them.
func settingsAt(t *testing.T, name, address string, change func(c *Config)) settings {
	t.Helper()
	config := &Config{Average: "1000", Period: "1h", Redis: RedisConfig{Endpoints: []string{address}}}
	if change != nil {
		change(config)
	}
	s, err := compile(config, name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestErrorsByTheirWords(t *testing.T) {
	for _, row := range []struct {
		err    error
		code   string
		usable bool
		why    string
	}{
		{errors.New("NOSCRIPT No matching script. Please use EVAL."), "NOSCRIPT", true, "a complete reply"},
		{errors.New("ERR max number of clients reached"), "ERR", true, "a complete reply; the server closes by itself"},
		{errors.New("BUSY Redis is busy running a script."), "BUSY", true, "a complete reply"},
		{errors.New("MOVED 3999 127.0.0.1:6381"), "MOVED", true, "a complete reply"},
		{errors.New("READONLY You can't write against a read only replica."), "READONLY", false, "another server may be the master now"},
		{errors.New("LOADING Redis is loading the dataset in memory"), "LOADING", false, "the address may lead elsewhere at the next dial"},
		{errors.New("MASTERDOWN Link with MASTER is down"), "MASTERDOWN", false, "the same"},
		{errors.New("NOAUTH Authentication required."), "NOAUTH", false, "the next dial reads the password anew"},
		{io.EOF, "", false, "EOF is in capitals but no reply"},
		{errors.New("EOF"), "", false, "the same as text alone"},
		{errors.New("read tcp 127.0.0.1:1->127.0.0.1:2: i/o timeout"), "", false, "the reply may still come"},
		{errors.New("redis: nil"), "", false, "the script never answers nil"},
		{errors.New("redis: can't parse \"x\""), "", false, "foreign bytes"},
	} {
		if got := errorCode(row.err); got != row.code {
			t.Errorf("%v: code %q, want %q", row.err, got, row.code)
		}
		if got := usable(row.err); got != row.usable {
			t.Errorf("%v: usable %v, want %v: %s", row.err, got, row.usable, row.why)
		}
	}
	if !usable(nil) {
		t.Error("no error: the connection must be usable")
	}
}

func TestBoundOfConnections(t *testing.T) {
	for _, row := range []struct{ poolSize, most, want int }{
		{0, 0, poolSizeDefault},
		{3, 0, 3},
		{0, 2, 2},
		{5, 2, 2},
		{2, 5, 2},
	} {
		c := newRedisClient(redisSettings{poolSize: row.poolSize, maxActiveConns: row.most})
		if got := c.bound(); got != row.want {
			t.Errorf("poolSize %d, maxActiveConns %d: bound %d, want %d", row.poolSize, row.most, got, row.want)
		}
	}
}

// A flight gets a connection at once, after a dial, or from another flight; never more are open than the bound says.
func TestConnectStaysWithinTheBound(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.NewProxy(t, server.Addr)
	s := settingsAt(t, "bound@test", proxy.Addr, func(c *Config) { c.Redis.PoolSize = "3" })
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)

	var all sync.WaitGroup
	var mu sync.Mutex
	held, most := 0, 0
	for i := 0; i < 50; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			got, err := c.connect()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			held++
			if held > most {
				most = held
			}
			mu.Unlock()
			err = got.conn.Ping(background).Err()
			mu.Lock()
			held--
			mu.Unlock()
			c.release(got, err == nil)
		}()
	}
	all.Wait()
	if most > 3 || proxy.Dials() > 3 {
		t.Errorf("%d connections in use at once after %d dials, want at most 3", most, proxy.Dials())
	}
}

// A connection that comes back just when a flight has found none must not be left lying while the flight waits for it.
func TestConnectMissesNoConnectionThatComesBack(t *testing.T) {
	c := &redisClient{settings: redisSettings{poolSize: 1}, breaker: &breaker{}, open: 1, ready: []*connection{{}}, reaping: true}
	const flights, turns = 4, 20000
	ended := make(chan bool, flights)
	for i := 0; i < flights; i++ {
		go func() {
			for turn := 0; turn < turns; turn++ {
				held, _ := takeConnection(c, false)
				c.release(held, true)
			}
			ended <- true
		}()
	}
	for i := 0; i < flights; i++ {
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			open, ready := connections(c)
			t.Fatalf("a flight waits for ever: %d open, %d ready", open, ready)
		}
	}
}

func TestMinIdleConnsAreKeptReady(t *testing.T) {
	server := redistest.Start(t)
	s := settingsAt(t, "idle@test", server.Addr, func(c *Config) { c.Redis.MinIdleConns = "4" })
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	got, err := c.connect()
	if err != nil {
		t.Fatal(err)
	}
	c.release(got, true)
	eventually(t, "four connections are ready", func() bool {
		open, ready := connections(c)
		return open == 4 && ready == 4
	})
}

func TestConnectWithoutServer(t *testing.T) {
	proxy := redistest.NewProxy(t, "127.0.0.1:1") // nothing listens there: each dial is closed at once
	s := settingsAt(t, "none@test", proxy.Addr, nil)
	c := newRedisClient(s.redis)
	for i := 0; i < 3; i++ {
		if _, err := c.connect(); err == nil {
			t.Fatal("connected to nothing")
		}
	}
	if open, ready := connections(c); open != 0 || ready != 0 {
		t.Errorf("%d open, %d ready after failed dials, want none", open, ready)
	}
}

// A failed dial must not fail those who will get the connection of another flight (max clients reached).
func TestFailedDialLeavesOthersWaiting(t *testing.T) {
	server := redistest.Start(t, "--maxclients", "1")
	s := settingsAt(t, "one@test", server.Addr, nil)
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	first := waitForConnection(t, c) // redistest's own connection may still hold the one place
	second := make(chan error, 1)
	go func() {
		got, err := c.connect()
		if err == nil {
			c.release(got, true)
		}
		second <- err
	}()
	eventually(t, "the second dial has failed", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.waiting) == 1 && !c.dialling
	})
	c.release(first, true)
	if err := <-second; err != nil {
		t.Errorf("the flight that waited got %v, want the first one's connection", err)
	}
}

// connections are how many are open, and how many of them unused.
func connections(c *redisClient) (open, ready int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open, len(c.ready)
}

func waitForConnection(t *testing.T, c *redisClient) *connection {
	t.Helper()
	var got *connection
	eventually(t, "a connection", func() bool {
		var err error
		got, err = c.connect()
		return err == nil
	})
	return got
}

func TestIdleConnectionsAreReaped(t *testing.T) {
	server := redistest.Start(t)
	s := settingsAt(t, "reap@test", server.Addr, nil)
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	a, b := waitForConnection(t, c), waitForConnection(t, c)
	c.release(a, true)
	c.release(b, true)
	c.mu.Lock()
	a.used = a.used.Add(-2 * idleTime)
	c.mu.Unlock()
	c.reap()
	if open, ready := connections(c); open != 1 || ready != 1 || c.ready[0] != b {
		t.Errorf("%d open, %d ready, want the one that was used", open, ready)
	}
}

func TestRetireClosesConnections(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.NewProxy(t, server.Addr)
	s := settingsAt(t, "retire@test", proxy.Addr, nil)
	c := newRedisClient(s.redis)
	inUse, ready := waitForConnection(t, c), waitForConnection(t, c)
	c.release(ready, true)
	c.retire()
	if !c.reaping || c.reaper.timer.Stop() {
		t.Error("a timer holds on to the client, and in Yaegi to its connections, for idleTime")
	}
	c.release(inUse, true)
	eventually(t, "no connection is left", func() bool { return proxy.Open() == 0 })
	late, err := c.connect() // an old router's last request is served all the same
	if err != nil {
		t.Fatal(err)
	}
	c.release(late, true)
	eventually(t, "no connection is kept", func() bool { return proxy.Open() == 0 })
}

// A dial may end after the last configuration that wanted its connection, or after its server has lost its role.
func TestDialThatEndsTooLateIsNotKept(t *testing.T) {
	server := redistest.Start(t)
	for name, meanwhile := range map[string]func(c *redisClient){"retired": (*redisClient).retire, "forgotten": (*redisClient).forget} {
		proxy := redistest.NewProxy(t, server.Addr)
		s := settingsAt(t, name+"@test", proxy.Addr, nil)
		c := newRedisClient(s.redis)
		c.dialling, c.open = true, 1 // as dialIfNeeded begins it
		begun := c.generation
		meanwhile(c)
		c.dial(begun)
		if open, ready := connections(c); open != 0 || ready != 0 || proxy.Dials() != 1 {
			t.Errorf("%s: %d open, %d ready after %d dials, want none and one dial", name, open, ready, proxy.Dials())
		}
		eventually(t, "no connection is left", func() bool { return proxy.Open() == 0 })
	}
}

// dialTimeout and the exchange's timeout are apart: neither cuts the other.
func TestExchangeMayTakeLongerThanADial(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.NewProxy(t, server.Addr)
	s := settingsAt(t, "apart@test", proxy.Addr, func(c *Config) { c.Redis.DialTimeout, c.Timeout = "100ms", "10s" })
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	b := newBatch(&s, c)
	c.release(waitForConnection(t, c), true)
	proxy.Delay(75 * time.Millisecond) // each way
	mustTake(t, b, "x")
}

// Only a connection that was unused for staleAfter, and that ends before a byte of reply, is asked for again.
func TestExchangeTellsAStaleConnectionFromALostReply(t *testing.T) {
	for _, row := range []struct {
		name    string
		idle    time.Duration
		partial string // bytes of reply before the end
		stale   bool
	}{
		{"idle, closed without a byte", 2 * staleAfter, "", true},
		{"busy, closed without a byte", 0, "", false},
		{"idle, closed within the reply", 2 * staleAfter, "$12", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := redistest.Start(t)
			proxy := redistest.NewProxy(t, server.Addr)
			s := settingsAt(t, "stale@test", proxy.Addr, nil)
			c := newRedisClient(s.redis)
			t.Cleanup(c.retire)
			got := waitForConnection(t, c)
			got.used = time.Now().Add(-row.idle)
			proxy.Replies(func([]byte) []byte { return nil })
			if row.partial != "" {
				sent := false
				proxy.Replies(func([]byte) []byte {
					if sent {
						return nil
					}
					sent = true
					time.AfterFunc(50*time.Millisecond, proxy.CloseAll)
					return []byte(row.partial)
				})
			}
			key := scriptKeys(s.limits, []string{s.keyHead + "x}"})
			_, err := exchange(got, appendCall(nil, key, bulk(scriptLimits(s.limits)), "1 "), time.Second)
			if err == nil || errors.Is(err, errStale) != row.stale {
				t.Errorf("got error %v, want stale %v", err, row.stale)
			}
			c.release(got, usable(err))
			if open, _ := connections(c); open != 0 {
				t.Error("the connection was kept")
			}
		})
	}
}

// A reader that is woken after its deadline finds the reply that has come in time.
func TestLateReaderFindsItsReply(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	wire := &countingConn{Conn: near, most: replyMost}
	_ = near.SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := wire.Read(make([]byte, 9)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("nothing has come: %v, want a timeout", err)
	}
	if _, err := far.Write([]byte("reply")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the reply is read in spite of the deadline", func() bool {
		_ = near.SetReadDeadline(time.Now().Add(-time.Second))
		buffer := make([]byte, 9)
		n, err := wire.Read(buffer)
		return err == nil && string(buffer[:n]) == "reply"
	})
}

// The time of a question and of its reply begins when it is sent, however long before go-redis has set a deadline.
func TestLateWriterHasItsTime(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	go func() {
		buffer := make([]byte, 9)
		n, _ := far.Read(buffer)
		_, _ = far.Write(buffer[:n])
	}()
	wire := &countingConn{Conn: near, most: replyMost, writeTimeout: time.Minute, readTimeout: time.Minute}
	_ = wire.SetDeadline(time.Now().Add(-time.Second))
	if _, err := wire.Write([]byte("question")); err != nil {
		t.Fatalf("a late question: %v", err)
	}
	_ = wire.SetReadDeadline(time.Now().Add(-time.Second))
	buffer := make([]byte, 9)
	if n, err := wire.Read(buffer); err != nil || string(buffer[:n]) != "question" {
		t.Fatalf("its reply: %q, %v", buffer[:n], err)
	}
	wire.readTimeout = time.Nanosecond
	if _, err := wire.Read(buffer); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("no more comes: %v, want a timeout", err)
	}
}

func TestExchangeRefusesForeignReplies(t *testing.T) {
	server := redistest.Start(t)
	for _, reply := range []string{"+OK\r\n", ":1\r\n", "$-1\r\n", "*1\r\n:1\r\n", "$5\r\nhello\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n"} {
		proxy := redistest.NewProxy(t, server.Addr)
		s := settingsAt(t, fmt.Sprintf("foreign%d@test", len(reply)), proxy.Addr, nil)
		c := newRedisClient(s.redis)
		b := newBatch(&s, c)
		first := waitForConnection(t, c)
		c.release(first, true)
		proxy.Replies(func([]byte) []byte { return []byte(reply) })
		decided, err := takeFrom(b, "x", 1)
		if err == nil || len(decided.verdicts) > 0 {
			t.Errorf("reply %q: decided %v, error %v, want an error", reply, decided, err)
		}
		eventually(t, "the connection is dropped", func() bool {
			open, _ := connections(c)
			return open == 0
		})
		c.retire()
	}
}

func TestPasswordIsReadAtEachDial(t *testing.T) {
	server := redistest.Start(t, "--requirepass", "first")
	directory := t.TempDir()
	t.Setenv(secretsVariable, directory)
	write(t, directory+"/password", "first\n")
	s := settingsAt(t, "rotate@test", server.Addr, func(c *Config) { c.Redis.PasswordFile = directory + "/password" })
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	got := waitForConnection(t, c)
	if err := got.conn.Do(background, "CONFIG", "SET", "requirepass", "second").Err(); err != nil {
		t.Fatal(err)
	}
	c.release(got, false)
	_, err := c.connect()
	if err == nil || !strings.Contains(err.Error(), "WRONGPASS") || strings.Contains(err.Error(), "first") {
		t.Errorf("with the old password: %v, want Redis' WRONGPASS and no password", err)
	}
	write(t, directory+"/password", "second\n")
	got, err = c.connect()
	if err != nil {
		t.Fatal(err)
	}
	c.release(got, true)
}

// A server that does not know AUTH repeats its arguments in its error: the password must not reach the log in this way.
func TestPasswordIsNotEchoed(t *testing.T) {
	server := redistest.Start(t, "--rename-command", "HELLO", "", "--rename-command", "AUTH", "")
	for _, username := range []string{"", "limiter"} {
		s := settingsAt(t, "echo@test", server.Addr, func(c *Config) { c.Redis.Username, c.Redis.Password = username, "s3cret" })
		c := newRedisClient(s.redis)
		t.Cleanup(c.retire)
		_, err := c.connect()
		if err == nil || !strings.Contains(err.Error(), "ERR unknown command 'auth'") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("user %q: %v", username, err)
		}
	}
}
