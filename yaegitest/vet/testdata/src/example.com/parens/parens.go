package parens

import "fmt"

func Demo() string {
	n, m := 1, 4
	fine := (n+m) < 9 && (m) > 1 // want `parentheses around`
	text := fmt.Sprint(fine, int64(n), (func() int { return n })())
	if (n) < 2 && m > 1 { // want `parentheses around`
		text += "y"
	}
	if (n+m) < 9 && m > 1 {
		text += "z"
	}
	return text
}
