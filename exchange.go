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

// background is the context of whatever no single request decides about. The deadlines of an exchange are the wire's.
var background = context.Background()

// exchange runs the script once on an open connection and returns its reply, which is one string and may take timeout.
func exchange(c *connection, call []byte, timeout time.Duration) (string, error) {
	wire := c.wire
	received := wire.received
	wire.most = received + replyMost
	wire.readTimeout = timeout
	reply, err := redis.Exchange(c.line, call)
	if err != nil {
		text, err := exchangeAgain(c, call, err, received)
		return text, err
	}
	text, ok := reply.(string)
	if !ok {
		return "", notText()
	}
	return text, nil
}

// notText is the cause when the reply is no string.
func notText() error { return fmt.Errorf("%w: not a string", errForeignReply) }

// exchangeAgain is what becomes of an exchange that has failed, when so many bytes had been received before it: the script's text
// goes to a server that does not know it, and an idle connection that the peer had closed before it said a byte is errStale.
func exchangeAgain(c *connection, call []byte, failure error, received int64) (string, error) {
	stale := c.wire.sent.Sub(c.used) >= staleAfter
	var reply interface{}
	if errorCode(failure) == "NOSCRIPT" {
		reply, failure = redis.Exchange(c.line, withText(call))
	}
	if failure != nil {
		if stale && c.wire.received == received && hungUp(failure) {
			failure = fmt.Errorf("%w: %v", errStale, failure)
		}
		return "", failure
	}
	text, err := replyText(reply)
	return text, err
}

// replyText is a reply of the script, which is one string.
func replyText(reply interface{}) (string, error) {
	text, ok := reply.(string)
	if !ok {
		return "", notText()
	}
	return text, nil
}

// nodeCall is one of several calls on one connection, each of which may name another slot of a node.
type nodeCall struct {
	command []byte
	asking  bool // the slot is on its way to this node
}

// answered is what came back for a call.
type answered struct {
	reply interface{}
	err   error
}

// exchangeAll is exchange for several calls: they are sent in one go and executed in order.
func exchangeAll(c *connection, calls []nodeCall, timeout time.Duration) []answered {
	stale, received := time.Since(c.used) >= staleAfter, c.wire.received
	c.wire.most = received + replyMost
	c.wire.readTimeout = timeout
	answers := evaluateAll(c, calls)
	var unknown []nodeCall
	var places []int
	for i := range answers {
		if ended(answers[i].err) {
			unknown = nil // the connection has ended in the middle: those that were refused before wait for the next
			break
		}
		if answers[i].err != nil && errorCode(answers[i].err) == "NOSCRIPT" {
			unknown = append(unknown, nodeCall{command: withText(calls[i].command), asking: calls[i].asking})
			places = append(places, i)
		}
	}
	if len(unknown) > 0 {
		again := evaluateAll(c, unknown)
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

// askingFirst makes a node answer the next command about a slot that it has not got the whole of.
var askingFirst = "*1\r\n" + bulk("asking")

// evaluateAll sends calls and reads their replies. What ends the connection is the error of all that have no reply.
func evaluateAll(c *connection, calls []nodeCall) []answered {
	var line []byte
	for _, call := range calls {
		if call.asking {
			line = append(line, askingFirst...)
		}
		line = append(line, call.command...)
	}
	answers := make([]answered, len(calls))
	err := redis.Send(c.line, line)
	for i := range answers {
		if calls[i].asking && !ended(err) {
			_, err = redis.Receive(c.line)
		}
		if ended(err) {
			answers[i].err = err
			continue
		}
		answers[i].reply, err = redis.Receive(c.line)
		answers[i].err = err
	}
	return answers
}

// ended reports whether a connection has ended, or is given up: what is no reply of Redis' own words may be out of step with what was asked.
func ended(err error) bool { return err != nil && errorCode(err) == "" }

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
