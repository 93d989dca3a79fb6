package suite

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// failureCases are about a Redis that answers what nobody wants, late, or not at all.
var failureCases = append([]testCase{
	{"password from the environment", "the password stands in no configuration that the dashboard shows", virtual, passwordFromEnvironment},
	{"password file rotates", "a rotated password must not need a restart", virtual, passwordFileRotates},
	{"user and password", "ACL users", virtual, userAndPassword},
	{"wrong password", "one line with Redis' own words, and never the password", virtual, wrongPassword},
	{"no password", "a Redis that wants one is named in the log, nothing is a 500", virtual, noPassword},
	{"unix socket", "Redis beside Traefik", virtual, unixSocket},
	{"reply lost", "a call whose reply was lost is not sent again: it would charge twice", virtual, replyLost},
	{"idle connection closed", "a firewall or a restarted Redis closes idle connections; nobody should notice", virtual, idleConnectionClosed},
	{"flood while Redis is stopped", "a thousand waiting requests are decided at once", virtual, floodWhileStopped},
	{"flood while Redis hangs", "no request waits longer than the budget, however many wait", virtual, floodWhileHung},
	{"foreign server", "whatever answers there, it is no decision", virtual, foreignServer},
	{"server that hangs up", "accepts and closes at once", virtual, serverHangsUp},
	{"two gateways hand over, local", "while Redis is away each lets its share through and no more, and afterwards Redis counts on", virtual, handOver},
	{"Redis comes and goes under load, local", "a flapping Redis must not give a fresh share each time", virtual, flapping},
	{"no line per request", "a lost Redis under load must not fill the disk with log", virtual, noLinePerRequest},
	{"back line counts", "an operator wants to know how many requests passed uncounted", virtual, backLineCounts},
}, redisSays()...)

// fivePerHour passes while Redis cannot decide.
func fivePerHour() map[string]interface{} {
	return map[string]interface{}{"average": 5, "period": "1h"}
}

// withRedis is fivePerHour with options of the section redis: name, value, and so on.
func withRedis(options ...interface{}) map[string]interface{} {
	section := map[string]interface{}{}
	for i := 0; i < len(options); i += 2 {
		section[options[i].(string)] = options[i+1]
	}
	config := fivePerHour()
	config["redis"] = section
	return config
}

// redisSays makes one case for each error that a Redis in trouble gives to every command.
func redisSays() []testCase {
	var cases []testCase
	for _, says := range []string{
		"LOADING Redis is loading the dataset in memory",
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
		"READONLY You can't write against a read only replica.",
		"CLUSTERDOWN The cluster is down",
		"TRYAGAIN Multiple keys request during rehashing of slot",
		"MOVED 3999 127.0.0.1:6381",
		"ASK 3999 127.0.0.1:6381",
		"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
		"OOM command not allowed when used memory > 'maxmemory'.",
		"MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.",
		"NOREPLICAS Not enough good replicas to write.",
		"NOAUTH Authentication required.",
		"WRONGPASS invalid username-password pair or user is disabled.",
		"NOPERM User gate has no permissions to run the 'evalsha' command",
		"ERR max number of clients reached",
	} {
		says := says
		word := strings.Fields(says)[0]
		if word == "ERR" {
			word = "max clients"
		}
		cases = append(cases, testCase{"Redis says " + word, "every trouble of Redis reaches the failure mode and the log in Redis' words", virtual,
			func(t *testing.T, w *world) { redisInTrouble(t, w, says) }})
	}
	return cases
}

func redisInTrouble(t *testing.T, w *world, says string) {
	closed := fivePerHour()
	closed["failureMode"] = "closed"
	open, refusing := w.mustMake(backend, fivePerHour(), w.name), w.mustMake(backend, closed, "closed-"+w.name)
	if got := ask(open, get()); got.header.Get("X-RateLimit-Remaining") != "4" {
		t.Fatalf("before the trouble: %d %v", got.status, got.header)
	}
	w.mini.SetError(says)
	for i := 0; i < 3; i++ {
		got := ask(open, get())
		if got.status != http.StatusOK || got.took > 2*time.Second {
			t.Errorf("open: %d after %v", got.status, got.took)
		}
		w.wantHeaders(got, map[string]string{})
		got = ask(refusing, get())
		if got.status != http.StatusServiceUnavailable || got.took > 2*time.Second {
			t.Errorf("closed: %d after %v", got.status, got.took)
		}
		w.wantHeaders(got, map[string]string{"Retry-After": "1", "Cache-Control": "no-store"})
	}
	w.eventually("the log names the trouble", func() bool { return w.lines(w.plugin.Errors(), strings.Fields(says)[0]) > 0 })
	elsewhere := strings.HasPrefix(says, "MOVED ") || strings.HasPrefix(says, "ASK ")
	if named := w.lines(w.plugin.Errors(), "redis.mode: cluster") > 0; named != elsewhere {
		t.Errorf("the log names mode cluster: %v, want %v", named, elsewhere)
	}
	w.mini.SetError("")
	w.settled(open, func() *http.Request { return getFrom("198.51.100.99:1") })
	if got := ask(open, get()); got.header.Get("X-RateLimit-Remaining") != "3" {
		t.Errorf("after the trouble: %d %v, want 3 remaining: refused calls charge nothing", got.status, got.header)
	}
}

