package variadic

import "fmt"

func count(list ...any) int { return len(list) }

func forward(list ...any) int {
	return count(list) // want `is spread`
}

func fine(list ...any) int {
	return count(list...) + count(fmt.Sprint(list)) + count([]string{"a", "b"})
}

func Demo() string { return fmt.Sprint(forward(1, 2, 3), fine(1, 2)) }
