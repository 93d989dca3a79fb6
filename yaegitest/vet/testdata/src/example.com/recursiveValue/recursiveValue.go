package recursiveValue

import "fmt"

type options struct {
	onConnect func(c *conn) error
	name      string
}

type base struct {
	opt   *options
	count int
	list  []int
}

type conn struct {
	base  // want `conn holds recursiveValue.base by value, which refers to recursiveValue.conn, which does too`
	extra string
}

type fine struct {
	*base
	extra string
}

func Demo() string {
	f := &fine{base: &base{count: 4, list: []int{1}}, extra: "x"}
	c := &conn{base: base{opt: &options{name: "o"}, count: 4, list: []int{1}}, extra: "x"}
	return fmt.Sprint(c.count, c.list, c.extra, c.opt.name, f.count, f.extra)
}
