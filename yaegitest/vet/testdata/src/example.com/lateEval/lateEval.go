package lateEval

import (
	"fmt"
	"sync"
)

type box struct{ n int }

func (b *box) get() int  { return b.n }
func (b *box) set(n int) { b.n = n }

func (b *box) store(list []int, wg *sync.WaitGroup) {
	list[b.n] = b.n + 1
	wg.Done()
}

var stored int

func keep(n int) { stored = n }

func deferred() int {
	n := 1
	func() {
		defer keep(n) // want `sees what n is set to after the defer`
		n = 2
	}()
	return stored
}

func field(b *box) int {
	func() {
		defer keep(b.n) // want `sees what b.n is set to after the defer`
		b.n = 7
	}()
	return stored
}

func receiver() int {
	a := &box{}
	b := a
	func() {
		defer b.set(5) // want `b is set again before set is called on it`
		b = &box{}
	}()
	return a.n
}

func methodValue() int {
	b := &box{1}
	f := b.get // want `b is set again before get is called on it`
	b = &box{2}
	return f()
}

func goReceiver() []int {
	list := make([]int, 3)
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		b := &box{i}
		wg.Add(1)
		go b.store(list, &wg) // want `b is set again before store is called on it`
	}
	wg.Wait()
	return list
}

func fine(mu *sync.Mutex) int {
	mu.Lock()
	defer mu.Unlock()
	b := &box{1}
	f := b.get
	defer keep(b.get() + 1)
	b.n = 4
	var wg sync.WaitGroup
	list := make([]int, 5)
	wg.Add(1)
	go b.store(list, &wg)
	wg.Wait()
	return f() + list[4]
}

func Demo() string {
	return fmt.Sprint(deferred(), field(&box{6}), receiver(), methodValue(), goReceiver(), fine(&sync.Mutex{}))
}
