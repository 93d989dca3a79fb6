package ratelimit

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// exactBucket is the token bucket as its definition says it, in rational numbers: tokens grow evenly with time up to burst.
type exactBucket struct {
	tokens *big.Rat
	at     micros
}

func (b *exactBucket) take(l limit, now micros, cost int64) verdict {
	burst, price := new(big.Rat).SetInt64(l.burst), new(big.Rat).SetInt64(cost)
	perMicro := big.NewRat(l.average, int64(l.period))
	held := burst
	if b.tokens != nil {
		held = new(big.Rat).SetInt64(int64(now - b.at))
		held.Mul(held, perMicro).Add(held, b.tokens)
		if held.Cmp(burst) > 0 {
			held = burst
		}
	}

	v := verdict{allowed: held.Cmp(price) >= 0, never: cost > l.burst}
	if v.allowed && cost > 0 {
		held = new(big.Rat).Sub(held, price)
		b.tokens, b.at = held, now
	}
	v.remaining = floorOf(held)
	wait := func(tokens *big.Rat) micros { // until held has grown to tokens, rounded up
		missing := new(big.Rat).Sub(tokens, held)
		return micros(-floorOf(missing.Quo(missing, perMicro).Neg(missing)))
	}
	v.resetAfter = wait(burst)
	if v.remaining < l.burst {
		v.nextAfter = wait(new(big.Rat).SetInt64(v.remaining + 1))
	}
	if !v.allowed && !v.never {
		v.retryAfter = wait(price)
	}
	return v
}

func floorOf(r *big.Rat) int64 {
	return new(big.Int).Div(r.Num(), r.Denom()).Int64() // Div rounds down, since denominators are positive
}

// The bucket's integers say exactly what rational numbers say.
func TestTokenBucketIsExact(t *testing.T) {
	checkTimes(t, 10_000, func(rt *rapid.T) {
		g := newGenerator(rt, []string{tokenBucket}, 1)
		g.forward, g.sameLimits = true, true
		g.steps(40, 1, 1)
		var exact exactBucket
		for i, c := range g.calls {
			want := exact.take(c.limits[0], c.now, c.costs[0])
			if got := g.outcomes[i][0].decision.verdicts[0]; got != want {
				rt.Fatalf("step %d, at %d, cost %d of %+v:\n got %+v\nwant %+v", i, c.now, c.costs[0], c.limits[0], got, want)
			}
		}
	})
}

// Nothing drifts: 3 per second with a burst of 3, asked without pause for a day, lets exactly 3 + 3·86,400 pass.
func TestTokenBucketDoesNotDrift(t *testing.T) {
	l := limit{name: "default", algorithm: tokenBucket, average: 3, period: aSecond, burst: 3}
	var s state
	passed, now := 0, noonMicros
	for now <= noonMicros+aDay {
		var v verdict
		s, v = takeBucket(l, s, now, 1)
		if v.allowed {
			passed++
		}
		now += v.retryAfter
	}
	if passed != 259_203 {
		t.Errorf("%d passed in a day, want 259,203", passed)
	}
}
