package resultOrder

import "fmt"

func swap(a, b int) (x, y int) {
	x, y = a, b
	return y, x // want `reads the named result x`
}

func fine(a int) (x, y int) {
	x, y = a, a+1
	return x, y + x
}

func Demo() string {
	a, b := swap(1, 2)
	c, d := fine(1)
	return fmt.Sprint(a, b, c, d)
}
