package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/suite"
)

// TestSuite holds the plugin in the real Traefik to the black-box suite, on
// miniredis with a virtual clock.
func TestSuite(t *testing.T) { runSuite(t, "") }

// TestSuiteOnRedis runs the cases that wait out the answers' own Retry-After on a real Redis.
func TestSuiteOnRedis(t *testing.T) { runSuite(t, redistest.Start(t).Addr) }

func runSuite(t *testing.T, redis string) {
	t.Cleanup(suite.Environ())
	b := newBehind(t)
	suite.Run(t, suite.Setup{
		Plugin: suite.Plugin{
			New: b.New, Errors: b.log("error"), Debug: b.log("debug"),
			Slack: 2 * time.Second, // Traefik, two proxies and the other cases' reloads, on a busy machine
		},
		Redis: redis,
		Skip:  senseless,
	})
}

// senseless are the cases that a real Traefik cannot play, and why.
var senseless = map[string]string{
	"writer is not wrapped":                "the ResponseWriter is Traefik's; TestProtocols sees what matters of it",
	"request is not changed":               "Traefik itself adds X-Forwarded-* to what the backend sees",
	"abort passes":                         "a panic stays in the process of the backend",
	"panic passes":                         "a panic stays in the process of the backend",
	"upload denied":                        "the client's side sends the body before it has an answer",
	"old instances serve on":               "no new request reaches an instance that Traefik has replaced",
	"endpoint changed":                     "no new request reaches an instance that Traefik has replaced; see TestReloads",
	"reload in the middle":                 "no new request reaches an instance that Traefik has replaced; see TestExactAcrossGateways",
	"reloads share connections":            "TestReloads plays ten times as many",
	"New needs no network":                 "it counts the time of New, here with a reload each; see TestRedisNeverThere",
	"two gateways hand over, local":        "it makes two instances in one process; see TestHandOver",
	"cluster counts":                       "it makes three instances in one process; see the example",
	"key of a strange name":                "Traefik's file provider adds @file to every name",
	"key of a hostile host":                "Traefik refuses such a host",
	"remote address of no known form":      "a connection has an address",
	"depth at an entry that is no address": "no client can send such a header field",
}

// routerHeader names the router that a request is for.
const routerHeader = "X-Suite-Router"

// behind makes middlewares in a real Traefik: each New adds a router with the
// middleware, in front of a backend that calls next.
type behind struct {
	t       *testing.T
	proxy   *harness.Traefik
	backend *harness.Backend

	mu          sync.Mutex
	count       int
	routers     map[string]*routed        // by name
	middlewares map[string]map[string]any // by name
}

// routed is one router, as the handler that the suite sends requests to.
type routed struct {
	name  string
	ctx   context.Context // of the configuration it belongs to
	chain []string        // its middlewares, outermost first
	next  http.Handler
	send  http.Handler
}

func (r *routed) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.send.ServeHTTP(w, req) }

func newBehind(t *testing.T) *behind {
	b := &behind{t: t, routers: map[string]*routed{}, middlewares: map[string]map[string]any{}}
	b.backend = startBackend(t, func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		router := b.routers[r.Header.Get(routerHeader)]
		b.mu.Unlock()
		if router == nil {
			http.Error(w, "the router has gone", http.StatusGone)
			return
		}
		router.next.ServeHTTP(w, r)
	})
	b.proxy = startTraefik(t, os.Environ()...)
	return b
}

