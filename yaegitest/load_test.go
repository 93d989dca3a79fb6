package yaegitest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tinyPlugin shows what a plugin sees of the loader: its configuration, its
// name, its context, its environment and its two ways to the log.
const tinyPlugin = `package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
)

type Limit struct{ Name string }

type Config struct {
	Average string
	Limits  []Limit
	Words   []string
	Unknown map[string]interface{} ` + "`mapstructure:\",remain\"`" + `
}

func CreateConfig() *Config { return &Config{Average: "7"} }

type handler struct {
	config *Config
	name   string
	ctx    context.Context
}

func New(ctx context.Context, next http.Handler, config *Config, name string) (http.Handler, error) {
	if config.Average == "bad" {
		return nil, errors.New(name + ": average: bad")
	}
	fmt.Print("debug ", name, "\n")
	log.SetFlags(0)
	log.Print("error ", name)
	return &handler{config: config, name: name, ctx: ctx}, nil
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, h.name, " ", h.config.Average, " ", len(h.config.Limits), " ", h.config.Words, " ",
		h.config.Unknown["avrage"], " ", os.Getenv("RATELIMIT_TEST"), " ", h.ctx.Err())
}
`

func TestLoad(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "plugin.go"), []byte(tinyPlugin), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Load(root, []string{"RATELIMIT_TEST=env"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	config := map[string]any{
		"average": 10,
		"limits":  []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}},
		"words":   "x,y",
		"avrage":  "1",
	}
	var make New = p.New
	first, err := make(ctx, http.NotFoundHandler(), config, "api@file")
	if err != nil {
		t.Fatal(err)
	}
	second, err := make(context.Background(), http.NotFoundHandler(), nil, "web@file")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := make(ctx, http.NotFoundHandler(), map[string]any{"average": "bad"}, "bad@file"); err == nil || err.Error() != "bad@file: average: bad" {
		t.Errorf("error of New is %v", err)
	}
	cancel()
	for _, row := range []struct {
		handler http.Handler
		want    string
		reason  string
	}{
		{first, "api@file 10 2 [x y] 1 env context canceled", "its own configuration, weakly typed, and its own context"},
		{second, "web@file 7 0 [] <nil> env <nil>", "the defaults"},
	} {
		w := httptest.NewRecorder()
		row.handler.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if got := w.Body.String(); got != row.want {
			t.Errorf("got %q, want %q: %s", got, row.want, row.reason)
		}
	}
	if got, want := p.Debug.String(), "debug api@file\ndebug web@file\n"; got != want {
		t.Errorf("debug log %q, want %q", got, want)
	}
	if got, want := p.Errors.String(), "error api@file\nerror web@file\n"; got != want {
		t.Errorf("error log %q, want %q", got, want)
	}
}

// TestLoadRefusesUnsafe: without useUnsafe a plugin has neither package.
func TestLoadRefusesUnsafe(t *testing.T) {
	for _, name := range []string{"unsafe", "syscall"} {
		root := t.TempDir()
		text := strings.Replace(tinyPlugin, "import (", "import (\n\t_ \""+name+"\"", 1)
		if err := os.WriteFile(filepath.Join(root, "plugin.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(root, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("import of %s: got error %v", name, err)
		}
	}
}
