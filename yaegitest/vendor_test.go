package yaegitest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVendorCheck: vendor-patches/check passes on the module as it is, and names
// the remedy for every way in which vendor/ can be another.
func TestVendorCheck(t *testing.T) {
	root := t.TempDir()
	copyModule(t, root, "..")
	if out, err := check(root); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	patched := filepath.Join(root, "vendor/github.com/redis/go-redis/v9/error.go")
	original, err := os.ReadFile(patched)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason   string
		do, undo func() error
	}{
		{
			"an extra file",
			func() error { return writeFile(filepath.Join(root, "vendor/extra.go"), []byte("package extra\n")) },
			func() error { return os.Remove(filepath.Join(root, "vendor/extra.go")) },
		},
		{
			"a changed file",
			func() error { return writeFile(patched, append([]byte("// changed\n"), original...)) },
			func() error { return writeFile(patched, original) },
		},
		{
			"a missing file",
			func() error { return os.Remove(patched) },
			func() error { return writeFile(patched, original) },
		},
		{
			"a file that should be left out",
			func() error {
				return writeFile(filepath.Join(root, "vendor/github.com/redis/go-redis/v9/ring.go"), []byte("package redis\n"))
			},
			func() error { return os.Remove(filepath.Join(root, "vendor/github.com/redis/go-redis/v9/ring.go")) },
		},
		{
			"a plugin that needs more of go-redis",
			func() error {
				return writeFile(filepath.Join(root, "more.go"), []byte("package ratelimit\n\nimport \"github.com/redis/go-redis/v9\"\n\nvar _ = redis.NewRing\n"))
			},
			func() error { return os.Remove(filepath.Join(root, "more.go")) },
		},
	} {
		if err := row.do(); err != nil {
			t.Fatal(err)
		}
		if out, err := check(root); err == nil || !strings.Contains(out, "run make vendor") {
			t.Errorf("%s: %v\n%s", row.reason, err, out)
		}
		if err := row.undo(); err != nil {
			t.Fatal(err)
		}
	}

	// A patch that no longer applies, and a path that is no longer there, as
	// after an update of go-redis.
	bad := filepath.Join(root, "vendor-patches/99-bad.patch")
	if err := writeFile(bad, []byte("--- a/vendor/modules.txt\n+++ b/vendor/modules.txt\n@@ -1 +1 @@\n-nothing\n+something\n")); err != nil {
		t.Fatal(err)
	}
	if out, err := check(root); err == nil || !strings.Contains(out, "99-bad.patch does not apply") {
		t.Errorf("a patch that does not apply: %v\n%s", err, out)
	}
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(root, "vendor-patches/left-out.txt")
	if err := writeFile(list, []byte("github.com/redis/gone.go reason\n")); err != nil {
		t.Fatal(err)
	}
	if out, err := check(root); err == nil || !strings.Contains(out, "no such file in the vendored modules: github.com/redis/gone.go") {
		t.Errorf("a path that is not there: %v\n%s", err, out)
	}
}

// TestVendoredSourceIsPlain: what the plugin imports needs neither unsafe nor
// syscall, and no file that a build tag leaves out, as Yaegi ignores the tags.
func TestVendoredSourceIsPlain(t *testing.T) {
	list := exec.Command("go", "list", "-mod=vendor", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}\t{{.Dir}}\t{{join .Imports \" \"}}\t{{join .IgnoredGoFiles \" \"}}{{end}}", ".")
	list.Dir = ".."
	list.Env = append(os.Environ(), "GOWORK=off")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Split(line, "\t")
		seen++
		for _, name := range strings.Fields(fields[2]) {
			if name == "unsafe" || name == "syscall" || name == "C" {
				t.Errorf("%s imports %s", fields[0], name)
			}
		}
		for _, name := range strings.Fields(fields[3]) {
			if !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s has %s, which the compiler ignores and Yaegi does not", fields[0], name)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d packages", seen)
	}
}

func check(root string) (string, error) {
	cmd := exec.Command("vendor-patches/check")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// copyModule copies what the root module's vendor/ depends on.
func copyModule(t *testing.T, to, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch {
			case below == "e2e", below != "." && strings.HasPrefix(below, "."):
				return filepath.SkipDir
			case filepath.Dir(below) == "yaegitest" && below != "yaegitest/cmd" && below != "yaegitest/prune":
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, below)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, below), data, info.Mode())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPatchesTouchWhatIsKept: a patch of what the plugin does not reach would be
// carried along for nothing.
func TestPatchesTouchWhatIsKept(t *testing.T) {
	patches, err := filepath.Glob("../vendor-patches/*.patch")
	if err != nil || len(patches) == 0 {
		t.Fatal("no patches: ", err)
	}
	for _, patch := range patches {
		text, err := os.ReadFile(patch)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range strings.Split(string(text), "\n+++ b/")[1:] {
			name, hunks, _ := strings.Cut(file, "\n")
			kept, err := os.ReadFile(filepath.Join("..", name))
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(patch), err)
				continue
			}
			left := make(map[string]bool)
			for _, line := range strings.Split(string(kept), "\n") {
				left[code(line)] = true
			}
			for i, hunk := range strings.Split("\n"+hunks, "\n@@ ")[1:] {
				if !touches(hunk, left) {
					t.Errorf("%s: nothing is left of place %d in %s", filepath.Base(patch), i+1, name)
				}
			}
		}
	}
}

// touches reports whether a line that a hunk adds, or one above those that it
// takes away, is left.
func touches(hunk string, left map[string]bool) bool {
	lines := strings.Split(hunk, "\n")
	for i, line := range lines {
		touched := ""
		if strings.HasPrefix(line, "+") {
			touched = code(line[1:])
		} else if strings.HasPrefix(line, "-") && i > 0 && strings.HasPrefix(lines[i-1], " ") {
			touched = code(lines[i-1])
		}
		if len(touched) > 3 && left[touched] { // more than a bracket
			return true
		}
	}
	return false
}

// code is a line without what gofmt may change around others.
func code(line string) string { return strings.Join(strings.Fields(line), " ") }
