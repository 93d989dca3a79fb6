package suite

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// clusterCases have a Redis Cluster of their own: three masters with a replica each.
var clusterCases = []testCase{
	{"cluster counts", "several gateways must share one exact count per source, whichever node has it", server, clusterCounts},
	{"cluster migration", "a slot that moves under traffic must lose no charge, double none, and let nobody above the limit", server, clusterMigration},
	{"cluster failover", "the limits must go on with the replica, and those of other masters must not notice", server, clusterFailover},
	{"cluster down", "nodes that refuse to serve are a failure, and serve again without a restart of Traefik", server, clusterDown},
	{"cluster without slots", "slots that nobody serves for a while must be found again, though no request may ask any more", server, clusterWithoutAnySlots},
	{"cluster with least rights", "the documented ACL line must suffice", server, clusterRights},
	{"cluster by TLS", "the nodes' own addresses are spoken to by TLS, and each has its certificate checked", server, clusterTLS},
}

// inCluster is config with the cluster as its Redis, by one seed alone. Another gateway has a connection of its own.
func (w *world) inCluster(c *redistest.Cluster, gateway int, config map[string]interface{}) http.Handler {
	w.t.Helper()
	copied := map[string]interface{}{}
	for name := range config {
		copied[name] = config[name]
	}
	redis := map[string]interface{}{"mode": "cluster", "endpoints": []interface{}{c.Masters[0].Addr}}
	redis["dialTimeout"] = (5*time.Second + time.Duration(gateway)*time.Millisecond).String()
	if given, ok := config["redis"].(map[string]interface{}); ok {
		for name := range given {
			redis[name] = given[name]
		}
	}
	copied["redis"] = redis
	return w.mustMake(backend, copied, w.name)
}

// clusterCounts has many sources ask over three gateways at once, for each algorithm and for all of them together.
func clusterCounts(t *testing.T, w *world) {
	c := redistest.StartCluster(t, 3)
	const gateways, sources, limit = 3, 20, 25
	name := w.name
	for _, row := range []struct {
		name   string
		config map[string]interface{}
	}{
		{"token-bucket", map[string]interface{}{"average": limit, "period": "24h"}},
		{"fixed-window", map[string]interface{}{"algorithm": "fixed-window", "average": limit, "period": "8784h"}},
		{"sliding-log", map[string]interface{}{"algorithm": "sliding-log", "average": limit, "period": "24h"}},
		{"all together", map[string]interface{}{"limits": []interface{}{
			map[string]interface{}{"name": "b", "average": limit + 1, "period": "24h"},
			map[string]interface{}{"name": "l", "algorithm": "sliding-log", "average": limit, "period": "24h"},
		}}},
	} {
		w.name = slug(row.name) + "-" + name
		var handlers []http.Handler
		for i := 0; i < gateways; i++ {
			handlers = append(handlers, w.inCluster(c, i, row.config))
		}
		var mu sync.Mutex
		passed, undecided := map[int]int{}, 0
		var all sync.WaitGroup
		for i := 0; i < gateways*sources*limit; i++ {
			all.Add(1)
			go func(i int) {
				defer all.Done()
				source := i / gateways % sources
				got := ask(handlers[i%gateways], getFrom(fmt.Sprintf("203.0.113.%d:1", source)))
				mu.Lock()
				defer mu.Unlock()
				if len(got.header["X-Ratelimit-Limit"]) == 0 {
					undecided++
				} else if got.status == http.StatusOK {
					passed[source]++
				}
			}(i)
		}
		all.Wait()
		for source := 0; source < sources; source++ {
			if passed[source] != limit {
				t.Errorf("%s: %d requests of source %d passed, want %d", row.name, passed[source], source, limit)
			}
		}
		if undecided > 0 {
			t.Errorf("%s: %d requests were not decided by Redis; the log says %s", row.name, undecided, w.plugin.Errors())
		}
	}
}

// keyOf is the key under which the client at address is counted by the middleware called name.
func keyOf(name, address string) string { return "ratelimit:" + name + ":{" + address + "}" }

