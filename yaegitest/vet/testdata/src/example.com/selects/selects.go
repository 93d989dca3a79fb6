package selects

import (
	"context"
	"sync"
	"time"
)

var never chan int

// wait has many cases, which leaves others much time to overwrite the first.
func wait(ctx context.Context, c chan int) (int, error) {
	select { // want `select: goroutines that run it`
	case v := <-c:
		return v, nil
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-never:
	case <-ctx.Done():
		return -1, ctx.Err()
	}
	return -1, nil
}

func once(n int) bool {
	c := make(chan int)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	go func() { c <- n }()
	got, err := wait(ctx, c)
	return err == nil && got == n
}

var (
	mu    sync.Mutex
	wrong bool
)

func worker(g int, wg *sync.WaitGroup) {
	go func() {
		for i := 0; i < 2000; i++ {
			if !once(g*1000 + i) {
				mu.Lock()
				wrong = true
				mu.Unlock()
				break
			}
		}
		wg.Done()
	}()
}

func Demo() string {
	var wg sync.WaitGroup
	for g := 0; g < 32; g++ {
		wg.Add(1)
		worker(g, &wg)
	}
	wg.Wait()
	if wrong {
		return "a wrong value, or done without being done"
	}
	return "each its own value"
}
