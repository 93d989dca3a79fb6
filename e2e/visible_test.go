package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// visible is the static configuration by which operations.md makes denials visible.
const visible = `
metrics:
  prometheus:
    addRoutersLabels: true
accessLog:
  format: json
  filePath: access.log
  fields:
    headers:
      names:
        X-Ratelimit-Name: keep
        X-Ratelimit-Remaining: keep
        Retry-After: keep
`

// TestDenialsAreVisible sees a denial in Traefik's own metrics and access log, as operations.md says.
func TestDenialsAreVisible(t *testing.T) {
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), strings.TrimSpace(visible)) {
		t.Error("operations.md shows another static configuration")
	}
	redis := startRedis(t)
	backend := startBackend(t, nil)
	dir := t.TempDir()
	access := filepath.Join(dir, "access.log")
	proxy, err := harness.StartTraefik(t.Context(), harness.Options{
		Program: program, Plugin: "..", Dir: dir, Env: os.Environ(), Static: strings.Replace(visible, "access.log", access, 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	err = proxy.Apply(t.Context(), "api.yml", fmt.Sprintf(`
http:
  routers:
    shop: {rule: 'Path("/shop")', middlewares: [api], service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: %q}]}}
  middlewares:
    api: {plugin: {ratelimit: {average: 1, period: 1h, timeout: 10s, redis: {endpoints: [%q]}}}}
`, backend.URL, redis.Addr))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ask(t, proxy.URL+"/shop")
	}
	eventually(t, 10*time.Second, func() error {
		metrics, err := proxy.Get("/metrics")
		if err != nil {
			return err
		}
		for _, want := range []string{
			`traefik_router_requests_total{code="429",method="GET",protocol="http",router="shop@file",service="backend@file"} 2`,
			`traefik_router_requests_total{code="200",method="GET",protocol="http",router="shop@file",service="backend@file"} 1`,
		} {
			if !strings.Contains(string(metrics), want) {
				return fmt.Errorf("no %s in\n%s", want, grep(string(metrics), "router_requests_total"))
			}
		}
		return nil
	})
	eventually(t, 10*time.Second, func() error {
		text, err := os.ReadFile(access)
		if err != nil {
			return err
		}
		denied := 0
		for _, line := range strings.Split(string(text), "\n") {
			var entry map[string]any
			if json.Unmarshal([]byte(line), &entry) == nil && entry["DownstreamStatus"] == 429.0 {
				denied++
				if entry["RouterName"] != "shop@file" || entry["OriginStatus"] != 0.0 || entry["downstream_X-Ratelimit-Name"] != "default" ||
					entry["downstream_Retry-After"] == nil || entry["downstream_X-Ratelimit-Remaining"] != "0" {
					t.Fatalf("a denial in the access log: %s", line)
				}
			}
		}
		if denied != 2 {
			return fmt.Errorf("%d denials in\n%s", denied, text)
		}
		return nil
	})
}

// grep is the lines of text that hold words.
func grep(text, words string) string {
	var found []string
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, words) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}
