package providers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/provider/kubernetes/crd"
	"github.com/traefik/traefik/v3/pkg/safe"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// kinds of what Traefik's provider asks a cluster for, by the last part of the path.
var kinds = map[string]string{
	"configmaps":           "ConfigMap",
	"endpointslices":       "EndpointSlice",
	"ingressroutes":        "IngressRoute",
	"ingressroutetcps":     "IngressRouteTCP",
	"ingressrouteudps":     "IngressRouteUDP",
	"middlewares":          "Middleware",
	"middlewaretcps":       "MiddlewareTCP",
	"nodes":                "Node",
	"secrets":              "Secret",
	"serverstransports":    "ServersTransport",
	"serverstransporttcps": "ServersTransportTCP",
	"services":             "Service",
	"tlsoptions":           "TLSOption",
	"tlsstores":            "TLSStore",
	"traefikservices":      "TraefikService",
}

// secret is what the Secret "redis" holds.
var secret = map[string][]byte{"username": []byte("ratelimit"), "password": []byte(redisPassword)}

// fromKubernetes decodes the spec of a Middleware by the Kubernetes CRD
// provider, which reads it from the API of a cluster that holds nothing but
// that Middleware and the Secret "redis", which is secret.
func fromKubernetes(t *testing.T, spec string) map[string]any {
	t.Helper()
	holds := map[string]any{
		"middlewares": map[string]any{
			"metadata": map[string]any{"name": "api", "namespace": "default", "resourceVersion": "1"},
			"spec":     map[string]any{"plugin": map[string]any{harness.PluginName: json.RawMessage(spec)}},
		},
		"secrets": map[string]any{
			"metadata": map[string]any{"name": "redis", "namespace": "default", "resourceVersion": "1"},
			"data":     secret,
		},
	}
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resource := path.Base(r.URL.Path)
		kind, known := kinds[resource]
		switch {
		case !known:
			http.NotFound(w, r)
		case r.URL.Query().Get("sendInitialEvents") != "":
			// A cluster that cannot stream lists says so, and is asked for the list.
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422}`)
		case r.URL.Query().Get("watch") != "":
			w.Header().Set("Content-Type", "application/json")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			w.Header().Set("Content-Type", "application/json")
			items := []any{}
			if item := holds[resource]; item != nil {
				items = append(items, item)
			}
			json.NewEncoder(w).Encode(map[string]any{
				"kind":       kind + "List",
				"apiVersion": version(r.URL.Path),
				"metadata":   map[string]any{"resourceVersion": "1"},
				"items":      items,
			})
		}
	}))
	provider := &crd.Provider{Endpoint: cluster.URL, Token: "of-no-use"}
	if err := provider.Init(); err != nil {
		t.Fatal(err)
	}
	pool := safe.NewPool(t.Context())
	t.Cleanup(func() {
		cluster.CloseClientConnections()
		cluster.Close()
		pool.Stop()
	})
	configurations := make(chan dynamic.Message, 100)
	if err := provider.Provide(configurations, pool); err != nil {
		t.Fatal(err)
	}
	select {
	case message := <-configurations:
		return plugin(t, message.Configuration, nil)
	case <-time.After(30 * time.Second):
		t.Fatal("no configuration from the provider")
		return nil
	}
}

// version is the API version of a path: /api/v1/… or /apis/GROUP/VERSION/….
func version(path string) string {
	parts := strings.Split(path, "/")
	if parts[1] == "api" {
		return parts[2]
	}
	return parts[2] + "/" + parts[3]
}

// TestKubernetesTLS: certificates and a key out of a Secret, as the cluster's own tools store them.
func TestKubernetesTLS(t *testing.T) {
	authority := redistest.NewAuthority(t, "cluster")
	redis := redistest.StartTLS(t, authority.Issue(t, time.Hour, "redis.default.svc"), authority)
	client := authority.Issue(t, time.Hour, "traefik")
	before := secret
	t.Cleanup(func() { secret = before })
	secret = map[string][]byte{"ca.crt": []byte(authority.PEM), "tls.crt": []byte(client.Cert), "tls.key": []byte(client.Key)}
	for i, tls := range []string{
		`{"ca": "urn:k8s:secret:redis:ca.crt", "cert": "urn:k8s:secret:redis:tls.crt", "key": "urn:k8s:secret:redis:tls.key", "serverName": "redis.default.svc"}`,
		`{"insecureSkipVerify": true, "cert": "urn:k8s:secret:redis:tls.crt", "key": "urn:k8s:secret:redis:tls.key"}`,
	} {
		config := fromKubernetes(t, fmt.Sprintf(`{"average": 5, "period": "1h", "timeout": "10s", "redis": {"endpoints": [%q], "tls": %s}}`, redis.Addr, tls))
		handler, err := load(t, config, fmt.Sprintf("tls-%d@kubernetescrd", i))
		if err != nil {
			t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
		if answer.Header().Get("X-RateLimit-Remaining") != "4" {
			t.Errorf("%s: %d, %v", tls, answer.Code, answer.Header())
		}
	}
	// An empty table is lost in a file; here it arrives, and is TLS by the system's authorities.
	mark := debug.Len()
	if _, err := load(t, fromKubernetes(t, `{"average": 5, "redis": {"endpoints": ["redis:6379"], "tls": {}}}`), "tls-empty@kubernetescrd"); err != nil {
		t.Fatal(err)
	}
	if said := debug.From(mark); !strings.Contains(said, "TLS by the system's authorities") {
		t.Errorf("the log says %s", said)
	}
}
