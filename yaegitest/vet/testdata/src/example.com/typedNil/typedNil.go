package typedNil

import "fmt"

type problem struct{}

func (p *problem) Error() string { return "problem" }

var _ error = (*problem)(nil)

func check() error {
	var p *problem
	return p // want `becomes an error: if it is nil`
}

func fine() error { return &problem{} }

func Demo() string { return fmt.Sprint(check() == nil, fine() == nil) }
