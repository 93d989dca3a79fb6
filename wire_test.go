package ratelimit

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestScriptArguments(t *testing.T) {
	limits := []limit{aBucket, aLog, {name: "odd", algorithm: tokenBucket, average: 7, period: aSecond, burst: 3}, aWindow}
	if got, want := scriptLimits(limits), "bucket tb1 5 60000000 12000000 0 1 log sl1 5 60000000 0 0 0 "+
		"odd tb1 3 428572 142857 1 7 window fw1 5 60000000 0 0 0"; got != want {
		t.Errorf("limits\n got %q\nwant %q", got, want)
	}
	if got, want := scriptCosts([]int64{1, 0, 1000}), "1 0 1000 "; got != want {
		t.Errorf("costs %q, want %q", got, want)
	}
	tests := []struct {
		limits []limit
		want   []string
		why    string
	}{
		{[]limit{aBucket, aWindow}, []string{"k{s}", "k{t}"}, "all in the hash"},
		{[]limit{aBucket, aLog}, []string{"k{s}", "k{s}:log:sl1", "k{t}", "k{t}:log:sl1"}, "a log has a list beside it"},
		{[]limit{aLog, {name: "z", algorithm: slidingLog}}, []string{"k{s}:log:sl1", "k{s}:z:sl1", "k{t}:log:sl1", "k{t}:z:sl1"}, "logs need no hash"},
	}
	for _, test := range tests {
		if got := scriptKeys(test.limits, []string{"k{s}", "k{t}"}); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

func TestParseReply(t *testing.T) {
	limits := []limit{aBucket, aWindow}
	got, others, err := parseReply(`rl2 [1700000000123456,4,4,12000000,12000000,0,0,7,7,0,"OOM%20command%20not%20allowed",`+
		`0,60000000,12000000,24000000,3,5,5,0,2,9,8,9007199254740992,3,5,5,0]`, limits, 4)
	now := micros(1700000000123456)
	want := []outcome{
		{decision: decision{allowed: true, at: now, verdicts: []verdict{pass(4, 12*aSecond, 12*aSecond), pass(0, 7, 7)}}},
		{refused: "OOM command not allowed"},
		{decision: decision{at: now, verdicts: []verdict{deny(0, 24*aSecond, aMinute, 12*aSecond), pass(3, 5, 5)}}},
		{decision: decision{at: now, verdicts: []verdict{{never: true, remaining: 2, resetAfter: 9, nextAfter: 8}, pass(3, 5, 5)}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) || others != 3 {
		t.Errorf("got %+v, %d others, %v\nwant %+v", got, others, err, want)
	}
}

// notAllowed is how many outcomes are not allowed.
func notAllowed(outcomes []outcome) int {
	n := 0
	for _, o := range outcomes {
		if !o.decision.allowed {
			n++
		}
	}
	return n
}

func TestParseReplyRefusesWhatIsNotOurs(t *testing.T) {
	tests := []struct{ reply, why string }{
		{"", "nothing"},
		{"OK", "a foreign word"},
		{"rl2", "a beginning"},
		{"rl2 [", "a longer one"},
		{"]", "an end"},
		{"rl2 []", "no number"},
		{"rl2 [1,1]", "no verdict"},
		{"rl3 [1,1,1,1,1,0]", "a future format"},
		{"rl1 1 1 a 1 1 1 end", "the last format"},
		{"rl2 [1,2,1,1,1,0,1,1,1,0]", "another number of requests"},
		{"rl2 [1,1,1,1,1,0,1,1,1,0]", "a verdict too many"},
		{"rl2 [1,1,1,1,1,0", "no end"},
		{"rl2 [1,1,1,1,1]", "a number too few"},
		{"rl2 [1,1,1,1,1,0,1]", "a number too many"},
		{"rl2 [1,1,1,1,1,x]", "a retry that is no number"},
		{"rl2 [1,1,1,1,1,9007199254740993]", "a retry beyond 2^53"},
		{"rl2 [1,1,-1,1,1,0]", "a negative number"},
		{"rl2 [1,1,+1,1,1,0]", "a sign"},
		{"rl2 [1,1,1.5,1,1,0]", "a fraction"},
		{"rl2 [1,1,1e3,1,1,0]", "an exponent"},
		{"rl2 [1,1,null,1,1,0]", "nothing in the place of a number"},
		{"rl2 [1,1,[1],1,1,0]", "an array in the place of a number"},
		{"rl2 [1,1,9007199254740992,1,1,0]", "remaining beyond 2^53"},
		{"rl2 [1,1,1,9007199254740992,1,0]", "reset beyond 2^53"},
		{"rl2 [1,1,1,1,9007199254740992,0]", "next beyond 2^53"},
		{"rl2 [9007199254740992,1,1,1,1,0]", "a time beyond 2^53"},
		{"rl2 [1,1,1,1,99999999999999999999,0]", "beyond every integer"},
		{"rl2 [1,1,,1,1,0]", "an empty number"},
		{"rl2 [1,1, 1,1,1,0]", "a blank within"},
		{" rl2 [1,1,1,1,1,0]", "a blank before"},
		{"rl2 [1,1,1,1,1,0] ", "a blank after"},
		{"rl2 [1,1,1,1,1,0]\n", "a line break after"},
		{"rl2 [1,1,1,1,1,0]]", "a bracket after"},
		{"rl2 [x,1,1,1,1,0]", "a time that is no number"},
		{"rl2 [1,01,1,1,1,0]", "a count in other digits"},
		{"rl2 [1,1,01,1,1,0]", "a number in other digits"},
		{`rl2 [1,1,""]`, "a refusal without words"},
		{`rl2 [1,1,"%zz"]`, "words that are not escaped"},
		{`rl2 [1,1,"OOM",1,1,1,0]`, "a refusal and a verdict"},
		{`rl2 [1,1,1,1,1,0,"OOM"]`, "a verdict and a refusal"},
		{`rl2 [1,1,"OOM"`, "a refusal without an end"},
		{`rl2 [1,1,"OOM]`, "words without an end"},
		{`rl2 [1,1,""OOM"]`, "words that begin twice"},
		{`rl2 [1,1,1,1,"OOM",0]`, "words in the place of a number"},
		{`rl2 [x,1,"OOM"]`, "a refusal at a time that is no number"},
		{`rl2 [1,2,"OOM"]`, "a refusal too few"},
	}
	for _, test := range tests {
		if outcomes, _, err := parseReply(test.reply, []limit{aBucket}, 1); !errors.Is(err, errForeignReply) || outcomes != nil {
			t.Errorf("%s: %q became %+v, %v", test.why, test.reply, outcomes, err)
		}
	}
}

// formatReply is what the script would say of outcomes.
func formatReply(now micros, outcomes []outcome) string {
	words := []string{fmt.Sprint(now), fmt.Sprint(len(outcomes))}
	for _, o := range outcomes {
		if o.refused != "" {
			escaped := ""
			for _, b := range []byte(o.refused) {
				escaped += fmt.Sprintf("%%%02X", b)
			}
			words = append(words, `"`+escaped+`"`)
			continue
		}
		for _, v := range o.decision.verdicts {
			retry := int64(v.retryAfter)
			if v.never {
				retry = 1 << 53
			}
			words = append(words, fmt.Sprintf("%d,%d,%d,%d", v.remaining, v.resetAfter, v.nextAfter, retry))
		}
	}
	return "rl2 [" + strings.Join(words, ",") + "]"
}

// Every reply is read back as it was meant; cut anywhere, or with a byte changed to one that changes its shape, it is refused.
func TestParseReplyReadsAllOrNothing(t *testing.T) {
	limits := []limit{aBucket, aLog}
	number := rapid.Int64Range(0, 1<<53-1)
	checkTimes(t, 2_000, func(rt *rapid.T) {
		now := micros(number.Draw(rt, "now"))
		var want []outcome
		for i := rapid.IntRange(1, 4).Draw(rt, "requests"); i > 0; i-- {
			if rapid.IntRange(0, 3).Draw(rt, "refused") == 0 {
				want = append(want, outcome{refused: string(rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(rt, "words"))})
				continue
			}
			d := decision{allowed: true, at: now}
			for range limits {
				v := verdict{allowed: rapid.Bool().Draw(rt, "allowed"), remaining: number.Draw(rt, "remaining"),
					resetAfter: micros(number.Draw(rt, "reset")), nextAfter: micros(number.Draw(rt, "next"))}
				if !v.allowed && rapid.Bool().Draw(rt, "never") {
					v.never = true
				} else if !v.allowed {
					v.retryAfter = micros(rapid.Int64Range(1, 1<<53-1).Draw(rt, "retry"))
				}
				d.allowed = d.allowed && v.allowed
				d.verdicts = append(d.verdicts, v)
			}
			want = append(want, outcome{decision: d})
		}
		reply := formatReply(now, want)
		got, others, err := parseReply(reply, limits, len(want))
		if err != nil || !reflect.DeepEqual(got, want) || others != notAllowed(want) {
			rt.Fatalf("%q:\n got %+v, %d others, %v\nwant %+v", reply, got, others, err, want)
		}
		cut := rapid.IntRange(0, len(reply)-1).Draw(rt, "cut")
		if got, _, err := parseReply(reply[:cut], limits, len(want)); err == nil {
			rt.Fatalf("cut to %q it became %+v", reply[:cut], got)
		}
		if got, _, err := parseReply(reply, limits, len(want)+1); err == nil {
			rt.Fatalf("for one more request it became %+v", got)
		}
		if got, _, err := parseReply(reply, limits[:1], len(want)); err == nil && strings.Count(reply, ",") > 1+strings.Count(reply, `"`)/2 {
			rt.Fatalf("under one limit less it became %+v", got)
		}
	})
}

func FuzzParseReply(f *testing.F) {
	f.Add(`rl2 [1700000000123456,2,4,12000000,12000000,0,0,7,7,0,"OOM%20command"]`)
	f.Add("rl2 [1,1,0,0,0,9007199254740992,1,1,1,1]")
	f.Fuzz(func(t *testing.T, reply string) {
		for requests := 1; requests <= 3; requests++ {
			outcomes, others, err := parseReply(reply, []limit{aBucket, aLog}, requests)
			if (err == nil) != (len(outcomes) == requests) || others != notAllowed(outcomes) {
				t.Errorf("%q: %d outcomes, %d others, %v", reply, len(outcomes), others, err)
			}
			for _, o := range outcomes {
				if (o.refused == "") == (o.decision.verdicts == nil) {
					t.Errorf("%q: %+v", reply, o)
				}
			}
		}
	})
}

func BenchmarkParseReply(b *testing.B) {
	limits := []limit{aBucket}
	var outcomes []outcome
	for i := 0; i < 128; i++ {
		outcomes = append(outcomes, outcome{decision: decision{verdicts: []verdict{pass(99, aMinute, aSecond)}}})
	}
	reply := formatReply(noonMicros, outcomes)
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		if _, _, err := parseReply(reply, limits, 128); err != nil {
			b.Fatal(err)
		}
	}
}
