package suite

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// serverCases have redis-server processes of their own, so that these can be hung, killed, demoted and starved.
var serverCases = []testCase{
	{"round trip of 150 ms", "a distant Redis must decide, once its connections stand", server, roundTrip},
	{"handshake of twice the budget", "a dial may take longer than a request waits, and must not start over each time", server, slowHandshake},
	{"time up before the flight", "a request that was released before Redis was asked must not be charged", server, timeUpBeforeFlight},
	{"server hangs, open", "SIGSTOP, a swapping host, dropped packets", server, serverHangsOpen},
	{"server hangs, closed", "SIGSTOP, a swapping host, dropped packets", server, serverHangsClosed},
	{"server killed and restarted", "limits again as soon as Redis is back, without a restart of Traefik", server, serverRestarts},
	{"server demoted", "pooled connections to a former master answered READONLY until restart elsewhere", server, serverDemoted},
	{"replica that stays", "a replica behind the endpoint refuses writes: failure mode and log, no loop of dials", server, replicaThatStays},
	{"least rights", "the documented ACL line must suffice", server, leastRights},
	{"a right too few", "a command refused inside the script reaches the log in Redis' words", server, rightTooFew},
	{"memory full", "a refused write is a failure, and denials still hold", server, memoryFull},
	{"too few replicas", "a refused write is a failure", server, tooFewReplicas},
	{"busy with another script", "Redis answers BUSY or nothing at all", server, busyServer},
	{"too many clients", "Redis refuses the connection itself", server, tooManyClients},
	{"a Cluster without slots", "a plain client pointed at a Cluster", server, clusterWithoutSlots},
	{"counts survive a hang", "a hang in the middle must not lose or double counts", server, countsSurviveHang},
	{"flood of one who is denied", "a flood costs Redis one call a second, and each answer says the same as Redis'", server, deniedFlood},
	{"one of several behind a proxy is denied", "a connection is not a client where a header says who is", server, deniedBehindAProxy},
	{"key deleted while denials are remembered", "an operator who unblocks a customer waits a second, not Retry-After", server, deletedIsFelt},
	{"sentinel failover", "the limits must go on with the new master, whether the old one was asked to leave or killed", server, sentinelFailover},
}

// leastACL is what operations.md tells operators to grant, after "ACL SETUSER name on >password".
const leastACL = "resetkeys ~ratelimit:* resetchannels -@all +evalsha +eval +time +hmget +hset +pttl +pexpire +lindex +llen +ltrim +rpush +del"

// own is a redis-server of the case alone, behind the case's link.
func (w *world) own(args ...string) *redistest.Server {
	s := redistest.Start(w.t, args...)
	w.adopt(s)
	return s
}

// adopt makes s the case's Redis. The case's own commands go over its socket, which is never encrypted.
func (w *world) adopt(s *redistest.Server) {
	w.link.Target(s.Addr)
	w.client.Close()
	w.client = redis.NewClient(&redis.Options{Network: "unix", Addr: s.Socket, DisableIdentity: true})
}

// must is command for one that Redis must take.
func (w *world) must(words ...string) {
	w.t.Helper()
	if reply := w.command(words); reply != "OK" {
		w.t.Fatalf("Redis replies to %v: %s", words, reply)
	}
}

// decidedShare lets clients loop over handler for d and returns which share of the requests Redis decided.
func decidedShare(handler http.Handler, clients int, d time.Duration) float64 {
	var all sync.WaitGroup
	var decided, asked int64
	end := time.Now().Add(d)
	for i := 0; i < clients; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for time.Now().Before(end) {
				got := ask(handler, get())
				atomic.AddInt64(&asked, 1)
				if len(got.header["X-Ratelimit-Limit"]) > 0 {
					atomic.AddInt64(&decided, 1)
				}
			}
		}()
	}
	all.Wait()
	return float64(decided) / float64(asked)
}

