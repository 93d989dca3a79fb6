package vet

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
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

// TestPublishedFaults puts the faults of go-redis as published back, by taking
// the patches back, and demands that each is found.
func TestPublishedFaults(t *testing.T) {
	stock := stockFiles(t)
	overlay := make(map[string][]byte)
	for name, text := range stock {
		overlay[name] = text
	}
	overlay[filepath.Join(abs(t, root), "uses_for_vet.go")] = []byte(uses)
	found, _, err := Run(abs(t, root), overlay)
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

// stockFiles are the files of go-redis in vendor/ without the patches from
// embed-pointer on, by absolute path. The earlier ones make it compile without
// what is left out. They are taken back in turn, last first: some touch the
// same lines.
func stockFiles(t *testing.T) map[string][]byte {
	t.Helper()
	patches, err := filepath.Glob(filepath.Join(abs(t, root), "vendor-patches", "*.patch"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Sort(sort.Reverse(sort.StringSlice(patches)))

	const vendored = "vendor/github.com/redis"
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(vendored)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, vendored), os.DirFS(filepath.Join(abs(t, root), vendored))); err != nil {
		t.Fatal(err)
	}
	reached := false
	for _, patch := range patches {
		cmd := exec.Command("git", "apply", "-R", patch)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git apply -R %s: %v\n%s", filepath.Base(patch), err, out)
		}
		if strings.HasSuffix(patch, "-embed-pointer.patch") {
			reached = true
			break
		}
	}
	if !reached {
		t.Fatal("vendor-patches/ has no patch named embed-pointer")
	}

	files := make(map[string][]byte)
	err = filepath.WalkDir(filepath.Join(dir, vendored), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		files[filepath.Join(abs(t, root), rel)] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
