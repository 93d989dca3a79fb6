package yaegitest

import (
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/traefik/yaegi/interp"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

// opened is a file beside the plugin's own that lets a test reach what the plugin keeps to itself.
const opened = `package ratelimit

import "net/http"

// Opened returns a function that counts requests as config's sourceCriterion says.
func Opened(config *Config) func(r *http.Request) string {
	c := newSource(&faults{}, config.SourceCriterion)
	return func(r *http.Request) string { return sourceOf(&c, r) }
}

// OpenedPassword is what New finds wrong with a password file, and what a dial reads from it.
func OpenedPassword(path string) (string, string, error) {
	f := &faults{}
	checkSecretFile(f, "redis.passwordFile", path)
	password, err := readPassword("redis.passwordFile", path)
	if len(f.lines) > 0 {
		return f.lines[0], password, err
	}
	return "", password, err
}
`

// openPlugin interprets a copy of the plugin with a file of the test's beside it.
func openPlugin(tb testing.TB, opened string) (*Plugin, *interp.Interpreter) {
	tb.Helper()
	root := tb.TempDir()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		tb.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		write(tb, filepath.Join(root, filepath.Base(file)), string(content))
	}
	vendor, err := filepath.Abs("../vendor")
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.Symlink(vendor, filepath.Join(root, "vendor")); err != nil {
		tb.Fatal(err)
	}
	write(tb, filepath.Join(root, "opened.go"), opened)
	gopath, err := GoPath(root)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(gopath) })
	plugin := &Plugin{Debug: &Log{}, Errors: &Log{}}
	i, err := Interpreter(gopath, nil, plugin.Debug, plugin.Errors)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err = i.Eval(`import "` + Module + `"`); err != nil {
		tb.Fatal(err)
	}
	plugin.createConfig = eval(tb, i, "CreateConfig")
	return plugin, i
}

func write(tb testing.TB, path, content string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// eval is what the interpreted plugin calls name.
func eval(tb testing.TB, i *interp.Interpreter, name string) reflect.Value {
	tb.Helper()
	value, err := i.Eval(Package + "." + name)
	if err != nil {
		tb.Fatal(err)
	}
	return value
}

// sourceOf is the interpreted function that counts the requests of a case.
func sourceOf(tb testing.TB, plugin *Plugin, i *interp.Interpreter, c configs.SourceCase) func(r *http.Request) string {
	tb.Helper()
	config, err := plugin.Config(c.Raw())
	if err != nil {
		tb.Fatalf("%s: %v", c.Why, err)
	}
	return eval(tb, i, "Opened").Call([]reflect.Value{config})[0].Interface().(func(r *http.Request) string)
}

// TestSources sees the interpreted plugin count every request as the compiled one does.
func TestSources(t *testing.T) {
	cases, err := configs.ReadSources("../testdata/sources/sources.yaml")
	if err != nil || len(cases) < 75 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	plugin, i := openPlugin(t, opened)
	for _, c := range cases {
		if got := sourceOf(t, plugin, i, c)(c.Request()); got != c.Want() {
			t.Errorf("%s: got %s, want %s", c.Why, got, c.Want())
		}
	}
}

// TestPasswordFiles sees the interpreted plugin read its own secrets and no others.
func TestPasswordFiles(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secrets := filepath.Join(root, "secrets")
	if err := os.MkdirAll(filepath.Join(secrets, "deeper"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(secrets, "deeper", "redis"), "ours\n")
	write(t, filepath.Join(root, "another"), "theirs\n")
	for from, to := range map[string]string{"in": "deeper/redis", "out": "../another", "directory-out": ".."} {
		if err := os.Symlink(to, filepath.Join(secrets, from)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("RATELIMIT_SECRETS", secrets)
	_, i := openPlugin(t, opened)
	read := eval(t, i, "OpenedPassword").Interface().(func(path string) (string, string, error))
	for path, want := range map[string]string{
		"/deeper/redis": "ours", "/in": "ours",
		"/out": "", "/../another": "", "/directory-out/another": "", "/deeper/../../another": "", "-evil": "", "/": "",
	} {
		fault, password, err := read(secrets + path)
		if password != want || (err == nil) != (want != "") || (fault == "") != (want != "") {
			t.Errorf("%s: %q, %q, %v", path, fault, password, err)
		}
	}
	if fault, password, err := read(secrets + "/missing"); fault != "" || password != "" || err == nil {
		t.Errorf("a file that is not there yet: %q, %q, %v", fault, password, err)
	}
}

// BenchmarkSource is the price of a source on the way of every request, interpreted.
func BenchmarkSource(b *testing.B) {
	cases, err := configs.ReadSources("../testdata/sources/sources.yaml")
	if err != nil {
		b.Fatal(err)
	}
	plugin, i := openPlugin(b, opened)
	for _, c := range cases {
		source, r := sourceOf(b, plugin, i, c), c.Request()
		b.Run(c.Why, func(b *testing.B) {
			for n := 0; n < b.N; n++ {
				source(r)
			}
		})
	}
}
