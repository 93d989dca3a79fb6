package computedConst

import (
	"fmt"
	"time"
)

type kind int

const (
	one kind = iota + 1
	two
)

type plain int

const (
	zero plain = iota
	first
)

const converted = plain(2 + 3)
const span time.Duration = 3 * time.Second
const untyped = 1 << 3

func Demo() string {
	name := ""
	switch kind(2) {
	case two:
		name = "two"
	}
	k, p, d, n := kind(1), plain(1), 3*time.Second, 8
	return fmt.Sprint(name, k == one, // want `one equals nothing`
		k != two, // want `two equals nothing`
		p == zero, p == first, plain(5) == converted, d == span, n == untyped)
}
