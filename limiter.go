package ratelimit

import "context"

// limiter is the one interface: each layer of the way to a decision is one, and wraps the next.
type limiter interface {
	// take asks for cost units (0 to 1,000; 0 only looks) for source, the text under which a client is counted.
	// An error means that no decision was made.
	take(ctx context.Context, source string, cost int64) (decision, error)
}
