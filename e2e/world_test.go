// Package e2e tests the plugin in real Traefik processes on a real Redis.
package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/e2e/traefik"
)

// program is the path of Traefik.
var program string

func TestMain(m *testing.M) {
	var from string
	var err error
	program, from, err = traefik.Find(context.Background(), ".", os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "Traefik %s, %s\n", program, from)
	harness.RedisHost = harness.OwnHost()
	os.Exit(m.Run())
}

// startRedis starts a redis-server; without one the test is skipped, and fails where CI is set.
func startRedis(t *testing.T, args ...string) *harness.Redis {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv("CI") == "" {
		t.Skip("this test needs a redis-server: ", err)
	}
	redis, err := harness.StartRedis(t.Context(), t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(redis.Stop)
	return redis
}

// startBackend serves next, or else a greeting.
func startBackend(t *testing.T, next http.HandlerFunc) *harness.Backend {
	t.Helper()
	if next == nil {
		next = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "passed") }
	}
	backend, err := harness.StartBackend(next)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(backend.Stop)
	return backend
}

// startTraefik starts a Traefik and looks at its end for what must never be
// in any test: a panic, or a word that went past its log.
func startTraefik(t *testing.T, env ...string) *harness.Traefik {
	t.Helper()
	proxy, err := harness.StartTraefik(t.Context(), harness.Options{
		Program: program, Plugin: "..", Dir: t.TempDir(), Env: env, Trust: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if proxy.Ended() {
			t.Errorf("Traefik has ended by itself: %s", proxy.Said())
		}
		proxy.Stop()
		if said := proxy.Said(); said != "" {
			t.Errorf("Traefik wrote past its log: %s", said)
		}
		for _, e := range logged(t, proxy, "error", "") {
			if strings.Contains(e, "panic") || strings.Contains(e, "Recovered") {
				t.Errorf("the log speaks of a panic: %s", e)
			}
		}
	})
	return proxy
}

// apply gives the proxy a dynamic configuration and waits until it is served.
// In text, BACKEND, H2C and REDIS stand for addresses.
func apply(t *testing.T, proxy *harness.Traefik, backend *harness.Backend, redis *harness.Redis, text string) {
	t.Helper()
	text = strings.NewReplacer("BACKEND", backend.URL, "H2C", backend.H2C, "REDIS", redis.Addr).Replace(text)
	if err := proxy.Apply(t.Context(), "test.yml", text); err != nil {
		t.Fatal(err)
	}
}

// requests carries many connections at once. It keeps none: a test counts
// those of Traefik to Redis, not its own.
var requests = &http.Client{
	Timeout:   60 * time.Second,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// answer is what a client got.
type answer struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

// ask sends a GET with header, given as name, value, name, value …
func ask(t *testing.T, url string, header ...string) answer {
	t.Helper()
	a, err := try(t.Context(), url, header...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// try is ask for goroutines.
func try(ctx context.Context, url string, header ...string) (answer, error) {
	return send(ctx, http.MethodGet, url, header...)
}

// send is try with another method.
func send(ctx context.Context, method, url string, header ...string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	began := time.Now()
	resp, err := requests.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(body), time.Since(began)}, err
}

// limited waits until url's answers carry limits: before the first connection
// to Redis is open, the failure mode answers.
func limited(t *testing.T, url string, header ...string) {
	t.Helper()
	eventually(t, 30*time.Second, func() error {
		a, err := try(t.Context(), url, header...)
		if err == nil && a.header.Get("X-RateLimit-Limit") == "" {
			err = fmt.Errorf("%s answers %d without limits", url, a.status)
		}
		return err
	})
}

// eventually fails the test unless holds returns nil within d.
func eventually(t *testing.T, d time.Duration, holds func() error) {
	t.Helper()
	if err := harness.Until(t.Context(), d, holds); err != nil {
		t.Fatal(err)
	}
}

// expect fails the test unless a is as it must be. want is the status and,
// where given, X-RateLimit-Remaining.
func expect(t *testing.T, a answer, status int, remaining string, why string) {
	t.Helper()
	if a.status != status || a.header.Get("X-RateLimit-Remaining") != remaining {
		t.Fatalf("%s: got %d with remaining %q, want %d with %q; header %v, body %q",
			why, a.status, a.header.Get("X-RateLimit-Remaining"), status, remaining, a.header, a.body)
	}
}

// logged returns the messages of the log at a level that hold text.
func logged(t *testing.T, proxy *harness.Traefik, level, text string) []string {
	t.Helper()
	entries, err := proxy.Entries()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		if e.Level == level && strings.Contains(e.Message, text) {
			found = append(found, e.Message)
		}
	}
	return found
}
