package yaegitest

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

// TestFaults sees the interpreted plugin refuse every faulty configuration in the words of the compiled one.
func TestFaults(t *testing.T) {
	plugin, err := Load("..", secretEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	cases, err := configs.Read("../testdata/faults")
	if err != nil || len(cases) < 150 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		raw, err := configs.Raw(c)
		if err != nil {
			t.Fatalf("%s: %v", c.Why, err)
		}
		_, err = plugin.New(context.Background(), http.NotFoundHandler(), raw, "api@file")
		want := "api@file: " + strings.Join(c.Faults, "\napi@file: ")
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot\n%v\nwant\n%s", c.Why, err, want)
		}
	}
}

// TestGood sees the interpreted plugin understand every good configuration as the compiled one does.
func TestGood(t *testing.T) {
	plugin, err := Load("..", secretEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	cases, err := configs.Read("../testdata/good")
	if err != nil || len(cases) < 30 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		raw, err := configs.Raw(c)
		if err != nil {
			t.Fatalf("%s: %v", c.Why, err)
		}
		if _, err := plugin.New(context.Background(), http.NotFoundHandler(), raw, "api@file"); err != nil {
			t.Errorf("%s: %v", c.Why, err)
		}
		if !strings.Contains(plugin.Debug.String(), "api@file: "+c.Words+"\n") {
			t.Errorf("%s: the log lacks\n%s", c.Why, c.Words)
		}
	}
	if strings.Contains(plugin.Debug.String()+plugin.Errors.String(), "s3cret") {
		t.Errorf("the log says a secret:\n%s%s", plugin.Debug, plugin.Errors)
	}
}

// secretEnvironment is Traefik's environment in these cases: the plugin's own secrets, and others that it must leave alone.
func secretEnvironment() []string {
	return append(os.Environ(), "RATELIMIT_SECRETS=", "RATELIMIT_PASSWORD=s3cret", "CF_DNS_API_TOKEN=s3cret-of-another",
		"AWS_RATELIMIT_SECRET=s3cret-of-another", "ratelimit_password=s3cret-of-another")
}
