package suite

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every case says why it is there, and no two share a name: a middleware's name is its identity within a process.
func TestCasesAreTold(t *testing.T) {
	cases := allCases(t)
	if len(cases) < 80 {
		t.Errorf("%d cases", len(cases))
	}
	names := map[string]bool{}
	for _, c := range cases {
		if c.why == "" || c.run == nil || names[slug(c.name)] {
			t.Errorf("%q: why %q, or its name is taken", c.name, c.why)
		}
		names[slug(c.name)] = true
	}
}

// The user that leastRights plays is the one that the operators are told to make.
func TestLeastACLIsTheDocumentedOne(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	right := regexp.MustCompile(`\+[a-z]+`)
	documented := right.FindAllString(regexp.MustCompile("redis-cli ACL SETUSER .*").FindString(string(page)), -1)
	if got, want := strings.Join(right.FindAllString(leastACL, -1), " "), strings.Join(documented, " "); len(documented) == 0 || !sameWords(got, want) {
		t.Errorf("the suite grants %s, operations.md %s", got, want)
	}
	if !strings.Contains(string(page), "`"+strings.TrimSpace(clusterACL)+"`") {
		t.Errorf("operations.md does not grant%s to the user of a Cluster", clusterACL)
	}
}
