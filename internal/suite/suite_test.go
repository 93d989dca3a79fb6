package suite

import "testing"

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
