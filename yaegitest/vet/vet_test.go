package vet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	tests = ".."    // the nested module, where the tests of allow.txt are
	root  = "../.." // the plugin
)

// TestPlugin looks through the plugin and what it imports from vendor/.
func TestPlugin(t *testing.T) {
	found, passedOver, err := Run(abs(t, root), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("allow.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, err := parseAllowList(string(text))
	if err != nil {
		t.Fatal("allow.txt: ", err)
	}
	for _, fault := range check(found, list, tests) {
		t.Error(fault)
	}
	t.Logf("%d found, %d allowed, %d in functions that are not reached", len(found), len(list), len(passedOver))
	for _, f := range passedOver {
		t.Log("not reached: ", f.Key)
	}
}

func abs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAllowList: what keeps the list from growing stale.
func TestAllowList(t *testing.T) {
	found := []Finding{{Key: "a.go:F:selects"}, {Key: "a.go:F:selects#2"}}
	const test = " | because | vet/vet_test.go:TestAllowList\n"
	for _, c := range []struct{ reason, list, want string }{
		{"all allowed", "# comment\n\na.go:F:selects" + test + "a.go:F:selects#2" + test, ""},
		{"one line for two findings", "a.go:F:selects" + test, "a.go:F:selects#2"},
		{"a finding that is gone", "a.go:F:selects" + test + "a.go:F:selects#2" + test + "a.go:G:selects" + test, "allow.txt:3: nothing is found at a.go:G:selects"},
		{"no such test", "a.go:F:selects" + test + "a.go:F:selects#2 | because | vet/vet_test.go:TestNone", "no test TestNone in vet/vet_test.go"},
		{"no such file", "a.go:F:selects" + test + "a.go:F:selects#2 | because | vet/none_test.go:TestNone", "no file of tests vet/none_test.go"},
		{"no test", "a.go:F:selects" + test + "a.go:F:selects#2 | because | trust me", "a test must be named"},
		{"no reason", "a.go:F:selects |  | vet/vet_test.go:TestAllowList", "must have a key, a reason and a test"},
		{"a line twice", "a.go:F:selects" + test + "a.go:F:selects" + test, "line 2: the same key as in line 1"},
		{"no bars", "a.go:F:selects", "must be key | reason | test"},
	} {
		got := ""
		if list, err := parseAllowList(c.list); err != nil {
			got = err.Error()
		} else {
			got = strings.Join(check(found, list, tests), "\n")
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}