// clientOf is a client whose source is counted by that master, and its slot.
func clientOf(t *testing.T, c *redistest.Cluster, master int) (string, int) {
	t.Helper()
	client := c.Masters[0].Client()
	defer client.Close()
	first, last := c.Slots(master)
	for i := 0; i < 250; i++ {
		address := fmt.Sprintf("203.0.113.%d", i)
		slot, err := redistest.Number(client, "CLUSTER", "KEYSLOT", "{"+address+"}")
		if err == nil && int(slot) >= first && int(slot) <= last {
			return address, int(slot)
		}
	}
	t.Fatalf("no client is counted by master %d", master)
	return "", 0
}

// requestsFrom makes requests of the client at address.
func requestsFrom(address string) func() *http.Request {
	return func() *http.Request { return getFrom(address + ":1") }
}

// refusals is how often a server has refused a command with this word.
func refusals(s *redistest.Server, word string) int {
	client := s.Client()
	defer client.Close()
	text, _ := redistest.Text(client, "INFO", "errorstats")
	_, after, found := strings.Cut(text, "errorstat_"+word+":count=")
	if !found {
		return 0
	}
	n, _ := strconv.Atoi(strings.Fields(after)[0])
	return n
}

// entries is how many charges of a sliding log a server has.
func entries(t *testing.T, s *redistest.Server, key string) int {
	t.Helper()
	client := s.Client()
	defer client.Close()
	n, err := redistest.Number(client, "LLEN", key)
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// unlimited is a sliding log that counts and never denies.
func unlimited() map[string]interface{} {
	return map[string]interface{}{"algorithm": "sliding-log", "average": 100000, "period": "24h", "timeout": failoverBudget.String()}
}

// clusterMigration moves a slot from one master to another while its client asks. Of three middlewares one counts
// what passes in all, one has a limit that is reached meanwhile, and one has two keys a source, of which but one has moved.
func clusterMigration(t *testing.T, w *world) {
	c := redistest.StartCluster(t, 3)
	address, slot := clientOf(t, c, 0)
	request := requestsFrom(address)
	from, to := c.Masters[0], c.Masters[1]
	base := w.name
	f := startFlow(w.inCluster(c, 0, unlimited()), 8, request)
	more := func(what string) {
		t.Helper()
		before := f.decidedSoFar()
		w.eventually("Redis decides "+what, func() bool { return f.decidedSoFar() > before+100 })
	}

	w.name = "tight-" + base
	tight := w.inCluster(c, 0, map[string]interface{}{"average": 30, "period": "24h"})
	passed := 0
	tenMore := func() {
		for i := 0; i < 10; i++ {
			got := ask(tight, request())
			if len(got.header["X-Ratelimit-Limit"]) == 0 {
				t.Errorf("request %d of the tight limit is undecided", i)
			}
			if got.status == http.StatusOK {
				passed++
			}
		}
	}
	w.name = "two-" + base
	two := w.inCluster(c, 0, map[string]interface{}{"limits": []interface{}{
		map[string]interface{}{"name": "b", "average": 50, "period": "24h"},
		map[string]interface{}{"name": "l", "algorithm": "sliding-log", "average": 40, "period": "24h"},
	}})
	w.name = base
	twoDecided := func(want bool, what string) {
		t.Helper()
		if got := ask(two, request()); got.status != http.StatusOK || len(got.header["X-Ratelimit-Limit"]) > 0 != want {
			t.Errorf("two keys a source, %s: %d %v, want decided %v", what, got.status, got.header, want)
		}
	}

	more("before")
	tenMore()
	twoDecided(true, "before")
	c.Move(slot, from, to)
	more("while the keys are where they were")
	twoDecided(true, "while both keys are where they were")
	c.MoveKeys(from, to, keyOf("tight-"+base, address), keyOf("two-"+base, address))
	tenMore()
	for i := 0; i < 3; i++ {
		twoDecided(false, "one here and one there")
	}
	more("for other keys of the slot") // the breaker must not open by TRYAGAIN
	c.MoveKeys(from, to, keyOf(base, address)+":default:sl1", keyOf("two-"+base, address)+":l:sl1")
	more("while the keys have moved")
	twoDecided(true, "both there")
	c.Moved(slot, from, to)
	more("behind the move")
	tenMore()
	tenMore()
	twoDecided(true, "behind the move")
	f.stop()

	if passed != 30 {
		t.Errorf("%d requests passed a limit of 30", passed)
	}
	if n := entries(t, to, keyOf(base, address)+":default:sl1"); n != f.decided || len(f.undecided) > 0 {
		t.Errorf("%d requests were decided and %d charged, %d were undecided", f.decided, n, len(f.undecided))
	}
	if n := entries(t, to, keyOf("two-"+base, address)+":l:sl1"); n != 4 {
		t.Errorf("%d charges of 4 decided requests with two keys", n)
	}
	for _, word := range []string{"ASK", "MOVED", "TRYAGAIN"} {
		n := refusals(from, word) + refusals(to, word)
		t.Logf("%s: %d times", word, n)
		if n == 0 {
			t.Errorf("no server said %s", word)
		}
	}
	if n := w.lines(w.plugin.Errors(), "redis lost", c.Endpoints()...); n > 0 {
		t.Errorf("%d nodes were taken for lost", n)
	}
}

// clusterFailover plays three failovers of one master under traffic: two that an operator asks for, of which one does not wait for the
// master, and one that a kill -9 makes necessary.
// The other masters are told to go on meanwhile: by default they refuse to serve their own slots while one slot has no master.
func clusterFailover(t *testing.T, w *world) {
	c := redistest.StartCluster(t, 3, "--cluster-require-full-coverage", "no")
	address, slot := clientOf(t, c, 0)
	elsewhere, _ := clientOf(t, c, 1)
	handler := w.inCluster(c, 0, unlimited())
	key := keyOf(w.name, address) + ":default:sl1"
	w.settled(handler, requestsFrom("198.51.100.99"))

	charged, lost := 0, 0
	for _, failover := range []struct {
		by    string
		begin func(master, replica *redistest.Server)
	}{
		{"CLUSTER FAILOVER", func(_, replica *redistest.Server) { replica.Must("CLUSTER", "FAILOVER") }},
		{"CLUSTER FAILOVER TAKEOVER", func(_, replica *redistest.Server) { replica.Must("CLUSTER", "FAILOVER", "TAKEOVER") }},
		{"kill -9", func(master, _ *redistest.Server) { master.Kill() }},
	} {
		old := c.Master(slot)
		concerned, others := startFlow(handler, 8, requestsFrom(address)), startFlow(handler, 4, requestsFrom(elsewhere))
		w.eventually("Redis decides", func() bool { return concerned.decidedSoFar() > 100 && others.decidedSoFar() > 50 })
		replica := c.Replica(old)
		begin := time.Now()
		failover.begin(old, replica)
		over := promoted(w, c, slot, old, "{"+address+"}")
		time.Sleep(failoverGrace + time.Second) // the requests of this time must be decided
		concerned.stop()
		others.stop()

		undecided, from, to := concerned.outage(begin)
		if to.Sub(over) > failoverGrace+w.plugin.Slack {
			t.Errorf("%s: a request is undecided %v after the servers' own outage", failover.by, to.Sub(over))
		}
		for _, f := range []*flow{concerned, others} {
			if f.slowest > failoverBudget+failoverBudget/2+w.plugin.Slack {
				t.Errorf("%s: an answer took %v with a timeout of %v", failover.by, f.slowest, failoverBudget)
			}
			if len(f.statuses) != 1 || f.statuses[http.StatusOK] == 0 {
				t.Errorf("%s: answers by status: %v, want 200 alone", failover.by, f.statuses)
			}
		}
		if n := len(others.undecided); n > 0 {
			t.Errorf("%s: %d requests of another master's client were undecided", failover.by, n)
		}
		c.Settle()
		charged += concerned.decided
		lostNow := charged - lost - entries(t, c.Master(slot), key)
		lost += lostNow
		t.Logf("%s: the servers' own outage took %v, the plugin's %v: of %d requests %d were undecided, the slowest answer took %v; of %d charges %d were lost",
			failover.by, over.Sub(begin), to.Sub(from), concerned.statuses[http.StatusOK], undecided, concerned.slowest, concerned.decided, lostNow)
	}
	w.eventually("the log says that Redis is back", func() bool {
		ask(handler, getFrom(address+":1"))
		log := w.plugin.Errors()
		return w.lines(log, "redis lost", c.Endpoints()...) == w.lines(log, "redis back", c.Endpoints()...)
	})
	if n := w.lines(w.plugin.Errors(), "redis lost: node "+c.Masters[0].Addr+" of cluster ", c.Endpoints()...); n != 1 {
		t.Errorf("%d lines for the killed master: %s", n, w.plugin.Errors())
	}
}

// promoted waits until another master than old has the slot and takes writes, and returns when that was.
func promoted(w *world, c *redistest.Cluster, slot int, old *redistest.Server, key string) time.Time {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		master := c.Master(slot)
		if master == nil || master == old {
			continue
		}
		client := master.Client()
		err := client.Do(context.Background(), "SET", key, "1", "EX", 60).Err()
		client.Close()
		if err == nil {
			return time.Now()
		}
	}
	w.t.Fatal("no other master within a minute")
	return time.Time{}
}

