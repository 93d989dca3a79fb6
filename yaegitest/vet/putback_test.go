package vet

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/yaegitest"
)

// uses calls what the plugin does not call yet, so that all of go-redis counts
// that it will: Cluster, where isMovedError is used, and transactions.
const uses = `package ratelimit

import (
	"context"

	"github.com/redis/go-redis/v9"
)

func init() {
	ctx := context.Background()
	cluster := redis.NewClusterClient(&redis.ClusterOptions{})
	_ = cluster.EvalSha(ctx, "", nil).Err()
	_ = redis.HasErrorPrefix(ctx.Err(), "NOSCRIPT")
}
`

// line declares, beside go-redis as published, what the plugin needs of 20-straight, which the patches before it
// cannot be taken back without.
const line = `package redis

import "context"

type Line struct{}

func (c *Conn) Line(ctx context.Context) (*Line, error) { return &Line{}, nil }

func Exchange(l *Line, command []byte) (interface{}, error) { return nil, nil }

func Send(l *Line, commands []byte) error { return nil }

func Receive(l *Line) (interface{}, error) { return nil, nil }
`

// TestPublishedFaults puts the faults of go-redis as published back, by taking
// the patches back, and demands that each is found.
func TestPublishedFaults(t *testing.T) {
	dir := t.TempDir()
	if err := yaegitest.Vendor(dir, root, faultPatches(t)...); err != nil {
		t.Fatal(err)
	}
	copyPlugin(t, dir)
	for file, text := range map[string]string{"uses_for_vet.go": uses, "vendor/github.com/redis/go-redis/v9/line.go": line} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(file)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, _, err := Run(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]bool)
	for _, f := range found {
		got[f.Key] = true
	}
	const redis = "vendor/github.com/redis/go-redis/v9/"
	for _, fault := range []struct{ what, key string }{
		{"waitTurn waits by select", redis + "internal/pool/pool.go:(*ConnPool).waitTurn:selects"},
		{"isMovedError returns stale results", redis + "error.go:isMovedError:bareReturn"},
		{"Conn embeds baseClient by value", redis + "redis.go:Conn:recursiveValue"},
		{"Tx embeds baseClient by value", redis + "tx.go:Tx:recursiveValue"},
		{"HasErrorPrefix uses errors.As", redis + "error.go:HasErrorPrefix:errorsAs"},
		{"Writer embeds an unexported interface", redis + "internal/proto/writer.go:(*Writer).WriteArgs:embeddedInterface"},
	} {
		if !got[fault.key] {
			t.Errorf("%s: not found", fault.what)
		}
	}
	if t.Failed() {
		for _, f := range found {
			t.Log(f)
		}
	}
}

// faultPatches are the patches from embed-pointer on, last first, as some touch
// the same lines. Without the earlier ones go-redis does not compile here.
func faultPatches(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "vendor-patches", "*.patch"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Sort(sort.Reverse(sort.StringSlice(files)))
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".patch"))
		if strings.HasSuffix(file, "-embed-pointer.patch") {
			return names
		}
	}
	t.Fatal("vendor-patches/ has no patch named embed-pointer")
	return nil
}

// copyPlugin copies the plugin's sources, without their tests, and its go.mod.
func copyPlugin(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum"))
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
