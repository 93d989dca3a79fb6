package commaOk

import "fmt"

type box struct{ n int }

func Demo() string {
	m := map[string]int{"a": 1}
	text := ""
	for _, k := range []string{"a", "b"} {
		v, ok := m[k] // want `keeps its last one`
		text += fmt.Sprint(v, ok, " ")
	}
	for _, x := range []any{2, "c"} {
		n, _ := x.(int) // want `keeps its last one`
		text += fmt.Sprint(n, " ")
	}
	b := box{9}
	var ok bool
	b.n, ok = m["b"] // want `keeps its last one`

	for _, k := range []string{"a", "b"} {
		if v, ok := m[k]; ok && v > 0 {
			text += fmt.Sprint(v)
		}
		v, ok := m[k]
		if !ok {
			v = 5
		}
		text += fmt.Sprint(v)
		w, ok := m[k]
		if !ok {
			continue
		}
		text += fmt.Sprint(w, m[k])
	}
	v, ok := m["b"]
	return text + fmt.Sprint(b.n, v, ok)
}
