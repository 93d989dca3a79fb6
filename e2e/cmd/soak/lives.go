package main

import (
	"fmt"
	"sync"
)

// instant is a time of this machine's clock, which is Redis' clock too, in µs since the Unix epoch.
type instant int64

// lives are the lives of Redis, one after the other. What a life has counted ends with it, so each is accounted apart.
type lives struct {
	mu  sync.Mutex
	all []life
}

// life is one life. A decision of it was made after born and before dead.
type life struct {
	born instant // before its process was started
	dead instant // after its process had ended; 0 while it lives
}

// begin notes that a Redis is about to be started, and returns the number of its life.
func (l *lives) begin(now instant) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, life{born: now})
	return len(l.all) - 1
}

// end notes that the Redis has ended.
func (l *lives) end(now instant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[len(l.all)-1].dead = now
}

// of is the life that decided what was asked at sent and answered by received. It is ambiguous when the request saw
// one life end and the next begin, and an error when there was none all the while.
func (l *lives) of(sent, received instant) (number int, ambiguous bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, last := len(l.all), -1
	for i, life := range l.all {
		if life.born <= received && (life.dead == 0 || life.dead >= sent) {
			first, last = min(first, i), i
		}
	}
	if last < 0 {
		return 0, false, fmt.Errorf("decided by Redis between %d and %d, when there was none", sent, received)
	}
	return last, first < last, nil
}
