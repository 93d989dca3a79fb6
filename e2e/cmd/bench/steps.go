package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// stepLine is a line of go test's output, such as "BenchmarkSteps/1_source-2   5000   4052 ns/op".
var stepLine = regexp.MustCompile(`(?m)^BenchmarkSteps/(\S+)-\d+\s+\d+\s+([0-9.]+) ns/op`)

// manyIn finds how many requests a step is about.
var manyIn = regexp.MustCompile(`(?:intake|flight) of (\d+)`)

// steps runs the benchmark of the plugin's steps in the module yaegitest beside the plugin.
func steps(ctx context.Context, plugin string, turns int) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkSteps$", "-benchtime", strconv.Itoa(turns)+"x", ".")
	cmd.Dir = filepath.Join(plugin, "yaegitest")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	said, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("steps: %w: %s", err, said)
	}
	rows, err := stepRows(string(said))
	if err != nil {
		return "", err
	}
	return table("step", "µs", "for each request")(rows), nil
}

// stepRows are the steps in what go test wrote.
func stepRows(said string) ([][]string, error) {
	var rows [][]string
	for _, match := range stepLine.FindAllStringSubmatch(said, -1) {
		name := strings.ReplaceAll(match[1], "_", " ")
		nanos, err := strconv.ParseFloat(match[2], 64)
		if err != nil {
			return nil, fmt.Errorf("steps: %s: %w", name, err)
		}
		each := ""
		if many := manyIn.FindStringSubmatch(name); many != nil && many[1] != "1" {
			n, err := strconv.Atoi(many[1])
			if err != nil {
				return nil, fmt.Errorf("steps: %s: %w", name, err)
			}
			each = fmt.Sprintf("%.2f", nanos/1000/float64(n))
		}
		rows = append(rows, []string{name, fmt.Sprintf("%.1f", nanos/1000), each})
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("steps: go test printed none: %s", said)
	}
	return rows, nil
}
