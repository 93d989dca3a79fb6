package loopClosure

import (
	"fmt"
	"sync"
	"time"
)

func Demo() string {
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for i := 0; i < 3; i++ {
		i := i
		wg.Add(1)
		time.AfterFunc(time.Millisecond, func() { // want `closure made in a loop`
			mu.Lock()
			sum += 1 << (4 * i)
			mu.Unlock()
			wg.Done()
		})
	}
	wg.Wait()
	fine := func() int {
		for i := 0; ; i++ {
			if i > 3 {
				return i
			}
		}
	}
	return fmt.Sprintf("%x %d", sum, fine())
}
