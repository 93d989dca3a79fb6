package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// scriptCall is one call: what Redis is asked for the requests of one flight.
type scriptCall struct {
	keys   []string
	limits string // ARGV[1]
	costs  string // ARGV[2]
	asking bool   // mode cluster: the slot is on its way to this node
}

// background is the context of whatever no single request decides about.
var background = context.Background()

// exchange runs the script once on an open connection and returns its reply, which may take timeout.
func exchange(c *connection, question *scriptCall, timeout time.Duration) (string, error) {
	stale, received := time.Since(c.used) >= staleAfter, c.wire.received
	c.wire.most = received + replyMost
	c.wire.readTimeout = timeout
	reply, err := evaluate(c, "evalsha", scriptHash, question)
	if err != nil && errorCode(err) == "NOSCRIPT" {
		reply, err = evaluate(c, "eval", script, question)
	}
	if err != nil {
		return "", callError(err, stale && c.wire.received == received)
	}
	text, err := replyText(reply)
	return text, err
}

// callError is why a call failed: errStale when the peer had closed an idle connection before it said a byte.
func callError(err error, idle bool) error {
	if idle && hungUp(err) {
		return fmt.Errorf("%w: %v", errStale, err)
	}
	return err
}

// replyText is a reply of the script, which is one string.
func replyText(reply interface{}) (string, error) {
	text, ok := reply.(string)
	if !ok {
		return "", fmt.Errorf("%w: not a string", errForeignReply)
	}
	return text, nil
}

// evaluate sends the script's hash, or its text to a server that does not know it yet (first call, SCRIPT FLUSH, restart).
func evaluate(c *connection, name, which string, question *scriptCall) (interface{}, error) {
	words := make([]interface{}, 0, len(question.keys)+6)
	words = append(words, name, which, len(question.keys))
	for _, key := range question.keys {
		words = append(words, key)
	}
	words = append(words, question.limits, question.costs, "")
	command := redis.NewCmd(background, words...)
	_ = c.conn.Process(background, command) // the deadlines are the wire's
	return command.Result()
}

// answered is what came back for a script call.
type answered struct {
	reply interface{}
	err   error
}

// exchangeAll is exchange for several calls, each of which may name another slot of a node: they are sent in one go and executed in order.
func exchangeAll(c *connection, calls []*scriptCall, timeout time.Duration) []answered {
	stale, received := time.Since(c.used) >= staleAfter, c.wire.received
	c.wire.most = received + replyMost
	c.wire.readTimeout = timeout
	answers := evaluateAll(c, calls, true)
	var unknown []*scriptCall
	var places []int
	for i := range answers {
		if answers[i].err != nil && errorCode(answers[i].err) == "" {
			unknown = nil // the connection has ended in the middle: those that were refused before wait for the next
			break
		}
		if answers[i].err != nil && errorCode(answers[i].err) == "NOSCRIPT" {
			unknown = append(unknown, calls[i])
			places = append(places, i)
		}
	}
	if len(unknown) > 0 {
		again := evaluateAll(c, unknown, false)
		for i, place := range places {
			answers[place] = again[i]
		}
	}
	if stale && c.wire.received == received {
		for i := range answers {
			if answers[i].err != nil && hungUp(answers[i].err) {
				answers[i].err = fmt.Errorf("%w: %v", errStale, answers[i].err)
			}
		}
	}
	return answers
}

// evaluateAll is evaluate for several calls.
func evaluateAll(c *connection, calls []*scriptCall, byHash bool) []answered {
	ctx := background // the deadlines are the wire's
	pipe := c.conn.Pipeline()
	sent := make([]*redis.Cmd, len(calls))
	for i, call := range calls {
		if call.asking {
			pipe.Do(ctx, "ASKING")
		}
		if byHash {
			sent[i] = pipe.EvalSha(ctx, scriptHash, call.keys, call.limits, call.costs, "")
		} else {
			sent[i] = pipe.Eval(ctx, script, call.keys, call.limits, call.costs, "")
		}
	}
	_, failure := pipe.Exec(ctx)
	answers := make([]answered, len(calls))
	for i, command := range sent {
		reply, err := command.Result()
		if err == nil && reply == nil && failure != nil {
			err = failure // not even sent
		}
		answers[i] = answered{reply: reply, err: err}
	}
	return answers
}

// hungUp reports whether the peer closed the connection. By the text: syscall does not exist in Yaegi.
func hungUp(err error) bool {
	text := err.Error()
	return errors.Is(err, io.EOF) || strings.HasSuffix(text, "connection reset by peer") || strings.HasSuffix(text, "broken pipe")
}

// errorCode is the first word of an error that Redis replied, such as WRONGTYPE; "" for any other error.
// By the text: assertions on go-redis' error types fail in Yaegi.
func errorCode(err error) string {
	return replyCode(err.Error())
}

// replyCode is the word of capitals that Redis' error replies begin with; "" when there is none.
func replyCode(text string) string {
	end := strings.IndexByte(text, ' ')
	if end < 2 || strings.Trim(text[:end], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return ""
	}
	return text[:end]
}

// usable reports whether a connection may carry another exchange: only after a complete reply, and not when the
// server's words say that this connection or this server serves us no more.
func usable(err error) bool {
	if err == nil {
		return true
	}
	switch errorCode(err) {
	case "", "READONLY", "LOADING", "MASTERDOWN", "NOAUTH", "WRONGPASS":
		return false
	}
	return true
}
