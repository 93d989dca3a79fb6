package ratelimit

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// The examples of docs/algorithms.md are played, on both twins: each a limit in YAML and the table below it.
func TestAlgorithmsPage(t *testing.T) {
	server := fakeRedis(t)
	parts := strings.Split(readFile(t, "docs/algorithms.md"), "```yaml\n")[1:]
	if len(parts) != 3 {
		t.Fatalf("%d examples", len(parts))
	}
	for _, part := range parts {
		block, after, _ := strings.Cut(part, "```\n")
		config := CreateConfig()
		if err := yaml.Unmarshal([]byte(block), config); err != nil {
			t.Fatal(err)
		}
		config.Redis.Endpoints = []string{"redis:6379"}
		settings, err := compile(config, "api@file")
		if err != nil {
			t.Fatal(err)
		}
		l := settings.limits[0]

		var calls []call
		var want []verdict
		for n, line := range strings.Split(strings.TrimSpace(after), "\n") {
			if n == 0 && line != "| time | passes | remaining | retry after | full again after |" {
				t.Fatalf("%s: columns %q", l.algorithm, line)
			}
			if n < 2 {
				continue
			}
			if !strings.HasPrefix(line, "|") {
				break
			}
			cells := strings.Split(strings.Trim(line, "|"), "|")
			remaining, err := strconv.ParseInt(strings.TrimSpace(cells[2]), 10, 64)
			if err != nil {
				t.Fatalf("%s: %q: %v", l.algorithm, line, err)
			}
			calls = append(calls, one(noonMicros+microsOf(t, cells[0]), 1, l))
			want = append(want, verdict{allowed: strings.TrimSpace(cells[1]) == "yes", remaining: remaining,
				retryAfter: microsOf(t, cells[3]), resetAfter: microsOf(t, cells[4])})
		}
		if len(want) < 8 {
			t.Fatalf("%s: %d rows", l.algorithm, len(want))
		}
		for _, tw := range []twin{goTwin{}, server} {
			for i, outcomes := range tw.play(t, calls) {
				got := outcomes[0].decision.verdicts[0]
				got.nextAfter = 0 // has no column
				if got != want[i] {
					t.Errorf("%s, row %d of the page:\n got %+v\nwant %+v", l.algorithm, i+1, got, want[i])
				}
			}
		}
	}
}

// microsOf is what a cell of the page says; an empty one says 0.
func microsOf(t *testing.T, cell string) micros {
	t.Helper()
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return 0
	}
	d, err := time.ParseDuration(cell)
	if err != nil {
		t.Fatal(err)
	}
	return micros(d / time.Microsecond)
}
