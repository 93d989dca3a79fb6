package initOrder

import "fmt"

var first = compute() // want `first is set by a function that reads later`

var later = 5

var fine = later + compute()

var direct = after + 1

var after = 7

func compute() int { return deeper() + 1 }

func deeper() int { return later }

func Demo() string { return fmt.Sprint(first, fine, direct) }
