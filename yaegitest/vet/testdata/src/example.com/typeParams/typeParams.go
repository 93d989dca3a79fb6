package typeParams

import "fmt"

func apply[A, B any](list []A, f func(A) B) []B { // want `more than one type parameter`
	var out []B
	for _, a := range list {
		out = append(out, f(a))
	}
	return out
}

func fine[T any](v T) *T { return &v }

func Demo() string {
	return fmt.Sprint(apply([]int{1}, func(i int) string { return fmt.Sprint(i) }), *fine(3))
}
