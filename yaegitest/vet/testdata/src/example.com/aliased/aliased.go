package aliased

import "fmt"

type problem string

func (p problem) Error() string { return string(p) }

type box struct{ err error }

func made(n int) problem { return problem(fmt.Sprint(n)) }

func Demo() string {
	list := make([]error, 2)
	fine := make([]error, 2)
	var grown []error
	for i := range list {
		p := made(i)
		list[i] = p // want `the interface refers to the variable p and changes with it`
		fine[i] = made(i)
		grown = append(grown, p) // want `the interface refers to the variable p`
	}
	p := made(5)
	b := box{err: p} // want `the interface refers to the variable p`
	p = made(6)
	return fmt.Sprint(list, fine, grown, b.err)
}