// decided asks once and wants an answer of Redis.
func (w *world) decided(handler http.Handler) {
	w.t.Helper()
	if got := ask(handler, get()); len(got.header["X-Ratelimit-Limit"]) == 0 {
		w.t.Errorf("Redis did not decide: %d %v; the log says %s", got.status, got.header, w.plugin.Errors())
	}
}

// breakerFlights is how many failed flights in a row are an outage, and a line in the log.
const breakerFlights = 3

// lost asks until the breaker is open, and wants the answer of failure mode open each time.
func (w *world) lost(handler http.Handler) {
	w.t.Helper()
	for i := 0; i < breakerFlights; i++ {
		w.undecided(handler)
	}
}

// undecided asks once and wants the answer of failure mode open.
func (w *world) undecided(handler http.Handler) {
	w.t.Helper()
	got := ask(handler, get())
	if got.status != http.StatusOK || got.took > 2*time.Second {
		w.t.Errorf("status %d after %v", got.status, got.took)
	}
	w.wantHeaders(got, map[string]string{})
}

func passwordFromEnvironment(t *testing.T, w *world) {
	w.mini.RequireAuth(suitePassword)
	w.decided(w.mustMake(backend, withRedis("password", "${RATELIMIT_SUITE_PASSWORD}"), w.name))
}

func passwordFileRotates(t *testing.T, w *world) {
	file := filepath.Join(secretsFolder, "rotating")
	write := func(password string) {
		if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.mini.RequireAuth(password)
	}
	write("one")
	handler := w.mustMake(backend, withRedis("passwordFile", file), w.name)
	w.decided(handler)
	write("two")
	w.link.CloseAll()
	w.settled(handler, get)
}

func userAndPassword(t *testing.T, w *world) {
	w.mini.RequireUserAuth("gate", suitePassword)
	w.decided(w.mustMake(backend, withRedis("username", "gate", "password", suitePassword), w.name))
}

func wrongPassword(t *testing.T, w *world) {
	w.mini.RequireAuth("another")
	handler := w.mustMake(backend, withRedis("password", suitePassword), w.name)
	w.lost(handler)
	w.eventually("the log says WRONGPASS", func() bool { return w.lines(w.plugin.Errors(), "WRONGPASS") == 1 })
}

func noPassword(t *testing.T, w *world) {
	w.mini.RequireAuth("another")
	handler := w.mustMake(backend, fivePerHour(), w.name)
	w.lost(handler)
	w.eventually("the log says NOAUTH", func() bool { return w.lines(w.plugin.Errors(), "NOAUTH") == 1 })
}

func unixSocket(t *testing.T, w *world) {
	folder, err := os.MkdirTemp("", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	socket := standIn(t, "unix", filepath.Join(folder, "redis.sock"), func(conn net.Conn) {
		redis, err := net.Dial("tcp", w.mini.Addr())
		if err != nil {
			return
		}
		defer redis.Close()
		go io.Copy(redis, conn)
		io.Copy(conn, redis)
	})
	w.decided(w.mustMake(backend, withRedis("endpoints", []interface{}{"unix://" + socket}), w.name))
}

func replyLost(t *testing.T, w *world) {
	handler := w.mustMake(backend, fivePerHour(), w.name)
	used := time.Now()
	w.decided(handler)
	lost := false
	w.link.Replies(func(reply []byte) []byte { // one reply is lost, a second call's would not be
		if lost {
			return reply
		}
		lost = true
		return nil
	})
	got := ask(handler, get())
	if time.Since(used) > time.Second {
		t.Skip("this machine is too busy to tell a lost reply from a connection that was closed while idle")
	}
	w.wantHeaders(got, map[string]string{})
	got = w.settled(handler, get)
	if got.header.Get("X-RateLimit-Remaining") != "2" {
		t.Errorf("remaining %s, want 2: the first request, the one whose reply was lost and this one, each once", got.header.Get("X-RateLimit-Remaining"))
	}
}

func idleConnectionClosed(t *testing.T, w *world) {
	handler := w.mustMake(backend, fivePerHour(), w.name)
	w.decided(handler)
	time.Sleep(1100 * time.Millisecond) // the single retry is for connections unused for a second
	w.link.CloseAll()
	got := ask(handler, get())
	if got.header.Get("X-RateLimit-Remaining") != "3" {
		t.Errorf("%d %v, want 3 remaining", got.status, got.header)
	}
	if n := w.lines(w.plugin.Errors(), ""); n > 0 {
		t.Errorf("%d lines in the log", n)
	}
}

func floodWhileStopped(t *testing.T, w *world) {
	flood(t, w, func() { w.link.Refuse() })
}

func floodWhileHung(t *testing.T, w *world) {
	flood(t, w, func() { w.link.Swallow(true) })
}

func flood(t *testing.T, w *world, trouble func()) {
	config := fivePerHour()
	config["timeout"] = defaultTimeout
	handler := w.mustMake(backend, config, w.name)
	w.settled(handler, get)
	trouble()
	start := time.Now()
	counts := together(handler, 1000, func(i int) *http.Request { return getFrom(fmt.Sprintf("192.0.2.%d:1", i%200)) })
	// The budget is 200 ms; a machine under load needs its time for a thousand requests.
	if took := time.Since(start); counts[200] != 1000 || took > 5*time.Second {
		t.Errorf("answers by status: %v after %v", counts, took)
	}
}

// localGateways are two instances of one middleware in failure mode local, each with its own count of its share, and a
// balancer that sends every other request of X-Odd to the second.
func localGateways(w *world, average int, share string) http.Handler {
	var gateways []http.Handler
	for _, timeout := range []string{"10s", "9s"} { // another budget makes another instance
		config := perHour(average)
		config["failureMode"], config["localShare"], config["timeout"] = "local", share, timeout
		gateways = append(gateways, w.mustMake(backend, config, w.name))
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		gateways[len(r.Header.Get("X-Odd"))].ServeHTTP(rw, r)
	})
}

