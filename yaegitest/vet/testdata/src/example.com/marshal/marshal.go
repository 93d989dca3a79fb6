package marshal

import "encoding/json"

type point struct {
	X int
	y int
}

type fine struct{ X int }

func Demo() string {
	a, _ := json.Marshal(point{1, 2}) // want `unexported fields of marshal.point`
	b, _ := json.Marshal(fine{1})
	return string(a) + string(b)
}
