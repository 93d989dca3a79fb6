package returnCall

import (
	"errors"
	"fmt"
	"strconv"
)

type holder struct{ exec func() error }

func (h *holder) method() error { return errors.New("method") }

func failed() error { return errors.New("failed") }

func throughField(h *holder) (int, error) {
	return 1, h.exec() // want `what a call through a func value returns is lost here`
}

func throughVariable() (int, error) {
	f := failed
	return 1, f() // want `what a call through a func value`
}

type counter struct{ next func() int }

func asInterface(c *counter) any {
	return c.next() // want `what a call through a func value`
}

func seven() int { return 7 }

func builtin(s string) (int, int) {
	return 5, len(s) // want `len after the first of several returned values`
}

func fine(h *holder, s string) (int, string, int64, error) {
	return len(s), strconv.Itoa(3), int64(4), h.method()
}

func alone(h *holder) error { return h.exec() }

func Demo() string {
	h := &holder{failed}
	_, a := throughField(h)
	_, b := throughVariable()
	_, c := builtin("abc")
	d, e, f, g := fine(h, "ab")
	return fmt.Sprint(a, b, c, d, e, f, g, alone(h), asInterface(&counter{seven}))
}
