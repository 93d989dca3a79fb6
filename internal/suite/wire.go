package suite

import (
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// wireCases are about the way to Redis: encrypted or not, a socket, another database.
var wireCases = append([]testCase{
	{"TLS", "counts and passwords must not cross the network in clear", server, overTLS},
	{"TLS with a client certificate", "a Redis that lets in only whom it knows", server, mutualTLS},
	{"TLS with certificates by path", "a certificate that is renewed must not need a restart", server, certificatesRotate},
	{"TLS, idle connection closed", "a firewall closes encrypted connections too; nobody should notice", server, idleTLSConnectionClosed},
	{"TLS, server hangs", "no request waits longer than the budget, encrypted or not", server, hangsOverTLS},
	{"another database on a socket", "the database that is asked for, and no other", server, otherDatabase},
	{"commands that Redis sees", "managed servers and proxies refuse SELECT, SCRIPT and CLIENT", server, commandsSeen},
	{"commands that Redis sees, db 3", "SELECT once per connection, and only here", server, commandsSeenInDatabase},
}, brokenTLS()...)

// onThisMachine is what certificates are for when the server is here.
var onThisMachine = []string{"127.0.0.1", "localhost"}

// ownTLS is own for a server that speaks only TLS.
func (w *world) ownTLS(pair redistest.Pair, clients *redistest.Authority) *redistest.Server {
	s := redistest.StartTLS(w.t, pair, clients)
	w.adopt(s)
	return s
}

// withTLS is fivePerHour with options of redis.tls: name, value, and so on.
func withTLS(options ...interface{}) map[string]interface{} {
	section := withRedis(options...)["redis"]
	return withRedis("tls", section)
}

func overTLS(t *testing.T, w *world) {
	ours := redistest.NewAuthority(t, "ours")
	w.ownTLS(ours.Issue(t, time.Hour, onThisMachine...), nil)
	w.must(append([]string{"ACL", "SETUSER", "gate", "on", ">" + suitePassword}, strings.Fields(leastACL)...)...)
	config := allThree()
	config["redis"] = map[string]interface{}{"username": "gate", "password": suitePassword, "tls": map[string]interface{}{"ca": ours.PEM}}
	w.leastRightsSuffice(w.mustMake(backend, config, w.name))
}

func mutualTLS(t *testing.T, w *world) {
	ours := redistest.NewAuthority(t, "ours")
	w.ownTLS(ours.Issue(t, time.Hour, "redis.internal"), ours)
	client := ours.Issue(t, time.Hour, "gate")
	handler := w.mustMake(backend, withTLS("ca", ours.PEM, "cert", client.Cert, "key", client.Key, "serverName", "redis.internal"), w.name)
	counts := together(handler, 20, func(int) *http.Request { return get() })
	if counts[200] != 5 || counts[429] != 15 {
		t.Errorf("answers by status: %v, want 5 times 200 and 15 times 429; the log says %s", counts, w.plugin.Errors())
	}
}

func certificatesRotate(t *testing.T, w *world) {
	folder := filepath.Join(secretsFolder, "certificates")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	begin := func(name string) {
		authority := redistest.NewAuthority(t, name)
		w.ownTLS(authority.Issue(t, time.Hour, onThisMachine...), authority)
		client := authority.Issue(t, time.Hour, "gate")
		for file, content := range map[string]string{"ca.crt": authority.PEM, "tls.crt": client.Cert, "tls.key": client.Key} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	begin("first")
	handler := w.mustMake(backend, withTLS("ca", folder+"/ca.crt", "cert", folder+"/tls.crt", "key", folder+"/tls.key"), w.name)
	w.decided(handler)
	begin("second")
	w.link.CloseAll()
	w.settled(handler, get)
}

func idleTLSConnectionClosed(t *testing.T, w *world) {
	w.ownTLS(redistest.NewAuthority(t, "ours").Issue(t, time.Hour, onThisMachine...), nil)
	handler := w.mustMake(backend, withTLS("insecureSkipVerify", true), w.name)
	w.decided(handler)
	time.Sleep(1100 * time.Millisecond) // the single retry is for connections unused for a second
	w.link.CloseAll()
	if got := ask(handler, get()); got.header.Get("X-RateLimit-Remaining") != "3" {
		t.Errorf("%d %v, want 3 remaining", got.status, got.header)
	}
	if n := w.lines(w.plugin.Errors(), ""); n > 0 {
		t.Errorf("%d lines in the log: %s", n, w.plugin.Errors())
	}
}

func hangsOverTLS(t *testing.T, w *world) {
	s := w.ownTLS(redistest.NewAuthority(t, "ours").Issue(t, time.Hour, onThisMachine...), nil)
	config := withTLS("insecureSkipVerify", true)
	config["average"], config["timeout"] = 1000, "200ms"
	config["redis"].(map[string]interface{})["dialTimeout"] = "1s"
	handler := w.mustMake(backend, config, w.name)
	w.settled(handler, get)
	s.Freeze()
	for i := 0; i < 5; i++ {
		w.undecided(handler)
	}
	s.Thaw()
	w.settled(handler, get)
}

// brokenTLS makes one case for each way in which TLS goes wrong, with what the log must say of it.
func brokenTLS() []testCase {
	var cases []testCase
	for _, row := range []struct {
		name, says string
		config     func(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{}
	}{
		{"another authority", "signed by unknown authority; who signed the server's certificate is not in redis.tls.ca", anotherAuthority},
		{"the system's authorities", "signed by unknown authority; who signed", systemAuthorities},
		{"another name", "certificate is valid for redis.internal, not localhost; the server's certificate is for another name (redis.tls.serverName)", anotherName},
		{"expired", "certificate has expired or is not yet valid", expiredCertificate},
		{"a plain port", "no answer to a TLS handshake, as", plainPort},
		{"plain against TLS", "as a port does that speaks only TLS (redis.tls)", plainAgainstTLS},
		{"no client certificate", "the server asks for a client certificate (redis.tls.cert and redis.tls.key)", noClientCertificate},
		{"a foreign client certificate", "the server does not take the client certificate (redis.tls.cert)", foreignClientCertificate},
		{"no file", "redis.tls.ca: stat /nowhere/ca.crt: no such file or directory", noFile},
	} {
		row := row
		cases = append(cases, testCase{"TLS gone wrong: " + row.name, "one line that names the cause and the option", server, func(t *testing.T, w *world) {
			handler := w.mustMake(backend, row.config(t, w, redistest.NewAuthority(t, "ours")), w.name)
			w.lost(handler)
			w.eventually("the log says "+row.says, func() bool { return w.lines(w.plugin.Errors(), row.says) == 1 })
			if n := w.lines(w.plugin.Errors(), ""); n != 1 {
				t.Errorf("%d lines in the log: %s", n, w.plugin.Errors())
			}
		}})
	}
	return cases
}

func anotherAuthority(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.ownTLS(ours.Issue(t, time.Hour, onThisMachine...), nil)
	return withTLS("ca", redistest.NewAuthority(t, "foreign").PEM)
}

func systemAuthorities(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.ownTLS(ours.Issue(t, time.Hour, onThisMachine...), nil)
	return withTLS("insecureSkipVerify", false)
}

func anotherName(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.ownTLS(ours.Issue(t, time.Hour, "redis.internal"), nil)
	return withTLS("ca", ours.PEM, "serverName", "localhost")
}

func expiredCertificate(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.ownTLS(ours.Issue(t, -time.Hour, onThisMachine...), nil)
	return withTLS("ca", ours.PEM)
}

func plainPort(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.own()
	return withRedis("dialTimeout", "500ms", "tls", map[string]interface{}{"ca": ours.PEM})
}

func plainAgainstTLS(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.ownTLS(ours.Issue(t, time.Hour, onThisMachine...), nil)
	return fivePerHour()
}

func noClientCertificate(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.ownTLS(ours.Issue(t, time.Hour, onThisMachine...), ours)
	return withTLS("ca", ours.PEM)
}

func foreignClientCertificate(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.ownTLS(ours.Issue(t, time.Hour, onThisMachine...), ours)
	client := redistest.NewAuthority(t, "foreign").Issue(t, time.Hour, "gate")
	return withTLS("ca", ours.PEM, "cert", client.Cert, "key", client.Key)
}

func noFile(t *testing.T, w *world, ours *redistest.Authority) map[string]interface{} {
	w.ownTLS(ours.Issue(t, time.Hour, onThisMachine...), nil)
	return withTLS("ca", "/nowhere/ca.crt")
}

func otherDatabase(t *testing.T, w *world) {
	s := w.own()
	w.decided(w.mustMake(backend, withRedis("endpoints", []interface{}{"unix://" + s.Socket}, "db", 3), w.name))
	for db, want := range map[int]int64{0: 0, 3: 1} {
		client := redis.NewClient(&redis.Options{Addr: s.Addr, DB: db, DisableIdentity: true})
		n, err := redistest.Number(client, "DBSIZE")
		if n != want || err != nil {
			t.Errorf("database %d has %d keys, %v, want %d", db, n, err, want)
		}
		client.Close()
	}
}

func commandsSeen(t *testing.T, w *world) {
	w.own()
	w.seesCommands(fivePerHour(), "time hmget hset pexpire pttl eval evalsha hello ping")
}

func commandsSeenInDatabase(t *testing.T, w *world) {
	w.own()
	w.seesCommands(withRedis("db", 3), "time hmget hset pexpire pttl eval evalsha hello ping select")
}

// seesCommands lets config limit through a script that Redis does not know and a new connection, and compares which commands
// Redis has counted, those of the script included. One that it does not know is counted as an error alone.
func (w *world) seesCommands(config map[string]interface{}, want string) {
	w.t.Helper()
	handler := w.mustMake(backend, config, w.name)
	w.command([]string{"PING"})
	w.must("CONFIG", "RESETSTAT")
	for i := 0; i < 7; i++ {
		ask(handler, get())
		if i == 3 {
			w.link.CloseAll()
			w.settled(handler, get)
		}
	}
	want += " config|resetstat" // the case's own
	if seen := w.counted("commandstats", "cmdstat_"); !sameWords(seen, want) {
		w.t.Errorf("Redis saw %s, want %s", seen, want)
	}
	if errors := w.counted("errorstats", "errorstat_"); errors != "NOSCRIPT" {
		w.t.Errorf("Redis replied with the errors %s, want NOSCRIPT alone", errors)
	}
	if n := w.lines(w.plugin.Errors(), ""); n > 0 {
		w.t.Errorf("%d lines in the log: %s", n, w.plugin.Errors())
	}
}

// counted are the names in a section of INFO whose lines begin with prefix.
func (w *world) counted(section, prefix string) string {
	var names []string
	for _, line := range strings.Split(w.command([]string{"INFO", section}), "\n") {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, prefix), ":"); ok && strings.HasPrefix(line, prefix) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// sameWords reports whether two texts hold the same words in any order.
func sameWords(a, b string) bool {
	left, right := strings.Fields(a), strings.Fields(b)
	sort.Strings(left)
	sort.Strings(right)
	return strings.Join(left, " ") == strings.Join(right, " ")
}
