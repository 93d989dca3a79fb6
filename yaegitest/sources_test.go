package yaegitest

import (
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

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
`

// openPlugin interprets a copy of the plugin with opened beside it.
func openPlugin(tb testing.TB) (*Plugin, func(config reflect.Value) func(r *http.Request) string) {
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
		if err := os.WriteFile(filepath.Join(root, filepath.Base(file)), content, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	vendor, err := filepath.Abs("../vendor")
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.Symlink(vendor, filepath.Join(root, "vendor")); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "opened.go"), []byte(opened), 0o600); err != nil {
		tb.Fatal(err)
	}
	return load(tb, root)
}

// load interprets the opened plugin in root.
func load(tb testing.TB, root string) (*Plugin, func(config reflect.Value) func(r *http.Request) string) {
	tb.Helper()
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
	if plugin.createConfig, err = i.Eval(Package + ".CreateConfig"); err != nil {
		tb.Fatal(err)
	}
	open, err := i.Eval(Package + ".Opened")
	if err != nil {
		tb.Fatal(err)
	}
	return plugin, func(config reflect.Value) func(r *http.Request) string {
		return open.Call([]reflect.Value{config})[0].Interface().(func(r *http.Request) string)
	}
}

// TestSources sees the interpreted plugin count every request as the compiled one does.
func TestSources(t *testing.T) {
	cases, err := configs.ReadSources("../testdata/sources/sources.yaml")
	if err != nil || len(cases) < 75 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	plugin, open := openPlugin(t)
	for _, c := range cases {
		config, err := plugin.Config(c.Raw())
		if err != nil {
			t.Fatalf("%s: %v", c.Why, err)
		}
		if got := open(config)(c.Request()); got != c.Want() {
			t.Errorf("%s: got %s, want %s", c.Why, got, c.Want())
		}
	}
}

// BenchmarkSource is the price of a source on the way of every request, interpreted.
func BenchmarkSource(b *testing.B) {
	cases, err := configs.ReadSources("../testdata/sources/sources.yaml")
	if err != nil {
		b.Fatal(err)
	}
	plugin, open := openPlugin(b)
	for _, c := range cases {
		config, err := plugin.Config(c.Raw())
		if err != nil {
			b.Fatal(err)
		}
		source, r := open(config), c.Request()
		b.Run(c.Why, func(b *testing.B) {
			for n := 0; n < b.N; n++ {
				source(r)
			}
		})
	}
}
