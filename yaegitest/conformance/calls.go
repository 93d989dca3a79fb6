package conformance

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// line is the way of script calls to a Conn's connection. As published it is that of all commands; with the patched go-redis
// testdata/line.go takes the place of this file.
type line struct{ conn *redis.Conn }

func lineOf(_ context.Context, conn *redis.Conn) (*line, error) { return &line{conn: conn}, nil }

// exchange makes one call.
func (l *line) exchange(ctx context.Context, words []interface{}) (interface{}, error) {
	value, err := l.conn.Do(ctx, words...).Result()
	return value, err
}

// ownCmd keeps the error of its own reply: go-redis puts a failure on those before it, too.
type ownCmd struct {
	*redis.Cmd
	told bool
}

// SetErr implements redis.Cmder.
func (c *ownCmd) SetErr(err error) {
	if !c.told {
		c.told = true
		c.Cmd.SetErr(err)
	}
}

// exchangeAll makes several calls in one go.
func (l *line) exchangeAll(ctx context.Context, calls []nodeCall) []answered {
	pipe := l.conn.Pipeline()
	sent := make([]*ownCmd, len(calls))
	for i, call := range calls {
		if call.asking {
			pipe.Do(ctx, "ASKING")
		}
		sent[i] = &ownCmd{Cmd: redis.NewCmd(ctx, call.words...)}
		_ = pipe.Process(ctx, sent[i])
	}
	_, _ = pipe.Exec(ctx) // the error is that of a call, or of all
	answers := make([]answered, len(calls))
	for i := range sent {
		answers[i].value, answers[i].err = sent[i].Result()
	}
	return answers
}
