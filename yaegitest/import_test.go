package yaegitest

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// heapMost bounds what the imported plugin keeps alive, in bytes. The garbage
// collector lets a heap grow to about twice of that, and 50 MB is what loading
// the plugin may add to Traefik: docs/decisions/what-is-vendored.md.
const heapMost = 28_000_000

// TestImportKeepsLittle: every line that is interpreted takes memory for good.
func TestImportKeepsLittle(t *testing.T) {
	if kept := importAndWeigh(t, Module); kept > heapMost {
		t.Errorf("the plugin keeps %d bytes, at most %d were expected: is all of vendor/ needed?", kept, heapMost)
	}
}

// BenchmarkImport is what an interpreter takes that has imported nothing, go-redis, and all of the plugin.
func BenchmarkImport(b *testing.B) {
	for _, row := range []struct{ name, path string }{
		{"nothing", ""},
		{"go-redis", Module + "/vendor/github.com/redis/go-redis/v9"},
		{"plugin", Module},
	} {
		b.Run(row.name, func(b *testing.B) {
			kept := int64(0)
			for range b.N {
				kept = importAndWeigh(b, row.path)
			}
			b.ReportMetric(float64(kept)/1e6, "live-MB")
		})
	}
}

// importAndWeigh imports a package in an interpreter of its own and returns how
// many bytes more are alive than before.
func importAndWeigh(t testing.TB, path string) int64 {
	t.Helper()
	gopath, err := GoPath("..")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(gopath)
	before := liveBytes()
	i, err := Interpreter(gopath, nil, &Log{}, &Log{})
	if err != nil {
		t.Fatal(err)
	}
	if path != "" {
		if _, err := i.Eval(fmt.Sprintf("import %q", path)); err != nil {
			t.Fatal(err)
		}
	}
	kept := liveBytes() - before
	runtime.KeepAlive(i)
	return kept
}

func liveBytes() int64 {
	runtime.GC()
	runtime.GC() // what the first one found to have a finalizer
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
