package loopDefer

import "fmt"

var list []int

func add(n int) { list = append(list, n) }

func three() {
	for i := 0; i < 3; i++ {
		defer add(i) // want `defer in a loop`
	}
}

func fine() {
	defer add(9)
}

func Demo() string {
	three()
	fine()
	return fmt.Sprint(list)
}
