// Package suite is the black box: what the plugin promises, as cases that know nothing of its inside.
//
// The cases are always compiled; the plugin under them is compiled, interpreted or behind Traefik. Most cases are data
// (cases/*.yaml: a configuration, then steps with the answer each must get); what data cannot say (connections that are
// taken over, panics, hang-ups, thousands of requests) is in Go beside it.
//
// Redis is a miniredis of each case's own, whose clock stands still until a step advances it, or one real server for all,
// where only the cases run that need no other clock than the answers' own Retry-After.
package suite

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// New makes one middleware as Traefik does: once per router and reload, ctx cancelled at the next reload.
// config is what a file holds below the plugin's name.
type New func(ctx context.Context, next http.Handler, config map[string]interface{}, name string) (http.Handler, error)

// Plugin is the plugin under test as one Traefik process holds it.
type Plugin struct {
	New    New
	Errors func() string // all it wrote to Traefik's log at ERROR so far
	Debug  func() string // the same at DEBUG
	Slack  time.Duration // what its surroundings may add to every answer's time
}

// Setup is a plugin and the Redis it runs on.
type Setup struct {
	Plugin Plugin
	Redis  string // host:port of a real server; "" gives each case a miniredis with a virtual clock

	Skip map[string]string // cases that the plugin's surroundings cannot play, and why
}

// testCase is one promise.
type testCase struct {
	name string
	why  string // one line: what a user would lose
	on   place
	run  func(t *testing.T, w *world)
}

// place says where a case runs.
type place int

const (
	virtual place = iota // on a virtual clock
	both                 // on a real Redis too
	alone                // on a virtual clock, and nothing else meanwhile: it holds a promise about time
	server               // with redis-server processes of its own, and nothing else meanwhile
)

// secretsFolder is where the cases keep password files. Environ sets it and the one variable that cases read.
var secretsFolder string

// Environ sets the environment that the cases assume, for as long as the returned function is not called.
// Call it before the plugin is loaded: an interpreter takes a copy.
func Environ() (restore func()) {
	var err error
	secretsFolder, err = os.MkdirTemp("", "secrets")
	if err != nil {
		panic(err)
	}
	os.Setenv("RATELIMIT_SECRETS", secretsFolder)
	os.Setenv("RATELIMIT_SUITE_PASSWORD", suitePassword)
	os.Setenv("SUITE_FOREIGN_SECRET", foreignSecret)
	return func() {
		os.RemoveAll(secretsFolder)
		os.Unsetenv("RATELIMIT_SECRETS")
		os.Unsetenv("RATELIMIT_SUITE_PASSWORD")
		os.Unsetenv("SUITE_FOREIGN_SECRET")
	}
}

// No log line and no error may hold one of these.
const (
	suitePassword = "hunter2-of-the-suite"
	foreignSecret = "dns-token-of-the-suite"
)

// Run runs every case that s can decide.
func Run(t *testing.T, s Setup) {
	cases := allCases(t)
	skips := 0
	for i := range cases {
		c := cases[i]
		if s.Skip[c.name] != "" {
			skips++
		}
		if real := s.Redis != ""; real && c.on != both && c.on != server || !real && c.on == server {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if why := s.Skip[c.name]; why != "" {
				t.Skip(why)
			}
			if c.on != alone && c.on != server {
				t.Parallel()
			}
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("why it matters: %s", c.why)
				}
			})
			c.run(t, newWorld(t, s, c.name))
		})
	}
	if skips < len(s.Skip) {
		t.Errorf("%d of the cases to skip do not exist", len(s.Skip)-skips)
	}
	t.Cleanup(func() {
		if at := strings.Index(s.Plugin.Errors(), "panic in "); at >= 0 {
			t.Errorf("the plugin logs a %.200s", s.Plugin.Errors()[at:])
		}
		for _, secret := range []string{suitePassword, foreignSecret} {
			if strings.Contains(s.Plugin.Errors()+s.Plugin.Debug(), secret) {
				t.Errorf("the log holds the secret %q", secret)
			}
		}
	})
}

// allCases are the cases in data and those in Go.
func allCases(t *testing.T) []testCase {
	cases := dataCases(t)
	cases = append(cases, trafficCases...)
	cases = append(cases, failureCases...)
	cases = append(cases, lifeCases...)
	cases = append(cases, serverCases...)
	cases = append(cases, clusterCases...)
	cases = append(cases, wireCases...)
	return cases
}
