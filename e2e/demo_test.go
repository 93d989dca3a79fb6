package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDemo: the demo shows what it says, on a redis-server and without one,
// and leaves nothing running.
func TestDemo(t *testing.T) {
	demo := filepath.Join(t.TempDir(), "demo")
	if said, err := exec.Command("go", "build", "-o", demo, "./cmd/demo").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, said)
	}
	for _, row := range []struct{ name, path, redis string }{
		{"redis-server", os.Getenv("PATH"), "redis-server from "},
		{"no redis-server", t.TempDir(), "embedded miniredis"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := exec.LookPath("redis-server"); err != nil && row.name == "redis-server" && os.Getenv("CI") == "" {
				t.Skip("this test needs a redis-server: ", err)
			}
			cmd := exec.CommandContext(t.Context(), demo)
			cmd.Env = []string{"PATH=" + row.path, "TRAEFIK=" + program, "TMPDIR=" + t.TempDir()}
			output, err := cmd.CombinedOutput()
			said := string(output)
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			for _, text := range []string{row.redis, "fixed-window, 5 requests per 2s", "edge of the window", "sliding-log", "token-bucket", "All as it should be"} {
				if !strings.Contains(said, text) {
					t.Errorf("the demo does not say %q: %s", text, said)
				}
			}
			addresses := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindAllString(said, -1)
			if len(addresses) < 3 {
				t.Errorf("the demo names only %q", addresses)
			}
			for _, address := range addresses {
				if conn, err := net.Dial("tcp", address); err == nil {
					conn.Close()
					t.Errorf("%s still listens", address)
				}
			}
		})
	}
}
