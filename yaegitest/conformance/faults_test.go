package conformance

import (
	"regexp"
	"strings"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/yaegitest"
)

// TestFaultsAreFound puts published faults back, one at a time, and wants
// TestConformance's comparison to see each. What 04-embed-pointer is against
// does harm only with more of go-redis around it: TestPublishedFaults has it.
func TestFaultsAreFound(t *testing.T) {
	for _, row := range []struct {
		patch string // taken back
		cases string // that show it
		above string // patches of the same lines, or that need them, taken back before
	}{
		{"05-writer", `^arguments of all kinds$`, "20-straight 19-write-args"},
		{"12-nil-error", `^shape array of nil RESP2$`, ""},
		{"13-forwarded-results", `^cut bulk at 7, end 1$`, "20-straight"},
		{"14-error-element", `^shape array of errors RESP2$`, ""},
		{"15-bad-conn", `^cut bulk at 7, end 1$`, ""},
		{"16-field-call", `^error "OOM.*at SELECT$`, ""},
		{"17-timeout-error", `^retries after a reset$`, ""},
	} {
		row := row
		t.Run(row.patch, func(t *testing.T) {
			tree, err := yaegitest.NewTree(t.TempDir(), "../..", "program.go")
			if err != nil {
				t.Fatal(err)
			}
			cases := matching(row.cases)
			if len(cases) == 0 {
				t.Fatal("no such case")
			}
			want, _ := playAll(t, cases, published)
			got, err := playAll(t, cases, interpretedIn(tree))
			if diff := differences(cases, want, got); err != nil || diff != "" {
				t.Fatalf("there is a difference before the fault: %v\n%s", err, diff)
			}
			faulty, err := yaegitest.NewFaultyTree(t.TempDir(), "../..", "program.go", strings.Fields(row.above+" "+row.patch)...)
			if err != nil {
				t.Fatal(err)
			}
			got, err = playAll(t, cases, interpretedIn(faulty))
			diff := differences(cases, want, got)
			if err == nil && diff == "" {
				t.Error("the comparison does not see the fault")
			}
			t.Logf("%v\n%s", err, diff)
		})
	}
}

// TestStraight: the patched client does go straight to the connection, told by the deadlines that it does not set; where a
// command has a deadline, or is of another kind, it goes the published way.
func TestStraight(t *testing.T) {
	tree, err := yaegitest.NewTree(t.TempDir(), "../..", "program.go")
	if err != nil {
		t.Fatal(err)
	}
	const steps = "conn ping told process told sha told ping told process! told"
	cases := []testCase{{name: "told", steps: steps, settings: "protocol=2 straight=1"}, {name: "timed", steps: steps, settings: "protocol=2"}}
	for _, way := range []struct {
		name string
		run  func(string) (string, error)
		want map[string]string // how often a deadline for writing was set, after each step
	}{
		{"published", published, map[string]string{"told": "2 3 4 5 6", "timed": "2 3 4 5 6"}},
		{"compiled", compiledIn(tree), map[string]string{"told": "2 2 2 3 4", "timed": "2 3 4 5 6"}},
		{"interpreted", interpretedIn(tree), map[string]string{"told": "2 2 2 3 4", "timed": "2 3 4 5 6"}},
	} {
		lines, err := playAll(t, cases, way.run)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range way.want {
			var told []string
			for _, line := range lines[name] {
				if strings.Contains(line, " told · ") {
					told = append(told, regexp.MustCompile(`[0-9]+`).FindString(line))
				}
			}
			if got := strings.Join(told, " "); got != want {
				t.Errorf("%s, %s: deadlines were set %s times, want %s", way.name, name, got, want)
			}
		}
	}
}

func matching(name string) []testCase {
	expression := regexp.MustCompile(name)
	var cases []testCase
	for _, c := range allCases() {
		if expression.MatchString(c.name) {
			cases = append(cases, c)
		}
	}
	return cases
}

// differences is the first difference of each case, or nothing.
func differences(cases []testCase, want, got map[string][]string) string {
	var text strings.Builder
	for _, c := range cases {
		text.WriteString(difference(want[c.name], got[c.name]))
	}
	return text.String()
}
