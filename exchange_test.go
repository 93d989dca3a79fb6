package ratelimit

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// commandsIn are the words of the commands that a server reads in line.
func commandsIn(t rapid.TB, line []byte) [][]string {
	t.Helper()
	counted := func(kind byte) int {
		head, rest, found := bytes.Cut(line, []byte("\r\n"))
		n, err := strconv.Atoi(string(bytes.TrimLeft(head, "*$")))
		if !found || err != nil || head[0] != kind {
			t.Fatalf("%q where a %c and a number must be", head, kind)
		}
		line = rest
		return n
	}
	var commands [][]string
	for len(line) > 0 {
		words := make([]string, counted('*'))
		for i := range words {
			n := counted('$')
			if n+2 > len(line) || string(line[n:n+2]) != "\r\n" {
				t.Fatalf("%q where %d bytes and a line's end must be", line, n)
			}
			words[i] = string(line[:n])
			line = line[n+2:]
		}
		commands = append(commands, words)
	}
	return commands
}

// Whatever it is about, and whether or not its keys were written before, a call is one command that names all keys and costs in order.
func TestCallsAreCommands(t *testing.T) {
	checkTimes(t, 500, func(rt *rapid.T) {
		limits := townLimits(rt)
		s := settingsFor(limits...)
		s.keyHead = keyHead("ratelimit", "api@file")
		b := newBatch(s, &redisClient{})
		m := &middleware{settings: *s, batch: b, intake: newIntake(plainKeyHead(s))}
		m.settings.source = criterion{headerName: "X-Client", ipv6Subnet: 64}
		var requests []*request
		want := []string{"evalsha", scriptHash, ""}
		costs := ""
		for i := rapid.SampledFrom([]int{0, 1, 2, 7, batchSize, batchSize + 1, 300}).Draw(rt, "requests"); i > 0; i-- {
			p := arriving("203.0.113.7:4711")
			p.asked.Header.Set("X-Client", rapid.StringN(1, 9, 40).Draw(rt, "client"))
			identify(m, p)
			if rapid.IntRange(0, 99).Draw(rt, "costly") == 0 {
				p.key, p.cost = nil, rapid.Int64Range(0, 1000).Draw(rt, "cost")
			}
			requests = append(requests, p)
			want = append(want, scriptKeys(limits, []string{s.keyHead + p.source + "}"})...)
			costs += strconv.FormatInt(p.cost, 10) + " "
		}
		want[2] = strconv.Itoa(len(want) - 3)
		want = append(want, scriptLimits(limits), costs, "")

		line := appendCallAbout([]byte(askingFirst), b, requests)
		if got := commandsIn(rt, line); !reflect.DeepEqual(got, [][]string{{"asking"}, want}) {
			rt.Fatalf("got  %q\nwant %q", got, want)
		}
		want[0], want[1] = "eval", script
		if got := commandsIn(rt, withText(line)); !reflect.DeepEqual(got, [][]string{{"asking"}, want}) {
			rt.Fatalf("by text\ngot  %q\nwant %q", got, want)
		}
	})
}

// What follows a reply that is none belongs to nobody: the call that it might answer cannot be known.
func TestNothingIsReadAfterWhatIsNoReply(t *testing.T) {
	address := serve(t, oldServer("evalsha", "?\r\n$2\r\nok\r\n$2\r\nok\r\n"))
	s := settingsAt(t, "none@test", address, nil)
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	got := waitForConnection(t, c)
	call := appendCall(nil, []string{"x"}, bulk(""), "1 ")
	for i, answer := range exchangeAll(got, []nodeCall{{command: call}, {command: call, asking: true}, {command: call}}, 5*time.Second) {
		if answer.err == nil || answer.reply != nil {
			t.Errorf("call %d: %v, %v", i, answer.reply, answer.err)
		}
	}
	c.release(got, false)
}

// Of several calls whose replies are cut off anywhere each gets its own reply, or learns that the connection has ended.
func TestCutRepliesReachNobodyElse(t *testing.T) {
	calls := []struct {
		reply  string
		asking bool
		want   string // of the reply, or of the error
	}{
		{"$3\r\none\r\n", false, "one"},
		{"-MOVED 3999 127.0.0.1:6381\r\n", false, "MOVED 3999 127.0.0.1:6381"},
		{"+OK\r\n$5\r\nthree\r\n", true, "three"},
		{":4\r\n", false, "4"},
		{"-ERR This instance has cluster support disabled\r\n$4\r\nfive\r\n", true, "five"},
	}
	var commands []nodeCall
	var replies string
	var ends []int
	for _, c := range calls {
		commands = append(commands, nodeCall{command: appendCall(nil, []string{"x"}, bulk(""), "1 "), asking: c.asking})
		replies += c.reply
		ends = append(ends, len(replies))
	}
	for at := 0; at <= len(replies); at++ {
		address := serve(t, func(to net.Conn, request string) {
			if strings.Contains(request, "evalsha") {
				io.WriteString(to, replies[:at])
				to.Close()
				return
			}
			oldServer("evalsha", "")(to, request)
		})
		s := settingsAt(t, "cut@test", address, nil)
		c, err := reach(background, &s.redis, address)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range exchangeAll(c, commands, 5*time.Second) {
			got := fmt.Sprint(a.reply)
			if a.err != nil {
				got = a.err.Error()
			}
			if whole := at >= ends[i]; whole && got != calls[i].want || !whole && (a.err == nil || !ended(a.err)) {
				t.Errorf("cut at %d of %d: call %d gets %q, %v", at, len(replies), i, got, a.err)
			}
		}
		_ = c.client.Close()
	}
}
