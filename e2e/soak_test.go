package e2e

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// buildSoak returns the path of the command, or skips the test where there is no redis-server.
func buildSoak(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv("CI") == "" {
		t.Skip("this test needs a redis-server: ", err)
	}
	soak := filepath.Join(t.TempDir(), "soak")
	if said, err := exec.Command("go", "build", "-o", soak, "./cmd/soak").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, said)
	}
	return soak
}

// TestSoak: half a minute of mixed traffic, reloads, kills and freezes breaks no promise, and leaves no process.
func TestSoak(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), buildSoak(t), "-length", "30s", "-seed", "3", "-rate", "200")
	cmd.Env = append(os.Environ(), "TRAEFIK="+program, "TMPDIR="+t.TempDir())
	output, err := cmd.CombinedOutput()
	said := string(output)
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, text := range []string{"seed 3", "kill -9 of Redis", "SIGSTOP of Redis", "denied by Redis' decision", "goroutines", "connections to Redis"} {
		if !strings.Contains(said, text) {
			t.Errorf("the report does not say %q: %s", text, said)
		}
	}
	if strings.Contains(said, " 0 times under ") {
		t.Errorf("sources do not reach all limits: %s", said)
	}
	nobodyListens(t, said)
}

// TestSoakInterrupted: Ctrl-C, which a terminal sends to the whole group of processes, ends the traffic, and the report says what was seen until then.
func TestSoakInterrupted(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), buildSoak(t), "-length", "1h")
	cmd.Env = append(os.Environ(), "TRAEFIK="+program, "TMPDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	lines := bufio.NewScanner(io.TeeReader(output, &said))
	for lines.Scan() && !strings.Contains(lines.Text(), "kill -9 of Redis") {
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), "denied by Redis' decision") {
		t.Errorf("%v: %s", err, said.String())
	}
	nobodyListens(t, said.String())
}

// nobodyListens sees that what listened at the addresses in text has ended.
func nobodyListens(t *testing.T, text string) {
	t.Helper()
	addresses := regexp.MustCompile(`127\.\d+\.\d+\.\d+:\d+`).FindAllString(text, -1)
	if len(addresses) == 0 {
		t.Errorf("no address is named: %s", text)
	}
	for _, address := range addresses {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			t.Errorf("%s still listens", address)
		}
	}
}
