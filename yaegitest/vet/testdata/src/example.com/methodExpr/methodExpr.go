package methodExpr

import "fmt"

type counter struct{ n int }

func (c *counter) add()    { c.n++ }
func (c counter) get() int { return c.n }

func Demo() string {
	c := &counter{}
	(*counter).add(c)   // fine
	f := (*counter).add // want `a method expression with a pointer receiver panics`
	f(c)
	g := c.add
	g()
	return fmt.Sprint(counter.get(*c))
}
