package parallelAssign

import "fmt"

type box struct{ v int }

func id(s string) string { return s }

func Demo() string {
	i, j, s, t := 5, 6, "a", int64(3)
	i, s = 7, id("q")         // want `a call among the several values`
	j, i = len(s), i          // want `a call among the several values`
	t, i = int64(j), 3        // a conversion is no call
	s, t = id("r"), t+1       // want `a call among the several values`
	pair, n := []int{1, 2}, i // want `a literal among the several values`
	var b, m = box{3}, i      // want `a literal among the several values`
	c, d := box{4}, box{5}
	k, u := 1, id("x")
	i, j = j, i
	return fmt.Sprint(i, j, s, t, k, u, pair, n, b.v, m, c.v, d.v)
}
