package conformance

import (
	"fmt"
	"strings"
	"time"
)

// testCase is one scripted server and the steps of the program against it.
type testCase struct {
	name      string
	steps     string
	settings  string // key=value, separated by blanks
	handshake map[string]action
	actions   []action
	greeting  action
	refused   bool // nobody listens at the address
	// publishedDiffers: a closed idle connection is noticed before use only by
	// the published client, whose check needs syscall. Its own retry of the
	// plugin makes up for that; here only the two patched runs are compared.
	publishedDiffers bool
	// raced: a call meets a connection that the server has just closed. Whether
	// it reads the end or the reset that its own bytes caused is the kernel's.
	raced bool
}

// sticky is the plugin's own use: a connection kept, dialled by PING, then the
// call in question, a second one to see what became of the connection, and one
// from the pool to see whether it went back there.
const sticky = "conn ping sha sha close pool wires"

// shapes are complete, well-formed replies of both protocols.
var shapes = map[string]string{
	"simple string":         "+OK\r\n",
	"simple string, empty":  "+\r\n",
	"error":                 "-ERR something\r\n",
	"error, one word":       "-ERR\r\n",
	"integer":               ":42\r\n",
	"integer, negative":     ":-9223372036854775808\r\n",
	"integer, too large":    ":9223372036854775808\r\n",
	"bulk":                  "$5\r\nhello\r\n",
	"bulk, empty":           "$0\r\n\r\n",
	"bulk, nil":             "$-1\r\n",
	"bulk, binary":          "$6\r\n\x00\r\n\xff$*\r\n",
	"bulk, 100 kB":          "$100000\r\n" + strings.Repeat("0123456789", 10000) + "\r\n",
	"bulk, 3 MB":            "$3000000\r\n" + strings.Repeat("abc", 1000000) + "\r\n",
	"bulk, like a decision": "$23\r\n1 0 99 0 1700000000 0 0\r\n",
	"array":                 "*3\r\n:1\r\n$3\r\ntwo\r\n+three\r\n",
	"array, empty":          "*0\r\n",
	"array, nil":            "*-1\r\n",
	"array of nil":          "*3\r\n$-1\r\n:1\r\n*-1\r\n",
	"array of errors":       "*2\r\n-ERR inner\r\n-WRONGTYPE other\r\n",
	"array, nested":         "*2\r\n*2\r\n:1\r\n*1\r\n:2\r\n*0\r\n",
	"array, 200 integers":   "*200\r\n" + strings.Repeat(":7\r\n", 200),
	"null":                  "_\r\n",
	"bool true":             "#t\r\n",
	"bool false":            "#f\r\n",
	"bool, neither":         "#x\r\n",
	"double":                ",3.25\r\n",
	"double inf":            ",inf\r\n",
	"double -inf":           ",-inf\r\n",
	"double nan":            ",nan\r\n",
	"double, bad":           ",x\r\n",
	"big number":            "(3492890328409238509324850943850943825024385\r\n",
	"big number, bad":       "(12x\r\n",
	"verbatim":              "=8\r\ntxt:some\r\n",
	"verbatim, bad":         "=3\r\ntxt\r\n",
	"blob error":            "!10\r\nERR binary\r\n",
	"map":                   "%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n",
	"map of nil and error":  "%2\r\n+a\r\n_\r\n+b\r\n-ERR inner\r\n",
	"map, nil":              "%-1\r\n",
	"set":                   "~2\r\n:1\r\n:2\r\n",
	"push":                  ">2\r\n+message\r\n+x\r\n",
	"attribute":             "|1\r\n+ttl\r\n:3600\r\n$2\r\nhi\r\n",
	"attribute, nested":     "|1\r\n+a\r\n*2\r\n%1\r\n+x\r\n:1\r\n$-1\r\n:5\r\n",
}

