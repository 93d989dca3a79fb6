package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// Spans between troubles and of them.
const (
	calmLeast, calmMost     = 4 * time.Second, 12 * time.Second
	downLeast, downMost     = 2 * waitMost, 3 * time.Second // longer than any request waits: no request sees two lives of Redis
	frozenLeast, frozenMost = 100 * time.Millisecond, 3 * time.Second
)

// troubles is what was done to Redis.
type troubles struct{ kills, freezes int }

// trouble kills and freezes Redis at random until ctx ends, and leaves it running. The first is a kill. After each kill it audits the lives before.
func trouble(ctx context.Context, w *world, rng *rand.Rand, audit func(before int), out io.Writer) (troubles, error) {
	began := time.Now()
	var done troubles
	for wait(ctx, between(rng, calmLeast, calmMost)) {
		if done.kills == 0 || rng.IntN(3) == 0 {
			down := between(rng, downLeast, downMost)
			fmt.Fprintf(out, "%6.1fs  kill -9 of Redis, for %s\n", time.Since(began).Seconds(), down)
			w.redis.Kill()
			w.lives.end(now())
			wait(ctx, down)
			number := w.lives.begin(now())
			// Not ctx: Redis must run at the end.
			if err := w.redis.Start(context.WithoutCancel(ctx)); err != nil {
				return done, err
			}
			done.kills++
			audit(number - 1) // a request that began in the life before may still be on its way
			continue
		}
		frozen := between(rng, frozenLeast, frozenMost)
		fmt.Fprintf(out, "%6.1fs  SIGSTOP of Redis, for %s\n", time.Since(began).Seconds(), frozen)
		w.redis.Pause()
		wait(ctx, frozen)
		w.redis.Resume()
		done.freezes++
	}
	return done, nil
}

// between is a random span.
func between(rng *rand.Rand, least, most time.Duration) time.Duration {
	return (least + time.Duration(rng.Int64N(int64(most-least)))).Round(time.Millisecond)
}

// wait waits for d and reports whether ctx lasted.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
