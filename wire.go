package ratelimit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// outcome is what the script says of one request: its decision, or why there is none.
type outcome struct {
	decision decision
	denial   *denial // of a decision that denies
	late     bool    // claim's: its request has an answer already
	refused  string  // Redis' words when the script could not read or write for this request, which then charged nothing; else ""
}

// errForeignReply is the cause when what came back is not, or not wholly, a reply of script to the call that was made.
var errForeignReply = errors.New("not a reply of the rate limiter's script")

// scriptLimits returns script's ARGV[1], which says what the limits are. It is the same for all calls with these limits.
func scriptLimits(limits []limit) string {
	var words []string
	for _, l := range limits {
		r := rate{}
		if l.algorithm == tokenBucket {
			r = rateOf(l)
		}
		words = append(words, l.name, algorithmOf(l).tag, strconv.FormatInt(capacity(l), 10), strconv.FormatInt(int64(fillTime(l)), 10),
			strconv.FormatInt(int64(r.whole), 10), strconv.FormatInt(r.rest, 10), strconv.FormatInt(r.scale, 10))
	}
	return strings.Join(words, " ")
}

// scriptKeys returns the KEYS of a call about requests with these keys: of each the key itself, the hash, unless all limits are
// sliding logs and need none; then for each sliding log its list. All of a request's share its key's hash tag, and so its slot
// in a cluster.
func scriptKeys(limits []limit, keys []string) []string {
	hash := false
	var logs []string
	for i := range limits {
		if limits[i].algorithm == slidingLog {
			logs = append(logs, ":"+limits[i].name+":sl1")
		} else {
			hash = true
		}
	}
	if len(logs) == 0 {
		return keys
	}
	all := make([]string, 0, len(keys)*(1+len(logs)))
	for _, key := range keys {
		if hash {
			all = append(all, key)
		}
		for _, log := range logs {
			all = append(all, key+log)
		}
	}
	return all
}

// scriptCosts returns script's ARGV[2]: what each request of a call costs, in units, 0 to 1,000.
func scriptCosts(costs []int64) string {
	text := make([]byte, 0, 4*len(costs))
	for _, c := range costs {
		text = strconv.AppendInt(text, c, 10)
		text = append(text, ' ')
	}
	return string(text)
}

// A script call is a command as it goes over the wire, an array of bulk strings: its name, the script's name or text, the number of
// keys, the keys, ARGV[1] to ARGV[3]. https://redis.io/docs/latest/develop/reference/protocol-spec/#sending-commands-to-a-redis-server
//
// It is put together here, not by go-redis, for one reason: a key is written once for a connection, then copied for each of its requests.

// bulk is one string of a command.
func bulk(text string) string {
	return "$" + strconv.Itoa(len(text)) + "\r\n" + text + "\r\n"
}

// What a call begins with.
var (
	byHash = bulk("evalsha") + bulk(scriptHash)
	byText = bulk("eval") + bulk(script) // for a server that does not know the script yet (first call, SCRIPT FLUSH, restart)
)

// callHead is a call with so many keys, up to them.
func callHead(keys int) string {
	return "*" + strconv.Itoa(keys+6) + "\r\n" + byHash + bulk(strconv.Itoa(keys))
}

// callTail is the end of a call, from ARGV[2] on.
func callTail(costs string) string { return bulk(costs) + bulk("") }

// Calls about so many requests that have one key each and cost 1: what is the same in all of them.
var (
	plainHeads = plainParts(callHead)
	plainTails = plainParts(func(requests int) string { return callTail(strings.Repeat("1 ", requests)) })
)

// plainParts are a part of a call about 0 to batchSize requests.
func plainParts(part func(requests int) string) []string {
	parts := make([]string, batchSize+1)
	for n := range parts {
		parts[n] = part(n)
	}
	return parts
}

// appendCall appends a call about these keys; argument is ARGV[1] as a bulk string, costs is ARGV[2].
func appendCall(line []byte, keys []string, argument, costs string) []byte {
	line = append(line, callHead(len(keys))...)
	for _, key := range keys {
		line = append(line, bulk(key)...)
	}
	line = append(line, argument...)
	line = append(line, callTail(costs)...)
	return line
}

// withText is a call with the script's text in the place of its hash.
func withText(call []byte) []byte {
	return bytes.Replace(call, []byte(byHash), []byte(byText), 1)
}

// plainKeyHead is what stands before the source in the one key that a request has; "" under limits of which one has a key of its own.
func plainKeyHead(s *settings) string {
	for _, l := range s.limits {
		if l.algorithm == slidingLog {
			return ""
		}
	}
	return s.keyHead
}

// Numbers of a reply.
const (
	numberMost = 1<<53 - 1
	retryNever = 1 << 53 // retry: it denies for good
)

