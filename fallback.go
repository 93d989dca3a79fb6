package ratelimit

import "context"

// fallback decides by the failure mode when the limiter behind it cannot.
type fallback struct {
	next       limiter
	mode       string        // failOpen, failClosed or failLocal
	local      *localLimiter // failLocal only
	health     *health
	dispatcher *dispatcher // mode cluster: knows whose health it is
}

// take implements limiter. In mode open it never fails: the decision lets pass and has no verdicts, for nobody counted.
// In mode closed the error of next is returned. In mode local this process decides.
func (f *fallback) take(ctx context.Context, source string, cost int64) (decision, error) {
	decided, err := f.next.take(ctx, source, cost)
	if err == nil {
		return decided, nil
	}
	if f.dispatcher != nil {
		f.dispatcher.decidedWithout(source)
	} else {
		f.health.decidedWithout()
	}
	switch f.mode {
	case failOpen:
		return decision{allowed: true}, nil
	case failLocal:
		return f.local.take(ctx, source, cost)
	}
	return decision{}, err
}
