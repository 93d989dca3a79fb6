package spreadCall

import (
	"errors"
	"fmt"
)

type area interface{ area() int }

type square struct{ side int }

func (s *square) area() int { return s.side * s.side }

func two() (area, error)           { return &square{2}, errors.New("e") }
func plain() (error, int)          { return errors.New("p"), 3 }
func use(a area, err error) string { return fmt.Sprint(a.area(), err) }
func fine(err error, n int) string { return fmt.Sprint(err, n) }

func Demo() string {
	text := fine(plain())
	return text + use(two()) // want `with the results of another panics`
}
