package receive

import "fmt"

type box struct{ v int }

func returned(c chan int) int {
	return <-c // want `return of a receive panics`
}

func ignored(c chan int) bool {
	var ok bool
	_, ok = <-c // want `into _ and a variable panics`
	return ok
}

func stored(c chan int) int {
	b := &box{}
	b.v = <-c // want `into something else than a variable is lost`
	return b.v
}

func fine(c chan int) int {
	v := <-c
	v = <-c
	w, ok := <-c
	_ = ok
	b := box{<-c}
	return v + w + b.v
}

func Demo() string {
	c := make(chan int, 9)
	for i := 1; i < 9; i++ {
		c <- i
	}
	return fmt.Sprint(fine(c), stored(c))
}

var _, _ = returned, ignored
