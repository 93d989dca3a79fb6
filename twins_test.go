package ratelimit

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strconv"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// A call is one flight: requests of some sources in arrival order, under the same limits, at one instant.
type call struct {
	limits  []limit
	now     micros
	sources []string
	costs   []int64
}

// one is a call of a single request, of the source "s".
func one(now micros, cost int64, limits ...limit) call {
	return call{limits: limits, now: now, sources: []string{"s"}, costs: []int64{cost}}
}

func (c call) keys() []string {
	var keys []string
	for _, s := range c.sources {
		keys = append(keys, testKey(s))
	}
	return scriptKeys(c.limits, keys)
}

// args are what follows the script or its hash in EVAL and EVALSHA.
func (c call) args() []interface{} {
	now := ""
	if c.now >= 0 {
		now = strconv.FormatInt(int64(c.now), 10)
	}
	return []interface{}{scriptLimits(c.limits), scriptCosts(c.costs), now}
}

// redisClock as a call's now leaves the clock to Redis.
const redisClock micros = -1

func testKey(source string) string { return "ratelimit:test@file:{" + source + "}" }

// A twin plays calls, one after the other, on sources that were never charged before, and says what came out.
type twin interface {
	play(t testing.TB, calls []call) [][]outcome
}

// goTwin is algorithms.go over a map.
type goTwin struct{}

func (goTwin) play(t testing.TB, calls []call) [][]outcome {
	return playOn(map[string]state{}, calls)
}

// playOn plays calls on what is kept under source, limit and algorithm in memory.
func playOn(memory map[string]state, calls []call) [][]outcome {
	var all [][]outcome
	for _, c := range calls {
		var outcomes []outcome
		for r, source := range c.sources {
			states := make([]state, len(c.limits))
			for i, l := range c.limits {
				states[i] = memory[source+" "+l.name+":"+algorithmOf(l).tag]
			}
			states, d := decide(c.limits, states, c.now, c.costs[r])
			for i, l := range c.limits {
				memory[source+" "+l.name+":"+algorithmOf(l).tag] = states[i]
			}
			outcomes = append(outcomes, outcome{decision: d})
		}
		all = append(all, outcomes)
	}
	return all
}

// redisTwin is script on a server of its own, which it empties before every play.
type redisTwin struct {
	client  *redis.Client
	options *redis.Options
}

func (r redisTwin) play(t testing.TB, calls []call) [][]outcome {
	t.Helper()
	pipe := r.client.Pipeline()
	do(pipe, "FLUSHDB")
	return r.send(t, pipe, calls)
}

// send plays calls on what is there, after whatever pipe already holds.
func (r redisTwin) send(t testing.TB, pipe redis.Pipeliner, calls []call) [][]outcome {
	t.Helper()
	var replies []*redis.Cmd
	for _, c := range calls {
		replies = append(replies, do(pipe, scriptWords("EVALSHA", scriptHash, c.keys(), c.args()...)...))
	}
	if _, err := pipe.Exec(context.Background()); err != nil {
		t.Fatal(err)
	}
	var all [][]outcome
	for i, c := range calls {
		reply, _ := replies[i].Result() // Exec has told of an error
		outcomes, _, err := parseReply(fmt.Sprint(reply), c.limits, len(c.costs))
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		all = append(all, outcomes)
	}
	return all
}

// do adds a command in any words to a pipeline.
func do(pipe redis.Pipeliner, words ...interface{}) *redis.Cmd {
	command := redis.NewCmd(background, words...)
	_ = pipe.(*redis.Pipeline).Process(background, command)
	return command
}

// scriptWords are those of a script call, as Do wants them.
func scriptWords(command, text string, keys []string, args ...interface{}) []interface{} {
	words := []interface{}{command, text, len(keys)}
	for _, key := range keys {
		words = append(words, key)
	}
	return append(words, args...)
}

func newRedisTwin(t testing.TB, options *redis.Options) redisTwin {
	t.Helper()
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	hash, err := redistest.Text(client, "SCRIPT", "LOAD", script)
	if err != nil {
		t.Fatal(err)
	}
	if hash != scriptHash {
		t.Fatalf("Redis calls the script %s, scriptHash is %s", hash, scriptHash)
	}
	return redisTwin{client, options}
}

// realRedis is script on a redis-server process.
func realRedis(t testing.TB, args ...string) redisTwin {
	t.Helper()
	s := redistest.Start(t, args...)
	return newRedisTwin(t, &redis.Options{Network: "unix", Addr: s.Socket})
}

// fakeRedis is script on miniredis.
func fakeRedis(t testing.TB) redisTwin {
	t.Helper()
	return newRedisTwin(t, &redis.Options{Addr: miniredis.RunT(t).Addr()})
}

func TestScriptHash(t *testing.T) {
	sum := sha1.Sum([]byte(script))
	if got := hex.EncodeToString(sum[:]); got != scriptHash {
		t.Errorf("the script's hash is %s, scriptHash says %s", got, scriptHash)
	}
}
