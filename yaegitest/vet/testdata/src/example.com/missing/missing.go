package missing

import (
	"fmt"
	"maps" // want `Yaegi has no package maps`
	"slices"
	"sync"
	"sync/atomic"
	_ "unsafe" // want `Yaegi has no package unsafe`
)

func Demo() string {
	var p atomic.Pointer[int] // want `Yaegi has no sync/atomic.Pointer`
	n := 3
	p.Store(&n)
	f := sync.OnceValue(func() int { return 2 }) // want `Yaegi has no sync.OnceValue`
	list := []int{2, 1}
	slices.Sort(list) // want `Yaegi has no slices.Sort`
	m := maps.Clone(map[string]int{"a": 1})
	clear(m) // want `Yaegi has no builtin clear`
	fine := slices.Contains(list, 2)
	return fmt.Sprint(*p.Load(), f(), list, len(m), min(1, 2), max(1, 2), fine) // want `no builtin min` `no builtin max`
}
