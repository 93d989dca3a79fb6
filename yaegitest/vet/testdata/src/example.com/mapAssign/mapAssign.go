package mapAssign

import "fmt"

func two() (int, error) { return 7, nil }

func Demo() string {
	m := map[string]int{}
	list := []int{0}
	var err error
	m["a"], err = two() // want `does not reach it`
	list[0], err = two()
	m["b"] = 3
	m["c"], m["d"] = 1, 2
	return fmt.Sprint(m, list, err)
}