// reachesSteadyState wants 99 % of the requests from 32 clients decided by Redis with the default budget of 200 ms,
// from 5 s after the first. A machine that is busy with something else gets more time, and where it never lets a process
// run when it should, nothing can be told.
func reachesSteadyState(t *testing.T, w *world) {
	handler := w.mustMake(backend, map[string]interface{}{"average": 1000000, "timeout": defaultTimeout}, w.name)
	decidedShare(handler, 32, 5*time.Second)
	best, calm := 0.0, false
	for i := 0; i < 15 && best < 0.99; i++ {
		busy := make(chan bool)
		go func() { busy <- machineBusy(2 * time.Second) }()
		share := decidedShare(handler, 32, 2*time.Second)
		calm = !<-busy || calm
		if share > best {
			best = share
		}
	}
	if best < 0.99 && !calm {
		t.Skip("this machine is too busy to hold a budget of 200 ms")
	}
	if best < 0.99 {
		t.Errorf("%.1f %% of the requests are decided by Redis", 100*best)
	}
}

// machineBusy watches for d how late a sleeper is woken, and reports whether that is often later than 10 ms.
func machineBusy(d time.Duration) bool {
	const nap = 5 * time.Millisecond
	late, naps := 0, 0
	for end := time.Now().Add(d); time.Now().Before(end); naps++ {
		start := time.Now()
		time.Sleep(nap)
		if time.Since(start) > nap+10*time.Millisecond {
			late++
		}
	}
	return 100*late > naps
}

func roundTrip(t *testing.T, w *world) {
	w.own()
	w.link.Delay(75 * time.Millisecond)
	reachesSteadyState(t, w)
}

func slowHandshake(t *testing.T, w *world) {
	w.own()
	w.link.Hold(400 * time.Millisecond)
	reachesSteadyState(t, w)
}

func timeUpBeforeFlight(t *testing.T, w *world) {
	w.own()
	w.link.Hold(time.Second)
	config := fivePerHour()
	config["timeout"] = "100ms"
	handler := w.mustMake(backend, config, w.name)
	for i := 0; i < 5; i++ {
		w.undecided(handler)
	}
	w.settled(handler, func() *http.Request { return getFrom("198.51.100.99:1") })
	if got := ask(handler, get()); got.header.Get("X-RateLimit-Remaining") != "4" {
		t.Errorf("%d %v, want 4 remaining", got.status, got.header)
	}
}

func serverHangsOpen(t *testing.T, w *world) {
	serverHangs(t, w, "open", http.StatusOK, map[string]string{})
}

func serverHangsClosed(t *testing.T, w *world) {
	serverHangs(t, w, "closed", http.StatusServiceUnavailable, map[string]string{"Retry-After": "1", "Cache-Control": "no-store"})
}

func serverHangs(t *testing.T, w *world, mode string, status int, headers map[string]string) {
	s := w.own()
	config := map[string]interface{}{
		"average": 1000, "period": "1h", "failureMode": mode, "timeout": "200ms",
		"redis": map[string]interface{}{"dialTimeout": "1s"},
	}
	handler := w.mustMake(backend, config, w.name)
	w.settled(handler, get)
	s.Freeze()
	var all sync.WaitGroup
	answers := make([]answer, 64)
	for i := range answers {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			answers[i] = ask(handler, get())
		}(i)
	}
	all.Wait()
	for _, got := range answers {
		if got.status != status || got.took > 2*time.Second {
			t.Errorf("status %d after %v, want %d within a few times 200 ms", got.status, got.took, status)
		}
		w.wantHeaders(got, headers)
	}
	w.eventually("the log says that Redis is lost", func() bool { // a dial that hangs is a failed flight once a second
		if got := ask(handler, get()); got.status != status || got.took > 2*time.Second {
			t.Errorf("later: status %d after %v", got.status, got.took)
		}
		return w.lines(w.plugin.Errors(), "redis lost") > 0
	})
	s.Thaw()
	w.settled(handler, get)
	w.backOnce(handler)
}

