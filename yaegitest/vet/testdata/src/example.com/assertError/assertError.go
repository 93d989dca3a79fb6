package assertError

import (
	"context"
	"fmt"
	"net"
)

func isOp(err error) bool {
	_, ok := err.(*net.OpError) // want `assertion of an error to \*net.OpError panics`
	return ok
}

func fine(v any) bool {
	_, ok := v.(*net.OpError)
	return ok
}

func Demo() string {
	return fmt.Sprint(fine(context.DeadlineExceeded), isOp(context.DeadlineExceeded))
}
