package providers

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

// TestConfigsAreDecodedAsByTraefik holds internal/configs, which stands in for Traefik's providers in the plugin's own tests,
// to what they make of every configuration there is in testdata.
func TestConfigsAreDecodedAsByTraefik(t *testing.T) {
	_, here, _, _ := runtime.Caller(0)
	var cases []configs.Case
	for _, folder := range []string{"good", "faults"} {
		some, err := configs.Read(filepath.Join(filepath.Dir(here), "../../testdata", folder))
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, some...)
	}
	if len(cases) < 180 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		if c.Config == "{}\n" {
			continue // Traefik hands on no configuration at all
		}
		want, err := configs.Raw(c)
		if err != nil {
			t.Fatalf("%s: %v", c.Why, err)
		}
		if got := decoded(t, c); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %#v\nwant %#v", c.Why, got, want)
		}
	}
}

// decoded is what Traefik's own provider makes of a case.
func decoded(t *testing.T, c configs.Case) map[string]any {
	t.Helper()
	switch c.From {
	case "kubernetes":
		var spec any
		if err := yaml.Unmarshal([]byte(c.Config), &spec); err != nil {
			t.Fatal(err)
		}
		content, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		return fromKubernetes(t, string(content))
	case "labels":
		var labels map[string]string
		if err := yaml.Unmarshal([]byte(c.Config), &labels); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for name, value := range labels {
			lines = append(lines, "traefik.http.middlewares.api.plugin."+harness.PluginName+"."+name+"="+value)
		}
		return fromLabels(t, strings.Join(lines, "\n"))
	}
	indented := "\n          " + strings.ReplaceAll(strings.TrimRight(c.Config, "\n"), "\n", "\n          ") + "\n"
	return fromFile(".yml")(t, "http:\n  middlewares:\n    api:\n      plugin:\n        "+harness.PluginName+":"+indented)
}
