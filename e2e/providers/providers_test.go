// Package providers tests the plugin behind Traefik's own decoders and its own
// plugin loader, compiled into the test: what a file, labels, a key-value
// store or Kubernetes make of a configuration is what the plugin is given.
package providers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kvtools/valkeyrie/store"
	"github.com/rs/zerolog"
	"github.com/rs/zerolog/log"
	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/config/kv"
	"github.com/traefik/traefik/v3/pkg/config/label"
	"github.com/traefik/traefik/v3/pkg/plugins"
	"github.com/traefik/traefik/v3/pkg/provider/file"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// loader is Traefik's, with the plugin interpreted once for all tests; debug
// is what the plugin writes to Traefik's log.
var (
	loader *plugins.Builder
	debug  text
)

// text keeps what is written to it.
type text struct {
	mu sync.Mutex
	b  strings.Builder
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

// Len is how much was written so far.
func (t *text) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Len()
}

// From is what was written after the first n bytes, without JSON's escapes.
func (t *text) From(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ReplaceAll(t.b.String()[n:], `\"`, `"`)
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		log.Logger = zerolog.New(&debug)
		zerolog.DefaultContextLogger = &log.Logger
		dir, err := os.MkdirTemp("", "providers-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if err := harness.InstallPlugin(root, filepath.Join(dir, "plugins-local", "src", harness.Module)); err != nil {
			panic(err)
		}
		os.Setenv("RATELIMIT_PASSWORD", redisPassword)
		// Traefik looks for local plugins below its working directory.
		if err := os.Chdir(dir); err != nil {
			panic(err)
		}
		loader, err = plugins.NewBuilder(nil, nil, map[string]plugins.LocalDescriptor{harness.PluginName: {ModuleName: harness.Module}})
		if err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// load makes the middleware of one router, as Traefik does.
func load(t *testing.T, config map[string]any, name string) (http.Handler, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	construct, err := loader.Build(harness.PluginName, config, name)
	if err != nil {
		return nil, err
	}
	return construct(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "passed") }))
}

const redisPassword = "wild-horses"

