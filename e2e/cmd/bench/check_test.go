package main

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// find is the scenario with that name.
func find(t *testing.T, name string) scenario {
	t.Helper()
	for _, s := range scenarios {
		if s.name() == name {
			return s
		}
	}
	t.Fatalf("there is no scenario %s", name)
	return scenario{}
}

// TestCheck: a run in which anything was not as it must be is no measurement.
func TestCheck(t *testing.T) {
	for _, row := range []struct {
		name, scenario string
		status, strays int // of 10 requests; how many more were answered 503
		passed         int64
		calls          int
		right          bool
	}{
		{"all pass", "none/allowed/1", 200, 0, 10, 0, true},
		{"no route", "none/allowed/1", 404, 0, 0, 0, false},
		{"somebody else answers", "none/allowed/1", 200, 0, 9, 0, false},
		{"denied without Redis", "empty-plugin/denied/1", 429, 0, 0, 0, true},
		{"who asks Redis without a limiter", "none/allowed/1", 200, 0, 10, 1, false},
		{"one call per request", "native/allowed/1", 200, 0, 10, 10, true},
		{"native did not ask", "native/allowed/1", 200, 0, 10, 9, false},
		{"three in a row", "native-3/allowed/1", 200, 0, 10, 30, true},
		{"two in a row", "native-3/allowed/1", 200, 0, 10, 20, false},
		{"calls are shared", "token-bucket/allowed/1", 200, 0, 10, 1, true},
		{"nobody counted", "token-bucket/allowed/1", 200, 0, 10, 0, false},
		{"counted twice", "token-bucket/allowed/1", 200, 0, 10, 11, false},
		{"denied what it allows", "token-bucket/allowed/1", 429, 0, 0, 10, false},
		{"Redis did not decide once", "token-bucket/allowed/1", 200, 1, 10, 10, false},
		{"known denials", "token-bucket/denied/1", 429, 0, 0, 0, true},
		{"allowed what it denies", "token-bucket/denied/1", 200, 0, 10, 10, false},
		{"unavailable is not denied", "token-bucket/denied/1", 503, 0, 0, 0, false},
		{"denied, yet passed on", "token-bucket/denied/1", 429, 0, 1, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			phase := answers{statuses: map[int]int{row.status: 10}, latencies: make([]time.Duration, 10+row.strays)}
			if row.strays > 0 {
				phase.statuses[503] = row.strays
			}
			o := observed{scenario: find(t, row.scenario), warm: phase, got: phase, calls: row.calls, passed: row.passed}
			if err := o.check(); (err == nil) != row.right {
				t.Errorf("error %v", err)
			}
			o.warm.statuses = map[int]int{500: 1}
			if o.check() == nil {
				t.Error("the warm-up went wrong, and nobody noticed")
			}
		})
	}
}

// TestCheckRedis: so are wrong keys.
func TestCheckRedis(t *testing.T) {
	for _, row := range []struct {
		name, scenario string
		requests       int
		keys           []string
		right          bool
	}{
		{"one source", "native/allowed/1", 7, []string{"rate:s02@file:127.0.0.1"}, true},
		{"none counted", "native/allowed/1", 7, nil, false},
		{"counted elsewhere", "native/allowed/1", 7, []string{"rate:s99@file:127.0.0.1"}, false},
		{"many sources, few requests", "token-bucket/allowed/100000", 2, []string{"ratelimit:s11@file:{10.0.0.0}", "ratelimit:s11@file:{10.0.0.1}"}, true},
		{"one source for many", "token-bucket/allowed/100000", 2, []string{"ratelimit:s11@file:{127.0.0.1}"}, false},
		{"three in a row", "native-3/allowed/1", 7, []string{"rate:s06@file:x", "rate:s06n@file:x", "rate:s06nn@file:x"}, true},
		{"without a limiter", "none/allowed/1", 7, []string{"rate:s00@file:127.0.0.1"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := miniredis.RunT(t)
			for _, key := range row.keys {
				server.Set(key, "")
			}
			client := redis.NewClient(&redis.Options{Addr: server.Addr()})
			defer client.Close()
			o := observed{scenario: find(t, row.scenario), got: answers{latencies: make([]time.Duration, row.requests)}}
			if err := checkRedis(context.Background(), client, o, nil); (err == nil) != row.right {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestCheckCharged: every request was charged once; a bucket may have got a few tokens back.
func TestCheckCharged(t *testing.T) {
	for _, row := range []struct {
		algorithm string
		charged   int // of 1000
		right     bool
	}{
		{"fixed-window", 1000, true}, {"fixed-window", 999, false}, {"fixed-window", 1001, false},
		{"token-bucket", 1000, true}, {"token-bucket", 995, true}, {"token-bucket", 900, false}, {"token-bucket", 1001, false},
	} {
		err := checkCharged(1000, "90000", strconv.Itoa(90_000-row.charged), row.algorithm)
		if (err == nil) != row.right {
			t.Errorf("%s, %d of 1000 charged: error %v", row.algorithm, row.charged, err)
		}
	}
}

// TestScenarios: each has a name and a route of its own, and something to be compared with.
func TestScenarios(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range scenarios {
		if seen[s.name()] || seen[s.id()] {
			t.Errorf("%s or %s is there twice", s.name(), s.id())
		}
		seen[s.name()], seen[s.id()] = true, true
		if _, ok := (cell{s, 1}).reference(); !ok {
			t.Errorf("%s has no native counterpart", s.name())
		}
	}
}

// TestSpread: the median of an even number of rounds is between the two in the middle.
func TestSpread(t *testing.T) {
	for _, row := range []struct {
		values []float64
		want   spread
	}{
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{3, 1}, spread{2, 1, 3}},
		{[]float64{9, 1, 2}, spread{2, 1, 9}},
	} {
		if got := spreadOf(row.values); got != row.want {
			t.Errorf("%v: %v, want %v", row.values, got, row.want)
		}
	}
}
