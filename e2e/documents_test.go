package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

// examples are the folders of examples for the file provider, each with a request that its limit counts.
var examples = []struct {
	folder, method, path string
	limit, remaining     string // X-RateLimit-*; "" when the example turns them off
}{
	{"api-key-per-minute", "GET", "/api/orders", "20", "19"},
	{"behind-a-load-balancer", "GET", "/", "100", "99"},
	{"several-limits", "GET", "/", "10", "9"},
	{"login-brute-force", "POST", "/login", "5", "4"},
	{"fail-closed", "GET", "/messages/1", "100", "99"},
	{"password-from-a-file", "GET", "/", "100", "99"},
	{"own-denied-answer", "GET", "/", "", ""},
}

// TestExamples: each example for the file provider limits a request in the real Traefik.
func TestExamples(t *testing.T) {
	redis, backend := startRedis(t), startBackend(t, nil)
	secrets := t.TempDir()
	if err := os.WriteFile(filepath.Join(secrets, "password"), []byte("change-me\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	client := redis.Client()
	defer client.Close()
	if err := client.Do(t.Context(), "ACL", "SETUSER", "ratelimit", "on", ">change-me", "~*", "+@all").Err(); err != nil {
		t.Fatal(err)
	}
	proxy := startTraefik(t, "RATELIMIT_SECRETS="+secrets)
	folders, err := filepath.Glob("../examples/*/dynamic.yml")
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) != len(examples) {
		t.Errorf("%d examples have a dynamic.yml, %d are tested", len(folders), len(examples))
	}
	for _, row := range examples {
		text, err := os.ReadFile(filepath.Join("../examples", row.folder, "dynamic.yml"))
		if err != nil {
			t.Fatal(err)
		}
		here := strings.NewReplacer("http://127.0.0.1:9000", backend.URL, "127.0.0.1:6379", redis.Addr, "/run/secrets/ratelimit", secrets)
		if err := proxy.Apply(t.Context(), "test.yml", here.Replace(string(text))); err != nil {
			t.Fatalf("%s: %v", row.folder, err)
		}
		var got answer
		// Until the first connection to Redis is open the failure mode answers.
		eventually(t, 30*time.Second, func() error {
			client.FlushDB(t.Context())
			got, err = send(t.Context(), row.method, proxy.URL+row.path, "X-Api-Key", "one", "X-Forwarded-For", "203.0.113.7")
			if err == nil && (got.status != http.StatusOK || got.header.Get("X-RateLimit-Limit") == "" && got.header.Get("RateLimit") == "") {
				err = fmt.Errorf("%s answers %d without limits", row.folder, got.status)
			}
			return err
		})
		limit, remaining := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining")
		if limit != row.limit || remaining != row.remaining {
			t.Errorf("%s: limit %q remaining %q, want %q %q", row.folder, limit, remaining, row.limit, row.remaining)
		}
	}
}

// TestQuickStart follows the readme: its two files, word for word but for the addresses, in a folder with the plugin's source.
func TestQuickStart(t *testing.T) {
	redis, backend := startRedis(t), startBackend(t, nil)
	blocks, err := configs.Blocks("../readme.md")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, block := range blocks {
		if block.Language == "yaml" && len(files) < 2 {
			files = append(files, block.Text)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	here := strings.NewReplacer(`":8080"`, address, "http://127.0.0.1:9000", backend.URL, "127.0.0.1:6379", redis.Addr)
	dir := t.TempDir()
	if err := harness.InstallPlugin("..", filepath.Join(dir, "plugins-local/src", harness.Module)); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"traefik.yml", "dynamic.yml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(here.Replace(files[i])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	proxy := exec.CommandContext(t.Context(), program, "--configFile=traefik.yml")
	proxy.Dir = dir
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		proxy.Process.Kill()
		proxy.Wait()
	})
	var got answer
	eventually(t, 60*time.Second, func() error {
		got, err = try(t.Context(), "http://"+address+"/")
		if err == nil && got.header.Get("X-RateLimit-Limit") == "" {
			err = fmt.Errorf("answered %d without limits", got.status)
		}
		return err
	})
	if got.status != http.StatusOK || got.header.Get("X-RateLimit-Limit") != "100" {
		t.Errorf("status %d, header %v", got.status, got.header)
	}
}
