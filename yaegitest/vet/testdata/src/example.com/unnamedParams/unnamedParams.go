package unnamedParams

import "context"

type named struct{}

func (named) fine(_ context.Context) (string, error) { return "b", nil }

func declared(context.Context) (string, error) { // want `an unnamed parameter shifts`
	x := "a"
	return x, nil
}

func call(f func(context.Context) (string, error)) string {
	s, _ := f(context.Background())
	return s
}

func Demo() string {
	return call(named{}.fine) + call(declared) + call(func(context.Context) (string, error) { // want `an unnamed parameter shifts`
		return "c", nil
	})
}
