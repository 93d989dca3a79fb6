package ratelimit

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseSpan(t *testing.T) {
	for _, row := range []struct {
		why, text string
		want      time.Duration
		ok        bool
	}{
		{"a Go duration", "1m30s", 90 * time.Second, true},
		{"bare digits are seconds", "60", time.Minute, true},
		{"a whole float too", "60.0", time.Minute, true},
		{"as some providers write it", "60.000000", time.Minute, true},
		{"leading zeros are decimal", "010", 10 * time.Second, true},
		{"nothing", "", 0, false},
		{"zero", "0", 0, true},
		{"a fraction needs a unit", "1.5", 0, false},
		{"and has one", "1.5s", 1500 * time.Millisecond, true},
		{"no days", "1d", 0, false},
		{"no exponent", "1e3", 0, false},
		{"no underscore", "1_000", 0, false},
		{"no hexadecimal", "0x10", 0, false},
		{"no blank", "1 m", 0, false},
		{"the most seconds that a duration holds", "9223372036", 9223372036 * time.Second, true},
		{"one more", "9223372037", math.MaxInt64, true},
		{"more than 64 bits", "99999999999999999999999", math.MaxInt64, true},
		{"more hours than a duration holds", "2562048h", 0, false},
	} {
		if got, ok := parseSpan(row.text); got != row.want || ok != row.ok {
			t.Errorf("%s: %q is %v, %v", row.why, row.text, got, ok)
		}
	}
}

func TestWholeNumberGrammar(t *testing.T) {
	for _, row := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"", 7, true}, {"0", 0, true}, {"10", 10, true}, {"010", 10, true}, {"10.0", 10, true}, {"10.000000", 10, true}, {"100", 100, true},
		{"10.", 10, true}, {"101", 7, false}, {"-1", 7, false}, {"-0", 7, false}, {"-0.0", 7, false}, {"+1", 7, false}, {"1e1", 7, false}, {"1E1", 7, false},
		{"0x1", 7, false}, {"0b1", 7, false}, {"0o1", 7, false}, {"1_0", 7, false}, {"1,0", 7, false}, {" 1", 7, false}, {"1 ", 7, false},
		{"10.5", 7, false}, {"1.0.0", 7, false}, {".", 7, false}, {".0", 7, false}, {"-", 7, false}, {"NaN", 7, false}, {"+Inf", 7, false},
		{"१", 7, false}, {"１", 7, false}, {"9223372036854775808", 7, false}, {"18446744073709551616", 7, false}, {"4294967297", 7, false},
	} {
		f := &faults{}
		got := wholeNumber(f, "average", row.text, 0, 100, 7)
		if got != row.want || (len(f.lines) == 0) != row.ok {
			t.Errorf("%q is %d, %q", row.text, got, f.lines)
		}
	}
}

// TestPropertyWholeNumber: whatever the text, the outcome is in range or a fault, and every number survives the ways providers write it.
func TestPropertyWholeNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-+0-9._eExX]{1,25}`)).Draw(t, "text")
		f := &faults{}
		number := wholeNumber(f, "average", text, 5, 90_000_000, 5)
		if number < 5 || number > 90_000_000 || len(f.lines) > 1 {
			t.Fatalf("%q is %d, %q", text, number, f.lines)
		}
		n := rapid.Int64Range(5, 90_000_000).Draw(t, "n")
		for _, way := range []string{strconv.FormatInt(n, 10), strconv.FormatFloat(float64(n), 'f', 6, 64), strconv.FormatFloat(float64(n), 'f', -1, 64)} {
			if got := wholeNumber(&faults{}, "average", way, 5, 90_000_000, 5); got != n {
				t.Fatalf("%s is %d", way, got)
			}
		}
	})
}

// TestPropertySpan: whatever the text, the outcome is in range and a whole number of µs, and every duration survives being written.
func TestPropertySpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-+]?[0-9.]{1,22}(ns|us|ms|s|m|h|d)?`)).Draw(t, "text")
		f := &faults{}
		d := span(f, "period", text, "1m", periodLeast, periodMost, time.Second)
		if d < periodLeast || d > periodMost || d%time.Microsecond != 0 || len(f.lines) > 1 {
			t.Fatalf("%q is %v, %q", text, d, f.lines)
		}
		n := time.Duration(rapid.Int64Range(1000, 366*24*3600*1_000_000).Draw(t, "µs")) * time.Microsecond
		if got := span(&faults{}, "period", n.String(), "1m", periodLeast, periodMost, 1); got != n {
			t.Fatalf("%v is %v", n, got)
		}
	})
}

func TestShortSpan(t *testing.T) {
	for _, row := range []struct {
		d    time.Duration
		want string
	}{
		{time.Millisecond, "1ms"}, {10 * time.Second, "10s"}, {time.Minute, "1m"}, {time.Hour, "1h"}, {366 * 24 * time.Hour, "8784h"},
		{90 * time.Second, "1m30s"}, {10 * time.Minute, "10m"}, {time.Hour + time.Second, "1h0m1s"},
	} {
		if got := shortSpan(row.d); got != row.want {
			t.Errorf("%v: got %s, want %s", row.d, got, row.want)
		}
	}
}

// TestPropertyQuote: a quoted value is one short line of printable ASCII, whatever it is.
func TestPropertyQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		quoted := quote(text + strings.Repeat("x", rapid.IntRange(0, 300).Draw(t, "more")))
		if !printable(quoted) || len(quoted) > 10*valueShown+30 {
			t.Fatalf("%q", quoted)
		}
	})
}

// TestFillsInTime: the bound on a bucket's filling is exact where the products exceed 64 bits.
func TestFillsInTime(t *testing.T) {
	for _, row := range []struct {
		why            string
		burst, average int64
		period         micros
		want           bool
	}{
		{"exactly 100 years", 36_525, 1, 24 * 3600 * 1_000_000, true},
		{"a microsecond a day more", 36_525, 1, 24*3600*1_000_000 + 1, false},
		{"one token more", 36_526, 1, 24 * 3600 * 1_000_000, false},
		{"the largest bucket at the slowest rate", burstMost, 1, micros(periodMost / time.Microsecond), false},
		{"the largest bucket at the highest average", burstMost, averageMost, micros(periodMost / time.Microsecond), true},
	} {
		if got := fillsInTime(row.burst, limit{average: row.average, period: row.period}); got != row.want {
			t.Errorf("%s: %v", row.why, got)
		}
	}
}
