package yaegitest

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"gopkg.in/yaml.v3"
)

// manifest is what the plugin catalog reads of .traefik.yml.
type manifest struct {
	DisplayName string         `yaml:"displayName"`
	Type        string         `yaml:"type"`
	Import      string         `yaml:"import"`
	Summary     string         `yaml:"summary"`
	UseUnsafe   bool           `yaml:"useUnsafe"`
	TestData    map[string]any `yaml:"testData"`
}

const (
	repository = ".."
	// catalogBudget is what the catalog gives a plugin to import, to make its configuration and to make one middleware.
	catalogBudget = 10 * time.Second
)

// TestCatalogManifest holds the rules of Traefik's plugin catalog on the files at the root.
func TestCatalogManifest(t *testing.T) {
	m := readManifest(t)
	if m.DisplayName == "" || m.Summary == "" || m.Type != "middleware" || m.UseUnsafe || len(m.TestData) == 0 {
		t.Errorf("manifest %+v lacks what the catalog asks for", m)
	}
	text, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if module := mod.Module.Mod.Path; module != Module || m.Import != module && !strings.HasPrefix(m.Import, module+"/") {
		t.Errorf("import %s is not within the module %s", m.Import, module)
	}
	for _, r := range mod.Require {
		for _, forbidden := range []string{"github.com/traefik/yaegi", "github.com/traefik/traefik", "github.com/containous/yaegi", "github.com/containous/traefik"} {
			if r.Mod.Path == forbidden || strings.HasPrefix(r.Mod.Path, forbidden+"/") {
				t.Errorf("go.mod requires %s, which the catalog refuses", r.Mod.Path)
			}
		}
	}
	for _, name := range []string{"readme.md", "vendor/modules.txt"} {
		if _, err := os.Stat(filepath.Join(repository, name)); err != nil {
			t.Errorf("the catalog asks for it: %v", err)
		}
	}
}

// TestCatalogLoads: with an empty environment, the standard library alone and no Redis, the manifest's testData make a
// middleware within the catalog's budget.
func TestCatalogLoads(t *testing.T) {
	began := time.Now()
	p, err := Load(repository, []string{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	handler, err := p.New(ctx, http.NotFoundHandler(), readManifest(t).TestData, "catalog")
	if err != nil || handler == nil {
		t.Fatalf("New on testData: %v, %v", handler, err)
	}
	if took := time.Since(began); took > catalogBudget {
		t.Errorf("loading took %s, the catalog gives %s", took, catalogBudget)
	}
	if errors := p.Errors.String(); errors != "" {
		t.Errorf("the plugin logs errors: %s", errors)
	}
}

func readManifest(t *testing.T) manifest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, ".traefik.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := yaml.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
