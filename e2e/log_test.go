package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// logConfig has a middleware for each thing that the log may have to tell of.
const logConfig = `
http:
  routers:
    api: {rule: "Path(` + "`/api`" + `)", middlewares: [api], service: backend}
    local: {rule: "Path(` + "`/local`" + `)", middlewares: [local], service: backend}
    away: {rule: "Path(` + "`/away`" + `)", middlewares: [away], service: backend}
    plain: {rule: "Path(` + "`/plain`" + `)", middlewares: [plain], service: backend}
    two: {rule: "Path(` + "`/two`" + `)", middlewares: [two], service: backend}
    lone: {rule: "Path(` + "`/lone`" + `)", middlewares: [lone], service: backend}
    faulty: {rule: "Path(` + "`/faulty`" + `)", middlewares: [faulty], service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: "BACKEND"}]}}
  middlewares:
    api: {plugin: {ratelimit: {average: API, period: 1h, timeout: 2s, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"]}}}}
    local: {plugin: {ratelimit: {average: 4, period: 1h, timeout: 2s, failureMode: local, localShare: 0.25, redis: {endpoints: ["REDIS"]}}}}
    away: {plugin: {ratelimit: {average: 5, period: 1h, redis: {endpoints: ["AWAY"]}}}}
    plain: {plugin: {ratelimit: {average: 5, period: 1h, redis: {mode: cluster, endpoints: ["PLAIN"]}}}}
    two:
      plugin:
        ratelimit:
          limits:
            - {name: b, average: 1000, period: 1h}
            - {name: l, algorithm: sliding-log, average: 1000, period: 1h}
          timeout: 2s
          redis: {mode: cluster, endpoints: ["TWO"]}
    lone: {plugin: {ratelimit: {average: 1000, period: 1h, timeout: 2s, redis: {mode: cluster, endpoints: ["LONE", "REPLICA"]}}}}
    faulty: {plugin: {ratelimit: {avrage: 5, average: 5, redis: {endpoints: ["REDIS"]}}}}
`

// keyOfOne is the key of the middleware api for the value "one" of the header.
const keyOfOne = "ratelimit:api@file:{#7692c3ad3540bb803c020b3aee66cd88}"

// wording is a line of the plugin in Traefik's log, whole.
type wording struct {
	level string
	text  string // a regular expression in which the words of the addresses stand for them
}

// wordings has, for each row of the table in operations.md, what is in the log after the scenes of TestLogLines.
var wordings = map[string][]wording{
	"redis lost: never reached ADDRESS since start: CAUSE": {
		{"error", `redis lost: never reached AWAY since start: dial tcp AWAY: connect: connection refused; each middleware's failureMode decides until it is back`},
		{"error", `redis lost: never reached cluster PLAIN since start: no node tells the slots: PLAIN: ERR This instance has cluster support disabled; each middleware's failureMode decides until it is back`},
	},
	"redis lost: ADDRESS: CAUSE": {
		{"error", `redis lost: REDIS: .*(EOF|connection refused|connection reset by peer); each middleware's failureMode decides until it is back`},
		{"error", `redis lost: node LONE of cluster LONE,REPLICA: .*connection refused; each middleware's failureMode decides until it is back`},
	},
	"redis still lost: ADDRESS: CAUSE; N requests were decided without it so far": {
		{"error", `redis still lost: AWAY: dial tcp AWAY: connect: connection refused; [1-9]\d* requests were decided without it so far`},
	},
	"redis back: ADDRESS serves no slots any more; N requests were decided without it": {
		{"error", `redis back: node LONE of cluster LONE,REPLICA serves no slots any more; \d+ requests were decided without it`},
	},
	"redis back: ADDRESS; N requests were decided without it": {
		{"error", `redis back: REDIS; [1-9]\d* requests were decided without it`},
		{"error", `redis back: AWAY; [1-9]\d* requests were decided without it`},
	},
	"redis ADDRESS: key KEY holds a foreign value": {
		{"error", `redis REDIS: key KEY holds a foreign value: WRONGTYPE .*; its requests are decided by failureMode until it is deleted`},
	},
	"MIDDLEWARE: the last good settings stay in force": {
		{"error", `api@file: average: must be a whole number .*, got "ten"\napi@file: the last good settings stay in force`},
	},
	"panic in WHERE: WHAT":        {{"error", `panic in api@file: on purpose`}},
	"redis: flight failed: CAUSE": {{"debug", `redis: flight failed: dial tcp AWAY: connect: connection refused`}},
	"redis: call failed: CAUSE":   {{"debug", `redis: call failed: TRYAGAIN .*`}},
	"go-redis: WORDS":             {{"debug", `go-redis: spoke of 7`}},
	"MIDDLEWARE: RULES": {
		{"debug", `api@file: 2 requests per 1h0m0s by token-bucket, burst 2; counted by header X-Client, .*; Redis at REDIS, db 0; keys ratelimit:api@file:\{…\}; timeout 2s; failure mode open; headers x-ratelimit; denied with 429`},
		{"debug", `local@file: 4 requests per 1h0m0s by token-bucket, burst 4; counted by address .*; failure mode local by 0.25 of each limit; headers x-ratelimit; denied with 429`},
	},
	"MIDDLEWARE: denied by limit NAME, key KEY": {
		{"debug", `api@file: denied by limit default, key KEY`},
		{"debug", `local@file: denied by limit default, key ratelimit:local@file:\{127\.0\.0\.1\}, in failureMode local`},
	},
	`error="MIDDLEWARE: PATH: RULE" routerName=ROUTER`: {
		{"error by Traefik", `faulty@file: avrage: no such option, did you mean "average"\?`},
	},
}