// errorReplies are the errors of the table of what Redis says, and their kin.
var errorReplies = []string{
	"READONLY You can't write against a read only replica.",
	"MOVED 3999 127.0.0.1:6381",
	"MOVED 3999 SELF",
	"MOVED 3999 :6381",
	"MOVED 3999 redis.example:6381",
	"MOVED 3999 fe80::1:6381",
	"MOVED",
	"ASK 3999 127.0.0.1:6381",
	"NOSCRIPT No matching script. Please use EVAL.",
	"ERR NOSCRIPT as some proxies say it",
	"LOADING Redis is loading the dataset in memory",
	"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
	"CLUSTERDOWN The cluster is down",
	"CLUSTERDOWN Hash slot not served",
	"TRYAGAIN Multiple keys request during rehashing of slot",
	"CROSSSLOT Keys in request don't hash to the same slot",
	"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
	"OOM command not allowed when used memory > 'maxmemory'.",
	"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
	"NOREPLICAS Not enough good replicas to write.",
	"NOAUTH Authentication required.",
	"WRONGPASS invalid username-password pair or user is disabled.",
	"NOPERM this user has no permissions to run the 'evalsha' command",
	"ERR max number of clients reached",
	"WRONGTYPE Operation against a key holding the wrong kind of value",
	"EXECABORT Transaction discarded because of previous errors.",
	"ERR unknown command 'EVALSHA', with args beginning with: ",
	"ERR The user executing the script can't run this command or subcommand script",
	"ERR Error running script (call to f_abc): @user_script:1: oops",
	"NOPROTO unsupported protocol version",
	"UNKILLABLE Sorry the script already executed write commands against the dataset.",
	"redis: nil",
	"",
}

// cut are replies that are cut off at every byte.
var cut = map[string]string{
	"simple string": "+OK\r\n",
	"error":         "-NOSCRIPT x\r\n",
	"integer":       ":42\r\n",
	"bulk":          "$5\r\nhello\r\n",
	"bulk, nil":     "$-1\r\n",
	"array":         "*2\r\n:1\r\n$2\r\nhi\r\n",
	"map":           "%1\r\n+a\r\n:1\r\n",
}

// foreign are bytes that no Redis sends.
var foreign = map[string]string{
	"http":               "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
	"zero bytes":         "\x00\x01\x02\r\n",
	"tls alert":          "\x15\x03\x01\x00\x02\x02\x46\r\n",
	"empty line":         "\r\n",
	"newline":            "\n",
	"no carriage return": "+OK\n",
	"length no number":   "$abc\r\n",
	"length, bad end":    "$5x\nhello\r\n",
	"length below -1":    "$-5\r\n",
	"array below -1":     "*-2\r\n",
	"integer no number":  ":12a\r\n",
	"unknown type":       "?what\r\n",
	"ssh":                "SSH-2.0-OpenSSH_9.2p1\r\n",
	"long line":          strings.Repeat("x", 70000) + "\r\n",
	"long status":        "+" + strings.Repeat("x", 70000) + "\r\n",
}

// bounded are replies that the patched client refuses, just above its bounds.
// The published one reads them, or waits for the rest.
var bounded = map[string]string{
	"string":              "$4194305\r\n",
	"verbatim":            "=4194305\r\n",
	"array":               "*65537\r\n",
	"set":                 "~65537\r\n",
	"map":                 "%65537\r\n",
	"attribute":           "|65537\r\n",
	"nested arrays":       strings.Repeat("*1\r\n", 65) + ":1\r\n",
	"nested maps":         strings.Repeat("%1\r\n+a\r\n", 65) + ":1\r\n",
	"attributes in a row": strings.Repeat("|0\r\n", 65) + ":1\r\n",
	"nested attribute":    "|1\r\n" + strings.Repeat("*1\r\n", 65) + ":1\r\n+a\r\n:1\r\n",
}

