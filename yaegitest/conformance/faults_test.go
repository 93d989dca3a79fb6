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
		{"05-writer", `^arguments of all kinds$`, ""},
		{"12-nil-error", `^shape array of nil RESP2$`, ""},
		{"13-forwarded-results", `^cut bulk at 7, end 1$`, "20-straight"},
		{"14-error-element", `^shape array of errors RESP2$`, ""},
		{"15-bad-conn", `^cut bulk at 7, end 1$`, ""},
		{"16-field-call", `^error "OOM.*at SELECT$`, ""},
		{"17-timeout-error", `^retries after a reset$`, ""},
	} {
		row := row
		t.Run(row.patch, func(t *testing.T) {
			tree, err := yaegitest.NewTree(t.TempDir(), "../..", patchedFiles...)
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
			files := patchedFiles
			if strings.Contains(row.above, "20-straight") {
				files = publishedFiles
			}
			faulty, err := yaegitest.NewFaultyTree(t.TempDir(), "../..", files, strings.Fields(row.above+" "+row.patch)...)
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

// TestStraight: a line goes past whatever would set a deadline, and takes back the one that was set before; other commands
// on the same Conn have theirs.
func TestStraight(t *testing.T) {
	tree, err := yaegitest.NewTree(t.TempDir(), "../..", patchedFiles...)
	if err != nil {
		t.Fatal(err)
	}
	const steps = "conn ping told sha told sha told calls told ping told sha told sha! told"
	cases := []testCase{{name: "told", steps: steps, settings: "protocol=2 straight=1"}}
	const asCommands = "2 true, 3 false, 4 false, 5 false, 6 true, 7 false, 8 true"
	const pastThem = "2 true, 2 false, 2 false, 2 false, 3 true, 3 true, 4 true"
	for _, way := range []struct {
		name, want string // how often a deadline for writing was set, and whether there is one, after each step
		run        func(string) (string, error)
	}{
		{"published", asCommands, published},
		{"compiled", pastThem, compiledIn(tree)},
		{"interpreted", pastThem, interpretedIn(tree)},
	} {
		lines, err := playAll(t, cases, way.run)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, line := range lines["told"] {
			if found := toldLine.FindStringSubmatch(line); found != nil {
				told = append(told, found[1]+" "+found[2])
			}
		}
		if got := strings.Join(told, ", "); got != way.want {
			t.Errorf("%s: deadlines were set %s times, want %s", way.name, got, way.want)
		}
	}
}

var toldLine = regexp.MustCompile(` told · "([0-9]+) times, now ([a-z]+)"`)

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