// toBoth is a request from the one client through one gateway or the other.
func toBoth(i int) *http.Request {
	r := get()
	r.Header.Set("X-Odd", strings.Repeat("x", i%2))
	return r
}

func handOver(t *testing.T, w *world) {
	balancer := localGateways(w, 100, "0.29")
	want := func(when string, counts map[int]int, passes, denials int) {
		t.Helper()
		if counts[200] != passes || counts[429] != denials || passes+denials != 300 {
			t.Errorf("%s: answers by status %v, want %d times 200 and %d times 429", when, counts, passes, denials)
		}
	}
	for i := 0; i < 20; i++ {
		ask(balancer, toBoth(i))
	}
	w.link.Refuse()
	want("Redis away", together(balancer, 300, toBoth), 2*29, 300-2*29)
	w.link.Accept(t)
	for i := 0; i < 2; i++ {
		i := i
		w.settled(balancer, func() *http.Request {
			r := toBoth(i)
			r.RemoteAddr = "198.51.100.99:1"
			return r
		})
	}
	want("Redis back", together(balancer, 300, toBoth), 80, 220)
	w.link.Refuse()
	want("Redis away again", together(balancer, 300, toBoth), 0, 300)
}

func flapping(t *testing.T, w *world) {
	balancer := localGateways(w, 100, "0.5")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < 10; i++ {
			w.link.Refuse()
			time.Sleep(5 * time.Millisecond)
			w.link.Accept(t)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	counts := together(balancer, 1000, toBoth)
	<-done
	// 100 by Redis, of which a reply that was lost may have taken some, and 50 by each gateway, if each was ever asked without Redis.
	if counts[200] > 200 || counts[200]+counts[429] != 1000 {
		t.Errorf("answers by status: %v, want at most 200 times 200 and else 429", counts)
	}
}

// standIn listens in place of Redis and lets serve answer.
func standIn(t *testing.T, network, address string, serve func(conn net.Conn)) string {
	listener, err := net.Listen(network, address)
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
				serve(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func foreignServer(t *testing.T, w *world) {
	w.endpoint = standIn(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
		bufio.NewReader(conn).ReadString('\n')
		io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
	})
	handler := w.mustMake(backend, fivePerHour(), w.name)
	for i := 0; i < 5; i++ {
		w.undecided(handler)
	}
	w.eventually("the log says so", func() bool { return w.lines(w.plugin.Errors(), "redis lost") == 1 })
}

func serverHangsUp(t *testing.T, w *world) {
	w.endpoint = standIn(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {})
	handler := w.mustMake(backend, fivePerHour(), w.name)
	for i := 0; i < 5; i++ {
		w.undecided(handler)
	}
	w.eventually("the log says so", func() bool { return w.lines(w.plugin.Errors(), "redis lost") == 1 })
}

func noLinePerRequest(t *testing.T, w *world) {
	handler := w.mustMake(backend, fivePerHour(), w.name)
	w.decided(handler)
	w.link.Refuse()
	for i := 0; i < 50; i++ {
		w.undecided(handler)
	}
	together(handler, 200, func(int) *http.Request { return get() })
	if n := w.lines(w.plugin.Errors(), ""); n != 1 {
		t.Errorf("%d lines in the log, want 1", n)
	}
}

func backLineCounts(t *testing.T, w *world) {
	handler := w.mustMake(backend, fivePerHour(), w.name)
	w.decided(handler)
	w.link.Refuse()
	for i := 0; i < 7; i++ {
		w.undecided(handler)
	}
	w.link.Accept(t)
	without := 7
	w.eventually("Redis decides", func() bool {
		got := ask(handler, get())
		decided := len(got.header["X-Ratelimit-Limit"]) > 0
		if !decided {
			without++
		}
		return decided
	})
	w.eventually(fmt.Sprintf("the log says that %d requests were decided without Redis", without), func() bool {
		ask(handler, get())
		return w.lines(w.plugin.Errors(), "redis back") == 1 && w.lines(w.plugin.Errors(), fmt.Sprintf(" %d ", without)) == 1
	})
}
