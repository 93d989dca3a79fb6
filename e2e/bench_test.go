package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestBench measures some cells for a moment: all answers, counts and keys are right, and every figure is there.
func TestBench(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv("CI") == "" {
		t.Skip("this test needs a redis-server: ", err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "./cmd/bench", "-cells", "(none|token-bucket|sliding-log-3)/.*/1/32", "-rounds", "2", "-span", "100ms")
	cmd.Env = append(os.Environ(), "TRAEFIK="+program, "TMPDIR="+t.TempDir())
	output, err := cmd.CombinedOutput()
	said := string(output)
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, row := range []string{"none | allowed", "native | allowed", "token-bucket | allowed", "token-bucket | denied", "sliding-log-3 | allowed"} {
		if !strings.Contains(said, "\n| "+row+" | 1 | ") {
			t.Errorf("there is no row %q: %s", row, said)
		}
	}
	for _, wrong := range []string{"NaN", "Inf"} {
		if strings.Contains(said, wrong) {
			t.Errorf("%s is no figure: %s", wrong, said)
		}
	}
}
