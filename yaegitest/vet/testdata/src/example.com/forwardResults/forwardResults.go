package forwardResults

import (
	"errors"
	"fmt"
	"strconv"
)

func number() (int, error) { return 3, errors.New("no number") }

func converted() (any, error) {
	return number() // want `return of a call whose results are converted`
}

func fine() (int, error) { return number() }

func compiled() (any, error) { return strconv.Atoi("x") }

func Demo() string {
	_, a := converted()
	_, b := fine()
	_, c := compiled()
	return fmt.Sprint(a, b, c)
}
