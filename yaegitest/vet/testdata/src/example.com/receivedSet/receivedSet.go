package receivedSet

import "fmt"

func later() bool { return true }

func Demo() string {
	c := make(chan bool, 9)
	c <- false
	c <- true
	other := <-c
	fine := other
	fine = fine || later()
	got := <-c
	if got {
		got = later() // want `an assignment to got, into which a receive goes, panics`
	}
	return fmt.Sprint(fine, got)
}
