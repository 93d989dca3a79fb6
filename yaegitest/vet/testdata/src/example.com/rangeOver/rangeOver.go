package rangeOver

import "fmt"

func seq(yield func(int) bool) { yield(4) }

func Demo() string {
	sum := 0
	for i := range 3 { // want `range over an integer`
		sum += i
	}
	for i := range seq { // want `range over a function`
		sum += i
	}
	for i := range []int{1} {
		sum += i
	}
	return fmt.Sprint(sum)
}
