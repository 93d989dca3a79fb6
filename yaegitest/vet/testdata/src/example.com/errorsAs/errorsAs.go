package errorsAs

import (
	"errors"
	"fmt"
	"net"
)

type problem struct{ n int }

func (p *problem) Error() string { return "problem" }

func Demo() string {
	err := fmt.Errorf("wrapped: %w", &problem{3})
	var p *problem
	a := errors.As(err, &p) // want `errors.As panics`
	var i interface{ Timeout() bool }
	b := errors.As(err, &i) // want `errors.As panics`
	var fine *net.OpError
	c := errors.As(err, &fine)
	return fmt.Sprint(a, b, c)
}
