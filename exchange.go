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
	// words are the command: its name, the script's name or text, the number of keys, the keys, ARGV[1] to ARGV[3].
	words  []interface{}
	asking bool // mode cluster: the slot is on its way to this node
}

// newCall is a call by the script's hash about these keys; limits and costs are ARGV[1] and ARGV[2].
func newCall(keys []string, limits, costs string) *scriptCall {
	words := make([]interface{}, 0, len(keys)+6)
	words = append(words, "evalsha", scriptHash, len(keys))
	for _, key := range keys {
		words = append(words, key)
	}
	words = append(words, limits, costs, "")
	return &scriptCall{words: words}
}

// byText is the call with the script's text, for a server that does not know it yet (first call, SCRIPT FLUSH, restart).
func (q *scriptCall) byText() *scriptCall {
	words := append([]interface{}{"eval", script}, q.words[2:]...)
	return &scriptCall{words: words, asking: q.asking}
}

// background is the context of whatever no single request decides about. The deadlines of an exchange are the wire's.
var background = context.Background()

// exchange runs the script once on an open connection and returns its reply, which is one string and may take timeout. Interpreted, a
// method called by its expression costs what a function does, a quarter of the usual way.
func exchange(c *connection, question *scriptCall, timeout time.Duration) (string, error) {
	wire := c.wire
	received := wire.received
	wire.most = received + replyMost
	wire.readTimeout = timeout
	command := redis.NewCmd(background, question.words...)
	_ = (*redis.Conn).Process(c.conn, background, command)
	reply, err := (*redis.Cmd).Result(command)
	if err != nil {
		text, err := exchangeAgain(c, question, err, received)
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
func exchangeAgain(c *connection, question *scriptCall, failure error, received int64) (string, error) {
	stale := c.wire.sent.Sub(c.used) >= staleAfter
	var reply interface{}
	if errorCode(failure) == "NOSCRIPT" {
		byText := question.byText()
		reply, failure = c.conn.Do(background, byText.words...).Result()
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
	answers := evaluateAll(c, calls)
	var unknown []*scriptCall
	var places []int
	for i := range answers {
		if answers[i].err != nil && errorCode(answers[i].err) == "" {
			unknown = nil // the connection has ended in the middle: those that were refused before wait for the next
			break
		}
		if answers[i].err != nil && errorCode(answers[i].err) == "NOSCRIPT" {
			unknown = append(unknown, calls[i].byText())
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

// evaluateAll sends calls and reads their replies.
func evaluateAll(c *connection, calls []*scriptCall) []answered {
	pipe := c.conn.Pipeline()
	sent := make([]*redis.Cmd, len(calls))
	for i, call := range calls {
		if call.asking {
			pipe.Do(background, "ASKING")
		}
		sent[i] = pipe.Do(background, call.words...)
	}
	_, failure := pipe.Exec(background)
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
