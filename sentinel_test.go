package ratelimit

import (
	"context"
	"errors"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// fakeSentinel is a miniredis that is asked for the master of the set "limits", and answers what the test says.
type fakeSentinel struct {
	*miniredis.Miniredis

	mu    sync.Mutex
	reply func(*server.Peer)
	asked int
}

func newFakeSentinel(t *testing.T, reply func(*server.Peer)) *fakeSentinel {
	t.Helper()
	f := &fakeSentinel{Miniredis: miniredis.RunT(t), reply: reply}
	err := f.Server().Register("SENTINEL", func(c *server.Peer, _ string, args []string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.asked++
		if len(args) != 2 || args[0] != "get-master-addr-by-name" || args[1] != "limits" {
			t.Errorf("a sentinel is asked %q", args)
		}
		f.reply(c)
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// answers changes what the sentinel replies.
func (f *fakeSentinel) answers(reply func(*server.Peer)) {
	f.mu.Lock()
	f.reply = reply
	f.mu.Unlock()
}

func (f *fakeSentinel) timesAsked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// naming is the reply of a sentinel whose master is at address.
func naming(address string) func(*server.Peer) {
	host, port, _ := net.SplitHostPort(address)
	return func(c *server.Peer) { c.WriteStrings([]string{host, port}) }
}

// hanging accepts connections and never answers.
func hanging(t *testing.T) string {
	t.Helper()
	proxy := redistest.NewProxy(t, miniredis.RunT(t).Addr())
	proxy.Swallow(true)
	return proxy.Addr
}

// bySentinels is a client in mode sentinel whose sentinels are at these addresses.
func bySentinels(t *testing.T, change func(c *Config), addresses ...string) *redisClient {
	t.Helper()
	s := settingsAt(t, "sentinel@test", "", func(c *Config) {
		c.Redis.Endpoints, c.Redis.Mode, c.Redis.Sentinel.MasterSet = addresses, modeSentinel, "limits"
		if change != nil {
			change(c)
		}
	})
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	return c
}

// connectedTo is where a fresh connection of c leads, which is then closed.
func connectedTo(t *testing.T, c *redisClient) string {
	t.Helper()
	got, err := c.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer c.release(got, false)
	return got.wire.RemoteAddr().String()
}

const nowhere = "127.0.0.1:1" // nothing listens there

// TestAnswersOfSentinels: only an address is one, and the cause says what else came.
func TestAnswersOfSentinels(t *testing.T) {
	master := miniredis.RunT(t)
	for _, row := range []struct {
		why, cause string
		reply      func(c *server.Peer)
	}{
		{"an address", "", naming(master.Addr())},
		{"a set that it does not watch", "it knows no master set limits", func(c *server.Peer) { c.WriteNull() }},
		{"an error of its own", "IDONTKNOW I have not enough information", func(c *server.Peer) { c.WriteError("IDONTKNOW I have not enough information") }},
		{"no list", "it does not answer like a sentinel", func(c *server.Peer) { c.WriteBulk("127.0.0.1:6379") }},
		{"half an address", "it does not answer like a sentinel", func(c *server.Peer) { c.WriteStrings([]string{"127.0.0.1"}) }},
		{"too much", "it does not answer like a sentinel", func(c *server.Peer) { c.WriteStrings([]string{"127.0.0.1", "6379", "1"}) }},
		{"no port", `it names a master at "127.0.0.1:"`, func(c *server.Peer) { c.WriteStrings([]string{"127.0.0.1", ""}) }},
		{"no host", `it names a master at ":6379"`, func(c *server.Peer) { c.WriteStrings([]string{"", "6379"}) }},
		{"a port that is none", `it names a master at "127.0.0.1:x"`, func(c *server.Peer) { c.WriteStrings([]string{"127.0.0.1", "x"}) }},
		{"port 0", `it names a master at "127.0.0.1:0"`, func(c *server.Peer) { c.WriteStrings([]string{"127.0.0.1", "0"}) }},
		{"a host that would tear the log's line", `it names a master at "a\nb:1"`, func(c *server.Peer) { c.WriteStrings([]string{"a\nb", "1"}) }},
		{"foreign bytes", "redis: can't parse", func(c *server.Peer) { c.WriteRaw("HTTP/1.1 400 Bad Request\r\n\r\n") }},
		{"a hang-up", "EOF", func(c *server.Peer) { c.Close() }},
	} {
		sentinel := newFakeSentinel(t, row.reply)
		c := bySentinels(t, nil, sentinel.Addr())
		got, err := c.connect()
		if row.cause == "" {
			if err != nil || got.wire.RemoteAddr().String() != master.Addr() {
				t.Errorf("%s: %v, %v", row.why, got, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "no sentinel names the master: "+sentinel.Addr()+": ") || !strings.Contains(err.Error(), row.cause) {
			t.Errorf("%s: %v, want %q", row.why, err, row.cause)
		}
	}
}

// TestEverySentinelHasItsCause: when none of them helps, the log must say why for each.
func TestEverySentinelHasItsCause(t *testing.T) {
	unknowing := newFakeSentinel(t, func(c *server.Peer) { c.WriteNull() })
	locked := newFakeSentinel(t, naming(nowhere))
	locked.RequireAuth("another-s3cret")
	c := bySentinels(t, func(c *Config) {
		c.Redis.DialTimeout, c.Redis.Sentinel.Password = "2s", "s3cret"
	}, nowhere, hanging(t), locked.Addr(), unknowing.Addr())
	begin := time.Now()
	_, err := c.connect()
	if took := time.Since(begin); err == nil || took > 3*time.Second {
		t.Fatalf("%v after %v", err, took)
	}
	for _, cause := range []string{
		nowhere + ": dial tcp " + nowhere + ": connect: connection refused; ",
		": i/o timeout; ",
		locked.Addr() + ": WRONGPASS invalid username-password pair; ",
		unknowing.Addr() + ": it knows no master set limits",
	} {
		if !strings.Contains(err.Error(), cause) {
			t.Errorf("%v: does not hold %q", err, cause)
		}
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a secret in %v", err)
	}
}

// TestSentinelThatHangs: it takes its share of dialTimeout, once; afterwards one that answers is asked first.
func TestSentinelThatHangs(t *testing.T) {
	master := miniredis.RunT(t)
	sentinel := newFakeSentinel(t, naming(master.Addr()))
	c := bySentinels(t, func(c *Config) { c.Redis.DialTimeout = "3s" }, hanging(t), nowhere, sentinel.Addr())
	begin := time.Now()
	if got := connectedTo(t, c); got != master.Addr() {
		t.Errorf("connected to %s, want %s", got, master.Addr())
	}
	if took := time.Since(begin); took < 500*time.Millisecond || took > 2*time.Second {
		t.Errorf("the first dial took %v, want about a quarter of 3 s", took)
	}
	begin = time.Now()
	connectedTo(t, c)
	if took := time.Since(begin); took > 500*time.Millisecond {
		t.Errorf("the second dial took %v", took)
	}
}

// TestMasterThatHangs: the dial of a frozen master ends when the sentinels name another, not with dialTimeout.
func TestMasterThatHangs(t *testing.T) {
	master := miniredis.RunT(t)
	sentinel := newFakeSentinel(t, naming(hanging(t)))
	c := bySentinels(t, func(c *Config) { c.Redis.DialTimeout = "1m" }, sentinel.Addr())
	go func() {
		for sentinel.timesAsked() < 2 {
			time.Sleep(time.Millisecond)
		}
		sentinel.answers(naming(master.Addr()))
	}()
	begin := time.Now()
	if got := connectedTo(t, c); got != master.Addr() {
		t.Errorf("connected to %s, want %s", got, master.Addr())
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the dial took %v", took)
	}
}

// TestMasterByItsRole: a server that says it is a replica is left, whatever the sentinels say, and one that says nothing is taken.
func TestMasterByItsRole(t *testing.T) {
	for _, row := range []struct {
		why, cause string
		role       func(c *server.Peer)
	}{
		{"a master", "", func(c *server.Peer) { c.WriteLen(3); c.WriteBulk("master"); c.WriteInt(0); c.WriteLen(0) }},
		{"a user who may not ask", "", func(c *server.Peer) { c.WriteError("NOPERM this user has no permissions to run the 'role' command") }},
		{"a server that does not know", "", func(c *server.Peer) { c.WriteError("ERR unknown command 'ROLE'") }},
		{"a replica", `is no master, its role is "slave"`, func(c *server.Peer) { c.WriteStrings([]string{"slave", "10.0.0.1", "6379", "connected", "1"}) }},
		{"a sentinel", `is no master, its role is "sentinel"`, func(c *server.Peer) { c.WriteStrings([]string{"sentinel"}) }},
		{"nothing", `is no master, its role is ""`, func(c *server.Peer) { c.WriteLen(0) }},
		{"a server that loads", "LOADING", func(c *server.Peer) { c.WriteError("LOADING Redis is loading the dataset in memory") }},
	} {
		master := miniredis.RunT(t)
		role := row.role
		if err := master.Server().Register("ROLE", func(c *server.Peer, _ string, _ []string) { role(c) }); err != nil {
			t.Fatal(err)
		}
		sentinel := newFakeSentinel(t, naming(master.Addr()))
		c := bySentinels(t, nil, sentinel.Addr())
		_, err := c.connect()
		if row.cause == "" && err != nil {
			t.Errorf("%s: %v", row.why, err)
		}
		if row.cause != "" && (err == nil || !strings.HasPrefix(err.Error(), "master "+master.Addr()+": ") || !strings.Contains(err.Error(), row.cause)) {
			t.Errorf("%s: %v, want %q", row.why, err, row.cause)
		}
		eventually(t, "no connection is left to the sentinel", func() bool { return sentinel.CurrentConnectionCount() == 0 })
		if err != nil {
			eventually(t, "none is left to a server that is no master", func() bool { return master.CurrentConnectionCount() == 0 })
		}
	}
}

// TestSentinelThatIsBehind: one that names a master which cannot be reached is not asked first for ever.
func TestSentinelThatIsBehind(t *testing.T) {
	master := miniredis.RunT(t)
	behind, ahead := newFakeSentinel(t, naming(nowhere)), newFakeSentinel(t, naming(master.Addr()))
	c := bySentinels(t, nil, behind.Addr(), ahead.Addr())
	if _, err := c.connect(); err == nil || !strings.Contains(err.Error(), "master "+nowhere+": dial tcp") {
		t.Errorf("got %v, want the cause of the master", err)
	}
	if got := connectedTo(t, c); got != master.Addr() {
		t.Errorf("connected to %s, want %s", got, master.Addr())
	}
}

// TestMasterIsWatched: connections to a master that works, but that the sentinels have replaced, are left; also those in use.
func TestMasterIsWatched(t *testing.T) {
	old, fresh := miniredis.RunT(t), miniredis.RunT(t)
	sentinel := newFakeSentinel(t, naming(old.Addr()))
	c := bySentinels(t, nil, nowhere, sentinel.Addr())
	inUse, ready := waitForConnection(t, c), waitForConnection(t, c)
	c.release(ready, true)
	asked := sentinel.timesAsked()
	eventually(t, "the sentinel is asked again and again", func() bool { return sentinel.timesAsked() > asked+2 })
	if open, ready := connections(c); open != 2 || ready != 1 {
		t.Fatalf("%d open, %d ready while nothing changes, want 2 and 1", open, ready)
	}
	sentinel.answers(func(c *server.Peer) { c.WriteNull() })
	asked = sentinel.timesAsked()
	eventually(t, "the sentinel knows nothing", func() bool { return sentinel.timesAsked() > asked+2 })
	if open, _ := connections(c); open != 2 {
		t.Fatalf("%d open though no other master was named, want 2", open)
	}
	sentinel.answers(naming(fresh.Addr()))
	eventually(t, "the ready connection is closed", func() bool {
		_, ready := connections(c)
		return ready == 0
	})
	c.release(inUse, true)
	if open, _ := connections(c); open != 0 {
		t.Errorf("%d open, want none", open)
	}
	if got := connectedTo(t, c); got != fresh.Addr() {
		t.Errorf("connected to %s, want %s", got, fresh.Addr())
	}
}

// TestWatchEnds: with its last connection, so that nothing of a client that is not used any more goes on.
func TestWatchEnds(t *testing.T) {
	master := miniredis.RunT(t)
	sentinel := newFakeSentinel(t, naming(master.Addr()))
	c := bySentinels(t, nil, sentinel.Addr())
	c.release(waitForConnection(t, c), true)
	c.retire()
	eventually(t, "the watch ends", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return !c.watching
	})
}

// TestCutOffMaster: a master without its replicas is not believed for ever: the sentinels may have promoted one.
func TestCutOffMaster(t *testing.T) {
	old, fresh := redistest.Start(t, "--min-replicas-to-write", "1"), redistest.Start(t)
	sentinel := newFakeSentinel(t, naming(old.Addr))
	c := bySentinels(t, nil, sentinel.Addr())
	s := settingsAt(t, "cut-off@test", old.Addr, func(c *Config) { c.Timeout = "10s" })
	b := newBatch(&s, c)
	if _, err := takeFrom(b, "x", 1); err == nil || errorCode(err) != "NOREPLICAS" {
		t.Fatalf("got %v, want NOREPLICAS", err)
	}
	eventually(t, "the connection is left", func() bool {
		open, _ := connections(c)
		return open == 0
	})
	sentinel.answers(naming(fresh.Addr))
	mustTake(t, b, "x")
}

// TestPasswordsOfSentinels: sentinels have a user and a password of their own, read at each dial, and the master's stay with the master.
func TestPasswordsOfSentinels(t *testing.T) {
	secrets, _ := secretFiles(t)
	master := miniredis.RunT(t)
	master.RequireUserAuth("limiter", "of-the-master")
	sentinel := newFakeSentinel(t, naming(master.Addr()))
	sentinel.RequireUserAuth("watch", "first")
	writeSecret(t, secrets+"/redis", "first\n")
	c := bySentinels(t, func(c *Config) {
		c.Redis.Username, c.Redis.Password, c.Redis.DB = "limiter", "of-the-master", "3"
		c.Redis.Sentinel.Username, c.Redis.Sentinel.PasswordFile = "watch", secrets+"/redis"
	}, sentinel.Addr())
	connectedTo(t, c)
	sentinel.RequireUserAuth("watch", "second")
	_, err := c.connect()
	if err == nil || !strings.Contains(err.Error(), "WRONGPASS") || strings.Contains(err.Error(), "first") {
		t.Errorf("with the old password: %v", err)
	}
	writeSecret(t, secrets+"/redis", "second\n")
	connectedTo(t, c)
	writeSecret(t, secrets+"/redis", "\n")
	if _, err := c.connect(); err == nil || !strings.Contains(err.Error(), "redis.sentinel.passwordFile: ") {
		t.Errorf("with an empty file: %v", err)
	}
}

// TestRightsOnSentinels: the user of the documents is enough.
func TestRightsOnSentinels(t *testing.T) {
	text, err := os.ReadFile("docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("`(ACL SETUSER watch [^`]*)`").FindSubmatch(text)
	if line == nil {
		t.Fatal("the documents name no user")
	}
	s := redistest.StartSentinels(t, 0, 1, nil)
	client := s.Sentinels[0].Client()
	defer client.Close()
	var words []interface{}
	for _, word := range strings.Fields(string(line[1])) {
		words = append(words, word)
	}
	if err := client.Do(background, words...).Err(); err != nil {
		t.Fatal(err)
	}
	c := bySentinels(t, func(c *Config) {
		c.Redis.DB = "3" // is the master's, a sentinel has none
		c.Redis.Sentinel = SentinelConfig{MasterSet: redistest.MasterSet, Username: "watch", Password: "change-me"}
	}, s.Endpoints()...)
	if got := connectedTo(t, c); got != s.Servers[0].Addr {
		t.Errorf("connected to %s, want %s", got, s.Servers[0].Addr)
	}
}

// TestShownSentinels: the log says which master set it is about, and who was asked.
func TestShownSentinels(t *testing.T) {
	c := bySentinels(t, nil, "a:1", "b:2")
	if c.health.endpoint != "master limits of sentinels a:1,b:2" {
		t.Errorf("the log speaks of %s", c.health.endpoint)
	}
}

// TestClosedWith: what was dialled is closed by the end of moved, and only by that.
func TestClosedWith(t *testing.T) {
	server, client := net.Pipe()
	defer server.Close()
	moved, leave := context.WithCancel(background)
	dialling, cancel := context.WithCancel(background)
	conn, err := closedWith(moved, func(context.Context, string, string) (net.Conn, error) { return client, nil })(dialling, "", "")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	go conn.Write([]byte("x"))
	if _, err := server.Read(make([]byte, 1)); err != nil {
		t.Errorf("after the end of the dial: %v", err)
	}
	leave()
	if _, err := server.Read(make([]byte, 1)); err == nil {
		t.Error("still open")
	}
	refused := errors.New("refused")
	if _, err := closedWith(moved, func(context.Context, string, string) (net.Conn, error) { return nil, refused })(dialling, "", ""); err != refused {
		t.Errorf("got %v", err)
	}
}