// New makes one middleware; see suite.New.
func (b *behind) New(ctx context.Context, next http.Handler, config map[string]any, name string) (http.Handler, error) {
	b.mu.Lock()
	b.count++
	r := &routed{name: fmt.Sprintf("r%d", b.count), ctx: ctx, chain: []string{strings.TrimSuffix(name, "@file")}, next: next}
	// A middleware in front of another one is one router with both.
	if inner, ok := next.(*routed); ok {
		r.chain, r.next = append(r.chain, inner.chain...), inner.next
	}
	r.send = b.sender(r.name)
	// Traefik drops what its last configuration had and this one has not.
	for name, old := range b.routers {
		if old.ctx.Err() != nil {
			delete(b.routers, name)
		}
	}
	b.routers[r.name] = r
	before, known := b.middlewares[r.chain[0]]
	b.middlewares[r.chain[0]] = config
	err := b.proxy.Apply(b.t.Context(), "suite.yml", b.configuration())
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}

	status, err := b.proxy.Router(r.name + "@file")
	if err == nil && status.Status != "enabled" {
		err = errors.New(strings.Join(status.Errors, "\n"))
	}
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.routers, r.name)
		b.middlewares[r.chain[0]] = before
		if !known {
			delete(b.middlewares, r.chain[0])
		}
		return nil, err
	}
	return r, nil
}

// configuration is what Traefik's file provider reads. JSON is YAML.
func (b *behind) configuration() string {
	routers, middlewares := map[string]any{}, map[string]any{}
	for name, r := range b.routers {
		routers[name] = map[string]any{
			"rule":        fmt.Sprintf("Header(`%s`, `%s`)", routerHeader, name),
			"entryPoints": []string{"web"},
			"middlewares": r.chain,
			"service":     "backend",
		}
		for _, m := range r.chain {
			middlewares[m] = map[string]any{"plugin": map[string]any{harness.PluginName: b.middlewares[m]}}
		}
	}
	server := map[string]any{"url": b.backend.URL}
	text, err := json.Marshal(map[string]any{"http": map[string]any{
		"routers":     routers,
		"middlewares": middlewares,
		"services":    map[string]any{"backend": map[string]any{"loadBalancer": map[string]any{"servers": []any{server}}}},
	}})
	if err != nil {
		b.t.Error(err)
	}
	return string(text)
}

type remoteKey struct{}

// sender sends requests to Traefik for a router. Each has a connection of its
// own, which tells Traefik the request's remote address by the PROXY protocol.
func (b *behind) sender(router string) http.Handler {
	address := strings.TrimPrefix(b.proxy.URL, "http://")
	transport := &http.Transport{
		DisableKeepAlives:  true,
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
			if err != nil {
				return nil, err
			}
			_, err = io.WriteString(conn, proxyLine(ctx.Value(remoteKey{}).(string)))
			return conn, err
		},
	}
	return &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out = r.Out.WithContext(context.WithValue(r.Out.Context(), remoteKey{}, r.In.RemoteAddr))
			r.Out.URL.Scheme, r.Out.URL.Host = "http", address
			r.Out.Host = r.In.Host
			for name, values := range r.In.Header {
				if strings.HasPrefix(name, "X-Forwarded-") || name == "Forwarded" {
					r.Out.Header[name] = values
				}
			}
			r.Out.Header.Set(routerHeader, router)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() != nil {
				return // the client has gone: there is nobody to answer
			}
			http.Error(w, "no answer from Traefik: "+err.Error(), http.StatusBadGateway)
		},
	}
}

// proxyLine is the PROXY protocol's header for a connection from remote.
func proxyLine(remote string) string {
	host, port, _ := net.SplitHostPort(remote)
	if strings.Contains(host, ":") {
		return fmt.Sprintf("PROXY TCP6 %s ::1 %s 80\r\n", host, port)
	}
	return fmt.Sprintf("PROXY TCP4 %s 127.0.0.1 %s 80\r\n", host, port)
}

// log returns a function that reads all that the plugin wrote at a level.
func (b *behind) log(level string) func() string {
	return func() string {
		entries, err := b.proxy.Entries()
		if err != nil {
			b.t.Error(err)
		}
		var text strings.Builder
		for _, e := range entries {
			if e.Level == level && e.Plugin != "" {
				text.WriteString(strings.TrimSuffix(e.Message, "\n") + "\n")
			}
		}
		return text.String()
	}
}
