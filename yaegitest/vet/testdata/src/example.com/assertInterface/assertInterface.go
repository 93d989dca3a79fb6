package assertInterface

import (
	"fmt"
	"net"
)

type area interface{ area() int }

type named interface{ name() string }

type square struct{ side int }

func (s square) area() int    { return s.side * s.side }
func (s square) name() string { return "square" }

type timeout interface{ Timeout() bool }

func Demo() string {
	var v any = square{2}
	_, fromAny := v.(area) // want `assertion of any to the interface assertInterface.area fails`
	var err error = &net.OpError{Op: "x", Err: &net.DNSError{}}
	_, fromError := err.(timeout) // want `assertion of error to the interface assertInterface.timeout fails`
	var a area = square{2}
	_, fine := a.(named)
	_, concrete := v.(square)
	return fmt.Sprint(fromAny, fromError, fine, concrete)
}
