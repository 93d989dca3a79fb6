package errorMethods

import (
	"errors"
	"fmt"
	"io"
)

type problem struct{ cause error }

func (p problem) Error() string { return "problem" }

func (p problem) Unwrap() error { return p.cause } // want `does not see Unwrap`

type fine struct{}

func (fine) Is(_ error) bool { return true }

func get() error { return problem{io.EOF} }

func Demo() string { return fmt.Sprint(errors.Is(get(), io.EOF), fine{}.Is(nil)) }