// forms are one and the same middleware, written for every provider.
var forms = []struct {
	name   string
	decode func(t *testing.T, text string) map[string]any
	text   string
}{
	{"file YAML", fromFile(".yml"), `
http:
  middlewares:
    api:
      plugin:
        ratelimit:
          limits:
            - {name: burst, average: 2, period: 1m}
            - {name: daily, algorithm: sliding-log, average: 1000, period: 24h}
          sourceCriterion:
            ipStrategy: {depth: 2, ipv6Subnet: 48}
            requestHost: true
          redis: {endpoints: [REDIS], password: wild-horses, db: 1, poolSize: 3, dialTimeout: 4, keyPrefix: shop}
          timeout: 5s
          failureMode: closed
          headers: [x-ratelimit, ratelimit]
          denied: {statusCode: 403, contentType: text/html, body: "<p>Slow, please"}
`},
	{"file YAML, password from the environment", fromFile(".yml"), `
http:
  middlewares:
    api:
      plugin:
        ratelimit:
          limits:
            - {name: burst, average: "2", period: 60, algorithm: token-bucket, burst: 2}
            - {name: daily, algorithm: sliding-log, average: "1000", period: 86400s}
          sourceCriterion:
            ipStrategy: {depth: "2", ipv6Subnet: "48"}
            requestHost: "true"
          redis: {endpoints: REDIS, password: "${RATELIMIT_PASSWORD}", db: "1", poolSize: "3", dialTimeout: "4s", keyPrefix: shop}
          timeout: 5
          failureMode: closed
          headers: "x-ratelimit, ratelimit"
          denied: {statusCode: "403", contentType: text/html, body: "<p>Slow, please"}
`},
	{"file TOML", fromFile(".toml"), `
[http.middlewares.api.plugin.ratelimit]
  timeout = "5s"
  failureMode = "closed"
  headers = ["x-ratelimit", "ratelimit"]
  [[http.middlewares.api.plugin.ratelimit.limits]]
    name = "burst"
    average = 2
    period = "1m"
  [[http.middlewares.api.plugin.ratelimit.limits]]
    name = "daily"
    algorithm = "sliding-log"
    average = 1000
    period = "24h"
  [http.middlewares.api.plugin.ratelimit.sourceCriterion]
    requestHost = true
    [http.middlewares.api.plugin.ratelimit.sourceCriterion.ipStrategy]
      depth = 2
      ipv6Subnet = 48
  [http.middlewares.api.plugin.ratelimit.redis]
    endpoints = ["REDIS"]
    password = "wild-horses"
    db = 1
    poolSize = 3
    dialTimeout = "4s"
    keyPrefix = "shop"
  [http.middlewares.api.plugin.ratelimit.denied]
    statusCode = 403
    contentType = "text/html"
    body = "<p>Slow, please"
`},
	{"labels", fromLabels, `
traefik.http.middlewares.api.plugin.ratelimit.limits[0].name=burst
traefik.http.middlewares.api.plugin.ratelimit.limits[0].average=2
traefik.http.middlewares.api.plugin.ratelimit.limits[0].period=1m
traefik.http.middlewares.api.plugin.ratelimit.limits[1].name=daily
traefik.http.middlewares.api.plugin.ratelimit.limits[1].algorithm=sliding-log
traefik.http.middlewares.api.plugin.ratelimit.limits[1].average=1000
traefik.http.middlewares.api.plugin.ratelimit.limits[1].period=24h
traefik.http.middlewares.api.plugin.ratelimit.sourceCriterion.ipStrategy.depth=2
traefik.http.middlewares.api.plugin.ratelimit.sourceCriterion.ipStrategy.ipv6Subnet=48
traefik.http.middlewares.api.plugin.ratelimit.sourceCriterion.requestHost=true
traefik.http.middlewares.api.plugin.ratelimit.redis.endpoints=REDIS
traefik.http.middlewares.api.plugin.ratelimit.redis.password=wild-horses
traefik.http.middlewares.api.plugin.ratelimit.redis.db=1
traefik.http.middlewares.api.plugin.ratelimit.redis.poolSize=3
traefik.http.middlewares.api.plugin.ratelimit.redis.dialTimeout=4s
traefik.http.middlewares.api.plugin.ratelimit.redis.keyPrefix=shop
traefik.http.middlewares.api.plugin.ratelimit.timeout=5s
traefik.http.middlewares.api.plugin.ratelimit.failureMode=closed
traefik.http.middlewares.api.plugin.ratelimit.headers=x-ratelimit, ratelimit
traefik.http.middlewares.api.plugin.ratelimit.denied.statusCode=403
traefik.http.middlewares.api.plugin.ratelimit.denied.contentType=text/html
traefik.http.middlewares.api.plugin.ratelimit.denied.body=<p>Slow, please
`},
	{"key-value store", fromKV, `
traefik/http/middlewares/api/plugin/ratelimit/limits/0/name=burst
traefik/http/middlewares/api/plugin/ratelimit/limits/0/average=2
traefik/http/middlewares/api/plugin/ratelimit/limits/0/period=1m
traefik/http/middlewares/api/plugin/ratelimit/limits/1/name=daily
traefik/http/middlewares/api/plugin/ratelimit/limits/1/algorithm=sliding-log
traefik/http/middlewares/api/plugin/ratelimit/limits/1/average=1000
traefik/http/middlewares/api/plugin/ratelimit/limits/1/period=24h
traefik/http/middlewares/api/plugin/ratelimit/sourceCriterion/ipStrategy/depth=2
traefik/http/middlewares/api/plugin/ratelimit/sourceCriterion/ipStrategy/ipv6Subnet=48
traefik/http/middlewares/api/plugin/ratelimit/sourceCriterion/requestHost=true
traefik/http/middlewares/api/plugin/ratelimit/redis/endpoints/0=REDIS
traefik/http/middlewares/api/plugin/ratelimit/redis/password=wild-horses
traefik/http/middlewares/api/plugin/ratelimit/redis/db=1
traefik/http/middlewares/api/plugin/ratelimit/redis/poolSize=3
traefik/http/middlewares/api/plugin/ratelimit/redis/dialTimeout=4s
traefik/http/middlewares/api/plugin/ratelimit/redis/keyPrefix=shop
traefik/http/middlewares/api/plugin/ratelimit/timeout=5s
traefik/http/middlewares/api/plugin/ratelimit/failureMode=closed
traefik/http/middlewares/api/plugin/ratelimit/headers/0=x-ratelimit
traefik/http/middlewares/api/plugin/ratelimit/headers/1=ratelimit
traefik/http/middlewares/api/plugin/ratelimit/denied/statusCode=403
traefik/http/middlewares/api/plugin/ratelimit/denied/contentType=text/html
traefik/http/middlewares/api/plugin/ratelimit/denied/body=<p>Slow, please
`},
	{"Kubernetes", fromKubernetes, `{
  "limits": [
    {"name": "burst", "average": 2, "period": "1m"},
    {"name": "daily", "algorithm": "sliding-log", "average": 1000, "period": "24h"}
  ],
  "sourceCriterion": {"ipStrategy": {"depth": 2, "ipv6Subnet": 48}, "requestHost": true},
  "redis": {"endpoints": ["REDIS"], "password": "urn:k8s:secret:redis:password", "db": 1, "poolSize": 3, "dialTimeout": 4, "keyPrefix": "shop"},
  "timeout": "5s",
  "failureMode": "closed",
  "headers": ["x-ratelimit", "ratelimit"],
  "denied": {"statusCode": 403, "contentType": "text/html", "body": "<p>Slow, please"}
}`},
}

