//go:build race

package ratelimit

// underRace is whether the race detector slows this run down.
const underRace = true
