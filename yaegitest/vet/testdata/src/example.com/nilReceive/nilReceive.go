package nilReceive

import "fmt"

type box struct{ v int }

func Demo() string {
	c := make(chan *box, 9)
	c <- &box{1}
	c <- &box{2}
	fine := <-c
	sum := fine.v
	var b *box
	for i := 0; i < 1; i++ {
		b = nil
		b = <-c // want `a receive into b, to which nil is assigned elsewhere, panics`
		sum += b.v
	}
	b = nil
	return fmt.Sprint(sum, b)
}
