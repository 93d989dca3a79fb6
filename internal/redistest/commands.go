package redistest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Of go-redis' commands vendor/ keeps those that the plugin sends. Tests send
// theirs by Client.Do, and these functions read the replies.

// Text sends a command and returns its reply, which is one string.
func Text(client *redis.Client, words ...interface{}) (string, error) {
	reply, err := client.Do(context.Background(), words...).Result()
	if err != nil {
		return "", err
	}
	text, ok := reply.(string)
	if !ok {
		return "", fmt.Errorf("%v: the reply %v is no string", words, reply)
	}
	return text, nil
}

// Number sends a command and returns its reply, which is a whole number.
func Number(client *redis.Client, words ...interface{}) (int64, error) {
	reply, err := client.Do(context.Background(), words...).Result()
	if err != nil {
		return 0, err
	}
	n, ok := reply.(int64)
	if !ok {
		return 0, fmt.Errorf("%v: the reply %v is no whole number", words, reply)
	}
	return n, nil
}

// Texts sends a command and returns its reply, which is a list of strings.
func Texts(client *redis.Client, words ...interface{}) ([]string, error) {
	reply, err := client.Do(context.Background(), words...).Slice()
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(reply))
	for i := range reply {
		text, ok := reply[i].(string)
		if !ok {
			return nil, fmt.Errorf("%v: %v in the reply is no string", words, reply[i])
		}
		texts[i] = text
	}
	return texts, nil
}

// Now is the time on the server's clock.
func Now(client *redis.Client) (time.Time, error) {
	words, err := Texts(client, "TIME")
	if err != nil {
		return time.Time{}, err
	}
	var seconds, micros int64
	if _, err := fmt.Sscan(strings.Join(words, " "), &seconds, &micros); err != nil {
		return time.Time{}, err
	}
	return time.Unix(seconds, micros*1000), nil
}
