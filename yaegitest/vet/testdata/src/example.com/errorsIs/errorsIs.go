package errorsIs

import (
	"errors"
	"fmt"
	"io"
)

type problem string

func (p problem) Error() string { return string(p) }

const none = problem("none")

var errClosed = errors.New("closed")

func get() error { return none }

func Demo() string {
	return fmt.Sprint(
		errors.Is(get(), none), // want `errors.Is is false`
		errors.Is(fmt.Errorf("x: %w", errClosed), errClosed),
		errors.Is(io.EOF, io.EOF))
}
