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

// fromKubernetes decodes the spec of a Middleware by the Kubernetes CRD
// provider, which reads it from the API of a cluster that holds nothing but
// that Middleware and the Secret "redis".
func fromKubernetes(t *testing.T, spec string) map[string]any {
	t.Helper()
	holds := map[string]any{
		"middlewares": map[string]any{
			"metadata": map[string]any{"name": "api", "namespace": "default", "resourceVersion": "1"},
			"spec":     map[string]any{"plugin": map[string]any{harness.PluginName: json.RawMessage(spec)}},
		},
		"secrets": map[string]any{
			"metadata": map[string]any{"name": "redis", "namespace": "default", "resourceVersion": "1"},
			"data":     map[string]any{"username": []byte("ratelimit"), "password": []byte(redisPassword)},
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
