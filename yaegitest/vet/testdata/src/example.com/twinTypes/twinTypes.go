package twinTypes

import "fmt"

type cents struct{ n int }
type metres struct{ n int }
type other struct{ m int }
type text string
type problem string

func (problem) Error() string { return "p" }

func Demo() string {
	var v any = cents{1}
	_, a := v.(metres) // want `assertion to twinTypes.metres holds for a twinTypes.cents too`
	_, b := v.(other)
	v = &cents{1}
	_, c := v.(*metres) // want `assertion to \*twinTypes.metres holds for a \*twinTypes.cents too`
	v = "x"
	_, d := v.(text) // want `assertion to twinTypes.text holds for a plain string too`
	var err error = problem("x")
	_, e := err.(problem)
	return fmt.Sprint(a, b, c, d, e)
}
