package compare

import (
	"errors"
	"fmt"
	"io"
	"reflect"
)

type problem string

func (p problem) Error() string { return string(p) }

const none = problem("none")

var errClosed = errors.New("closed")
var alias = errClosed

func get(which int) error {
	switch which {
	case 0:
		return none
	case 1:
		return errClosed
	}
	return nil
}

type area interface{ area() int }

type square struct{ side int }

func (s *square) area() int { return s.side }

func same(a, b area) bool {
	return a == b // want `comparison of compare.area with compare.area`
}

func Demo() string {
	err := get(0)
	x := err == none // want `comparison of error with compare.problem`
	y := "other"
	switch err {
	case none: // want `comparison of error with compare.problem`
		y = "none"
	case io.EOF, errClosed:
	case nil:
	}
	s := &square{1}
	fine := get(1) == errClosed && get(1) == alias && get(1) != io.EOF && get(2) == nil &&
		reflect.TypeOf(1) == reflect.TypeOf(2) && s == s
	return fmt.Sprint(x, y, same(s, s), fine)
}
