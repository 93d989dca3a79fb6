package recovered

import (
	"errors"
	"fmt"
)

var abort = errors.New("abort")

func isAbort() (is bool) {
	defer func() {
		r := recover()
		is = r == abort // want `comparison with what recover returns is false`
	}()
	panic(abort)
}

func asText() (text string) {
	defer func() {
		text, _ = recover().(string) // want `assertion on what recover returns fails`
	}()
	panic("x")
}

func fine() (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	panic("y")
}

func Demo() string {
	return fmt.Sprint(isAbort(), asText(), fine())
}
