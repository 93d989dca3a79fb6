package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// marker parts docs/benchmark.md: what stands above it is written by people.
const marker = "<!-- Written by make bench from here on. -->"

// writeDocument replaces what a run has written into the folder before: the tables in benchmark.md, and the chart.
func writeDocument(folder, text string, chart []byte) error {
	path := filepath.Join(folder, "benchmark.md")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	above, _, found := strings.Cut(string(old), marker)
	if !found {
		return fmt.Errorf("%s: there is no line %q", path, marker)
	}
	if err := os.WriteFile(path, []byte(above+marker+"\n\n"+text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "benchmark.svg"), chart, 0o644)
}

// circumstances are where and how it was measured.
func circumstances(ctx context.Context, program string, redis *harness.Redis, o options) (string, error) {
	version, err := exec.CommandContext(ctx, program, "version").Output()
	if err != nil {
		return "", fmt.Errorf("%s version: %w", program, err)
	}
	client := redis.Client()
	defer client.Close()
	info, err := client.InfoMap(ctx, "server").Result()
	if err != nil {
		return "", err
	}
	rows := [][]string{
		{"Traefik", field(string(version), "Version:") + ", built with " + field(string(version), "Go version:")},
		{"Redis", info["Server"]["redis_version"]},
		{"machine", fmt.Sprintf("%s, %d cores for all of it, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)},
		{"rounds", fmt.Sprintf("%d, each cell %s a round after a fifth of that to warm up", o.rounds, o.span)},
	}
	return table("measured with", fmt.Sprintf("`make bench ROUNDS=%d SPAN=%s`", o.rounds, o.span))(rows), nil
}

// field is what follows name on its line.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// processor is the model of the first core.
func processor() string {
	content, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(content)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
