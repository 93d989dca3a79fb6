package ratelimit_test

import (
	"bytes"
	"context"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/suite"
)

// TestPlugin holds the compiled plugin to the black-box suite, on miniredis with a virtual clock.
func TestPlugin(t *testing.T) { runSuite(t, "") }

// TestPluginOnRedis runs the cases that wait out the answers' own Retry-After on a real Redis.
func TestPluginOnRedis(t *testing.T) { runSuite(t, redistest.Start(t).Addr) }

func runSuite(t *testing.T, redis string) {
	t.Cleanup(suite.Environ())
	suite.Run(t, suite.Setup{Plugin: compiledPlugin(t), Redis: redis})
}

// compiledPlugin is the plugin in this process. What it logs is kept until the test ends.
func compiledPlugin(t *testing.T) suite.Plugin {
	errors := &lines{}
	before := log.Writer()
	log.SetOutput(errors)
	// The plugin's DEBUG lines go where fmt.Print does. A file needs no reader that keeps up.
	debug, err := os.Create(filepath.Join(t.TempDir(), "debug.log"))
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = debug
	t.Cleanup(func() {
		os.Stdout = stdout
		log.SetOutput(before)
		debug.Close()
	})
	return suite.Plugin{
		New:    newMiddleware,
		Errors: errors.String,
		Debug: func() string {
			text, err := os.ReadFile(debug.Name())
			if err != nil {
				t.Error(err)
			}
			return string(text)
		},
	}
}

// newMiddleware makes a middleware as Traefik's plugin loader does.
func newMiddleware(ctx context.Context, next http.Handler, raw map[string]interface{}, name string) (http.Handler, error) {
	config := ratelimit.CreateConfig()
	if err := configs.Decode(raw, config); err != nil {
		return nil, err
	}
	return ratelimit.New(ctx, next, config, name)
}

// lines collects log entries from any goroutine.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
