package nilAssign

import "fmt"

type box struct{ v int }

func Demo() string {
	b := &box{1}
	a := b
	a, b.v = nil, 7 // want `nil in an assignment of several values panics`
	return fmt.Sprint(a == nil, b.v)
}
