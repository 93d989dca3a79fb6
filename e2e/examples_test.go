package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// examples says of each example what its reader is promised. Those that are
// no file for Traefik's file provider are decoded in providers/.
var examples = map[string]struct {
	method, path string
	header       []string // of a request
	passes       int      // requests at once; the next one or, as time goes by, one soon after is denied
	other        []string // header of a request that passes after that
	denied       string   // the denied answer's body
	contentType  string
}{
	"api-key-per-minute": {
		path: "/api", header: []string{"X-Api-Key", "one"}, passes: 20, other: []string{"X-Api-Key", "two"},
	},
	"behind-a-load-balancer": {
		path: "/", header: []string{"X-Forwarded-For", "192.0.2.66, 203.0.113.1"}, passes: 100, other: []string{"X-Forwarded-For", "192.0.2.66, 203.0.113.2"},
	},
	"cluster":              {path: "/", passes: 100},
	"fail-closed":          {path: "/messages", passes: 100},
	"fail-local":           {path: "/search", passes: 60},
	"login-brute-force":    {method: http.MethodPost, path: "/login", passes: 5},
	"own-denied-answer":    {path: "/", passes: 100, denied: `{"title": "Too Many Requests", "status": 429}`, contentType: "application/problem+json"},
	"password-from-a-file": {path: "/", passes: 100},
	"redis-over-tls":       {path: "/", passes: 100},
	"sentinel":             {path: "/", passes: 100},
	"several-limits":       {path: "/", passes: 10},
}

// TestExamples runs every example in the real Traefik.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*/dynamic.yml")
	if err != nil || len(files) != len(examples) {
		t.Fatalf("%d examples, %d rows, %v", len(files), len(examples), err)
	}
	secrets := t.TempDir()
	if err := os.WriteFile(filepath.Join(secrets, "password"), []byte("wild-horses\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	authority := redistest.NewAuthority(t, "examples")
	client := authority.Issue(t, time.Hour, "traefik")
	for file, text := range map[string]string{"ca.crt": authority.PEM, "tls.crt": client.Cert, "tls.key": client.Key} {
		if err := os.WriteFile(filepath.Join(secrets, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	backend := startBackend(t, nil)
	proxy := startTraefik(t, "RATELIMIT_SECRETS="+secrets)
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			example, known := examples[name]
			if !known {
				t.Fatal("no row says what this example promises")
			}
			user := []string{"--user", "ratelimit", "on", ">wild-horses", "~*", "+@all"}
			address := ""
			if name == "redis-over-tls" {
				address = redistest.StartTLS(t, authority.Issue(t, time.Hour, "127.0.0.1"), authority, user...).Addr
			} else {
				address = startRedis(t, user...).Addr
			}
			var seeds []string
			switch name {
			case "sentinel":
				for i, endpoint := range redistest.StartSentinels(t, 1, 3, user).Endpoints() {
					seeds = append(seeds, fmt.Sprint("127.0.0.1:", 26379+i), endpoint)
				}
			case "cluster":
				for i, master := range redistest.StartCluster(t, 3, user...).Masters {
					seeds = append(seeds, fmt.Sprint("127.0.0.1:", 7000+i), master.Addr)
				}
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dynamic := strings.NewReplacer("http://127.0.0.1:9000", backend.URL, "127.0.0.1:6379", address, "/run/secrets/ratelimit", secrets,
				"timeout: 50ms", "timeout: 10s").Replace(strings.NewReplacer(seeds...).Replace(string(text)))
			if err := proxy.Apply(t.Context(), "example.yml", dynamic); err != nil {
				t.Fatal(err)
			}
			request := func(header []string) answer {
				t.Helper()
				a, err := send(t.Context(), example.method, proxy.URL+example.path, header...)
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			var a answer
			passed := 0
			for sent := 0; a.status != http.StatusTooManyRequests && sent < 3*example.passes+100; sent++ {
				a = request(example.header)
				// Without limits in its header the failure mode let it pass: no connection yet, or a busy machine.
				if a.status == http.StatusOK && a.header.Get("X-RateLimit-Limit")+a.header.Get("RateLimit-Policy") != "" {
					passed++
				}
			}
			if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" || passed < example.passes {
				t.Errorf("after %d requests the answer is %d, %v, want 429 after %d", passed, a.status, a.header, example.passes)
			}
			if example.denied != "" && (a.body != example.denied || a.header.Get("Content-Type") != example.contentType) {
				t.Errorf("the denied answer is %q, %v", a.body, a.header)
			}
			if example.other != nil {
				expectStatus(t, request(example.other), http.StatusOK, "another client")
			}
			if example.method != "" {
				expectStatus(t, ask(t, proxy.URL+example.path), http.StatusOK, "another method")
			}
		})
	}
}

func expectStatus(t *testing.T, a answer, status int, who string) {
	t.Helper()
	if a.status != status {
		t.Errorf("%s gets %d, want %d", who, a.status, status)
	}
}
