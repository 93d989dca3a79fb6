package rangeValue

import "fmt"

func overPointer() int {
	sum := 0
	for i, n := range &[2]int{3, 4} { // want `a range over \*\[2\]int panics`
		sum += i * n
	}
	return sum
}

func Demo() string {
	list := []chan int{make(chan int, 1), make(chan int, 1)}
	sum := 0
	for i := range list {
		list[i] <- i + 1
	}
	for _, n := range [2]int{3, 4} {
		sum += n
	}
	for _, c := range list { // want `whose value is a channel panics`
		sum += <-c
	}
	return fmt.Sprint(sum, overPointer())
}
