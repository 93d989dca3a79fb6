package rangeChannels

import "fmt"

func Demo() string {
	list := []chan int{make(chan int, 1), make(chan int, 1)}
	sum := 0
	for i := range list {
		list[i] <- i + 1
	}
	for _, c := range list { // want `whose value is a channel panics`
		sum += <-c
	}
	return fmt.Sprint(sum)
}