// onPurpose goes into the plugin's source: what no request can cause, unless the plugin has a fault.
const onPurpose = `
	switch r.Header.Get("X-Fault") {
	case "panic":
		panic("on purpose")
	case "words":
		redisLogger{}.Printf(r.Context(), "spoke of %d", 7)
	}
`

// TestLogLines: each line that operations.md tells of is in Traefik's log, word for word and at its level, when its time has come.
func TestLogLines(t *testing.T) {
	redis, away, plain, backend := startRedis(t), startRedis(t), startRedis(t), startBackend(t, nil)
	two, lone := redistest.StartCluster(t, 2), redistest.StartCluster(t, 1)
	addresses := []string{"REDIS", redis.Addr, "AWAY", away.Addr, "PLAIN", plain.Addr, "TWO", two.Masters[0].Addr, "LONE", lone.Masters[0].Addr, "REPLICA", lone.Replicas[0].Addr}
	away.Stop()
	proxy := startFaultyTraefik(t)
	s := &logScene{T: t, proxy: proxy, redis: redis, config: strings.NewReplacer(append(addresses, "BACKEND", backend.URL)...).Replace(logConfig)}
	s.apply("2")

	began := time.Now()
	s.until("/away", "error", "redis lost: never reached "+away.Addr) // now a minute begins, until it is said again
	s.until("/plain", "error", "redis lost: never reached cluster "+plain.Addr)
	s.deny()
	s.foreignKey()
	s.ask("/api", "X-Fault", "panic")
	s.ask("/api", "X-Fault", "words")
	s.apply(`"ten"`)
	s.tryAgain(two)
	s.replace(lone)
	s.goAway()
	if wait := time.Minute - time.Since(began); wait > 0 {
		t.Logf("%s until the log says again that Redis is lost", wait.Round(time.Second))
	}
	eventually(t, 90*time.Second, func() error { return s.said("error", "redis still lost: "+away.Addr) })
	restart(t, away)
	s.until("/away", "error", "redis back: "+away.Addr)

	s.compare(strings.NewReplacer(append(quoted(addresses), "KEY", regexp.QuoteMeta(keyOfOne))...))
}

