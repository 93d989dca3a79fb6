package ratelimit

import (
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

// decode is a Config as it arrives at compile.
func decode(raw map[string]interface{}) (*Config, error) {
	config := &Config{}
	return config, configs.Decode(raw, config)
}

// configOf is a case's configuration as it arrives at compile.
func configOf(t testing.TB, c configs.Case) *Config {
	t.Helper()
	raw, err := configs.Raw(c)
	if err != nil {
		t.Fatalf("%s: %v", c.Why, err)
	}
	config, err := decode(raw)
	if err != nil {
		t.Fatalf("%s: %v", c.Why, err)
	}
	return config
}

// fromFile is the configuration of a YAML file.
func fromFile(t testing.TB, text string) *Config {
	t.Helper()
	return configOf(t, configs.Case{Why: "a file", Config: text})
}
