package ratelimit

import (
	"reflect"
	"strings"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

// setSecrets is the environment of all cases: this plugin's own secrets, and others that it must leave alone.
func setSecrets(t *testing.T) {
	t.Helper()
	t.Setenv("RATELIMIT_SECRETS", "")
	t.Setenv("RATELIMIT_PASSWORD", "s3cret")
	t.Setenv("CF_DNS_API_TOKEN", "s3cret-of-another")
	t.Setenv("AWS_RATELIMIT_SECRET", "s3cret-of-another")
	t.Setenv("ratelimit_password", "s3cret-of-another")
}

// readCases are the cases in a folder, at least as many as were there once.
func readCases(t *testing.T, folder string, least int) []configs.Case {
	t.Helper()
	cases, err := configs.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < least {
		t.Fatalf("%s: %d cases, %d or more were there once", folder, len(cases), least)
	}
	return cases
}

func TestFaults(t *testing.T) {
	setSecrets(t)
	for _, c := range readCases(t, "testdata/faults", 150) {
		config, untouched := configOf(t, c), configOf(t, c)
		_, err := compile(config, "api@file")
		if err == nil {
			t.Errorf("%s: no fault", c.Why)
			continue
		}
		want := "api@file: " + strings.Join(c.Faults, "\napi@file: ")
		if err.Error() != want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.Why, err, want)
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: says a secret: %s", c.Why, err)
		}
		if !reflect.DeepEqual(config, untouched) {
			t.Errorf("%s: compile wrote into the configuration", c.Why)
		}
	}
}
