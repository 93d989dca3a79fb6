package computedInterface

import "fmt"

func returned(n int64) any {
	return n << 2 // want `an interface set to an operation`
}

func Demo() string {
	n := int64(3)
	var v any
	v = -n // want `an interface set to an operation`
	list := make([]any, 2)
	list[0] = n % 2 // want `an interface set to an operation`
	m := -n
	list[1] = m
	fine := []any{-n, n + 1, &n != nil}
	text := fmt.Sprint(v, list, fine)
	defer func() { _ = recover() }()
	return text + fmt.Sprint(returned(n))
}
