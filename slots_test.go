package ratelimit

import (
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// TestSlotsAreRedis: a key's slot is the one that Redis computes, whatever the key holds.
func TestSlotsAreRedis(t *testing.T) {
	server := redistest.Start(t, "--cluster-enabled", "yes")
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	keys := []string{
		"", "a", "123456789", "{}", "{}x", "{", "}", "}{", "a{b", "{a}{b}", "{{a}}", "x{}{a}", "{a", "a}", "\x00\xff",
		keyHead("ratelimit", "api@file") + "203.0.113.7}",
		keyHead("ratelimit", "api@file") + "2001:db8::}",
		keyHead("ratelimit", "my{}x") + keySafe("a}b{c") + "}",
		keyHead("ratelimit", "api@file") + keySafe("}{") + "}:log:sl1",
		keyHead("ratelimit", "api@file") + keySafe("") + "}",
	}
	source := rand.New(rand.NewSource(1))
	for i := 0; i < 2000; i++ {
		key := make([]byte, source.Intn(80))
		for j := range key {
			key[j] = "abz019:.#{}{}\x00\xff"[source.Intn(15)]
		}
		keys = append(keys, string(key))
	}
	for _, key := range keys {
		want, err := redistest.Number(client, "CLUSTER", "KEYSLOT", key)
		if err != nil {
			t.Fatal(err)
		}
		if got := slotOf(key); int64(got) != want {
			t.Errorf("key %q: slot %d, want %d", key, got, want)
		}
	}
}

// TestKeysOfASourceShareASlot: a call may name no others.
func TestKeysOfASourceShareASlot(t *testing.T) {
	limits := []limit{{name: "a", algorithm: tokenBucket}, {name: "b", algorithm: slidingLog}, {name: "c", algorithm: slidingLog}}
	for _, source := range []string{"203.0.113.7", "#0123", "a:1", keySafe("{x}"), keySafe("}"), keySafe("")} {
		keys := scriptKeys(limits, []string{keyHead("ratelimit", "a{b}c") + source + "}"})
		for _, key := range keys {
			if slotOf(key) != slotOf(keys[0]) {
				t.Errorf("%q and %q are in two slots", key, keys[0])
			}
		}
	}
}

// slotsLine is one line of a reply to CLUSTER SLOTS as go-redis reads it.
func slotsLine(first, last int64, host, port interface{}) []interface{} {
	return []interface{}{first, last, []interface{}{host, port, "id", []interface{}{}}, []interface{}{"10.9.9.9", int64(1), "replica"}}
}

// TestRepliesToClusterSlots: only a whole map is one.
func TestRepliesToClusterSlots(t *testing.T) {
	list := func(lines ...interface{}) interface{} { return lines }
	for _, row := range []struct {
		why   string
		reply interface{}
		want  string // ranges, or what the error says
	}{
		{"one master", list(slotsLine(0, 16383, "10.0.0.1", int64(6379))), "0-16383@10.0.0.1:6379"},
		{"two, the replicas are left out", list(slotsLine(0, 1, "10.0.0.1", int64(1)), slotsLine(2, 2, "10.0.0.2", int64(2))), "0-1@10.0.0.1:1 2-2@10.0.0.2:2"},
		{"a name that the node announces", list(slotsLine(0, 0, "redis-1.example", int64(6379))), "0-0@redis-1.example:6379"},
		{"IPv6", list(slotsLine(0, 0, "2001:db8::1", int64(6379))), "0-0@[2001:db8::1]:6379"},
		{"no host: that of whom was asked", list(slotsLine(0, 0, "", int64(7))), "0-0@seed:7"},
		{"null for a host, as unknown-endpoint has it", list(slotsLine(0, 0, nil, int64(7))), "0-0@seed:7"},
		{"no slot is served", list(), ""},
		{"a name that the node does not know yet", list(slotsLine(0, 0, "?", int64(7))), `it names a node at "?:7"`},
		{"port 0", list(slotsLine(0, 0, "10.0.0.1", int64(0))), `it names a node at "10.0.0.1:0"`},
		{"a port too large", list(slotsLine(0, 0, "10.0.0.1", int64(70000))), `it names a node at "10.0.0.1:70000"`},
		{"a port that is none", list(slotsLine(0, 0, "10.0.0.1", "x")), `it names a node at "10.0.0.1:x"`},
		{"a host that would tear the log's line", list(slotsLine(0, 0, "a\nb", int64(1))), `it names a node at "a\nb:1"`},
		{"a host that is a list", list(slotsLine(0, 0, []interface{}{"a"}, int64(1))), "it does not answer like a node"},
		{"slots beyond the last", list(slotsLine(0, 16384, "10.0.0.1", int64(1))), "it does not answer like a node"},
		{"slots below the first", list(slotsLine(-1, 5, "10.0.0.1", int64(1))), "it does not answer like a node"},
		{"slots in the wrong order", list(slotsLine(5, 4, "10.0.0.1", int64(1))), "it does not answer like a node"},
		{"all slots twice", list(slotsLine(0, 16383, "10.0.0.1", int64(1)), slotsLine(0, 16383, "10.0.0.2", int64(1))), "it does not answer like a node"},
		{"no number", list([]interface{}{"0", int64(1), []interface{}{"10.0.0.1", int64(1)}}), "it does not answer like a node"},
		{"no master", list([]interface{}{int64(0), int64(1)}), "it does not answer like a node"},
		{"half a master", list([]interface{}{int64(0), int64(1), []interface{}{"10.0.0.1"}}), "it does not answer like a node"},
		{"a master that is none", list([]interface{}{int64(0), int64(1), "10.0.0.1:1"}), "it does not answer like a node"},
		{"a line that is none", list("x"), "it does not answer like a node"},
		{"no list", "OK", "it does not answer like a node"},
		{"null", nil, "it does not answer like a node"},
		{"more lines than slots", make([]interface{}, slotCount+1), "it does not answer like a node"},
	} {
		ranges, err := slotsIn(row.reply, "seed:6379")
		var words []string
		for _, r := range ranges {
			words = append(words, strconv.Itoa(r.first)+"-"+strconv.Itoa(r.last)+"@"+r.address)
		}
		got := strings.Join(words, " ")
		if err != nil {
			got = err.Error()
		}
		if got != row.want && (err == nil || row.want == "" || !strings.HasPrefix(got, row.want)) {
			t.Errorf("%s: %s, want %s", row.why, got, row.want)
		}
	}
}

// TestRedirections: what MOVED and ASK name, and nothing else.
func TestRedirections(t *testing.T) {
	for _, row := range []struct {
		words   string
		slot    int
		address string
	}{
		{"MOVED 3999 10.0.0.1:6381", 3999, "10.0.0.1:6381"},
		{"ASK 0 redis-2.example:6381", 0, "redis-2.example:6381"},
		{"MOVED 16383 2001:db8::1:6381", 16383, "[2001:db8::1]:6381"},
		{"MOVED 1 :6381", 1, "node:6381"},
		{"MOVED 16384 10.0.0.1:6381", 0, ""},
		{"MOVED -1 10.0.0.1:6381", 0, ""},
		{"MOVED x 10.0.0.1:6381", 0, ""},
		{"MOVED 1 10.0.0.1", 0, ""},
		{"MOVED 1 10.0.0.1:", 0, ""},
		{"MOVED 1 ?:6381", 0, ""},
		{"MOVED 1 10.0.0.1:6381 more", 0, ""},
		{"MOVED 1", 0, ""},
		{"MOVED ", 0, ""},
	} {
		slot, address := redirection(row.words, "node:1")
		if slot != row.slot || address != row.address {
			t.Errorf("%q: slot %d at %q, want %d at %q", row.words, slot, address, row.slot, row.address)
		}
	}
}
