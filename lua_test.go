package ratelimit

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// luaTwin is script in a plain Lua, on the stand-in for Redis of testdata/lua.
type luaTwin struct {
	calls   io.Writer
	replies *bufio.Reader
	errors  *bytes.Buffer
}

func newLuaTwin(t testing.TB, binary string) luaTwin {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.lua")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	lua := exec.Command(binary, "testdata/lua/redis.lua", file)
	errors := &bytes.Buffer{}
	lua.Stderr = errors
	in, err := lua.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := lua.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := lua.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // which ends it
		lua.Wait()
	})
	return luaTwin{calls: in, replies: bufio.NewReader(out), errors: errors}
}

func (l luaTwin) play(t testing.TB, calls []call) [][]outcome {
	t.Helper()
	fmt.Fprintln(l.calls, "flush")
	return l.send(t, calls)
}

// send plays calls on what is there.
func (l luaTwin) send(t testing.TB, calls []call) [][]outcome {
	t.Helper()
	var all [][]outcome
	for i, c := range calls {
		keys := c.keys()
		line := fmt.Sprint(len(keys)) + "\t" + strings.Join(keys, "\t")
		for _, arg := range c.args() {
			line += "\t" + fmt.Sprint(arg)
		}
		fmt.Fprintln(l.calls, line)
		reply, err := l.replies.ReadString('\n')
		if err != nil {
			t.Fatalf("call %d: %v: %s", i, err, l.errors)
		}
		outcomes, _, err := parseReply(strings.TrimSuffix(reply, "\n"), c.limits, len(c.costs))
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		all = append(all, outcomes)
	}
	return all
}

// The script is the same program in every Lua from 5.1 to 5.4. lua5.4 has to be there, the others are played where they are.
func TestScriptInPlainLua(t *testing.T) {
	for _, name := range []string{"lua5.1", "luajit", "lua5.2", "lua5.3", "lua5.4"} {
		t.Run(name, func(t *testing.T) {
			binary, err := exec.LookPath(name)
			if err != nil && name == "lua5.4" && os.Getenv("CI") != "" {
				t.Fatalf("CI runs every test, but there is no %v", err)
			}
			if err != nil {
				t.Skipf("not here: %v", err)
			}
			lua := newLuaTwin(t, binary)
			for _, algorithm := range []string{fixedWindow, slidingLog, tokenBucket} {
				for n, line := range readTimelines(t, algorithm) {
					checkTimeline(t, lua, algorithm, n, line)
				}
			}
			checkTimes(t, 1_000, func(rt *rapid.T) {
				g := newGenerator(rt, []string{fixedWindow, slidingLog, tokenBucket}, rapid.IntRange(1, 3).Draw(rt, "limits"))
				g.steps(20, 3, 4)
				mustAgree(rt, lua.play(t, g.calls), g.outcomes, g.calls)
			})
			if o := lua.play(t, []call{one(redisClock, 1, aBucket)})[0][0]; o.decision.at != 1_700_000_000_123_456 {
				t.Errorf("by the stand-in's clock: %+v", o)
			}
			checkOldWords(t, lua)
		})
	}
}

// checkOldWords holds that Redis' words reach the caller alike from every version: Redis 6 puts the place in the script before them.
func checkOldWords(t *testing.T, lua luaTwin) {
	t.Helper()
	const words = "READONLY You can't write against a read only replica."
	for _, said := range []string{words, "@user_script: 214: -" + words, "@user_script: 214: " + words} {
		for _, command := range []string{"HMGET", "PTTL", "HSET", "PEXPIRE", "LINDEX", "RPUSH", "TIME"} {
			fmt.Fprintf(lua.calls, "flush\nrefuse\t%s\t%s\n", command, said)
			if o := lua.send(t, []call{one(redisClock, 1, aBucket, aLog)})[0][0]; o.refused != words {
				t.Errorf("%s refused by %q: %+v", command, said, o)
			}
		}
	}
}
