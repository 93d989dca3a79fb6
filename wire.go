package ratelimit

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// outcome is what the script says of one request: its decision, or why there is none.
type outcome struct {
	decision decision
	refused  string // Redis' words when the script could not read or write for this request, which then charged nothing; else ""
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

// parseReply reads the reply of script to a call for so many requests under limits: one outcome per request, in order.
// Whatever is not exactly such a reply is an error, so that a truncated or foreign one never becomes a decision.
// It is one flat loop, because a call costs more than a line where this code is interpreted.
func parseReply(reply string, limits []limit, requests int) ([]outcome, error) {
	words := strings.Split(reply, " ")
	last := len(words) - 1
	if last < 3 || words[0] != "rl1" || words[2] != strconv.Itoa(requests) || words[last] != "end" {
		return nil, foreign("", reply)
	}
	now, err := strconv.ParseUint(words[1], 10, 53)
	if err != nil {
		return nil, foreign("time ", words[1])
	}

	outcomes := make([]outcome, requests)
	verdicts := make([]verdict, requests*len(limits))
	at := 3
	for i := 0; i < requests; i++ {
		if strings.HasPrefix(words[at], "E") {
			outcomes[i].refused = refusalOf(words[at])
			if outcomes[i].refused == "" {
				return nil, foreignAt(at, words)
			}
			at++
			continue
		}
		d := decision{allowed: true, at: micros(now), verdicts: verdicts[:len(limits):len(limits)]}
		verdicts = verdicts[len(limits):]
		for j := 0; j < len(limits); j++ {
			kind := words[at]
			if kind != "a" && kind != "d" && kind != "n" || at+4 > last || kind == "d" && at+5 > last {
				return nil, foreignAt(at, words)
			}
			remaining, err1 := strconv.ParseUint(words[at+1], 10, 53)
			reset, err2 := strconv.ParseUint(words[at+2], 10, 53)
			next, err3 := strconv.ParseUint(words[at+3], 10, 53)
			if err1 != nil || err2 != nil || err3 != nil {
				return nil, foreignAt(at, words)
			}
			v := verdict{allowed: kind == "a", never: kind == "n", remaining: int64(remaining), resetAfter: micros(reset), nextAfter: micros(next)}
			at += 4
			if kind == "d" {
				retry, err := strconv.ParseUint(words[at], 10, 53)
				if err != nil || retry == 0 {
					return nil, foreignAt(at, words)
				}
				v.retryAfter = micros(retry)
				at++
			}
			d.allowed = d.allowed && v.allowed
			d.verdicts[j] = v
		}
		outcomes[i].decision = d
	}
	if at != last {
		return nil, foreignAt(at, words)
	}
	return outcomes, nil
}

// foreign is the error of a reply that is not ours, with what shows it.
func foreign(what, text string) error {
	return fmt.Errorf("%w: %s%.100q", errForeignReply, what, text)
}

// foreignAt is foreign by the word at this place and those after it.
func foreignAt(at int, words []string) error {
	return fmt.Errorf("%w: from word %d on: %.100q", errForeignReply, at, strings.Join(words[at:], " "))
}

// refusalOf is what Redis said, out of a word that begins with E; "" when that is none of ours.
func refusalOf(word string) string {
	refused, err := url.PathUnescape(word[1:])
	if err != nil {
		return ""
	}
	return refused
}
