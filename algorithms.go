package ratelimit

// micros is a whole number of microseconds, Redis' unit of time: a span, or as an instant the time since the Unix epoch.
// All arithmetic on it stays below 2^53, so that Lua's numbers hold it exactly.
type micros int64

// limit is one named rule: average requests per period by an algorithm.
type limit struct {
	name      string // unique within a middleware, [a-z0-9-]{1,32}
	algorithm string // fixedWindow, slidingLog or tokenBucket
	average   int64  // requests per period, 1 to 90,000,000 (sliding log: 100,000)
	period    micros // 1 ms to 366 days
	burst     int64  // token bucket only: the bucket's capacity, 1 to 90,000,000; 0 for the others
}

// The algorithms by the names that users write.
const (
	fixedWindow = "fixed-window"
	slidingLog  = "sliding-log"
	tokenBucket = "token-bucket"
)

// capacity is what a limit lets through at once when untouched.
func capacity(l limit) int64 {
	if l.algorithm == tokenBucket {
		return l.burst
	}
	return l.average
}

// verdict is one limit's answer to one request.
type verdict struct {
	allowed    bool
	never      bool   // the cost exceeds the capacity: no wait helps; retryAfter is 0
	remaining  int64  // whole units left after this request, never negative
	retryAfter micros // until this same cost would pass if the source stays away; 0 when allowed
	resetAfter micros // until the limit is full again if the source stays away
	nextAfter  micros // until remaining grows by one; 0 when full
}

// decision is all verdicts on one request together.
type decision struct {
	allowed  bool      // every limit allows
	at       micros    // the instant of the decision by the clock that made it: Redis', or in failure mode local this process'
	verdicts []verdict // in the order of the limits; none when nobody counted this request
}