// clusterDown takes a master away together with its replica: the others then refuse to serve their own slots.
func clusterDown(t *testing.T, w *world) {
	c := redistest.StartCluster(t, 3)
	address, _ := clientOf(t, c, 0)
	config := fivePerHour()
	config["failureMode"] = "closed"
	handler := w.inCluster(c, 0, config)
	if got := w.settled(handler, requestsFrom(address)); got.header.Get("X-RateLimit-Remaining") != "4" {
		t.Fatalf("before: %d %v", got.status, got.header)
	}
	c.Masters[2].Kill()
	c.Replicas[2].Kill()
	w.eventually("a node says CLUSTERDOWN, and the failure mode decides", func() bool {
		client := c.Masters[0].Client()
		defer client.Close()
		err := client.Do(context.Background(), "EXISTS", "{"+address+"}").Err()
		return err != nil && strings.HasPrefix(err.Error(), "CLUSTERDOWN")
	})
	for i := 0; i < 5; i++ {
		if got := ask(handler, getFrom(address+":1")); got.status != http.StatusServiceUnavailable {
			t.Errorf("while the cluster is down: %d", got.status)
		}
	}
	w.eventually("the log has Redis' words", func() bool { return w.lines(w.plugin.Errors(), "CLUSTERDOWN", c.Endpoints()...) == 1 })
	c.Masters[2].Restart()
	c.Replicas[2].Restart()
	c.Settle()
	if got := w.settled(handler, requestsFrom(address)); got.header.Get("X-RateLimit-Remaining") != "3" {
		t.Errorf("afterwards: %d %v, want 3 remaining: refused calls charge nothing", got.status, got.header)
	}
	w.eventually("the log says that Redis is back", func() bool {
		ask(handler, getFrom(address+":1"))
		return w.lines(w.plugin.Errors(), "redis back", c.Endpoints()...) == w.lines(w.plugin.Errors(), "redis lost", c.Endpoints()...)
	})
}

