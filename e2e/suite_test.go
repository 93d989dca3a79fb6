package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/suite"
)

// TestSuite holds the plugin in the real Traefik to the black-box suite: its cases in data, on miniredis with a virtual clock.
func TestSuite(t *testing.T) {
	t.Cleanup(suite.Environ())
	fleet := &fleet{proxy: startTraefik(t, os.Environ()...), middlewares: map[string]any{}, routers: map[string]any{}}
	fleet.backend = startBackend(t, nil)
	suite.Run(t, suite.Setup{
		Plugin: suite.Plugin{
			New:    fleet.middleware,
			Errors: func() string { return pluginLog(t, fleet.proxy, "error") },
			Debug:  func() string { return pluginLog(t, fleet.proxy, "debug") },
		},
		Behind: true,
	})
}

// fleet makes one Traefik serve the middlewares of all cases, a router for each time that a case asks for one.
type fleet struct {
	proxy   *harness.Traefik
	backend *harness.Backend

	mu          sync.Mutex
	made        int
	middlewares map[string]any // by name, without @file
	routers     map[string]any
}

// middleware is suite.New: it makes a router with the middleware, which for Traefik is a reload, and returns a handler
// that sends its requests through it. The backend behind it is the same for all.
func (f *fleet) middleware(ctx context.Context, _ http.Handler, config map[string]any, name string) (http.Handler, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made++
	router := fmt.Sprintf("suite-%d", f.made)
	short := strings.TrimSuffix(name, "@file")
	f.middlewares[short] = map[string]any{"plugin": map[string]any{harness.PluginName: config}}
	f.routers[router] = map[string]any{
		"rule": "PathPrefix(`/" + router + "/`)", "entryPoints": []string{"web"},
		"middlewares": []string{short}, "service": "backend",
	}
	text, err := json.Marshal(map[string]any{"http": map[string]any{
		"routers": f.routers, "middlewares": f.middlewares,
		"services": map[string]any{"backend": map[string]any{"loadBalancer": map[string]any{
			"servers": []any{map[string]any{"url": f.backend.URL}},
		}}},
	}})
	if err != nil {
		return nil, err
	}
	if err := f.proxy.Apply(ctx, "suite.yml", string(text)); err != nil { // JSON is YAML
		return nil, err
	}
	// The next reload is without the routers of a configuration that is no more.
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		delete(f.routers, router)
		f.mu.Unlock()
	})
	return &route{url: f.proxy.URL + "/" + router}, nil
}

// route sends requests through one router.
type route struct{ url string }

// ServeHTTP asks Traefik from the address of the request's client and hands on its answer.
func (r *route) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	out := in.Clone(in.Context())
	out.RequestURI = ""
	url, err := in.URL.Parse(r.url + in.URL.Path)
	if err != nil {
		panic(err)
	}
	out.URL = url
	host, _, err := net.SplitHostPort(suite.Loopback(in.RemoteAddr))
	if err != nil {
		panic(err)
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}, Timeout: 20 * time.Second}
	// A transport of its own: connections of different clients must not mix.
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true}
	answer, err := transport.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	io.Copy(w, answer.Body)
}

// pluginLog is what the plugin wrote to Traefik's log at a level. Traefik's own lines, which at DEBUG show the whole
// configuration, carry no plugin's name.
func pluginLog(t *testing.T, proxy *harness.Traefik, level string) string {
	content, err := os.ReadFile(proxy.Log)
	if err != nil {
		t.Error(err)
	}
	var text strings.Builder
	lines := bufio.NewScanner(bytes.NewReader(content[:bytes.LastIndexByte(content, '\n')+1]))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry struct{ Level, Message, Plugin string }
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			t.Errorf("log line %q: %v", lines.Text(), err)
		}
		if entry.Level == level && entry.Plugin != "" {
			text.WriteString(strings.TrimSuffix(entry.Message, "\n") + "\n")
		}
	}
	return text.String()
}
