package conformance

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// line is the way of script calls to a Conn's connection: past go-redis, as vendor-patches/20-straight.patch has it. It takes
// the place of calls.go.
type line struct{ opened *redis.Line }

func lineOf(ctx context.Context, conn *redis.Conn) (*line, error) {
	opened, err := conn.Line(ctx)
	return &line{opened: opened}, err
}

// exchange makes one call.
func (l *line) exchange(_ context.Context, words []interface{}) (interface{}, error) {
	value, err := redis.Exchange(l.opened, encoded(nil, words))
	return value, err
}

// exchangeAll makes several calls in one go.
func (l *line) exchangeAll(_ context.Context, calls []nodeCall) []answered {
	var commands []byte
	for _, call := range calls {
		if call.asking {
			commands = encoded(commands, []interface{}{"ASKING"})
		}
		commands = encoded(commands, call.words)
	}
	answers := make([]answered, len(calls))
	err := redis.Send(l.opened, commands)
	for i := range answers {
		if calls[i].asking && !ended(err) {
			_, err = redis.Receive(l.opened)
		}
		if !ended(err) {
			answers[i].value, err = redis.Receive(l.opened)
		}
		answers[i].err = err
	}
	return answers
}

// encoded appends a command, an array of bulk strings.
func encoded(line []byte, words []interface{}) []byte {
	line = append(line, "*"+strconv.Itoa(len(words))+"\r\n"...)
	for _, word := range words {
		text := fmt.Sprint(word)
		line = append(line, "$"+strconv.Itoa(len(text))+"\r\n"+text+"\r\n"...)
	}
	return line
}
