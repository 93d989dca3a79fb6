package ratelimit

import "errors"

// fallback decides by the failure mode, when Redis could not.
type fallback struct {
	mode       string        // failOpen, failClosed or failLocal
	local      *localLimiter // failLocal only
	health     *health
	dispatcher *dispatcher // mode cluster: knows whose health it is
}

// errUndecided is the answer of failure mode closed.
var errUndecided = errors.New("nobody could decide")

// take decides about cost units of source. In mode open it never fails: the decision lets pass and has no verdicts, for nobody counted.
// In mode closed it always fails. In mode local this process decides.
func (f *fallback) take(source string, cost int64) (decision, error) {
	if f.dispatcher != nil {
		f.dispatcher.decidedWithout(source)
	} else {
		f.health.decidedWithout()
	}
	switch f.mode {
	case failOpen:
		return decision{allowed: true}, nil
	case failLocal:
		return f.local.take(source, cost)
	}
	return decision{}, errUndecided
}