// TestSameFromEveryProvider: whatever a middleware is written in, clients see
// the same and Redis holds the same.
func TestSameFromEveryProvider(t *testing.T) {
	redis := startRedis(t, "--requirepass", redisPassword)
	client := redis.Client()
	client.Options().Password = redisPassword
	client.Options().DB = 1
	t.Cleanup(func() { client.Close() })

	want := []string{
		`200 "passed" application/json x-ratelimit 2 1 "burst";q=2;w=60, "daily";q=1000;w=86400 | "burst";r=1, "daily";r=999`,
		`200 "passed" application/json x-ratelimit 2 0 "burst";q=2;w=60, "daily";q=1000;w=86400 | "burst";r=0, "daily";r=998`,
		`403 "<p>Slow, please" text/html x-ratelimit 2 0 "burst";q=2;w=60, "daily";q=1000;w=86400 | "burst";r=0`,
	}
	for i, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			client.FlushDB(t.Context())
			config := form.decode(t, strings.ReplaceAll(form.text, "REDIS", redis.Addr))
			// A name of its own: a fault must not fall back to the last good settings, those of the form before.
			name := fmt.Sprintf("api@%d", i)
			handler, err := load(t, config, name)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for range want {
				r := httptest.NewRequest(http.MethodGet, "http://shop.example/", nil)
				r.RemoteAddr = "192.0.2.1:4711"
				r.Header.Set("X-Forwarded-For", "203.0.113.9, 2001:db8:1:2::3, 198.51.100.1")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				got = append(got, summary(w))
			}
			if !slices.Equal(got, want) {
				t.Errorf("answers\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			keys, err := client.Keys(t.Context(), "*").Result()
			slices.Sort(keys)
			for i, key := range keys {
				keys[i] = regexp.MustCompile(`#[0-9a-f]{32}`).ReplaceAllString(key, "#…")
			}
			if wantKeys := []string{"shop:" + name + ":{#…}", "shop:" + name + ":{#…}:daily:sl1"}; err != nil || !slices.Equal(keys, wantKeys) {
				t.Errorf("keys %q, %v, want %q", keys, err, wantKeys)
			}
		})
	}
}

// summary is an answer in one line, without what depends on the time.
func summary(w *httptest.ResponseRecorder) string {
	h := w.Result().Header
	contentType := h.Get("Content-Type")
	if contentType == "text/plain; charset=utf-8" {
		contentType = "application/json"
	}
	reset := "no reset"
	if h.Get("X-RateLimit-Reset") != "" {
		reset = "x-ratelimit"
	}
	next := regexp.MustCompile(`;t=\d+`)
	return fmt.Sprintf("%d %q %s %s %s %s %s | %s", w.Code, w.Body, contentType, reset, h.Get("X-RateLimit-Limit"), h.Get("X-RateLimit-Remaining"),
		h.Get("RateLimit-Policy"), next.ReplaceAllString(h.Get("RateLimit"), ""))
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

// fromFile decodes by the file provider.
func fromFile(extension string) func(t *testing.T, text string) map[string]any {
	return func(t *testing.T, text string) map[string]any {
		t.Helper()
		name := filepath.Join(t.TempDir(), "dynamic"+extension)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		config, err := new(file.Provider).CreateConfiguration(t.Context(), name, nil, false)
		return plugin(t, config, err)
	}
}

// fromLabels decodes as every provider with labels does.
func fromLabels(t *testing.T, text string) map[string]any {
	t.Helper()
	labels := map[string]string{}
	for _, pair := range pairs(text) {
		labels[pair[0]] = pair[1]
	}
	config, err := label.DecodeConfiguration(labels)
	return plugin(t, config, err)
}

// fromKV decodes as every key-value store's provider does.
func fromKV(t *testing.T, text string) map[string]any {
	t.Helper()
	var stored []*store.KVPair
	for _, pair := range pairs(text) {
		stored = append(stored, &store.KVPair{Key: pair[0], Value: []byte(pair[1])})
	}
	config := &dynamic.Configuration{}
	err := kv.Decode(stored, config, "traefik")
	return plugin(t, config, err)
}

// pairs reads lines of name=value.
func pairs(text string) [][2]string {
	var found [][2]string
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			found = append(found, [2]string{name, value})
		}
	}
	return found
}

// plugin returns what the only middleware of a configuration gives the plugin.
func plugin(t *testing.T, config *dynamic.Configuration, err error) map[string]any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(config.HTTP.Middlewares) != 1 {
		t.Fatalf("%d middlewares, want one", len(config.HTTP.Middlewares))
	}
	for _, middleware := range config.HTTP.Middlewares {
		return middleware.Plugin[harness.PluginName]
	}
	return nil
}
