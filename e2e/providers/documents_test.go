package providers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/config/label"
	"github.com/traefik/traefik/v3/pkg/provider/file"
	"gopkg.in/yaml.v3"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

// root is the plugin's folder: TestMain leaves the one in which the tests begin.
var root, _ = filepath.Abs("../..")

// written are the configurations that users read: the blocks of the documents, and the examples.
func written(t *testing.T) []configs.Block {
	t.Helper()
	var all []configs.Block
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*.md", "examples/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			blocks, err := configs.Blocks(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, blocks...)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "examples/*/*.y*ml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, configs.Block{File: name, Line: 1, Language: "yaml", Text: string(text)})
	}
	return all
}

// TestDocumentsByTraefik: Traefik's own decoders and loader make of every
// configuration in the documents and examples what the tests of the plugin
// take them to make.
func TestDocumentsByTraefik(t *testing.T) {
	counts := map[string]int{}
	blocks := written(t)
	for i, block := range blocks {
		faulty := i+1 < len(blocks) && blocks[i+1].Language == "text" && strings.Contains(blocks[i+1].Text, ": must be")
		kind, decoded := decodedByTraefik(t, block)
		counts[kind]++
		if kind == "file" || kind == "options" || kind == "labels" {
			sameForm(t, block, decoded)
		}
		if faulty || kind == "options" {
			continue // what it leaves out is required
		}
		for name, config := range decoded {
			// A name of its own: under another's the plugin would keep the last good settings.
			if _, err := load(t, config, fmt.Sprintf("%s-%d", name, i)); err != nil {
				t.Errorf("%s: %v", block.Place(), err)
			}
		}
	}
	for _, kind := range []string{"file", "options", "labels", "toml", "kubernetes", "static"} {
		if counts[kind] == 0 {
			t.Errorf("the documents have no %s", kind)
		}
	}
}

// decodedByTraefik is what Traefik gives the plugin for each middleware of a
// block, and what kind of configuration it is; "" for a block that is none.
func decodedByTraefik(t *testing.T, block configs.Block) (string, map[string]map[string]any) {
	t.Helper()
	switch block.Language {
	case "toml":
		return "toml", decodeFile(t, block.Text, ".toml")
	case "yaml":
	default:
		return "", nil
	}
	first := map[string]any{}
	if err := yaml.NewDecoder(strings.NewReader(block.Text)).Decode(&first); err != nil {
		t.Fatalf("%s: %v", block.Place(), err)
	}
	switch {
	case first["http"] != nil:
		return "file", decodeFile(t, block.Text, ".yml")
	case first["services"] != nil:
		return "labels", decodeCompose(t, block.Text)
	case first["apiVersion"] != nil:
		return "kubernetes", decodeObjects(t, block.Text)
	case first["experimental"] != nil || first["accessLog"] != nil:
		return "static", nil // run by the tests with the whole Traefik
	}
	indented := strings.ReplaceAll("\n"+block.Text, "\n", "\n        ")
	return "options", decodeFile(t, "http:\n  middlewares:\n    api:\n      plugin:\n        ratelimit:"+strings.ReplaceAll(indented, "\n", "\n  "), ".yml")
}

// sameForm fails the test unless the tests of the plugin take the block for what Traefik has made of it.
func sameForm(t *testing.T, block configs.Block, decoded map[string]map[string]any) {
	t.Helper()
	taken, err := configs.Middlewares(block.Text, func(string) bool { return true })
	if err != nil {
		t.Fatalf("%s: %v", block.Place(), err)
	}
	unqualified := map[string]any{}
	for name, config := range taken {
		name, _, _ = strings.Cut(name, "@")
		if name == "" {
			name = "api"
		}
		unqualified[name] = config
	}
	got, err := json.Marshal(unqualified)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(decoded)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: the plugin's tests take it for\n%s\nTraefik makes of it\n%s", block.Place(), got, want)
	}
}

// ours are the configurations of this plugin in a dynamic configuration.
func ours(config *dynamic.Configuration) map[string]map[string]any {
	found := map[string]map[string]any{}
	for name, middleware := range config.HTTP.Middlewares {
		found[name] = middleware.Plugin[harness.PluginName]
	}
	return found
}

func decodeFile(t *testing.T, text, extension string) map[string]map[string]any {
	t.Helper()
	name := filepath.Join(t.TempDir(), "dynamic"+extension)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	config, err := new(file.Provider).CreateConfiguration(t.Context(), name, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return ours(config)
}

// decodeCompose decodes the labels of a compose file. In one, $$ is one $.
func decodeCompose(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	var compose struct {
		Services map[string]struct{ Labels []string }
	}
	if err := yaml.Unmarshal([]byte(text), &compose); err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for _, service := range compose.Services {
		for _, pair := range service.Labels {
			name, value, _ := strings.Cut(pair, "=")
			labels[name] = strings.ReplaceAll(value, "$$", "$")
		}
	}
	config, err := label.DecodeConfiguration(labels)
	if err != nil {
		t.Fatal(err)
	}
	return ours(config)
}

// decodeObjects decodes the Middlewares among the objects of a cluster.
func decodeObjects(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var object struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct{ Plugin map[string]any }
		}
		if decoder.Decode(&object) != nil {
			return found
		}
		if object.Kind == "Middleware" {
			spec, err := json.Marshal(object.Spec.Plugin[harness.PluginName])
			if err != nil {
				t.Fatal(err)
			}
			found[object.Metadata.Name] = fromKubernetes(t, string(spec))
		}
	}
}