// backOnce wants one line for the loss and one for the return, and none besides.
func (w *world) backOnce(handler http.Handler) {
	w.t.Helper()
	w.eventually("the log says that Redis is back", func() bool {
		ask(handler, get())
		return w.lines(w.plugin.Errors(), "redis back") > 0
	})
	if lost, all := w.lines(w.plugin.Errors(), "redis lost"), w.lines(w.plugin.Errors(), ""); lost != 1 || all != 2 {
		w.t.Errorf("the log has %d lines, of them %d for the loss, want one for the loss and one for the return:\n%s", all, lost, w.plugin.Errors())
	}
}

func serverRestarts(t *testing.T, w *world) {
	s := w.own()
	handler := w.mustMake(backend, fivePerHour(), w.name)
	w.decided(handler)
	s.Kill()
	for i := 0; i < 5; i++ {
		w.undecided(handler)
	}
	s.Restart()
	got := w.settled(handler, get)
	if got.header.Get("X-RateLimit-Remaining") != "4" {
		t.Errorf("after a restart without memory: %v", got.header)
	}
	w.backOnce(handler)
}

func serverDemoted(t *testing.T, w *world) {
	w.own()
	handler := w.mustMake(backend, map[string]interface{}{"average": 100, "period": "1h", "failureMode": "closed"}, w.name)
	together(handler, 20, func(int) *http.Request { return get() })
	master := redistest.Start(t)
	port := master.Addr[strings.LastIndexByte(master.Addr, ':')+1:]
	w.must("REPLICAOF", "127.0.0.1", port)
	w.link.Target(master.Addr)
	for i := 0; i < 10; i++ {
		if got := ask(handler, get()); got.status != http.StatusOK || len(got.header["X-Ratelimit-Limit"]) == 0 {
			t.Fatalf("request %d after the failover: %d %v; the log says %s", i+1, got.status, got.header, w.plugin.Errors())
		}
	}
	if n := w.lines(w.plugin.Errors(), ""); n > 0 {
		t.Errorf("%d lines in the log", n)
	}
	promoted := redis.NewClient(&redis.Options{Addr: master.Addr, DisableIdentity: true})
	defer promoted.Close()
	if n, err := redistest.Number(promoted, "DBSIZE"); n != 1 || err != nil {
		t.Errorf("the new master holds %d keys, %v", n, err)
	}
}

func replicaThatStays(t *testing.T, w *world) {
	w.own()
	handler := w.mustMake(backend, fivePerHour(), w.name)
	w.decided(handler)
	w.must("REPLICAOF", "127.0.0.1", "1")
	// The replica's master is away, and it serves what it has: reads pass, writes do not.
	before := w.link.Dials()
	for i := 0; i < 10; i++ {
		w.undecided(handler)
	}
	if dials := w.link.Dials() - before; dials > 25 {
		t.Errorf("%d dials for 10 requests", dials)
	}
	w.eventually("the log says READONLY", func() bool { return w.lines(w.plugin.Errors(), "READONLY") == 1 })
	w.must("REPLICAOF", "NO", "ONE")
	got := w.settled(handler, get)
	if got.header.Get("X-RateLimit-Remaining") != "3" {
		t.Errorf("%v, want 3 remaining: refused calls charge nothing", got.header)
	}
	w.backOnce(handler)
}

// asUser makes a user with these rights and a middleware that connects as it.
func (w *world) asUser(rights string, config map[string]interface{}) http.Handler {
	w.must(append([]string{"ACL", "SETUSER", "gate", "on", ">" + suitePassword}, strings.Fields(rights)...)...)
	config["redis"] = map[string]interface{}{"username": "gate", "password": suitePassword}
	return w.mustMake(backend, config, w.name)
}

// allThree has a limit of each algorithm, the log the tightest.
func allThree() map[string]interface{} {
	return map[string]interface{}{"limits": []interface{}{
		map[string]interface{}{"name": "b", "algorithm": "token-bucket", "average": 9, "period": "1h"},
		map[string]interface{}{"name": "w", "algorithm": "fixed-window", "average": 9, "period": "1h"},
		map[string]interface{}{"name": "l", "algorithm": "sliding-log", "average": 2, "period": "1s"},
	}}
}

