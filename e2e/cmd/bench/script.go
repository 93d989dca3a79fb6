package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// longestMicros is longest in µs.
const longestMicros = 8784 * 3600 * 1_000_000

// tags are limits of each algorithm, as the script is told of them: tag, capacity, horizon, and the time of a token. words is one
// that allows everything, one has a capacity of 1.
var tags = []struct{ algorithm, words, one string }{
	{"token-bucket", limitWords("tb1", allowedAverage, longestMicros/allowedAverage, 1), limitWords("tb1", 1, longestMicros, 1)},
	{"fixed-window", limitWords("fw1", allowedAverage, 0, 0), limitWords("fw1", 1, 0, 0)},
	{"sliding-log", limitWords("sl1", allowedAverageLog, 0, 0), limitWords("sl1", 1, 0, 0)},
}

// limitWords are a limit with the period longest; token is the time of one token in whole µs.
func limitWords(tag string, capacity, token, scale int) string {
	return fmt.Sprintf("%s %d %d %d 0 %d", tag, capacity, longestMicros, token, scale)
}

// batches are how many requests one call decides, and of how many sources.
var batches = []struct{ requests, sources int }{{1, 1}, {32, 1}, {128, 1}, {128, 128}}

// logSizes are how many entries a sliding log holds.
var logSizes = []int{1, 10, 100, 1_000, 10_000, 100_000}

// scriptCost measures what a decision costs Redis, with the plugin's script and without Traefik.
type scriptCost struct {
	redis     *harness.Redis
	client    *redis.Client
	script    *redis.Script
	decisions int // per measurement
}

// script measures the script of the plugin in the folder.
func script(ctx context.Context, server *harness.Redis, plugin string, decisions, rounds int) (string, error) {
	text, err := scriptText(filepath.Join(plugin, "lua.go"))
	if err != nil {
		return "", err
	}
	c := &scriptCost{redis: server, client: server.Client(), script: redis.NewScript(text), decisions: decisions}
	defer c.client.Close()
	if err := c.script.Load(ctx, c.client).Err(); err != nil {
		return "", err
	}
	byBatch, err := c.byBatch(ctx, rounds)
	if err != nil {
		return "", fmt.Errorf("script: %w", err)
	}
	bySize, err := c.bySize(ctx, rounds)
	if err != nil {
		return "", fmt.Errorf("script: %w", err)
	}
	return byBatch + "\n" + bySize, nil
}

// scriptText is the constant script in a file of Go.
func scriptText(path string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return "", err
	}
	for _, declaration := range file.Decls {
		constants, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range constants.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if ok && value.Names[0].Name == "script" && len(value.Values) == 1 {
				if literal, ok := value.Values[0].(*ast.BasicLit); ok {
					return strconv.Unquote(literal.Value)
				}
			}
		}
	}
	return "", fmt.Errorf("%s: no constant script", path)
}

// call is one call of the script.
type call struct {
	keys []string
	args []any
}

// callFor decides batch requests of so many sources in turn, under so many equal limits, at cost each.
func callFor(words string, limits, batch, sources, cost int) call {
	var names, keys []string
	for i := range limits {
		names = append(names, string(rune('a'+i))+" "+words)
	}
	for i := range batch {
		key := "ratelimit:script:{" + strconv.Itoa(i%sources) + "}"
		if !strings.HasPrefix(words, "sl1") {
			keys = append(keys, key)
			continue
		}
		for j := range limits {
			keys = append(keys, key+":"+string(rune('a'+j))+":sl1")
		}
	}
	return call{keys, []any{strings.Join(names, " "), strings.Repeat(strconv.Itoa(cost)+" ", batch), ""}}
}

// micros is Redis' processor time per decision of a call that is repeated, in µs. All its requests must be allowed, or all denied.
func (c *scriptCost) micros(ctx context.Context, question call, batch, limits int, denied bool) (float64, error) {
	calls := max(1, c.decisions/batch)
	before, err := cpuTime(c.redis.PID())
	if err != nil {
		return 0, err
	}
	for sent := 0; sent < calls; {
		pipe := c.client.Pipeline()
		for range min(100, calls-sent) {
			c.script.EvalSha(ctx, pipe, question.keys, question.args...)
			sent++
		}
		replies, err := pipe.Exec(ctx)
		if err != nil {
			return 0, err
		}
		for _, reply := range replies {
			text, err := reply.(*redis.Cmd).Text()
			if err != nil {
				return 0, err
			}
			if n, err := deniedIn(text); err != nil || n != map[bool]int{true: batch * limits}[denied] {
				return 0, fmt.Errorf("%d of %d verdicts deny, %v: %.200s", n, batch*limits, err, text)
			}
		}
	}
	after, err := cpuTime(c.redis.PID())
	return micros(after-before) / float64(calls*batch), err
}

