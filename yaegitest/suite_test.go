package yaegitest

import (
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/suite"
)

// TestSuite holds the interpreted plugin to the black-box suite, on miniredis with a virtual clock.
func TestSuite(t *testing.T) { runSuite(t, "") }

// TestSuiteOnRedis runs the cases that wait out the answers' own Retry-After on a real Redis.
func TestSuiteOnRedis(t *testing.T) { runSuite(t, redistest.Start(t).Addr) }

func runSuite(t *testing.T, redis string) {
	t.Cleanup(suite.Environ())
	plugin, err := Load("..", nil)
	if err != nil {
		t.Fatal(err)
	}
	suite.Run(t, suite.Setup{
		Plugin: suite.Plugin{New: suite.New(plugin.New), Errors: plugin.Errors.String, Debug: plugin.Debug.String},
		Redis:  redis,
	})
}
