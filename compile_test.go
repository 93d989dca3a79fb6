package ratelimit

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// configCase is one configuration in a file of testdata, and what compile makes of it.
type configCase struct {
	Why    string   // why the case is there
	From   string   // the provider: file (when empty), labels or kubernetes
	Config string   // what the user wrote
	Faults []string // every line of the error, without the middleware's name
	Words  string   // of the settings
}

// readCases are the cases of one file below testdata.
func readCases(t *testing.T, path string) []configCase {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []configCase
	if err := yaml.Unmarshal(content, &cases); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return cases
}

// configOf decodes a case as its provider does.
func configOf(t *testing.T, c configCase) *Config {
	t.Helper()
	switch c.From {
	case "labels":
		return fromLabels(t, c.Config)
	case "kubernetes":
		return fromKubernetes(t, c.Config)
	}
	return fromFile(t, c.Config)
}

// setSecrets is the environment of all cases: this plugin's own secrets, and others that it must leave alone.
func setSecrets(t *testing.T) {
	t.Helper()
	t.Setenv("RATELIMIT_SECRETS", "")
	t.Setenv("RATELIMIT_PASSWORD", "s3cret")
	t.Setenv("CF_DNS_API_TOKEN", "s3cret-of-another")
	t.Setenv("AWS_RATELIMIT_SECRET", "s3cret-of-another")
	t.Setenv("ratelimit_password", "s3cret-of-another")
}

func TestFaults(t *testing.T) {
	setSecrets(t)
	files, err := filepath.Glob("testdata/faults/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	seen := 0
	for _, file := range files {
		for _, c := range readCases(t, file) {
			seen++
			checkFaults(t, filepath.Base(file), c)
		}
	}
	if seen < 140 {
		t.Errorf("%d cases, some got lost", seen)
	}
}

func checkFaults(t *testing.T, file string, c configCase) {
	t.Helper()
	config, untouched := configOf(t, c), configOf(t, c)
	_, err := compile(config, "api@file")
	if err == nil {
		t.Errorf("%s, %s: no fault", file, c.Why)
		return
	}
	want := "api@file: " + strings.Join(c.Faults, "\napi@file: ")
	if err.Error() != want {
		t.Errorf("%s, %s:\ngot\n%s\nwant\n%s", file, c.Why, err, want)
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%s, %s: says a secret: %s", file, c.Why, err)
	}
	if !reflect.DeepEqual(config, untouched) {
		t.Errorf("%s, %s: compile wrote into the configuration", file, c.Why)
	}
}
