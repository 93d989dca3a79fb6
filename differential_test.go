package ratelimit

import (
	"flag"
	"reflect"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// checkTimes checks property on so many cases, a twentieth of them under the race detector and with -short.
func checkTimes(t *testing.T, times int, property func(*rapid.T)) {
	t.Helper()
	if underRace || testing.Short() {
		times = (times + 19) / 20
	}
	checks := flag.Lookup("rapid.checks").Value
	before := checks.String()
	if err := checks.Set(strconv.Itoa(times)); err != nil {
		t.Fatal(err)
	}
	defer checks.Set(before)
	rapid.Check(t, property)
}

// The heart of the test suite: random timelines give the same verdicts, in every field, in Go and in Redis.
func TestTwinsAgree(t *testing.T) {
	all := []string{fixedWindow, slidingLog, tokenBucket}
	kinds := []struct {
		name       string
		algorithms []string
		limits     int // at most so many
		sources    int
		requests   int // per call at most
	}{
		{"fixed window", []string{fixedWindow}, 1, 1, 1},
		{"sliding log", []string{slidingLog}, 1, 1, 1},
		{"token bucket", []string{tokenBucket}, 1, 1, 1},
		{"mixes", all, 4, 1, 1},
		{"batches", all, 3, 3, 6},
	}
	servers := []struct {
		name  string
		open  func(t testing.TB) redisTwin
		times int
	}{
		{"miniredis", fakeRedis, 1_000},
		{"redis", func(t testing.TB) redisTwin { return realRedis(t) }, 10_000},
	}
	for _, server := range servers {
		for _, kind := range kinds {
			t.Run(server.name+"/"+kind.name, func(t *testing.T) {
				redis := server.open(t)
				checkTimes(t, server.times, func(rt *rapid.T) {
					g := newGenerator(rt, kind.algorithms, rapid.IntRange(1, kind.limits).Draw(rt, "limits"))
					g.steps(rapid.IntRange(20, 26).Draw(rt, "steps"), kind.sources, kind.requests)
					mustAgree(rt, redis.play(t, g.calls), g.outcomes, g.calls)
				})
			})
		}
	}
}

// fataler is what *testing.T and *rapid.T share.
type fataler interface {
	Fatalf(format string, args ...interface{})
}

func mustAgree(t fataler, got, want [][]outcome, calls []call) {
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("call %d of %d: %+v\nscript %+v\nGo     %+v", i, len(calls), calls[i], got[i], want[i])
		}
	}
}
