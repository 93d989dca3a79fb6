package ratelimit

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A key of a foreign type is the failure of its own request, and of no other in the call.
func TestForeignTypeFailsAlone(t *testing.T) {
	r := realRedis(t)
	limits := []limit{aBucket, aLog}
	c := call{limits: limits, now: redisClock, sources: []string{"a", "hash", "list", "b"}, costs: []int64{1, 1, 1, 1}}
	r.do(t, "SET", testKey("hash"), "somebody's")
	r.do(t, "SET", testKey("list")+":log:sl1", "somebody's")

	outcomes := r.ask(t, c)
	for i, source := range c.sources {
		foreign := source == "hash" || source == "list"
		if got := strings.HasPrefix(outcomes[i].refused, "WRONGTYPE "); got != foreign {
			t.Errorf("%s: %+v", source, outcomes[i])
		}
		if outcomes[i].decision.allowed == foreign {
			t.Errorf("%s: %+v", source, outcomes[i].decision)
		}
	}
	if n := r.do(t, "EXISTS", testKey("list"), testKey("hash")+":log:sl1"); n != int64(0) {
		t.Errorf("a request that failed charged something")
	}
}

// A write that Redis refuses reaches the caller with Redis' words, and leaves neither half a charge nor a key without a TTL.
func TestRefusedWrites(t *testing.T) {
	all := []limit{aBucket, aLog, aWindow}
	folder := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		args   []string // of the server
		limits []limit
		refuse func(t *testing.T, r redisTwin) redisTwin // makes Redis refuse, and returns who then asks
		words  string                                    // what Redis says, or its beginning
		forget bool                                      // the source's keys are deleted
	}{
		{"replica", nil, all, commands("REPLICAOF 127.0.0.1 1"), "READONLY ", false},
		{"memory full", nil, all, commands("CONFIG SET maxmemory 1"), "OOM ", false},
		{"disk broken", []string{"--save", "3600 1000000", "--dir", folder}, all, breakDisk(folder), "MISCONF ", false},
		{"too few replicas", nil, all, commands("CONFIG SET min-replicas-to-write 1"), "NOREPLICAS ", false},
		{"no right to HSET", nil, all, asUserWithout("hset"), noRight, false},
		{"no right to HMGET", nil, all, asUserWithout("hmget"), noRight, false},
		{"no right to LINDEX", nil, all, asUserWithout("lindex"), noRight, false},
		{"no right to PTTL", nil, all, asUserWithout("pttl"), noRight, false},
		{"no right to TIME", nil, all, asUserWithout("time"), noRight, false},
		{"no right to PEXPIRE", nil, []limit{aBucket}, asUserWithout("pexpire"), noRight, true},
		{"no right to PEXPIRE a log", nil, []limit{aLog}, asUserWithout("pexpire"), noRight, true},
		{"no right to RPUSH", nil, []limit{aLog}, asUserWithout("rpush"), noRight, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := realRedis(t, test.args...)
			c := call{limits: test.limits, now: redisClock, sources: []string{"used", "fresh", "full"}, costs: []int64{2, 0, 5}}
			r.ask(t, c) // one source is charged before, one not, one has nothing left
			before := r.contents(t)
			user := test.refuse(t, r)

			c.costs = []int64{2, 2, 1}
			outcomes := user.ask(t, c)
			for i, source := range c.sources {
				if denied := source == "full" && decides(test.name); denied {
					if v := outcomes[i].decision.verdicts[0]; outcomes[i].refused != "" || v.allowed || v.retryAfter == 0 {
						t.Errorf("full: a denial writes nothing, so it needs no right to: %+v", outcomes[i])
					}
				} else if !refusedWith(outcomes[i].refused, test.words) {
					t.Errorf("%s: got %+v, want refused %q", source, outcomes[i], test.words)
				}
			}
			after := r.contents(t)
			if test.forget {
				for key := range before {
					if strings.HasPrefix(key, testKey("used")) {
						delete(before, key)
					}
				}
			}
			if !reflect.DeepEqual(after, before) {
				t.Errorf("left behind:\n got %v\nwant %v", after, before)
			}
		})
	}
}

// decides is whether Redis can still read, and so deny.
func decides(refusal string) bool {
	return !strings.Contains(refusal, "HMGET") && !strings.Contains(refusal, "LINDEX") && !strings.Contains(refusal, "TIME")
}

// A log that is there has to be measured, which may be refused too.
func TestRefusedLength(t *testing.T) {
	r := realRedis(t)
	r.ask(t, one(redisClock, 1, aLog))
	user := asUserWithout("llen")(t, r)
	if o := user.ask(t, one(redisClock, 1, aLog))[0]; !refusedWith(o.refused, noRight) {
		t.Errorf("got %+v", o)
	}
}

// noRight stands for what Redis says of a command that its access control list forbids: 7.0 and later versions use other words.
const noRight = "no right"