func allCases() []testCase {
	var cases []testCase
	add := func(c testCase) { cases = append(cases, c) }

	for _, name := range sortedKeys(shapes) {
		for _, protocol := range []string{"2", "3"} {
			add(testCase{name: "shape " + name + " RESP" + protocol, steps: sticky, settings: "protocol=" + protocol, actions: []action{{bytes: shapes[name]}}})
		}
		add(testCase{name: "shape " + name + " from the pool", steps: "pool pool wires", settings: "protocol=2", actions: []action{{bytes: shapes[name]}}})
	}
	for _, name := range sortedKeys(bounded) {
		add(testCase{name: "above the bound, " + name, steps: sticky, settings: "protocol=2", actions: []action{{bytes: bounded[name], then: shut}}, publishedDiffers: true})
	}
	for _, text := range errorReplies {
		name := "error " + fmt.Sprintf("%q", text)
		reply := []action{{bytes: "-" + text + "\r\n"}}
		add(testCase{name: name, steps: sticky, settings: "protocol=2", actions: reply})
		add(testCase{name: name + " from the pool", steps: "pool pool wires", settings: "protocol=3", actions: reply})
		add(testCase{name: name + " then EVAL", steps: "conn script script close wires", settings: "protocol=2", actions: reply})
		add(testCase{name: name + " with retries", steps: "pool pool wires", settings: "protocol=2 retries=2", actions: []action{reply[0], reply[0]}})
		add(testCase{name: name + " in a pipeline", steps: "pipe pool wires", settings: "protocol=2", actions: reply})
		for at, place := range []string{"first", "second", "third"} {
			actions := append([]action{{bytes: okReply}, {bytes: okReply}}[:at:at], reply[0])
			add(testCase{name: name + " " + place + " of a Conn's calls", steps: "conn ping calls calls sha close pool wires", settings: "protocol=2", actions: actions})
		}
		add(testCase{name: name + " at CLUSTER", steps: "conn ping slots sha close pool wires", settings: "protocol=2", handshake: map[string]action{"CLUSTER": reply[0]}})
		add(testCase{name: name + " at ASKING", steps: "conn ping calls sha close pool wires", settings: "protocol=2", handshake: map[string]action{"ASKING": reply[0]}})
		add(testCase{name: name + " at HELLO", steps: "conn ping sha close pool wires", settings: "protocol=2", handshake: map[string]action{"HELLO": reply[0]}})
		add(testCase{name: name + " at HELLO with a password", steps: "conn ping sha close pool wires", settings: "protocol=3 username=me password=secret", handshake: map[string]action{"HELLO": reply[0]}})
		add(testCase{name: name + " at HELLO and AUTH", steps: "conn ping sha close pool wires", settings: "protocol=2 password=secret", handshake: map[string]action{"HELLO": {bytes: "-ERR unknown command 'HELLO'\r\n"}, "AUTH": reply[0]}})
		add(testCase{name: name + " at SELECT", steps: "conn ping sha close pool wires", settings: "protocol=2 db=3", handshake: map[string]action{"SELECT": reply[0]}})
		add(testCase{name: name + " at CLIENT", steps: "conn ping sha close pool wires", settings: "protocol=2 clientname=me identity=1", handshake: map[string]action{"CLIENT": reply[0]}})
		add(testCase{name: name + " at PING", steps: "conn ping ping sha close pool wires", settings: "protocol=2", handshake: map[string]action{"PING": reply[0]}})
	}
	for _, name := range sortedKeys(cut) {
		for at := range cut[name] {
			for _, then := range []end{shut, reset} {
				if then == reset && at > 0 {
					continue // the reset may overtake the bytes
				}
				add(testCase{
					name: fmt.Sprintf("cut %s at %d, end %d", name, at, then), steps: sticky, settings: "protocol=2",
					actions: []action{{bytes: cut[name][:at], then: then}},
				})
			}
		}
		for _, at := range []int{1, len(cut[name]) - 1} {
			add(testCase{
				name: fmt.Sprintf("hang after %d bytes of %s", at, name), steps: "conn ping sha~ sha close pool wires", settings: "protocol=2",
				actions: []action{{bytes: cut[name][:at], then: hang}},
			})
		}
	}
	hello := "*2\r\n$5\r\nproto\r\n:2\r\n"
	for at := range hello {
		add(testCase{
			name: fmt.Sprintf("handshake cut at %d", at), steps: "conn ping sha close pool wires", settings: "protocol=2",
			handshake: map[string]action{"HELLO": {bytes: hello[:at], then: shut}},
		})
	}
	for _, name := range sortedKeys(foreign) {
		add(testCase{name: "foreign " + name, steps: sticky, settings: "protocol=2", actions: []action{{bytes: foreign[name]}}})
		add(testCase{name: "foreign " + name + " at HELLO", steps: "conn ping sha close pool wires", settings: "protocol=2", handshake: map[string]action{"HELLO": {bytes: foreign[name]}}})
		add(testCase{name: "foreign " + name + " then closed", steps: sticky, settings: "protocol=2", actions: []action{{bytes: foreign[name], then: shut}}, raced: true})
	}

	for _, name := range sortedKeys(cut) {
		for at := range cut[name] {
			add(testCase{
				name: fmt.Sprintf("second of a Conn's calls, cut %s at %d", name, at), steps: "conn ping calls sha close pool wires", settings: "protocol=2",
				actions: []action{{bytes: okReply}, {bytes: cut[name][:at], then: shut}}, raced: true,
			})
		}
	}
	for _, name := range sortedKeys(shapes) {
		add(testCase{name: "shape " + name + " among a Conn's calls", steps: "conn ping calls sha close", settings: "protocol=2", actions: []action{{bytes: okReply}, {bytes: shapes[name]}}})
		add(testCase{name: "shape " + name + " at CLUSTER", steps: "conn ping slots sha close", settings: "protocol=2", handshake: map[string]action{"CLUSTER": {bytes: shapes[name]}}})
	}
	for _, name := range sortedKeys(foreign) {
		add(testCase{name: "foreign " + name + " among a Conn's calls", steps: "conn ping calls sha close", settings: "protocol=2", actions: []action{{bytes: okReply}, {bytes: foreign[name]}}})
	}
	node := func(host string) string { return "*4\r\n" + host + ":6379\r\n$2\r\nid\r\n*0\r\n" }
	slots := "*2\r\n*4\r\n:0\r\n:8191\r\n" + node("$8\r\n10.0.0.1\r\n") + node("$8\r\n10.0.0.2\r\n") + "*3\r\n:8192\r\n:16383\r\n" + node("$-1\r\n")

	two := []action{{bytes: "$3\r\none\r\n$3\r\ntwo\r\n"}}
	calls := []testCase{
		{name: "two replies at once, Conn", steps: "conn ping sha sha", settings: "protocol=2", actions: two},
		{name: "two replies at once, pool", steps: "pool pool wires", settings: "protocol=2", actions: two},
		{name: "slots of a cluster", steps: "conn ping slots sha slots close", settings: "protocol=2", handshake: map[string]action{"CLUSTER": {bytes: slots}}},
		{name: "slots of a cluster, cut", steps: "conn ping slots slots close", settings: "protocol=2", handshake: map[string]action{"CLUSTER": {bytes: slots[:len(slots)/2], then: shut}}},
		{name: "slots of a cluster, hung", steps: "conn ping slots~ slots~ close", settings: "protocol=2", handshake: map[string]action{"CLUSTER": {bytes: slots[:len(slots)/2], then: hang}}},
		{name: "a Conn's calls, hung at the second", steps: "conn ping calls~ calls close pool wires", settings: "protocol=2", actions: []action{{bytes: okReply}, {bytes: "$", then: hang}}},
		{name: "a Conn's calls on a closed connection", steps: "conn ping sha calls calls close", settings: "protocol=2", actions: []action{{bytes: okReply, then: shut}}, raced: true},
		{name: "arguments of all kinds", steps: "conn nokeys kinds eval close", settings: "protocol=2"},
		{name: "texts of all kinds", steps: "conn ping texts sha texts close", settings: "protocol=2"},
		{name: "lines and other commands in turn", steps: "conn sha ping sha slots calls kinds calls ping~ sha pool sha ping close pool wires", settings: "protocol=2", handshake: map[string]action{"CLUSTER": {bytes: slots}}, actions: []action{
			{bytes: "-ERR one\r\n"}, {bytes: "*1\r\n:2\r\n"}, {bytes: "$-1\r\n"}, {bytes: ":3\r\n"}, {bytes: "_\r\n"},
		}},
		{name: "a deadline that has passed, of the command before", steps: "conn ping sha ping~ sha sha sha close", settings: "protocol=2", actions: []action{{bytes: okReply}, {bytes: okReply, delay: 300 * time.Millisecond}}},
		{name: "another command after a cut", steps: "conn ping sha sha ping slots sha close pool wires", settings: "protocol=2", actions: []action{{bytes: okReply}, {bytes: "$5\r\nhel", then: shut}}},
		{name: "a line after a command that has failed", steps: "conn ping slots~ sha close pool wires", settings: "protocol=2", handshake: map[string]action{"CLUSTER": {bytes: "*", then: hang}}},
		{name: "a write fails", steps: "conn ping broken sha~ wires", settings: "protocol=2"},
		{name: "a later write fails", steps: "conn ping sha broken sha~ wires", settings: "protocol=2"},
		{name: "a write of a Conn's calls fails", steps: "conn ping calls broken calls~ wires", settings: "protocol=2"},
		{name: "client closed before the first call", steps: "conn ping closeclient sha close", settings: "protocol=2"},
		{name: "noscript then eval", steps: "conn sha eval sha close", settings: "protocol=2", actions: []action{{bytes: "-NOSCRIPT No matching script.\r\n"}}},
		{name: "a client per connection", steps: "conn ping received sha received eval closeclient", settings: "protocol=2 poolsize=2 db=1 provider=secret"},
		{name: "a client per connection, refused", steps: "conn ping closeclient", settings: "protocol=2 poolsize=2", refused: true},
		{name: "a client per connection, no script right", steps: "conn ping sha received sha closeclient", settings: "protocol=2 poolsize=2", actions: []action{{bytes: "-NOPERM no\r\n"}}},
		{name: "a client per connection, hung", steps: "conn ping received sha~ received closeclient", settings: "protocol=2 poolsize=2", actions: []action{{bytes: "$", then: hang}}},
		{name: "a client per connection, hung while dialling", steps: "conn ping~ received closeclient", settings: "protocol=2 poolsize=2", handshake: map[string]action{"HELLO": {then: hang}}},
		{name: "provider without a password", steps: "conn ping ping close pool wires", settings: "protocol=2 provider=none"},
		{name: "provider, old server", steps: sticky, settings: "protocol=2 provider=secret", handshake: map[string]action{"HELLO": {bytes: "-ERR unknown command 'HELLO'\r\n"}}},
		{name: "provider, wrong password", steps: "conn ping ping close pool wires", settings: "protocol=2 provider=secret", handshake: map[string]action{
			"HELLO": {bytes: "-WRONGPASS invalid\r\n"}, "AUTH": {bytes: "-WRONGPASS invalid\r\n"},
		}},
		{name: "reply in time", steps: sticky, settings: "protocol=2", actions: []action{{bytes: okReply, delay: 50 * time.Millisecond}}},
		{name: "reply too late", steps: "conn ping sha~ sha close pool wires", settings: "protocol=2", actions: []action{{bytes: okReply, delay: time.Second}}},
		{name: "a deadline of the call before", steps: "conn ping~ sha sha close", settings: "protocol=2", actions: []action{{bytes: okReply, delay: 300 * time.Millisecond}}},
		{name: "closed during a call", steps: "conn ping sha during sha pool wires", settings: "protocol=2", actions: []action{{bytes: okReply}, {bytes: okReply, delay: 300 * time.Millisecond}}},
		{name: "only the deadline", steps: "conn ping sha~ sha close pool wires", settings: "protocol=2 readtimeout=-1", actions: []action{{then: hang}}},
		{name: "read timeout before the deadline", steps: sticky, settings: "protocol=2 readtimeout=400", actions: []action{{then: hang}}},
		{name: "time over before the call", steps: "conn ping sha! sha close pool! pool wires", settings: "protocol=2"},
		{name: "time over before the dial", steps: "conn ping! ping sha close wires", settings: "protocol=2"},
		{name: "default dialer", steps: sticky, settings: "protocol=2 dialer=default"},
		{name: "default dialer, RESP3, db, user", steps: sticky, settings: "protocol=3 dialer=default db=2 username=me password=secret clientname=x identity=1"},
		{name: "close and use", steps: "conn ping close ping sha close", settings: "protocol=2"},
		{name: "close without a dial", steps: "conn close conn close wires", settings: "protocol=2"},
		{name: "client closed", steps: "conn ping sha closeclient sha pool conn ping closeclient", settings: "protocol=2"},
		{name: "client closed with a Conn open", steps: "conn ping closeclient close", settings: "protocol=2"},
		{name: "one Conn after the other", steps: "conn ping close conn ping sha close conn sha close pool wires", settings: "protocol=2"},
		{name: "no idle connection is kept", steps: "conn ping sha close pool wires", settings: "protocol=2 maxidle=1"},
		{name: "idle connections dialled ahead", steps: "idle conn ping conn ping wires", settings: "protocol=2 poolsize=2 minidle=2"},
		{name: "pool of one held by a Conn", steps: "conn sha pool~ close pool wires", settings: "protocol=2 poolsize=1 pooltimeout=60000"},
		{name: "pool of one, pool timeout", steps: "conn sha pool close pool wires", settings: "protocol=2 poolsize=1 pooltimeout=60"},
		{name: "no more active connections", steps: "conn sha pool close pool wires", settings: "protocol=2 poolsize=2 maxactive=1"},
		{name: "pipeline", steps: "pipe pipe pool wires", settings: "protocol=2", actions: []action{{bytes: ":1\r\n"}, {bytes: "-WRONGTYPE x\r\n"}}},
		{name: "pipeline cut", steps: "pipe pool wires", settings: "protocol=2", actions: []action{{bytes: ":1\r\n"}, {bytes: "$5\r\nhe", then: shut}}},
		{name: "retries after a lost reply", steps: "pool pool wires", settings: "protocol=2 retries=2", actions: []action{{then: shut}, {then: shut}}},
		{name: "retries after a reset", steps: "pool pool wires", settings: "protocol=2 retries=2", actions: []action{{then: reset}}},
		{name: "refused, with retries", steps: "pool wires", settings: "protocol=2 retries=2", refused: true},
		{name: "pipeline and no time", steps: "conn sha pipe~ close", settings: "protocol=2 poolsize=1 pooltimeout=60000"},
		{name: "pipeline on a closed connection", steps: "conn sha closeclient pipe", settings: "protocol=2"},
		{name: "retries and no luck", steps: "pool pool wires", settings: "protocol=2 retries=1", actions: []action{{then: shut}, {then: shut}}},
		{name: "retries and no time", steps: "pool~ pool wires", settings: "protocol=2 retries=3", actions: []action{{then: hang}}},

		{name: "old server", steps: sticky, settings: "protocol=2", handshake: map[string]action{"HELLO": {bytes: "-ERR unknown command `HELLO`, with args beginning with: `2`, \r\n"}}},
		{name: "old server, password", steps: sticky, settings: "protocol=3 password=secret", handshake: map[string]action{"HELLO": {bytes: "-ERR unknown command 'HELLO'\r\n"}}},
		{name: "old server, user", steps: sticky, settings: "protocol=3 username=me password=secret", handshake: map[string]action{"HELLO": {bytes: "-ERR unknown command 'HELLO'\r\n"}}},
		{name: "wrong password", steps: "conn ping ping close pool wires", settings: "protocol=2 password=secret", handshake: map[string]action{
			"HELLO": {bytes: "-WRONGPASS invalid username-password pair\r\n"}, "AUTH": {bytes: "-WRONGPASS invalid username-password pair\r\n"},
		}},
		{name: "handshake hangs", steps: "conn ping~ ping close pool~ wires", settings: "protocol=2", handshake: map[string]action{"HELLO": {then: hang}}},
		{name: "handshake hangs at SELECT", steps: "conn ping~ ping close pool~ wires", settings: "protocol=2 db=1", handshake: map[string]action{"SELECT": {then: hang}}},
		{name: "handshake is cut at SELECT", steps: "conn ping ping close pool wires", settings: "protocol=2 db=1", handshake: map[string]action{"SELECT": {then: shut}}},
		{name: "handshake is cut at AUTH", steps: "conn ping ping close pool wires", settings: "protocol=2 password=x", handshake: map[string]action{"HELLO": {bytes: "-ERR unknown\r\n"}, "AUTH": {then: shut}}},
		{name: "handshake is cut at CLIENT", steps: "conn ping ping close pool wires", settings: "protocol=2 identity=1", handshake: map[string]action{"CLIENT": {then: shut}}},
		{name: "closed on accept", steps: "conn ping ping close pool wires", settings: "protocol=2", greeting: action{then: shut, delay: 20 * time.Millisecond}, raced: true},
		{name: "full server", steps: "conn ping~ close pool~ wires", settings: "protocol=2", greeting: action{bytes: "-ERR max number of clients reached\r\n", then: hang}},
		{name: "protected mode", steps: "conn ping~ close pool~ wires", settings: "protocol=2", greeting: action{bytes: "-DENIED Redis is running in protected mode\r\n", then: hang}},
		{name: "hang-up after the greeting", steps: "conn ping~ close pool~ wires", settings: "protocol=2", greeting: action{then: hang}},

		{name: "refused", steps: "conn ping ping close pool wires", settings: "protocol=2", refused: true},
		{name: "refused, default dialer", steps: "conn ping ping close pool wires", settings: "protocol=2 dialer=default", refused: true},
		{name: "refused, small pool", steps: "pool pool pool pool", settings: "protocol=2 poolsize=1", refused: true},
		{name: "dial fails twice", steps: "conn ping ping ping sha close pool wires", settings: "protocol=2 faileddials=2"},
		{name: "dial fails as often as the pool is large", steps: "pool pool recover conn ping sha close", settings: "protocol=2 poolsize=2 faileddials=2"},

		{name: "closed after a complete reply, Conn", steps: sticky, settings: "protocol=2", actions: []action{{bytes: okReply, then: shut}}, raced: true},
		{name: "closed after a complete reply, pool", steps: "pool pool pool wires", settings: "protocol=2", actions: []action{{bytes: okReply, then: shut}}, publishedDiffers: true, raced: true},
		{name: "closed while idle, Conn back in the pool", steps: "conn ping sha close pool pool wires", settings: "protocol=2", actions: []action{{bytes: okReply, then: shut}}, publishedDiffers: true, raced: true},
	}
	for _, c := range calls {
		add(c)
	}
	cases = append(cases, randomCases(200)...)
	for i, c := range cases {
		if !goesStraight(c) {
			continue
		}
		c.settings += " straight=1"
		if strings.Contains(c.steps, " calls") { // there is no other way
			cases[i] = c
			continue
		}
		c.name = "straight, " + c.name
		c.steps = strings.ReplaceAll(c.steps, "ping sha sha close", "ping sha sha ping sha slots sha close")
		// What the caller itself has closed fails at once, here by the write and there by the deadline for it.
		c.publishedDiffers = c.publishedDiffers || c.name == "straight, client closed"
		cases = append(cases, c)
	}
	return cases
}

// goesStraight: a case of a Conn without time limits of its own is played as the plugin sets go-redis up, with script calls
// that go straight to the connection.
func goesStraight(c testCase) bool {
	called := strings.Contains(c.steps, " sha") || strings.Contains(c.steps, " texts") || strings.Contains(c.steps, " nokeys") || strings.Contains(c.steps, " script")
	ordinary := c.handshake == nil || strings.Contains(c.steps, " slots") // the handshake is the same in both ways
	return strings.HasPrefix(c.steps, "conn ") && !strings.Contains(c.settings, "timeout=") &&
		(strings.Contains(c.steps, " calls") || ordinary && called)
}
