package ratelimit

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// timeline is one of testdata/timelines: a source under one limit, and the right verdicts.
type timeline struct {
	Average int64
	Period  micros
	Burst   int64
	Steps   [][]int64
}

// timelineColumns are the columns of a timeline's steps, in order.
const timelineColumns = "now cost allowed never remaining retry_after reset_after next_after"

func readTimelines(t *testing.T, algorithm string) []timeline {
	t.Helper()
	text := readFile(t, "testdata/timelines/"+algorithm+".json")
	var file struct {
		Columns   []string
		Timelines []timeline
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(file.Columns, " "); got != timelineColumns {
		t.Fatalf("columns %q", got)
	}
	if len(file.Timelines) != 200 {
		t.Fatalf("%d timelines, want 200", len(file.Timelines))
	}
	return file.Timelines
}

// The timelines were computed from the definitions alone; every twin reproduces every column of them.
func TestTimelines(t *testing.T) {
	twins := []struct {
		name string
		open func(t *testing.T) twin
	}{
		{"go", func(t *testing.T) twin { return goTwin{} }},
		{"miniredis", func(t *testing.T) twin { return fakeRedis(t) }},
		{"redis", func(t *testing.T) twin { return realRedis(t) }},
	}
	for _, tw := range twins {
		t.Run(tw.name, func(t *testing.T) {
			tw := tw.open(t)
			for _, algorithm := range []string{fixedWindow, slidingLog, tokenBucket} {
				for n, line := range readTimelines(t, algorithm) {
					checkTimeline(t, tw, algorithm, n, line)
				}
			}
		})
	}
}

func checkTimeline(t *testing.T, tw twin, algorithm string, n int, line timeline) {
	t.Helper()
	l := limit{name: "default", algorithm: algorithm, average: line.Average, period: line.Period, burst: line.Burst}
	var calls []call
	for _, row := range line.Steps {
		calls = append(calls, one(micros(row[0]), row[1], l))
	}
	for i, outcomes := range tw.play(t, calls) {
		row := line.Steps[i]
		want := verdict{allowed: row[2] == 1, never: row[3] == 1, remaining: row[4],
			retryAfter: micros(row[5]), resetAfter: micros(row[6]), nextAfter: micros(row[7])}
		got := outcomes[0].decision
		if !reflect.DeepEqual(got.verdicts, []verdict{want}) || got.allowed != want.allowed || got.at != micros(row[0]) {
			t.Fatalf("%s, timeline %d, step %d: %+v\n got %+v\nwant %+v", algorithm, n, i, l, got, want)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
