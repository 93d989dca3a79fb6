package e2e

import (
	"os"
	"os/exec"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/faults"
)

// TestFaults plays one fault of each kind; make faults plays all.
func TestFaults(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv("CI") == "" {
		t.Skip("this test needs a redis-server: ", err)
	}
	some := []string{"killed", "half-open", "reset in a reply", "READONLY", "foreign key", "SCRIPT FLUSH"}
	result, err := faults.Run(t.Context(), faults.Options{Program: program, Plugin: "..", Dir: t.TempDir(), Progress: t.Output(), Only: some})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Rows) != 3*len(some) {
		t.Errorf("%d rows, want one for each of %d faults and three failure modes", len(result.Rows), len(some))
	}
	for _, what := range result.Broken {
		t.Error(what)
	}
}