func deniedFlood(t *testing.T, w *world) {
	w.own()
	handler := w.mustMake(backend, map[string]interface{}{"algorithm": "fixed-window", "average": 1, "period": "24h"}, w.name)
	w.settled(handler, get)
	w.must("CONFIG", "RESETSTAT")
	begin := time.Now()
	first := ask(handler, get())
	asked, wait := 1, number(first.header, "Retry-After")
	for time.Since(begin) < 2500*time.Millisecond {
		got := ask(handler, get())
		asked++
		now := number(got.header, "Retry-After")
		if got.status != http.StatusTooManyRequests || now > wait || now < wait-1 || got.header.Get("X-RateLimit-Reset") != first.header.Get("X-RateLimit-Reset") {
			t.Fatalf("answer %d with %v after %v with Retry-After %d", got.status, got.header, first.header, wait)
		}
		wait = now
	}
	most := int(time.Since(begin)/time.Second) + 1
	calls, err := strconv.Atoi(strings.Split(strings.SplitAfter(w.command([]string{"INFO", "commandstats"}), "cmdstat_evalsha:calls=")[1], ",")[0])
	if err != nil || calls > most || asked < 10*most {
		t.Errorf("%d denials cost %d calls of Redis, want at most %d; %v", asked, calls, most, err)
	}
}

func deniedBehindAProxy(t *testing.T, w *world) {
	w.own()
	handler := w.mustMake(backend, map[string]interface{}{
		"algorithm": "fixed-window", "average": 1, "period": "24h", "sourceCriterion": map[string]interface{}{"requestHeaderName": "X-Client"},
	}, w.name)
	from := func(client string) *http.Request {
		r := get() // always from one address and port
		r.Header.Set("X-Client", client)
		return r
	}
	w.settled(handler, func() *http.Request { return from("first") })
	for i := 0; i < 3; i++ {
		if got := ask(handler, from("first")); got.status != http.StatusTooManyRequests {
			t.Fatalf("status %d, want 429", got.status)
		}
	}
	if got := ask(handler, from("second")); got.status != http.StatusOK {
		t.Errorf("another client over the same connection gets %d", got.status)
	}
}

func deletedIsFelt(t *testing.T, w *world) {
	w.own()
	handler := w.mustMake(backend, map[string]interface{}{"average": 1, "period": "1h"}, w.name)
	w.settled(handler, get)
	if got := ask(handler, get()); got.status != http.StatusTooManyRequests {
		t.Fatalf("status %d, want 429", got.status)
	}
	begin := time.Now()
	if err := w.client.Do(context.Background(), "FLUSHDB").Err(); err != nil {
		t.Fatal(err)
	}
	w.eventually("allowed again", func() bool { return ask(handler, get()).status == http.StatusOK })
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("felt after %v", took)
	}
}

func leastRights(t *testing.T, w *world) {
	w.own()
	w.leastRightsSuffice(w.asUser(leastACL, allThree()))
}

// leastRightsSuffice plays through a trimmed log, a denial and the NOSCRIPT of a flush.
func (w *world) leastRightsSuffice(handler http.Handler) {
	t := w.t
	t.Helper()
	passes := 0
	for i := 0; i < 12; i++ {
		got := ask(handler, get())
		if got.header.Get("X-RateLimit-Limit") == "" {
			t.Fatalf("Redis did not decide: %d %v; the log says %s", got.status, got.header, w.plugin.Errors())
		}
		if got.status == http.StatusOK {
			passes++
		}
		if i == 5 {
			w.must("SCRIPT", "FLUSH")
			time.Sleep(time.Duration(number(got.header, "Retry-After")) * time.Second)
		}
	}
	if passes < 3 {
		t.Errorf("%d requests passed", passes)
	}
	if n := w.lines(w.plugin.Errors(), ""); n > 0 {
		t.Errorf("%d lines in the log: %s", n, w.plugin.Errors())
	}
}

func rightTooFew(t *testing.T, w *world) {
	w.own()
	handler := w.asUser(strings.Replace(leastACL, "+hset", "", 1), fivePerHour())
	w.lost(handler)
	w.eventually("the log has Redis' words", func() bool {
		return w.lines(w.plugin.Errors(), "redis lost") == 1 && w.lines(w.plugin.Errors(), "can't run this command") == 1
	})
	w.must("ACL", "SETUSER", "gate", "+hset")
	w.settled(handler, get)
}

