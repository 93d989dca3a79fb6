package literalAssign

import "fmt"

type box struct{ n int }

func made() box { return box{6} }

func named() (b box, err error) {
	b = box{1} // want `the literal does not reach b`
	return b, nil
}

func closure() int {
	var b box
	set := func() {
		b = box{2} // want `the literal does not reach b`
	}
	set()
	return b.n
}

func read() int {
	var b box
	get := func() int { return b.n }
	b = box{3} // want `the literal does not reach b`
	return get()
}

func pointer() int {
	var b box
	p := &b
	b = box{4} // want `the literal does not reach b`
	return p.n
}

func fine(p box) (n int) {
	var b box
	b = box{5}
	p = box{n: b.n}
	c := box{}
	f := func() {
		c = made()
		d := box{}
		d = box{7}
		n = d.n
	}
	f()
	list := make([]box, 1)
	list[0] = box{8}
	return p.n + c.n + n + list[0].n
}

func Demo() string {
	b, _ := named()
	return fmt.Sprint(b.n, closure(), read(), pointer(), fine(box{}))
}
