package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// measured are two rounds of some cells, each of one request: their processor times in µs.
func measured(t *testing.T, times map[string][2]int) results {
	t.Helper()
	all := results{}
	for name, rounds := range times {
		for _, n := range connections {
			c := cell{find(t, name), n}
			for _, took := range rounds {
				all[c] = append(all[c], sample{
					requests: 1, elapsed: time.Second, traefik: time.Duration(took) * time.Microsecond, latencies: []time.Duration{time.Millisecond},
				})
			}
		}
	}
	return all
}

// TestChoose: a cell is measured beside its native one.
func TestChoose(t *testing.T) {
	for _, row := range []struct{ pattern, want string }{
		{"token-bucket/denied/1/128", "native/denied/1/128 token-bucket/denied/1/128"},
		{"native/allowed/1/1$", "native/allowed/1/1"},
		{"^none/.*/32", "none/allowed/1/32 native/allowed/1/32"},
		{"no such", ""},
	} {
		o := options{rounds: 1, span: time.Second, decisions: 1, turns: 1}
		if err := o.complete(row.pattern, "traffic"); (err == nil) != (row.want != "") {
			t.Errorf("%s: error %v", row.pattern, err)
			continue
		}
		var names []string
		for _, c := range choose(o.cells) {
			names = append(names, c.name())
		}
		if got := strings.Join(names, " "); got != row.want {
			t.Errorf("%s: %q", row.pattern, got)
		}
	}
}

// TestComplete: what cannot be measured is refused.
func TestComplete(t *testing.T) {
	right := options{rounds: 1, span: time.Second, decisions: 1, turns: 1}
	for _, row := range []struct {
		name, cells, parts string
		change             func(*options)
		right              bool
	}{
		{"everything", "", "traffic,growth,memory,script,steps", func(*options) {}, true},
		{"a part", "", "memory", func(*options) {}, true},
		{"a cell", "none", "memory", func(*options) {}, true},
		{"no pattern", "(", "traffic", func(*options) {}, false},
		{"no such part", "", "speed", func(*options) {}, false},
		{"no round", "", "traffic", func(o *options) { o.rounds = 0 }, false},
		{"so long that a log is used up", "", "traffic", func(o *options) { o.span = time.Minute }, false},
		{"no turn", "", "traffic", func(o *options) { o.turns = 0 }, false},
		{"half a document", "", "traffic", func(o *options) { o.out = "docs" }, false},
		{"a document of a cell", "none", "traffic,growth,memory,script,steps", func(o *options) { o.out = "docs" }, false},
		{"the document", "", "traffic,growth,memory,script,steps", func(o *options) { o.out = "docs" }, true},
	} {
		o := right
		row.change(&o)
		if err := o.complete(row.cells, row.parts); (err == nil) != row.right {
			t.Errorf("%s: error %v", row.name, err)
		}
	}
}

// TestTables: ratios are within a round, and a table holds what was measured.
func TestTables(t *testing.T) {
	all := measured(t, map[string][2]int{"native/allowed/1": {100, 200}, "token-bucket/allowed/1": {50, 300}, "token-bucket-3/allowed/1": {60, 300}})
	if text := all.tables(); !strings.Contains(text, "| token-bucket | allowed | 1 | 175 | 0.0 | 1.00 (0.50–1.50) | 1 | 1.00 (1.00–1.00) | 1.00 | 1.00 | 0.000 |\n") {
		t.Errorf("%s", text)
	}
	text := all.targets()
	for _, row := range []string{"| CPU, allowed, to native | ≤ 1.0, at 1 ≤ 1.8 | 1.00 (0.50–1.50) |", "| CPU, three limits to one | ≤ 1.3 | 1.10 (1.00–1.20) |"} {
		if !strings.Contains(text, row) {
			t.Errorf("no row %q in %s", row, text)
		}
	}
	if strings.Contains(text, "denied") || strings.Contains(text, "three native") {
		t.Errorf("what was not measured has a row: %s", text)
	}
}

// TestChart: the same results are the same chart, which needs all of them.
func TestChart(t *testing.T) {
	times := map[string][2]int{}
	for i, row := range charted {
		times[row.name] = [2]int{10 * i, 20 * i}
	}
	first, err := measured(t, times).chart()
	if err != nil {
		t.Fatal(err)
	}
	second, err := measured(t, times).chart()
	if err != nil || !bytes.Equal(first, second) || !bytes.HasPrefix(first, []byte("<svg")) {
		t.Errorf("error %v, %d and %d bytes", err, len(first), len(second))
	}
	delete(times, charted[0].name)
	if _, err := measured(t, times).chart(); err == nil {
		t.Error("a chart without a series")
	}
}

// TestDocument: what people wrote stays, what an earlier run wrote goes, and a file without the marker is left alone.
func TestDocument(t *testing.T) {
	for _, row := range []struct{ name, old, want string }{
		{"written before", "by hand\n" + marker + "\n\nold\n", "by hand\n" + marker + "\n\nnew\n"},
		{"no marker", "by hand\n", "by hand\n"},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "benchmark.md")
		if err := os.WriteFile(path, []byte(row.old), 0o644); err != nil {
			t.Fatal(err)
		}
		err := writeDocument(folder, "new\n", nil)
		got, _ := os.ReadFile(path)
		if string(got) != row.want || (err == nil) != (row.old != row.want) {
			t.Errorf("%s: error %v, %q", row.name, err, got)
		}
	}
}

// TestScriptText: the script is found where it is, and nowhere else.
func TestScriptText(t *testing.T) {
	text, err := scriptText("../../../lua.go")
	if err != nil || !strings.Contains(text, "ARGV[1]") {
		t.Errorf("error %v, %.100s", err, text)
	}
	if _, err := scriptText("../../../request.go"); err == nil {
		t.Error("a script where there is none")
	}
}

// TestStepRows: the output of go test is read whole; what is done for many requests at once is divided by them.
func TestStepRows(t *testing.T) {
	rows, err := stepRows(`goos: linux
BenchmarkSteps/1_source-2  5000  4052 ns/op
BenchmarkSteps/5_intake_of_128:_source-2  5000  25600 ns/op
BenchmarkSteps/9_flight_of_128:_answer-16 5000	 12800.0 ns/op
PASS`)
	want := "[[1 source 4.1 ] [5 intake of 128: source 25.6 0.20] [9 flight of 128: answer 12.8 0.10]]"
	if got := fmt.Sprint(rows); err != nil || got != want {
		t.Errorf("%s, error %v, want %s", got, err, want)
	}
	if _, err := stepRows("PASS"); err == nil {
		t.Error("no steps, and no error")
	}
}
