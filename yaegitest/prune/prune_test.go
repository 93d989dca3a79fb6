package prune

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestPrune: the vendored files of testdata/module say in a comment of each
// line whether it is kept, and why.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/module")); err != nil {
		t.Fatal(err)
	}
	before := vendored(t, dir)
	if err := Prune(dir, "."); err != nil {
		t.Fatal(err)
	}
	after := vendored(t, dir)
	marked := 0
	for name, text := range before {
		for _, line := range strings.Split(text, "\n") {
			code := strings.Join(strings.Fields(line), " ")
			left := strings.Contains(strings.Join(strings.Fields(after[name]), " "), code)
			switch {
			case strings.Contains(line, " gone"):
				marked++
				if left {
					t.Errorf("%s is left: %s", name, line)
				}
			case strings.Contains(line, "// kept: "):
				marked++
				if !left {
					t.Errorf("%s is without: %s", name, line)
				}
			}
		}
	}
	if marked < 60 {
		t.Errorf("only %d lines are marked", marked)
	}
	for _, name := range []string{"gone.go", "empty"} {
		if _, err := os.Stat(filepath.Join(dir, "vendor/example.com/dep", name)); err == nil {
			t.Errorf("%s is left, of which nothing is reached", name)
		}
	}
	if strings.Contains(after["vendor/example.com/dep/dep.go"], `"strings"`) {
		t.Error("an import is left that nothing mentions")
	}

	build := exec.Command("go", "vet", "-mod=vendor", "./...")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("what is left: %v\n%s", err, out)
	}
	if err := Prune(dir, "."); err != nil {
		t.Fatal(err)
	}
	if again := vendored(t, dir); !reflect.DeepEqual(again, after) {
		t.Error("a second time changes what the first left")
	}
}

// vendored are the Go files in vendor/ by their name.
func vendored(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(filepath.Join(dir, "vendor"), func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPruneRefuses: what cannot be read whole is not touched.
func TestPruneRefuses(t *testing.T) {
	for _, row := range []struct{ reason, file, text, want string }{
		{"a plugin that does not compile", "plugin.go", "package plugin\n\nimport \"example.com/dep\"\n\nvar New = dep.None\n", "undefined: dep.None"},
		{"a plugin that needs no vendor/", "plugin.go", "package plugin\n", "imports nothing from vendor/"},
		{"a vendored file that does not parse", "vendor/example.com/dep/dep.go", "package dep\n\nfunc {\n", "expected"},
		{"a vendored package that is missing", "vendor/example.com/dep/gone.go", "package dep\n\nimport _ \"example.com/dep/none\"\n", "none"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/module")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, row.file), []byte(row.text), 0o644); err != nil {
			t.Fatal(err)
		}
		before := vendored(t, dir)
		if err := Prune(dir, "."); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got error %v, want %q in it", row.reason, err, row.want)
		}
		if !reflect.DeepEqual(vendored(t, dir), before) {
			t.Errorf("%s: vendor/ has changed", row.reason)
		}
	}
}
