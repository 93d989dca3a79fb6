package ratelimit

import (
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// serve answers by answer, on a free port until the test ends, whatever is sent: it gets the bytes of each read in lower case.
func serve(t *testing.T, answer func(to net.Conn, request string)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buffer := make([]byte, 64<<10)
				for {
					n, err := conn.Read(buffer)
					if err != nil {
						return
					}
					answer(conn, strings.ToLower(string(buffer[:n])))
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// oldServer knows no HELLO, and answers the command at by reply.
func oldServer(at, reply string) func(to net.Conn, request string) {
	return func(to net.Conn, request string) {
		switch {
		case strings.Contains(request, at):
			io.WriteString(to, reply)
		case strings.Contains(request, "hello"):
			io.WriteString(to, "-ERR unknown command\r\n")
		default:
			io.WriteString(to, "+PONG\r\n")
		}
	}
}

// What listens at the address may be anybody's: whoever writes a label chooses it. No reply may take Traefik's memory.
func TestRepliesTakeNoMemory(t *testing.T) {
	for _, row := range []struct{ why, reply, want string }{
		{"a string is allotted before it has come", "$9000000000\r\n", "too long"},
		{"with its two last bytes it would be negative", "$9223372036854775807\r\n", "too long"},
		{"just above the bound", "$4194305\r\n", "too long"},
		{"an array is allotted before its items have come", "*2000000000\r\n", "too long"},
		{"so is a map", "%100000000\r\n", "too long"},
		{"an array is no key of a map", "%1\r\n*0\r\n:1\r\n", "no value"},
		{"nor is a map", "%1\r\n%0\r\n:1\r\n", "no value"},
		{"each level takes stack", strings.Repeat("*1\r\n", 1<<20), "nested"},
		{"so does each attribute", strings.Repeat("|0\r\n", 1<<20), "nested"},
		{"and what is read past", "|1\r\n" + strings.Repeat("*1\r\n", 1<<20), "nested"},
		{"a line without end", "+" + strings.Repeat("x", 64<<20), "longer than any"},
	} {
		for _, at := range []string{"hello", "evalsha"} {
			reply := row.reply
			if at == "hello" {
				reply = "*2\r\n+proto\r\n" + reply
			}
			address := serve(t, oldServer(at, reply))
			s := settingsAt(t, "hostile@test", address, func(c *Config) { c.Timeout = "5s" })
			c := newRedisClient(s.redis)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := c.connect()
			if err == nil {
				_, err = exchange(got, appendCall(nil, []string{"x"}, bulk(""), ""), 5*time.Second)
				c.release(got, usable(err))
			}
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s, at %s: error %.200v, want one that says %q", row.why, at, err, row.want)
			}
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 100 {
				t.Errorf("%s, at %s: took %d MB", row.why, at, took)
			}
			if open, _ := connections(c); open != 0 {
				t.Errorf("%s, at %s: the connection was kept", row.why, at)
			}
			c.retire()
		}
	}
}

// A connection serves for as long as it likes: the bound is each reply's, not all replies'.
func TestBoundOfRepliesIsEachReplys(t *testing.T) {
	long := "$3000000\r\n" + strings.Repeat("x", 3000000) + "\r\n"
	address := serve(t, oldServer("evalsha", long))
	s := settingsAt(t, "each@test", address, nil)
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	got := waitForConnection(t, c)
	for i := 0; i < 3; i++ {
		if reply, err := exchange(got, appendCall(nil, []string{"x"}, bulk(""), ""), 5*time.Second); err != nil || len(reply) != 3000000 {
			t.Fatalf("reply %d: %d bytes, error %v", i, len(reply), err)
		}
	}
	c.release(got, true)
}

// Redis says what it was sent when it does not know a command, and AUTH may be one of them.
func TestNoPasswordInTheErrorOfADial(t *testing.T) {
	password := "s3cret-" + strings.Repeat("0123456789", 20)
	server := redistest.Start(t, "--rename-command", "AUTH", "", "--rename-command", "HELLO", "")
	echo := serve(t, func(to net.Conn, request string) {
		io.WriteString(to, "-ERR what is "+strings.Join(strings.Fields(request), " ")+"?\r\n")
		to.Close()
	})
	for _, row := range []struct{ why, address, want string }{
		{"Redis repeats the arguments, cut off at some length", server.Addr, "ERR unknown command 'AUTH'"},
		{"a server that repeats all and closes", echo, "auth default"},
	} {
		s := settingsAt(t, "unsaid@test", row.address, func(c *Config) { c.Redis.Password = password })
		c := newRedisClient(s.redis)
		_, err := c.connect()
		text := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(err.Error()), "$7 ", ""), "$207 ", "")
		if strings.Contains(text, "s3cret") || !strings.Contains(text, strings.ToLower(row.want)) {
			t.Errorf("%s: %v, want %q and no password", row.why, err, row.want)
		}
		c.retire()
	}
}

func TestWithoutPassword(t *testing.T) {
	for _, row := range []struct{ text, want, why string }{
		{"ERR unknown command 'AUTH', with args beginning with: 'hunt", "ERR unknown command 'AUTH'", "cut off within the password"},
		{"ERR unknown command `HELLO`, with args beginning with: `2`, `AUTH`, `default`, `hunter2`", "ERR unknown command `HELLO`", "Redis 5"},
		{"ERR what is AUTH hunter2?", "ERR what is AUTH ***?", "another server"},
		{"WRONGPASS invalid username-password pair", "WRONGPASS invalid username-password pair", "nothing to hide"},
	} {
		if got := withoutPassword(row.text, "hunter2"); got != row.want {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
	if got := withoutPassword("EOF", ""); got != "EOF" {
		t.Errorf("%v: the error is another one, without a password", got)
	}
}

// What a server says has no bound, what the log repeats of it has.
func TestLongCausesAreShortened(t *testing.T) {
	l := captureLog(t, "redis8:6379")
	h := &health{endpoint: "redis8:6379", reached: true}
	h.failed(strings.Repeat("é", 1<<20))
	h.foreignKey("k", strings.Repeat("é", 1<<20))
	lines := l.lines()
	if len(lines) != 2 || len(lines[0])+len(lines[1]) > 1000 || !strings.Contains(lines[0], "é …;") {
		t.Errorf("%d lines of %.200q", len(lines), lines)
	}
}