// parseReply reads the reply of script to a call for so many requests under limits: one outcome per request, in order, and how many of them
// are not simply allowed.
// Whatever is not exactly such a reply is an error, so that a truncated or foreign one never becomes a decision.
func parseReply(reply string, limits []limit, requests int) ([]outcome, int, error) {
	var outcomes []outcome
	var err error
	j, others := 0, 0
	if !strings.HasPrefix(reply, "rl2 [") || strings.Trim(reply[5:], "0123456789,]") != "" { // else JSON could be null, or a number with a fraction
		outcomes, others, err = parseRefusals(reply, limits, requests)
		return outcomes, others, err
	}
	each := len(limits)
	want := 2 + 4*each*requests
	numbers := make([]micros, 0, want)
	err = json.Unmarshal([]byte(reply[4:]), &numbers)
	if err != nil || len(numbers) != want || numbers[0] > numberMost || numbers[1] != micros(requests) {
		return nil, 0, foreign(reply)
	}
	at := numbers[0]
	numbers = numbers[2:]
	outcomes = make([]outcome, requests)
	verdicts := make([]verdict, each*requests)
	var left, reset, next, retry micros
	for i := range outcomes {
		outcomes[i].decision = decision{allowed: true, at: at, verdicts: verdicts[:each:each]}
		for j = 0; j < each; j++ {
			left = numbers[0]
			reset = numbers[1]
			next = numbers[2]
			retry = numbers[3]
			numbers = numbers[4:]
			if left|reset|next > numberMost || retry > retryNever {
				return nil, 0, foreign(reply)
			}
			verdicts[j] = verdict{allowed: true, remaining: int64(left), resetAfter: reset, nextAfter: next}
			if retry > 0 {
				others += setDenying(outcomes, i, verdicts, j, retry)
			}
		}
		verdicts = verdicts[each:]
	}
	return outcomes, others, nil
}

// setDenying makes verdict j of outcome i deny, with this retry of the reply. It returns 1 for the outcome's first, else 0. A slice and an
// index, not a pointer: docs/decisions/hot-path.md.
func setDenying(outcomes []outcome, i int, verdicts []verdict, j int, retry micros) int {
	more := 0
	if outcomes[i].decision.allowed {
		more = 1
	}
	outcomes[i].decision.allowed = false
	v := &verdicts[j]
	v.allowed = false
	v.retryAfter = retry
	if retry == retryNever {
		v.never = true
		v.retryAfter = 0
	}
	return more
}

// parseRefusals is parseReply of a reply that has words of Redis in the place of some decisions.
func parseRefusals(reply string, limits []limit, requests int) ([]outcome, int, error) {
	last := len(reply) - 1
	if last < 5 || reply[:5] != "rl2 [" || reply[last] != ']' {
		return nil, 0, foreign(reply)
	}
	words := strings.Split(reply[5:last], ",")
	if len(words) < 3 || words[1] != strconv.Itoa(requests) {
		return nil, 0, foreign(reply)
	}
	outcomes := make([]outcome, requests)
	var decided []int // requests with a decision
	var numbers []string
	at := 2
	for i := range outcomes {
		if at < len(words) && strings.HasPrefix(words[at], `"`) {
			outcomes[i].refused = refusalOf(words[at])
			if outcomes[i].refused == "" {
				return nil, 0, foreign(reply)
			}
			at++
			continue
		}
		end := at + 4*len(limits)
		if end > len(words) {
			return nil, 0, foreign(reply)
		}
		decided = append(decided, i)
		numbers = append(numbers, words[at:end]...)
		at = end
	}
	if at != len(words) {
		return nil, 0, foreign(reply)
	}
	plain := append([]string{words[0], strconv.Itoa(len(decided))}, numbers...)
	text := "rl2 [" + strings.Join(plain, ",") + "]"
	if strings.Contains(text, `"`) || len(decided) == requests {
		return nil, 0, foreign(reply)
	}
	rest, others, err := parseReply(text, limits, len(decided))
	if err != nil {
		return nil, 0, foreign(reply)
	}
	for i, place := range decided {
		outcomes[place] = rest[i]
	}
	return outcomes, others + requests - len(decided), nil
}

// foreign is the error of a reply that is not ours, with its beginning.
func foreign(reply string) error {
	return fmt.Errorf("%w: %.100q", errForeignReply, reply)
}

// refusalOf is what Redis said, out of a word in quotation marks; "" when that is none of ours.
func refusalOf(word string) string {
	refused, err := url.PathUnescape(strings.Trim(word, `"`))
	if err != nil || word != `"`+strings.Trim(word, `"`)+`"` {
		return ""
	}
	return refused
}
