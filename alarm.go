package ratelimit

import "time"

// alarm runs a function later, or at once on a goroutine of its own, whenever it is set: for whatever may set itself again, or be followed by its like.
//
// In Yaegi a function given to a timer or to a goroutine holds on to the frame in which that was done, and so to those of all callers. One that
// arms its own successor with time.AfterFunc or go makes a chain of frames, 1 kB a link or more, and none of it is free until the chain ends:
// under steady traffic, in an outage, with a reload every two seconds it does not. An alarm gives its function away once.
type alarm struct{ timer *time.Timer }

// set lets f run after d. Setting it again before f has begun moves the moment. Whoever sets it holds the lock that guards it, and gives it
// the same f each time.
func (a *alarm) set(d time.Duration, f func()) {
	if a.timer == nil {
		a.timer = time.AfterFunc(d, f)
		return
	}
	a.timer.Reset(d)
}

// stop keeps f from running if it has not begun.
func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