func refusedWith(refused, words string) bool {
	if words == noRight {
		return strings.Contains(refused, "can't run this command") || strings.HasPrefix(refused, "NOPERM ")
	}
	return strings.HasPrefix(refused, words)
}

// No right for the log's RPUSH: the bucket that was charged a moment before is not left charged.
func TestRefusedWriteUndoesOthers(t *testing.T) {
	r := realRedis(t)
	user := asUserWithout("rpush")(t, r)
	outcomes := user.ask(t, one(redisClock, 1, aBucket, aLog))
	if outcomes[0].refused == "" {
		t.Fatalf("not refused: %+v", outcomes)
	}
	if left := r.contents(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func commands(lines ...string) func(*testing.T, redisTwin) redisTwin {
	return func(t *testing.T, r redisTwin) redisTwin {
		t.Helper()
		for _, line := range lines {
			var words []interface{}
			for _, w := range strings.Fields(line) {
				words = append(words, w)
			}
			r.do(t, words...)
		}
		return r
	}
}

// asUserWithout is a user who may do everything but one command.
func asUserWithout(command string) func(*testing.T, redisTwin) redisTwin {
	return func(t *testing.T, r redisTwin) redisTwin {
		t.Helper()
		r.do(t, "ACL", "SETUSER", "gateway", "on", ">secret", "~*", "+@all", "-"+command)
		return asUser(t, r)
	}
}

func asUser(t *testing.T, r redisTwin) redisTwin {
	options := *r.options
	options.Username, options.Password = "gateway", "secret"
	client := redis.NewClient(&options)
	t.Cleanup(func() { client.Close() })
	return redisTwin{client, &options}
}

// breakDisk takes away the folder to which Redis saves, and has it notice.
func breakDisk(folder string) func(*testing.T, redisTwin) redisTwin {
	return func(t *testing.T, r redisTwin) redisTwin {
		t.Helper()
		if err := os.Remove(folder); err != nil {
			t.Fatal(err)
		}
		r.do(t, "BGSAVE")
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
			if strings.Contains(fmt.Sprint(r.do(t, "INFO", "persistence")), "rdb_last_bgsave_status:err") {
				return r
			}
		}
		t.Fatal("Redis does not notice that it cannot save")
		return r
	}
}

// scriptRights are the commands that the script's user must be allowed.
var scriptRights = strings.Fields("evalsha time hmget hset pttl pexpire lindex llen ltrim rpush del")

// The rights that the documentation names are enough for everything the script does, and it needs each of them.
func TestScriptNeedsTheseRights(t *testing.T) {
	rights := scriptRights
	r := realRedis(t)
	words := []interface{}{"ACL", "SETUSER", "gateway", "on", ">secret", "~ratelimit:*"}
	for _, right := range rights {
		words = append(words, "+"+right)
	}
	r.do(t, words...)
	user := asUser(t, r)
	r.do(t, "CONFIG", "RESETSTAT")
	log := limit{name: "log", algorithm: slidingLog, average: 5, period: 1_000_000}
	start := noonMicros
	var calls []call
	for i := micros(0); i < 40; i++ {
		calls = append(calls, one(start+i*300_000, 1, aBucket, aWindow, log))
		calls = append(calls, one(start+i*300_000, 1, log))
	}
	calls = append(calls, one(redisClock, 1, log))
	for i, outcomes := range user.send(t, user.client.Pipeline(), calls) {
		if outcomes[0].refused != "" {
			t.Fatalf("call %d: %s", i, outcomes[0].refused)
		}
	}
	var used []string
	for _, line := range strings.Split(fmt.Sprint(r.do(t, "INFO", "commandstats")), "\r\n") {
		var name string
		if n, _ := fmt.Sscanf(line, "cmdstat_%s", &name); n == 1 {
			used = append(used, strings.SplitN(name, ":", 2)[0])
		}
	}
	for _, right := range rights {
		if !contains(used, right) {
			t.Errorf("%s is not needed: used are %v", right, used)
		}
	}
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// A source is written once a call: what Redis refuses then is refused to all its requests, charged or not, and to no other source's.
func TestRefusedWriteIsThatOfAllOfTheSource(t *testing.T) {
	r := realRedis(t)
	r.ask(t, call{limits: []limit{aBucket}, now: redisClock, sources: []string{"full"}, costs: []int64{5}})
	before := r.contents(t)
	user := asUserWithout("hset")(t, r)
	outcomes := user.ask(t, call{limits: []limit{aBucket, aLog}, now: redisClock,
		sources: []string{"fresh", "full", "fresh", "fresh", "full"}, costs: []int64{3, 1, 3, 0, 2}})
	for i, o := range outcomes {
		if fresh := i != 1 && i != 4; fresh != refusedWith(o.refused, noRight) || !fresh && (o.decision.allowed || o.decision.verdicts[0].retryAfter == 0) {
			t.Errorf("request %d: %+v", i, o)
		}
	}
	if after := r.contents(t); !reflect.DeepEqual(after, before) {
		t.Errorf("left behind:\n got %v\nwant %v", after, before)
	}
}
