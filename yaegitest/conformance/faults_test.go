package conformance

import (
	"regexp"
	"strings"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/yaegitest"
)

// TestFaultsAreFound puts published faults back, one at a time, and wants
// TestConformance's comparison to see each.
func TestFaultsAreFound(t *testing.T) {
	for _, row := range []struct {
		patch string // taken back
		cases string // that show it
		above string // a patch of the same lines, taken back before
	}{
		{"04-embed-pointer", `^default dialer$`, ""},
		{"05-writer", `^arguments of all kinds$`, "19-write-args"},
		{"06-error-prefix", `^noscript then eval$`, ""},
		{"07-moved-error", `^error "OOM.*in a cluster$`, ""},
		{"12-nil-error", `^shape array of nil RESP2$`, ""},
		{"13-forwarded-results", `^cut bulk at 7, end 1$`, ""},
		{"14-error-element", `^shape array of errors RESP2$`, ""},
		{"15-bad-conn", `^error "READONLY[^"]*"$`, ""},
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
			for _, patch := range []string{row.above, row.patch} {
				if patch == "" {
					continue
				}
				if err := tree.Revert("../../vendor-patches/" + patch + ".patch"); err != nil {
					t.Fatal(err)
				}
			}
			got, err = playAll(t, cases, interpretedIn(tree))
			diff := differences(cases, want, got)
			if err == nil && diff == "" {
				t.Error("the comparison does not see the fault")
			}
			t.Logf("%v\n%s", err, diff)
		})
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