// startFaultyTraefik is startTraefik with onPurpose in the plugin.
func startFaultyTraefik(t *testing.T) *harness.Traefik {
	t.Helper()
	plugin := t.TempDir()
	if err := harness.InstallPlugin("..", plugin); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(plugin, "source.go")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const place = "func sourceOf(c *criterion, r *http.Request) string {\n"
	changed := strings.Replace(string(source), place, place+onPurpose, 1)
	if changed == string(source) {
		t.Fatalf("%s: no %q", file, place)
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	proxy, err := harness.StartTraefik(t.Context(), harness.Options{Program: program, Plugin: plugin, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	return proxy
}

// quoted makes regular expressions of every second text.
func quoted(pairs []string) []string {
	all := append([]string(nil), pairs...)
	for i := 1; i < len(all); i += 2 {
		all[i] = regexp.QuoteMeta(all[i])
	}
	return all
}

// logScene plays what the log is to tell of.
type logScene struct {
	*testing.T
	proxy  *harness.Traefik
	redis  *harness.Redis
	config string
}

// apply gives Traefik the configuration with an average for the middleware api.
func (s *logScene) apply(average string) {
	s.Helper()
	if err := s.proxy.Apply(s.Context(), "log.yml", strings.Replace(s.config, "average: API", "average: "+average, 1)); err != nil {
		s.Fatal(err)
	}
}

func (s *logScene) ask(path string, header ...string) answer {
	s.Helper()
	return ask(s.T, s.proxy.URL+path, header...)
}

// said returns nil when the log has a line at a level that holds text.
func (s *logScene) said(level, text string) error {
	if len(logged(s.T, s.proxy, level, text)) == 0 {
		return fmt.Errorf("the log does not say %q", text)
	}
	return nil
}

// until asks until the log says so.
func (s *logScene) until(path, level, text string) {
	s.Helper()
	eventually(s.T, 30*time.Second, func() error {
		s.ask(path)
		return s.said(level, text)
	})
}

// deny uses up the limit of one client.
func (s *logScene) deny() {
	s.Helper()
	limited(s.T, s.proxy.URL+"/api", "X-Client", "another")
	for _, status := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		expectStatus(s.T, s.ask("/api", "X-Client", "one"), status, "one")
	}
}

// foreignKey puts a foreign value in the place of that client's, for one request.
func (s *logScene) foreignKey() {
	s.Helper()
	client := s.redis.Client()
	defer client.Close()
	if n, err := client.Exists(s.Context(), keyOfOne).Result(); n != 1 || err != nil {
		s.Fatalf("%d keys %s, %v", n, keyOfOne, err)
	}
	if err := client.Set(s.Context(), keyOfOne, "foreign", 0).Err(); err != nil {
		s.Fatal(err)
	}
	eventually(s.T, 10*time.Second, func() error { // a denial is remembered for a second
		s.ask("/api", "X-Client", "one")
		return s.said("error", "holds a foreign value")
	})
	if err := client.Del(s.Context(), keyOfOne).Err(); err != nil {
		s.Fatal(err)
	}
}

// tryAgain moves one of a source's two keys to another master.
func (s *logScene) tryAgain(c *redistest.Cluster) {
	s.Helper()
	limited(s.T, s.proxy.URL+"/two")
	client := c.Masters[0].Client()
	defer client.Close()
	const key = "ratelimit:two@file:{127.0.0.1}"
	slot, err := client.ClusterKeySlot(s.Context(), key).Result()
	if err != nil {
		s.Fatal(err)
	}
	from, to := c.Masters[0], c.Masters[1]
	if c.Master(int(slot)) == to {
		from, to = to, from
	}
	c.Move(int(slot), from, to)
	c.MoveKeys(from, to, key)
	s.until("/two", "debug", "redis: call failed: TRYAGAIN")
}

// replace kills the only master of a cluster, and lets its replica take over.
func (s *logScene) replace(c *redistest.Cluster) {
	s.Helper()
	limited(s.T, s.proxy.URL+"/lone")
	c.Masters[0].Kill()
	s.until("/lone", "error", "redis lost: node "+c.Masters[0].Addr)
	c.Replicas[0].Must("CLUSTER", "FAILOVER", "TAKEOVER")
	s.until("/lone", "error", "redis back: node "+c.Masters[0].Addr)
	limited(s.T, s.proxy.URL+"/lone")
}

// goAway kills Redis, and starts it again.
func (s *logScene) goAway() {
	s.Helper()
	limited(s.T, s.proxy.URL+"/local")
	s.redis.Kill()
	s.until("/local", "debug", ", in failureMode local")
	s.until("/local", "error", "redis lost: "+s.redis.Addr)
	restart(s.T, s.redis)
	s.until("/local", "error", "redis back: "+s.redis.Addr)
}

// compare holds the log to the documents, and both to wordings.
func (s *logScene) compare(addresses *strings.Replacer) {
	s.Helper()
	entries, err := s.proxy.Entries()
	if err != nil {
		s.Fatal(err)
	}
	documented := documentedLines(s.T)
	for row, level := range documented {
		if len(wordings[row]) == 0 {
			s.Errorf("no scene brings about the documented line %s", row)
		}
		for _, want := range wordings[row] {
			if !strings.EqualFold(strings.ReplaceAll(level, ",", ""), want.level) {
				s.Errorf("%s: documented at %s, here at %s", row, level, want.level)
			}
			words := regexp.MustCompile("^(?:" + addresses.Replace(want.text) + ")$")
			found := false
			for _, e := range entries {
				level, text := e.Level, e.Message
				if e.Plugin == "" {
					level, text = level+" by Traefik", e.Error
				}
				found = found || level == want.level && words.MatchString(strings.TrimSpace(text))
			}
			if !found {
				s.Errorf("the log has no line %s at %s", words, want.level)
			}
		}
	}
	for row := range wordings {
		if documented[row] == "" {
			s.Errorf("operations.md does not tell of %s", row)
		}
	}
	seen := map[harness.Entry]bool{}
	for _, e := range entries {
		if s.Failed() && !seen[e] && (e.Plugin != "" || e.Error != "") {
			seen[e] = true
			s.Logf("%s: %s %s", e.Level, e.Message, e.Error)
		}
	}
}

// documentedLines are the lines in the table of operations.md, and their levels.
func documentedLines(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(content), "| line | level |")
	rows := map[string]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) == 3 {
			rows[strings.Trim(cells[0], "| `")] = strings.TrimSpace(cells[1])
		} else if len(rows) > 0 {
			break
		}
	}
	return rows
}
