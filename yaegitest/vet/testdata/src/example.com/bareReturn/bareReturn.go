package bareReturn

import (
	"fmt"
	"strings"
)

func moved(s string) (moved, ask bool, addr string) {
	switch {
	case strings.HasPrefix(s, "MOVED "):
		moved = true
	case strings.HasPrefix(s, "ASK "):
		ask = true
	default:
		return // want `bare return`
	}
	addr = s[strings.LastIndex(s, " ")+1:]
	return // want `bare return`
}

func fine() (n int) {
	n = 3
	func() {
		return
	}()
	return n
}

func Demo() string {
	moved("ASK 1 a:1")
	a, b, c := moved("ERR x")
	return fmt.Sprint(a, b, c, fine())
}
