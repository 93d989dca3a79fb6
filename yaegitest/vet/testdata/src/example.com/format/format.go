package format

import "fmt"

type point struct{ x int }

type level int

func (l level) String() string { return "L" }

func Demo() string {
	a := fmt.Sprintf("%T %d%% %-5s", point{1}, 3, "x") // want `%T shows the interpreted type point raw`
	b := fmt.Sprintf("%+v", point{1})                  // want `%\+v shows the interpreted type point raw`
	c := fmt.Sprintf("%s %d", level(3), level(3))      // want `%d shows the wrapper of level`
	d := fmt.Sprintf("%v %v", point{1}, level(3))
	return a + b + c + d
}