// refusedWrites passes one request, makes Redis refuse writes, wants says in the log, and ends it.
func refusedWrites(t *testing.T, w *world, says string, begin, end []string) {
	config := fivePerHour()
	config["average"] = 2
	handler := w.mustMake(backend, config, w.name)
	w.decided(handler)
	w.must(begin...)
	w.lost(handler)
	w.eventually("the log says "+says, func() bool { return w.lines(w.plugin.Errors(), says) == 1 })
	w.must(end...)
	got := w.settled(handler, get)
	if got.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("%v, want 0 remaining: the refused call charged nothing", got.header)
	}
	w.must(begin...)
	if got := ask(handler, get()); got.status != http.StatusTooManyRequests {
		t.Errorf("a denial needs no write, yet the answer is %d", got.status)
	}
}

func memoryFull(t *testing.T, w *world) {
	w.own("--maxmemory-policy", "noeviction")
	refusedWrites(t, w, "OOM", []string{"CONFIG", "SET", "maxmemory", "1"}, []string{"CONFIG", "SET", "maxmemory", "0"})
}

func tooFewReplicas(t *testing.T, w *world) {
	w.own()
	refusedWrites(t, w, "NOREPLICAS", []string{"CONFIG", "SET", "min-replicas-to-write", "1"}, []string{"CONFIG", "SET", "min-replicas-to-write", "0"})
}

func busyServer(t *testing.T, w *world) {
	s := w.own("--lua-time-limit", "50")
	config := fivePerHour()
	config["timeout"] = "200ms"
	handler := w.mustMake(backend, config, w.name)
	w.settled(handler, get)
	other := redis.NewClient(&redis.Options{Addr: s.Addr, ReadTimeout: -1, MaxRetries: -1})
	defer other.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		other.Do(context.Background(), "eval", "while true do end", 0)
	}()
	w.eventually("Redis is busy", func() bool { return strings.HasPrefix(w.command([]string{"PING"}), "BUSY") })
	for i := 0; i < 3; i++ {
		w.undecided(handler)
	}
	w.must("SCRIPT", "KILL")
	<-done
	w.settled(handler, get)
	w.backOnce(handler)
}

func tooManyClients(t *testing.T, w *world) {
	w.own()
	w.must("CONFIG", "SET", "maxclients", "1") // the case's own connection
	handler := w.mustMake(backend, fivePerHour(), w.name)
	w.lost(handler)
	w.eventually("the log has Redis' words", func() bool { return w.lines(w.plugin.Errors(), "max number of clients reached") == 1 })
	w.must("CONFIG", "SET", "maxclients", "100")
	w.settled(handler, get)
}

func clusterWithoutSlots(t *testing.T, w *world) {
	w.own("--cluster-enabled", "yes")
	handler := w.mustMake(backend, fivePerHour(), w.name)
	w.lost(handler)
	w.eventually("the log has Redis' words", func() bool { return w.lines(w.plugin.Errors(), "CLUSTERDOWN") == 1 })
	w.must("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	w.settled(handler, get)
}

func countsSurviveHang(t *testing.T, w *world) {
	s := w.own()
	handler := w.mustMake(backend, perHour(100), w.name) // a budget of 10 s: everybody waits for the thaw
	w.settled(handler, get)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < 3; i++ {
			s.Freeze()
			time.Sleep(50 * time.Millisecond)
			s.Thaw()
			time.Sleep(20 * time.Millisecond)
		}
	}()
	counts := together(handler, 300, func(int) *http.Request { return get() })
	<-done
	if counts[200] != 99 || counts[429] != 201 {
		t.Errorf("answers by status: %v, want 99 times 200 and 201 times 429", counts)
	}
	if got := w.command([]string{"LLEN", fmt.Sprintf("ratelimit:%s:{203.0.113.7}:default:sl1", w.name)}); got != "100" {
		t.Errorf("the log in Redis has %s entries, want 100", got)
	}
}
