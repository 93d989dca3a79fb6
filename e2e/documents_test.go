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
