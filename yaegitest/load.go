package yaegitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"github.com/mitchellh/mapstructure"
	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

// Module is the plugin's import path, and Package its name.
const (
	Module  = "github.com/traefik-redis-ratelimit/ratelimit"
	Package = "ratelimit"
)

// New makes one middleware, as Traefik asks for it once per router and reload:
// ctx is cancelled at the next reload.
type New func(ctx context.Context, next http.Handler, config map[string]any, name string) (http.Handler, error)

// Plugin is the plugin as one Traefik process holds it: one interpreter, shared
// by all routers and reloads.
type Plugin struct {
	// Debug and Errors hold what Traefik would log at these levels.
	Debug, Errors *Log

	createConfig, newHandler reflect.Value
}

// Load interprets the plugin in folder root as Traefik v3.7.13 does
// (pkg/plugins/middlewareyaegi.go there). The plugin sees env, or this process'
// environment when env is nil.
func Load(root string, env []string) (*Plugin, error) {
	gopath, err := GoPath(root)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(gopath)

	p := &Plugin{Debug: &Log{}, Errors: &Log{}}
	i, err := Interpreter(gopath, env, p.Debug, p.Errors)
	if err != nil {
		return nil, err
	}
	if _, err = i.Eval(fmt.Sprintf("import %q", Module)); err != nil {
		return nil, fmt.Errorf("import plugin: %w", err)
	}
	if p.newHandler, err = i.Eval(Package + ".New"); err != nil {
		return nil, fmt.Errorf("eval New: %w", err)
	}
	if p.createConfig, err = i.Eval(Package + ".CreateConfig"); err != nil {
		return nil, fmt.Errorf("eval CreateConfig: %w", err)
	}
	return p, nil
}

// GoPath makes a temporary GOPATH in which the module in folder root lies where
// Traefik looks for it. The caller removes it.
func GoPath(root string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	gopath, err := os.MkdirTemp("", "gopath")
	if err != nil {
		return "", err
	}
	link := filepath.Join(gopath, "src", filepath.FromSlash(Module))
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return "", err
	}
	return gopath, os.Symlink(root, link)
}

// Interpreter is Yaegi with the options and symbols that Traefik gives a plugin
// without useUnsafe.
func Interpreter(gopath string, env []string, stdout, stderr io.Writer) (*interp.Interpreter, error) {
	if env == nil {
		env = os.Environ()
	}
	i := interp.New(interp.Options{GoPath: gopath, Env: env, Stdout: stdout, Stderr: stderr})
	return i, i.Use(stdlib.Symbols)
}

// New makes one middleware; see the type of the same name.
func (p *Plugin) New(ctx context.Context, next http.Handler, config map[string]any, name string) (http.Handler, error) {
	decoded, err := p.Config(config)
	if err != nil {
		return nil, err
	}
	results := p.newHandler.Call([]reflect.Value{
		reflect.ValueOf(ctx), reflect.ValueOf(next), decoded, reflect.ValueOf(name),
	})
	if len(results) > 1 && results[1].Interface() != nil {
		err, ok := results[1].Interface().(error)
		if !ok {
			return nil, fmt.Errorf("invalid error type: %T", results[1].Interface())
		}
		return nil, err
	}
	handler, ok := results[0].Interface().(http.Handler)
	if !ok {
		return nil, fmt.Errorf("invalid handler type: %T", results[0].Interface())
	}
	return handler, nil
}

// Config is the plugin's default configuration with config decoded into it.
func (p *Plugin) Config(config map[string]any) (reflect.Value, error) {
	results := p.createConfig.Call(nil)
	if len(results) != 1 {
		return reflect.Value{}, fmt.Errorf("CreateConfig returned %d values", len(results))
	}
	if len(config) == 0 {
		return results[0], nil
	}
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		DecodeHook:       mapstructure.StringToSliceHookFunc(","),
		WeaklyTypedInput: true,
		Result:           results[0].Interface(),
	})
	if err != nil {
		return reflect.Value{}, err
	}
	if err := decoder.Decode(config); err != nil {
		return reflect.Value{}, fmt.Errorf("failed to decode configuration: %w", err)
	}
	return results[0], nil
}

// Log collects what is written to it, from any goroutine.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is all that was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Reset forgets what was written so far.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Reset()
}