// deniedIn is how many verdicts of a reply deny. Each is four numbers, the last of which is how long to wait.
func deniedIn(text string) (int, error) {
	var numbers []int64
	if err := json.Unmarshal([]byte(strings.TrimPrefix(text, "rl2 ")), &numbers); err != nil {
		return 0, err
	}
	n := 0
	for i := 5; i < len(numbers); i += 4 {
		if numbers[i] > 0 {
			n++
		}
	}
	return n, nil
}

// byBatch is the table of batches.
func (c *scriptCost) byBatch(ctx context.Context, rounds int) (string, error) {
	var rows [][]string
	for _, tag := range tags {
		for _, limits := range []int{1, 3} {
			row := []string{tag.algorithm, strconv.Itoa(limits)}
			for _, batch := range batches {
				progress("script: %s, %s, %d aboard", tag.algorithm, plural(limits, "limit"), batch.requests)
				text, err := c.median(ctx, rounds, callFor(tag.words, limits, batch.requests, batch.sources, 1), batch.requests, limits, false)
				if err != nil {
					return "", err
				}
				row = append(row, text)
			}
			text, err := c.median(ctx, rounds, callFor(tag.one, limits, 1, 1, 1), 1, limits, true)
			if err != nil {
				return "", err
			}
			bytes, err := c.bytes(ctx, callFor(tag.words, limits, 1, 1, 1))
			if err != nil {
				return "", err
			}
			rows = append(rows, append(row, text, strconv.FormatInt(bytes, 10)))
		}
	}
	return table("algorithm", "limits", "one request a call", "32 of one source", "128 of one source", "128 of 128 sources", "one, denied", "bytes per source")(rows), nil
}

// bytes is the memory that a source takes in Redis after one request.
func (c *scriptCost) bytes(ctx context.Context, question call) (int64, error) {
	if err := c.client.FlushDB(ctx).Err(); err != nil {
		return 0, err
	}
	if err := c.script.EvalSha(ctx, c.client, question.keys, question.args...).Err(); err != nil {
		return 0, err
	}
	var all int64
	for _, key := range question.keys {
		bytes, err := c.client.MemoryUsage(ctx, key, 0).Result()
		if err != nil {
			return 0, err
		}
		all += bytes
	}
	return all, nil
}

// median is micros over the rounds, on keys of its own.
func (c *scriptCost) median(ctx context.Context, rounds int, question call, batch, limits int, denied bool) (string, error) {
	if err := c.client.FlushDB(ctx).Err(); err != nil {
		return "", err
	}
	if denied {
		if err := c.script.EvalSha(ctx, c.client, question.keys, question.args...).Err(); err != nil {
			return "", err
		}
	}
	var values []float64
	for range rounds {
		value, err := c.micros(ctx, question, batch, limits, denied)
		if err != nil {
			return "", err
		}
		values = append(values, value)
	}
	return fmt.Sprintf("%.1f", spreadOf(values).median), nil
}

// bySize is the table of sizes of a sliding log. A denied request looks at all of it and leaves it as it is.
func (c *scriptCost) bySize(ctx context.Context, rounds int) (string, error) {
	var rows [][]string
	for _, size := range logSizes {
		progress("script: a log of %d", size)
		if err := c.fill(ctx, size); err != nil {
			return "", err
		}
		question := callFor(limitWords("sl1", size, 0, 0), 1, 1, 1, 1)
		bytes, err := c.client.MemoryUsage(ctx, question.keys[0], 0).Result()
		if err != nil {
			return "", err
		}
		var values []float64
		for range rounds {
			value, err := c.micros(ctx, question, 1, 1, true)
			if err != nil {
				return "", err
			}
			values = append(values, value)
		}
		rows = append(rows, []string{strconv.Itoa(size), fmt.Sprintf("%.1f", spreadOf(values).median), strconv.FormatInt(bytes, 10), fmt.Sprintf("%.1f", float64(bytes)/float64(size))})
	}
	if len(rows) == 0 {
		return "", errors.New("no sizes")
	}
	return table("entries in the log", "µs, denied", "bytes", "bytes per entry")(rows), nil
}

// fill makes the log of one source have size entries, a millisecond apart, the newest by Redis' clock of now.
func (c *scriptCost) fill(ctx context.Context, size int) error {
	if err := c.client.FlushDB(ctx).Err(); err != nil {
		return err
	}
	now, err := c.client.Time(ctx).Result()
	if err != nil {
		return err
	}
	pipe := c.client.Pipeline()
	for i := range size {
		question := callFor(limitWords("sl1", size, 0, 0), 1, 1, 1, 1)
		question.args[2] = now.UnixMicro() - int64(size-1-i)*1000
		c.script.EvalSha(ctx, pipe, question.keys, question.args...)
		if pipe.Len() == 1000 || i == size-1 {
			if _, err := pipe.Exec(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