// clusterWithoutAnySlots takes all slots from the only master until the breaker of the requests without a node is open, and gives them back.
func clusterWithoutAnySlots(t *testing.T, w *world) {
	c := redistest.StartCluster(t, 1)
	handler := w.inCluster(c, 0, fivePerHour())
	w.settled(handler, get)
	c.Masters[0].Must("CLUSTER", "DELSLOTSRANGE", "0", "16383")
	w.eventually("the log says that nobody serves the slot", func() bool {
		w.undecided(handler)
		return w.lines(w.plugin.Errors(), "no node serves slots 0 to 16383", c.Endpoints()...) == 1
	})
	before := slotsAsked(c.Masters[0])
	w.eventually("the slots are asked for again and again", func() bool { return slotsAsked(c.Masters[0]) >= before+3 })
	c.Masters[0].Must("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	c.Settle()
	w.settled(handler, get)
	w.eventually("the log says that Redis is back", func() bool {
		return w.lines(w.plugin.Errors(), "redis back", c.Endpoints()...) == w.lines(w.plugin.Errors(), "redis lost", c.Endpoints()...)
	})
}

// slotsAsked is how many CLUSTER SLOTS a node has answered.
func slotsAsked(s *redistest.Server) int {
	client := s.Client()
	defer client.Close()
	stats, _ := redistest.Text(client, "INFO", "commandstats")
	_, after, _ := strings.Cut(stats, "cmdstat_cluster|slots:calls=")
	calls := 0
	fmt.Sscan(strings.SplitN(after, ",", 2)[0], &calls)
	return calls
}

// clusterACL is what operations.md tells operators to grant beside leastACL.
const clusterACL = " +cluster|slots +asking"

func clusterRights(t *testing.T, w *world) {
	c := redistest.StartCluster(t, 3)
	for _, s := range c.Servers() {
		s.Must(append([]string{"ACL", "SETUSER", "gate", "on", ">" + suitePassword}, strings.Fields(leastACL+clusterACL)...)...)
	}
	const client = "203.0.113.7" // that of get
	slot := slotOfTag(t, c, client)
	from, to := c.Master(slot), c.Masters[0]
	if to == from {
		to = c.Masters[1]
	}
	w.adopt(from)
	config := allThree()
	config["redis"] = map[string]interface{}{"username": "gate", "password": suitePassword}
	handler := w.inCluster(c, 0, config)
	w.leastRightsSuffice(handler)

	config = fivePerHour()
	config["redis"] = map[string]interface{}{"username": "gate", "password": suitePassword}
	w.name = "asked-" + w.name
	handler = w.inCluster(c, 0, config)
	w.decided(handler)
	c.Move(slot, from, to)
	c.MoveKeys(from, to, keyOf(w.name, client))
	for i := 0; i < 2; i++ {
		w.decided(handler)
	}
	if refusals(from, "ASK") == 0 {
		t.Error("no server said ASK")
	}
	c.MoveKeys(from, to, keysIn(from, slot)...)
	c.Moved(slot, from, to)
	w.decided(handler)
	if n := w.lines(w.plugin.Errors(), "", c.Endpoints()...); n > 0 {
		t.Errorf("%d lines in the log: %s", n, w.plugin.Errors())
	}
}

func slotOfTag(t *testing.T, c *redistest.Cluster, tag string) int {
	t.Helper()
	client := c.Masters[0].Client()
	defer client.Close()
	slot, err := redistest.Number(client, "CLUSTER", "KEYSLOT", "{"+tag+"}")
	if err != nil {
		t.Fatal(err)
	}
	return int(slot)
}

// keysIn are the keys that a server has in a slot.
func keysIn(s *redistest.Server, slot int) []string {
	client := s.Client()
	defer client.Close()
	keys, _ := redistest.Texts(client, "CLUSTER", "GETKEYSINSLOT", slot, 100)
	return keys
}

func clusterTLS(t *testing.T, w *world) {
	authority, stranger := redistest.NewAuthority(t, "suite"), redistest.NewAuthority(t, "stranger")
	pair := authority.Issue(t, time.Hour, "127.0.0.1")
	c := redistest.StartClusterTLS(t, 3, pair, authority)
	withTLS := func(ca string) map[string]interface{} {
		config := perHour(100)
		config["redis"] = map[string]interface{}{"tls": map[string]interface{}{"ca": ca, "cert": pair.Cert, "key": pair.Key}}
		return config
	}
	handler := w.inCluster(c, 0, withTLS(authority.PEM))
	for i := 0; i < 20; i++ { // some for each node
		if got := ask(handler, getFrom(fmt.Sprintf("203.0.113.%d:1", i))); got.header.Get("X-RateLimit-Remaining") != "99" {
			t.Errorf("client %d: %d %v; the log says %s", i, got.status, got.header, w.plugin.Errors())
		}
	}
	w.name = "wrong-" + w.name
	config := withTLS(stranger.PEM)
	wrong := w.inCluster(c, 1, config)
	for i := 0; i < breakerFlights; i++ {
		if got := ask(wrong, get()); got.status != http.StatusServiceUnavailable {
			t.Errorf("by a stranger's authority: %d %v", got.status, got.header)
		}
	}
	w.eventually("the log says why", func() bool {
		return w.lines(w.plugin.Errors(), "signed by unknown authority", c.Endpoints()...) == 1
	})
}
