package faults

import (
	"os"
	"strings"
	"testing"
	"time"
)

// wordsOfTheDocuments is the table in operations.md.
func wordsOfTheDocuments(t *testing.T) []wording {
	t.Helper()
	words, err := readWordings("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// lost and back are lines as the plugin writes them.
var (
	lost    = Line{"error", "redis lost: 127.0.0.1:6379: EOF; each middleware's failureMode decides until it is back"}
	back    = Line{"error", "redis back: 127.0.0.1:6379; 7 requests were decided without it"}
	foreign = Line{"error", "redis 127.0.0.1:6379: key ratelimit:open@file:{a} holds a foreign value: WRONGTYPE; its requests are decided by failureMode until it is deleted"}
)

// TestBroken: every promise is held, each by a row that breaks it and nothing else.
func TestBroken(t *testing.T) {
	words := wordsOfTheDocuments(t)
	good := func(mode string, lines ...Line) Row {
		return Row{
			Fault: "x", Mode: mode, Statuses: map[int]int{200: 90, 429: 10}, ByRedis: 10, ByMode: 90, Most: timeout, Back: time.Second,
			Above: 5, Bound: 5, Connections: [2]int{1, 1}, Lines: lines,
		}
	}
	for _, row := range []struct {
		why   string
		fault fault
		mode  string
		lines []Line
		spoil func(*Row)
		want  string // part of the one fault; "": none
	}{
		{"all is well", fault{}, "open", []Line{lost, back}, func(*Row) {}, ""},
		{"503 is what closed answers", fault{}, "closed", []Line{lost, back}, func(r *Row) { r.Statuses[503] = 1 }, ""},
		{"503 in open", fault{}, "open", []Line{lost, back}, func(r *Row) { r.Statuses[503] = 1 }, "1 answers with the status 503"},
		{"a 500", fault{}, "closed", []Line{lost, back}, func(r *Row) { r.Statuses[500] = 1 }, "1 answers with the status 500"},
		{"no answer at all", fault{}, "closed", []Line{lost, back}, func(r *Row) { r.Statuses[0] = 1 }, "1 answers with the status 0"},
		{"a long wait", fault{}, "open", []Line{lost, back}, func(r *Row) { r.Most = timeout + onTop + 1 }, "longer than 1.2s"},
		{"one too many", fault{}, "open", []Line{lost, back}, func(r *Row) { r.Above = 6 }, "6 passed above the limit"},
		{"Redis forgot", fault{forgets: anyNumber}, "open", []Line{lost, back}, func(r *Row) { r.Above, r.Bound = 6, anyNumber }, ""},
		{"a goroutine left", fault{}, "open", []Line{lost, back}, func(r *Row) { r.Goroutines = [2]int{0, 1} }, "1 goroutines of the plugin are left"},
		{"connections left", fault{}, "open", []Line{lost, back}, func(r *Row) { r.Connections[1] = 17 }, "17 connections"},
		{"nobody asks Redis again", fault{}, "open", []Line{lost, back}, func(r *Row) { r.Back = 0 }, "Redis decided again"},
		{"Redis is asked late", fault{}, "open", []Line{lost, back}, func(r *Row) { r.Back = backMost + 1 }, "Redis decided again"},
		{"names are kept for a while", fault{named: true}, "open", []Line{lost, back}, func(r *Row) { r.Back = backMost + 1 }, ""},
		{"an unknown line", fault{}, "open", []Line{lost, back, {"error", "redis is odd"}}, func(*Row) {}, "does not tell of the line"},
		{"a known line at another level", fault{}, "open", []Line{lost, back, {"debug", back.Text}}, func(*Row) {}, "does not tell of the line"},
		{"a panic", fault{}, "open", []Line{lost, back, {"error", "panic in flight: index out of range"}}, func(*Row) {}, "1 panics"},
		{"a line for each request", fault{decides: byEither}, "open", nil, func(r *Row) {
			for range linesMost {
				r.Lines = append(r.Lines, lost, back)
			}
		}, "20 lines at ERROR"},
		{"lost, and never back", fault{}, "open", []Line{lost}, func(*Row) {}, "1 lines say that Redis is lost, 0 that it is back"},
		{"a loss that the log does not tell", fault{}, "open", nil, func(*Row) {}, "the log does not say that Redis is lost"},
		{"another cause", fault{says: "OOM"}, "open", []Line{lost, back}, func(*Row) {}, `the log does not say "OOM"`},
		{"never reached has a line of its own", fault{early: true}, "open", []Line{lost, back}, func(*Row) {}, "never reached"},
		{"Redis decides though it cannot", fault{}, "open", []Line{lost, back}, func(r *Row) { r.ByRedis = 91 }, "Redis decided 91"},
		{"nobody should notice", fault{decides: byRedis}, "open", nil, func(r *Row) { r.ByRedis, r.ByMode = 94, 6 }, "the failure mode decided 6 of 100"},
		{"a busy machine notices", fault{decides: byRedis}, "open", nil, func(r *Row) { r.ByRedis, r.ByMode = 95, 5 }, ""},
		{"nobody should read of it", fault{decides: byRedis}, "open", []Line{lost, back}, func(r *Row) { r.ByRedis, r.ByMode = 100, 0 }, "the log says that Redis is lost"},
		{"one key of four", fault{decides: byKey}, "open", []Line{foreign}, func(r *Row) { r.ByRedis, r.ByMode = 75, 25 }, ""},
		{"all keys for one", fault{decides: byKey}, "open", []Line{foreign}, func(r *Row) { r.ByRedis, r.ByMode = 0, 100 }, "want those of one of 4"},
		{"a foreign key untold", fault{decides: byKey}, "open", nil, func(r *Row) { r.ByRedis, r.ByMode = 75, 25 }, "does not say once"},
	} {
		r := good(row.mode, row.lines...)
		row.spoil(&r)
		got := broken(&row.fault, &r, words)
		if row.want == "" && len(got) > 0 || row.want != "" && (len(got) != 1 || !strings.Contains(got[0], row.want)) {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
}

// TestOf: lines go to the failure mode whose Redis or middleware they name, the others to all.
func TestOf(t *testing.T) {
	endpoints := map[string]string{"open": "127.0.0.1:7", "closed": "127.0.0.1:70", "local": "127.0.0.1:700"}
	lines := []Line{
		{"error", "redis lost: 127.0.0.1:7: EOF"},
		{"error", "redis back: 127.0.0.1:70; 1 requests were decided without it"},
		{"error", "redis lost: never reached 127.0.0.1:700 since start: EOF"},
		{"debug", "closed@file: denied by limit default, key k"},
		{"debug", "redis: flight failed: EOF"},
	}
	for mode, want := range map[string][]int{"open": {0, 4}, "closed": {1, 3, 4}, "local": {2, 4}} {
		own := of(lines, mode, endpoints)
		if len(own) != len(want) {
			t.Errorf("%s: %v", mode, own)
			continue
		}
		for i, at := range want {
			if own[i] != lines[at] {
				t.Errorf("%s: %v, want %v", mode, own[i], lines[at])
			}
		}
	}
}

// TestShown: what differs from run to run is not shown.
func TestShown(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{lost.Text, "redis lost: ADDRESS: EOF"},
		{back.Text, "redis back: ADDRESS; N requests were decided without it"},
		{"redis: flight failed: read tcp 127.0.0.1:5->127.91.2.3:6: i/o timeout", "redis: flight failed: read tcp ADDRESS: i/o timeout"},
		{"dial tcp: lookup open.redis.test: no such host", "dial tcp: lookup NAME: no such host"},
		{"redis back: closed.redis.test:6379; 12 requests were decided without it", "redis back: ADDRESS; N requests were decided without it"},
		{strings.Repeat("x", 201), strings.Repeat("x", 200) + " …"},
	} {
		if got := (Line{"error", row.text}).shown(); got != row.want {
			t.Errorf("%q is shown as %q, want %q", row.text, got, row.want)
		}
	}
}

// TestInterpreted: the profile's goroutines count that have a frame of the interpreter.
func TestInterpreted(t *testing.T) {
	const profile = `goroutine profile: total 9
4 @ 0x1 0x2
#	0x1	net/http.(*conn).serve+0x1	server.go:1

3 @ 0x3
#	0x3	github.com/traefik/yaegi/interp.runCfg+0x1	run.go:1

2 @ 0x4
#	0x4	github.com/traefik/yaegi/interp.call.func1+0x1	run.go:2
`
	if got := interpreted(profile); got != 5 {
		t.Errorf("%d goroutines, want 5", got)
	}
}

// TestReport: the page has a row for each failure mode, and one for the fault.
func TestReport(t *testing.T) {
	row := Row{
		Fault: "killed", Mode: "local", Statuses: map[int]int{200: 40, 429: 60}, ByMode: 100, P50: 900 * time.Microsecond, P99: 14 * time.Millisecond,
		Most: 203 * time.Millisecond, Back: 740 * time.Millisecond, Above: 80, Bound: 200, Connections: [2]int{1, 2}, Lines: []Line{lost, lost, back},
	}
	page := Report(&Result{Traefik: "3.7.13", Redis: "7.0.15", Rows: []Row{row}})
	for _, want := range []string{
		"| killed | local | 0 | 100 | 40 | 60 | 0 | < 1ms | 14ms | 200ms | 80 of 200 | 0.7 s | 1 → 2 | 0 → 0 |\n",
		"; it comes back empty | `redis back: ADDRESS; N requests were decided without it`<br>`redis lost: ADDRESS: EOF` |\n",
		"A real Traefik (3.7.13) with this plugin, on a real Redis (7.0.15)",
		"for 3s unless",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "%!") {
		t.Errorf("the page's head is at odds with its values:\n%s", page)
	}
}

// TestFaultsAreNamedOnce: a name chooses one fault, and one that does not exist is an error.
func TestFaultsAreNamedOnce(t *testing.T) {
	names := map[string]bool{}
	for _, f := range faults {
		if names[f.name] || f.made == "" || f.begin == nil || f.end == nil {
			t.Errorf("fault %q is there twice, or is not whole", f.name)
		}
		names[f.name] = true
	}
	if some, err := chosen([]string{"BUSY", "killed"}); err != nil || len(some) != 2 || some[0].name != "BUSY" {
		t.Errorf("chosen: %v, %v", some, err)
	}
	if _, err := chosen([]string{"flooded"}); err == nil {
		t.Error("a fault that does not exist is chosen")
	}
}

// TestPage: docs/faults.md is of the faults that there are, in their order; whoever adds one runs make faults.
func TestPage(t *testing.T) {
	content, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	for _, f := range faults {
		for _, mode := range modes {
			_, rest, found := strings.Cut(page, "\n| "+f.name+" | "+mode+" | ")
			if !found {
				t.Fatalf("docs/faults.md has no row for %s, %s in its place", f.name, mode)
			}
			page = "\n" + rest
		}
	}
	for _, f := range faults {
		if !strings.Contains(page, "\n| "+f.name+" | "+f.made+unusual(&f)+" | ") {
			t.Errorf("docs/faults.md does not say how %s is made", f.name)
		}
	}
}

// TestRights: the user gate may do what operations.md tells operators to grant, and no more.
func TestRights(t *testing.T) {
	content, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	pattern, commands, _ := strings.Cut(rights, " ")
	if want := "'" + pattern + "' " + commands + "\n"; !strings.Contains(string(content), want) {
		t.Errorf("docs/operations.md does not grant %s", want)
	}
}
