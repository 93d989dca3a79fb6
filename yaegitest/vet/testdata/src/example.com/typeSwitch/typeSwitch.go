package typeSwitch

import (
	"errors"
	"fmt"
)

type problem string

func (p problem) Error() string { return string(p) }

type box struct{ v int }

func onError(err error) string {
	switch err := err.(type) {
	case problem: // want `in a type switch on an error`
		return "problem " + string(err)
	default:
		return "other"
	}
}

func withoutVariable(v any) string {
	switch v.(type) {
	case *box: // want `in a type switch without a variable`
		return "box"
	default:
		return "other"
	}
}

func onInterface(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case error: // want `case of an interface`
		return "error " + v.Error()
	default:
		return "other"
	}
}

func fine(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case string, int:
		return fmt.Sprint(v)
	case *box:
		return fmt.Sprint("box", v.v)
	}
	return "other"
}

func Demo() string {
	return fmt.Sprint(onError(problem("x")), withoutVariable(&box{1}), onInterface(errors.New("y")),
		fine(nil), fine("s"), fine(&box{1}), fine(2.5))
}
