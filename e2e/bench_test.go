package e2e

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBench runs the whole benchmark, but measures for moments only: all answers, counts and keys are right, and
// every figure stands in the document below what people have written there.
func TestBench(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv("CI") == "" {
		t.Skip("this test needs a redis-server: ", err)
	}
	out := t.TempDir()
	old, err := os.ReadFile("../docs/benchmark.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "benchmark.md"), old, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "./cmd/bench", "-rounds", "1", "-span", "30ms", "-decisions", "200", "-turns", "20", "-out", out)
	cmd.Env = append(os.Environ(), "TRAEFIK="+program, "TMPDIR="+t.TempDir())
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	content, err := os.ReadFile(filepath.Join(out, "benchmark.md"))
	if err != nil {
		t.Fatal(err)
	}
	written := string(content)
	for _, row := range []string{
		"# Benchmark", "| CPU, allowed, to native | ", "### 1 connection", "### 512 connections", "| none | allowed | 1 | ", "| native-3 | allowed | 1 | ",
		"| sliding-log-3 | allowed | 1 | ", "| token-bucket | denied | 100000 | ", "| token-bucket | 1000000 | ", "| token-bucket | 500 | ", "| this plugin | ",
		"| sliding-log | 3 | ", "| 100000 | ", "| 3 next | ",
	} {
		if !strings.Contains(written, "\n"+row) && !strings.HasPrefix(written, row) {
			t.Errorf("no line begins with %q: %s", row, written)
		}
	}
	for _, wrong := range []string{"NaN", "Inf"} {
		if strings.Contains(written, wrong) {
			t.Errorf("%s is no figure: %s", wrong, written)
		}
	}
	chart, err := os.Open(filepath.Join(out, "benchmark.svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer chart.Close()
	decoder := xml.NewDecoder(chart)
	for err == nil {
		_, err = decoder.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("benchmark.svg: %v", err)
	}
}
