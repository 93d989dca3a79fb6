package main

import (
	"context"
	"fmt"
	"time"
)

const reloadEvery = 2 * time.Second

// reloads is how often the gateways' configuration was applied.
type reloads struct{ same, changed, faulty int }

// reload applies a configuration every reloadEvery until ctx ends: the same again, a changed middleware, and now and then a faulty one.
func reload(ctx context.Context, w *world) (reloads, error) {
	var done reloads
	for n := 1; wait(ctx, reloadEvery); n++ {
		faulty, other := n%20 == 19, n%2 == 0
		err := w.each(func(i int) error {
			if faulty || other {
				return w.proxies[i].Apply(ctx, "changing.yml", changed(w.redis.Addr, gateways[i], n, faulty))
			}
			return w.proxies[i].Applied(ctx)
		})
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return done, fmt.Errorf("reload %d: %w", n, err)
		}
		switch {
		case faulty:
			done.faulty++
		case other:
			done.changed++
		default:
			done.same++
		}
	}
	return done, nil
}
