package ratelimit

import (
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"testing"

	"github.com/dunglas/httpsfv"
	"pgregory.net/rapid"
)

// The limits of the golden tables, in the order that compile gives them: by name.
var (
	minute = limit{name: "burst", algorithm: tokenBucket, average: 100, period: 60e6, burst: 50}
	day    = limit{name: "daily", algorithm: fixedWindow, average: 1000, period: 86400e6}
	second = limit{name: "default", algorithm: slidingLog, average: 10, period: 1e6}
	tied   = []limit{
		{name: "a", algorithm: slidingLog, average: 10, period: 1e6},
		{name: "b", algorithm: slidingLog, average: 20, period: 2e6},
		{name: "c", algorithm: slidingLog, average: 30, period: 3e6},
	}
)

const onTheSecond = micros(1700000000000000) // a whole second

// settingsFor are settings with the default denied answer and both flavours.
func settingsFor(limits ...limit) *settings {
	return &settings{
		limits:     limits,
		xRateLimit: true,
		rateLimit:  true,
		denied:     deniedAnswer{429, "text/plain; charset=utf-8", "Too Many Requests"},
	}
}

func TestSetHeaders(t *testing.T) {
	tests := []struct {
		why    string
		limits []limit
		held   http.Header // what other middlewares have set before
		d      decision
		want   http.Header
	}{
		{
			why:    "nobody counted: no header, and what stood there stays",
			limits: []limit{second},
			held:   http.Header{"X-Ratelimit-Limit": {"7"}, "Vary": {"Origin"}},
			d:      decision{allowed: true},
			want:   http.Header{"X-Ratelimit-Limit": {"7"}, "Vary": {"Origin"}},
		},
		{
			why:    "the last request of a window: remaining 0, the window's end in Reset and t",
			limits: []limit{day},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 0, resetAfter: 3600e6, nextAfter: 3600e6}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1700003600"},
				"Ratelimit-Policy": {`"daily";q=1000;w=86400`}, "Ratelimit": {`"daily";r=0;t=3600`},
			},
		},
		{
			why:    "the first request after a window: one used, a whole window ahead",
			limits: []limit{day},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 999, resetAfter: 86400e6, nextAfter: 86400e6}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"999"}, "X-Ratelimit-Reset": {"1700086400"},
				"Ratelimit-Policy": {`"daily";q=1000;w=86400`}, "Ratelimit": {`"daily";r=999;t=86400`},
			},
		},
		{
			why:    "a bucket at 1 after this request: limit is the burst, w the time to fill, t until the next token",
			limits: []limit{minute},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 1, resetAfter: 29400000, nextAfter: 600000}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"50"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"1700000030"},
				"Ratelimit-Policy": {`"burst";q=50;w=30`}, "Ratelimit": {`"burst";r=1;t=1`},
			},
		},
		{
			why:    "full after a cost of 0: Reset is now, no t",
			limits: []limit{second},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 10}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"10"}, "X-Ratelimit-Reset": {"1700000000"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=10`},
			},
		},
		{
			why:    "one µs into a second: Reset rounds the instant up, not the span",
			limits: []limit{second},
			d:      decision{allowed: true, at: onTheSecond + 1, verdicts: []verdict{{allowed: true, remaining: 9, resetAfter: 1e6, nextAfter: 1e6 + 1}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1700000002"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=9;t=2`},
			},
		},
		{
			why:    "a denial names the limit",
			limits: []limit{second},
			d:      decision{allowed: false, at: onTheSecond, verdicts: []verdict{{remaining: 0, retryAfter: 1, resetAfter: 900000, nextAfter: 1}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1700000001"}, "X-Ratelimit-Name": {"default"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=0;t=1`},
			},
		},
		{
			why:    "a cost above what is left: remaining stays as it was",
			limits: []limit{second},
			d:      decision{allowed: false, at: onTheSecond, verdicts: []verdict{{remaining: 2, retryAfter: 500000, resetAfter: 900000, nextAfter: 400000}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"2"}, "X-Ratelimit-Reset": {"1700000001"}, "X-Ratelimit-Name": {"default"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=2;t=1`},
			},
		},
		{
			why:    "a cost above the capacity of an untouched limit: full and denied",
			limits: []limit{second},
			d:      decision{allowed: false, at: onTheSecond, verdicts: []verdict{{never: true, remaining: 10}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"10"}, "X-Ratelimit-Reset": {"1700000000"}, "X-Ratelimit-Name": {"default"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=10`},
			},
		},
		{
			why:    "two limits allow: the least remaining share, 1/50 before 30/1000, not the least remaining",
			limits: []limit{minute, day},
			d: decision{allowed: true, at: onTheSecond, verdicts: []verdict{
				{allowed: true, remaining: 1, resetAfter: 29e6, nextAfter: 600000},
				{allowed: true, remaining: 30, resetAfter: 60e6, nextAfter: 60e6},
			}},
			want: http.Header{
				"X-Ratelimit-Limit": {"50"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"1700000029"},
				"Ratelimit-Policy": {`"burst";q=50;w=30, "daily";q=1000;w=86400`}, "Ratelimit": {`"burst";r=1;t=1, "daily";r=30;t=60`},
			},
		},
		{
			why:    "two limits allow: a large remaining of a larger capacity is the tighter one",
			limits: []limit{minute, day},
			d: decision{allowed: true, at: onTheSecond, verdicts: []verdict{
				{allowed: true, remaining: 3, resetAfter: 29e6, nextAfter: 600000},
				{allowed: true, remaining: 59, resetAfter: 60e6, nextAfter: 60e6},
			}},
			want: http.Header{
				"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"59"}, "X-Ratelimit-Reset": {"1700000060"},
				"Ratelimit-Policy": {`"burst";q=50;w=30, "daily";q=1000;w=86400`}, "Ratelimit": {`"burst";r=3;t=1, "daily";r=59;t=60`},
			},
		},
		{
			why:    "one limit denies: it is the tightest, even beside one with nothing left, and stands alone in RateLimit",
			limits: []limit{minute, day},
			d: decision{allowed: false, at: onTheSecond, verdicts: []verdict{
				{allowed: true, remaining: 0, resetAfter: 29e6, nextAfter: 600000},
				{remaining: 5, retryAfter: 60e6, resetAfter: 60e6, nextAfter: 60e6},
			}},
			want: http.Header{
				"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"5"}, "X-Ratelimit-Reset": {"1700000060"}, "X-Ratelimit-Name": {"daily"},
				"Ratelimit-Policy": {`"burst";q=50;w=30, "daily";q=1000;w=86400`}, "Ratelimit": {`"daily";r=5;t=60`},
			},
		},
		{
			why:    "two limits deny: the longest wait",
			limits: tied,
			d: decision{allowed: false, at: onTheSecond, verdicts: []verdict{
				{remaining: 0, retryAfter: 100, resetAfter: 1e6, nextAfter: 100},
				{allowed: true, remaining: 5, resetAfter: 2e6, nextAfter: 100},
				{remaining: 0, retryAfter: 101, resetAfter: 3e6, nextAfter: 101},
			}},
			want: http.Header{
				"X-Ratelimit-Limit": {"30"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1700000003"}, "X-Ratelimit-Name": {"c"},
				"Ratelimit-Policy": {`"a";q=10;w=1, "b";q=20;w=2, "c";q=30;w=3`}, "Ratelimit": {`"a";r=0;t=1, "c";r=0;t=1`},
			},
		},
		{
			why:    "never comes before the longest wait, wherever it stands",
			limits: tied,
			d: decision{allowed: false, at: onTheSecond, verdicts: []verdict{
				{remaining: 0, retryAfter: 900000, resetAfter: 1e6, nextAfter: 900000},
				{never: true, remaining: 20},
				{remaining: 0, retryAfter: 2900000, resetAfter: 3e6, nextAfter: 2900000},
			}},
			want: http.Header{
				"X-Ratelimit-Limit": {"20"}, "X-Ratelimit-Remaining": {"20"}, "X-Ratelimit-Reset": {"1700000000"}, "X-Ratelimit-Name": {"b"},
				"Ratelimit-Policy": {`"a";q=10;w=1, "b";q=20;w=2, "c";q=30;w=3`}, "Ratelimit": {`"a";r=0;t=1, "b";r=20, "c";r=0;t=3`},
			},
		},
		{
			why:    "equal waits: the first by name",
			limits: tied,
			d: decision{allowed: false, at: onTheSecond, verdicts: []verdict{
				{remaining: 0, retryAfter: 500, resetAfter: 1e6, nextAfter: 500},
				{remaining: 0, retryAfter: 500, resetAfter: 2e6, nextAfter: 500},
				{remaining: 0, retryAfter: 499, resetAfter: 3e6, nextAfter: 499},
			}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1700000001"}, "X-Ratelimit-Name": {"a"},
				"Ratelimit-Policy": {`"a";q=10;w=1, "b";q=20;w=2, "c";q=30;w=3`}, "Ratelimit": {`"a";r=0;t=1, "b";r=0;t=1, "c";r=0;t=1`},
			},
		},
		{
			why:    "equal shares: the first by name",
			limits: tied,
			d: decision{allowed: true, at: onTheSecond, verdicts: []verdict{
				{allowed: true, remaining: 10},
				{allowed: true, remaining: 8, resetAfter: 2e6, nextAfter: 1e6},
				{allowed: true, remaining: 12, resetAfter: 3e6, nextAfter: 1e6},
			}},
			want: http.Header{
				"X-Ratelimit-Limit": {"20"}, "X-Ratelimit-Remaining": {"8"}, "X-Ratelimit-Reset": {"1700000002"},
				"Ratelimit-Policy": {`"a";q=10;w=1, "b";q=20;w=2, "c";q=30;w=3`}, "Ratelimit": {`"a";r=10, "b";r=8;t=1, "c";r=12;t=1`},
			},
		},
		{
			why:    "another middleware holds the tighter fields: they stay, ours are appended to RateLimit",
			limits: []limit{second},
			held: http.Header{
				"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"49"}, "X-Ratelimit-Reset": {"1"},
				"Ratelimit-Policy": {`"outer";q=100;w=9`}, "Ratelimit": {`"outer";r=49;t=2`},
			},
			d: decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 5, resetAfter: 1e6, nextAfter: 1e6}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"49"}, "X-Ratelimit-Reset": {"1"},
				"Ratelimit-Policy": {`"outer";q=100;w=9, "default";q=10;w=1`}, "Ratelimit": {`"outer";r=49;t=2, "default";r=5;t=1`},
			},
		},
		{
			why:    "another middleware holds an equal share: the outer one stays",
			limits: []limit{second},
			held:   http.Header{"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"50"}, "X-Ratelimit-Reset": {"1"}},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 5, resetAfter: 1e6, nextAfter: 1e6}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"50"}, "X-Ratelimit-Reset": {"1"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=5;t=1`},
			},
		},
		{
			why:    "another middleware holds looser fields: ours replace all three",
			limits: []limit{second},
			held:   http.Header{"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"51"}, "X-Ratelimit-Reset": {"1"}},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 5, resetAfter: 1e6, nextAfter: 1e6}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"5"}, "X-Ratelimit-Reset": {"1700000001"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=5;t=1`},
			},
		},
		{
			why:    "we deny: our fields win over an outer middleware that has nothing left",
			limits: []limit{second},
			held:   http.Header{"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1"}},
			d:      decision{allowed: false, at: onTheSecond, verdicts: []verdict{{remaining: 1, retryAfter: 1e6, resetAfter: 1e6, nextAfter: 1e6}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"1700000001"}, "X-Ratelimit-Name": {"default"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=1;t=1`},
			},
		},
		{
			why:    "fields of the same name that are no plain numbers: ours replace them",
			limits: []limit{second},
			held:   http.Header{"X-Ratelimit-Limit": {"100, 100;w=60"}, "X-Ratelimit-Remaining": {"0"}},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 9, resetAfter: 1e6, nextAfter: 1e6}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1700000001"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=9;t=1`},
			},
		},
		{
			why:    "a negative remaining of another's making does not count either",
			limits: []limit{second},
			held:   http.Header{"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"-1"}},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 9, resetAfter: 1e6, nextAfter: 1e6}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1700000001"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=9;t=1`},
			},
		},
		{
			why:    "a foreign list in several lines becomes one line",
			limits: []limit{second},
			held:   http.Header{"Ratelimit": {`"x";r=1`, `"y";r=2`}},
			d:      decision{allowed: true, at: onTheSecond, verdicts: []verdict{{allowed: true, remaining: 10}}},
			want: http.Header{
				"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"10"}, "X-Ratelimit-Reset": {"1700000000"},
				"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"x";r=1, "y";r=2, "default";r=10`},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			h := test.held.Clone()
			if h == nil {
				h = http.Header{}
			}
			rules := newHeaderRules(settingsFor(test.limits...))
			setAny(h, rules, &test.d)
			if !reflect.DeepEqual(h, test.want) {
				t.Errorf("got\n%v, want\n%v", h, test.want)
			}
			for name := range h {
				if http.CanonicalHeaderKey(name) != name {
					t.Errorf("%q is not canonical: net/http would not find it", name)
				}
			}
		})
	}
}

func TestFlavours(t *testing.T) {
	d := decision{allowed: false, at: onTheSecond, verdicts: []verdict{{remaining: 0, retryAfter: 1e6, resetAfter: 1e6, nextAfter: 1e6}}}
	tests := []struct {
		why                   string
		xRateLimit, rateLimit bool
		want                  http.Header
	}{
		{"the default", true, false, http.Header{
			"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1700000001"}, "X-Ratelimit-Name": {"default"},
		}},
		{"the draft alone", false, true, http.Header{
			"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=0;t=1`},
		}},
		{"none", false, false, http.Header{}},
	}
	for _, test := range tests {
		s := settingsFor(second)
		s.xRateLimit, s.rateLimit = test.xRateLimit, test.rateLimit
		rules := newHeaderRules(s)
		h := http.Header{}
		setAny(h, rules, &d)
		if !reflect.DeepEqual(h, test.want) {
			t.Errorf("%s: got %v, want %v", test.why, h, test.want)
		}
	}
}

func TestAnswerDenied(t *testing.T) {
	tests := []struct {
		why      string
		denied   deniedAnswer
		verdicts []verdict
		want     http.Header
	}{
		{
			why:      "a wait under one second is one second",
			denied:   deniedAnswer{429, "text/plain; charset=utf-8", "Too Many Requests"},
			verdicts: []verdict{{retryAfter: 1, resetAfter: 1}, {allowed: true}, {allowed: true}},
			want:     http.Header{"Retry-After": {"1"}, "Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}},
		},
		{
			why:      "no wait at all is still one second: Retry-After: 0 would be a loop",
			denied:   deniedAnswer{429, "text/plain; charset=utf-8", "Too Many Requests"},
			verdicts: []verdict{{}, {allowed: true}, {allowed: true}},
			want:     http.Header{"Retry-After": {"1"}, "Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}},
		},
		{
			why:      "one µs above a whole second rounds up",
			denied:   deniedAnswer{429, "text/plain; charset=utf-8", "Too Many Requests"},
			verdicts: []verdict{{retryAfter: 7e6 + 1, resetAfter: 8e6}, {allowed: true}, {allowed: true}},
			want:     http.Header{"Retry-After": {"8"}, "Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}},
		},
		{
			why:      "several limits deny: the longest wait, wherever it stands",
			denied:   deniedAnswer{429, "text/plain; charset=utf-8", "Too Many Requests"},
			verdicts: []verdict{{retryAfter: 2e6}, {retryAfter: 5e6}, {retryAfter: 3e6}},
			want:     http.Header{"Retry-After": {"5"}, "Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}},
		},
		{
			why:      "one limit can never allow this cost: no Retry-After, a wait would be in vain",
			denied:   deniedAnswer{429, "text/plain; charset=utf-8", "Too Many Requests"},
			verdicts: []verdict{{retryAfter: 2e6}, {never: true}, {allowed: true}},
			want:     http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}},
		},
		{
			why:      "the operator's own answer",
			denied:   deniedAnswer{503, "application/json", `{"error":"slow down"}`},
			verdicts: []verdict{{retryAfter: 2e6}, {allowed: true}, {allowed: true}},
			want:     http.Header{"Retry-After": {"2"}, "Cache-Control": {"no-store"}, "Content-Type": {"application/json"}},
		},
	}
	for _, test := range tests {
		s := settingsFor(tied...)
		s.xRateLimit, s.rateLimit = false, false
		s.denied = test.denied
		rules := newHeaderRules(s)
		w := httptest.NewRecorder()
		denyBy(w, rules, &decision{allowed: false, at: onTheSecond, verdicts: test.verdicts})
		if w.Code != test.denied.statusCode || w.Body.String() != test.denied.body || !reflect.DeepEqual(w.Result().Header, test.want) {
			t.Errorf("%s: got %d %q %v, want %v", test.why, w.Code, w.Body, w.Result().Header, test.want)
		}
	}
}

func TestAnswerDeniedCarriesTheLimitHeaders(t *testing.T) {
	rules := newHeaderRules(settingsFor(second))
	w := httptest.NewRecorder()
	w.Header().Set("Cache-Control", "public")
	denyBy(w, rules, &decision{allowed: false, at: onTheSecond, verdicts: []verdict{{retryAfter: 1e6, resetAfter: 1e6, nextAfter: 1e6}}})
	want := http.Header{
		"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1700000001"}, "X-Ratelimit-Name": {"default"},
		"Ratelimit-Policy": {`"default";q=10;w=1`}, "Ratelimit": {`"default";r=0;t=1`},
		"Retry-After": {"1"}, "Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"},
	}
	if got := w.Result().Header; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAnswerUnavailable(t *testing.T) {
	w := httptest.NewRecorder()
	answerUnavailable(w)
	want := http.Header{"Retry-After": {"1"}, "Cache-Control": {"no-store"}, "Content-Type": {"text/plain; charset=utf-8"}}
	if w.Code != 503 || w.Body.String() != "Service Unavailable" || !reflect.DeepEqual(w.Result().Header, want) {
		t.Errorf("got %d %q %v, want %v", w.Code, w.Body, w.Result().Header, want)
	}
}

func TestSecondsToFill(t *testing.T) {
	tests := []struct {
		why  string
		l    limit
		want int64
	}{
		{"a window's period", limit{algorithm: fixedWindow, average: 9, period: 60e6}, 60},
		{"a log's period, rounded up", limit{algorithm: slidingLog, average: 9, period: 1500000}, 2},
		{"a period of exactly one second", limit{algorithm: fixedWindow, average: 9, period: 1e6}, 1},
		{"under one second is left out", limit{algorithm: fixedWindow, average: 9, period: 999999}, 0},
		{"a bucket whose burst is its average: the period", limit{algorithm: tokenBucket, average: 7, period: 60e6, burst: 7}, 60},
		{"a bucket of three periods", limit{algorithm: tokenBucket, average: 100, period: 60e6, burst: 300}, 180},
		{"a bucket of a third of a period", limit{algorithm: tokenBucket, average: 3, period: 1e6, burst: 1}, 0},
		{"a third of a second over one: rounded up", limit{algorithm: tokenBucket, average: 3, period: 1e6, burst: 4}, 2},
		{"the longest a bucket may take, 100 years", limit{algorithm: tokenBucket, average: 1, period: 31622400e6, burst: 99}, 3130617600},
		{"a product of 72 bits", limit{algorithm: tokenBucket, average: 90e6, period: 31622400e6, burst: 90e6}, 31622400},
	}
	for _, test := range tests {
		if got := secondsToFill(test.l); got != test.want {
			t.Errorf("%s: got %d, want %d", test.why, got, test.want)
		}
	}
}

// anyLimits are one to four valid limits in the order of their names.
func anyLimits(t *rapid.T) []limit {
	var limits []limit
	for i := 0; i < rapid.IntRange(1, 4).Draw(t, "limits"); i++ {
		l := limit{
			name:      fmt.Sprintf("%c-%d", 'a'+i, i),
			algorithm: rapid.SampledFrom([]string{fixedWindow, slidingLog, tokenBucket}).Draw(t, "algorithm"),
			average:   rapid.Int64Range(1, 90e6).Draw(t, "average"),
			period:    micros(rapid.Int64Range(1e3, 366*86400e6).Draw(t, "period")),
		}
		if l.algorithm == tokenBucket {
			l.burst = rapid.Int64Range(1, 90e6).Draw(t, "burst")
			if !fillsInTime(l.burst, l) {
				l.burst = 1
			}
		}
		limits = append(limits, l)
	}
	return limits
}

// anyDecision is a decision that the algorithms could make on limits.
func anyDecision(t *rapid.T, limits []limit) decision {
	d := decision{allowed: true, at: onTheSecond + micros(rapid.Int64Range(0, 1e15).Draw(t, "at"))}
	for _, l := range limits {
		v := verdict{
			allowed:   rapid.Bool().Draw(t, "allowed"),
			remaining: rapid.Int64Range(0, capacity(l)).Draw(t, "remaining"),
			nextAfter: micros(rapid.Int64Range(0, 1e9).Draw(t, "next")),
		}
		v.resetAfter = v.nextAfter + micros(rapid.Int64Range(0, 1e12).Draw(t, "reset"))
		if !v.allowed {
			d.allowed = false
			v.never = rapid.Bool().Draw(t, "never")
			if !v.never {
				v.retryAfter = micros(rapid.Int64Range(1, 1e9).Draw(t, "retry"))
			}
		}
		d.verdicts = append(d.verdicts, v)
	}
	return d
}

// The draft's fields parse as RFC 9651 lists of strings with integer parameters, and say what the verdicts say.
func TestRateLimitFieldsAreStructured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := anyLimits(t)
		d := anyDecision(t, limits)
		rules := newHeaderRules(settingsFor(limits...))
		h := http.Header{}
		setAny(h, rules, &d)

		policy := parseItems(t, h["Ratelimit-Policy"])
		if len(policy) != len(limits) {
			t.Fatalf("policy lists %d of %d limits", len(policy), len(limits))
		}
		for i, l := range limits {
			want := map[string]int64{"q": capacity(l)}
			if w := ceilSecondsToFill(l); w > 0 {
				want["w"] = w
			}
			if policy[i].name != l.name || !reflect.DeepEqual(policy[i].params, want) {
				t.Fatalf("policy %+v, want %s %v", policy[i], l.name, want)
			}
		}

		items := parseItems(t, h["Ratelimit"])
		for i, v := range d.verdicts {
			if v.allowed != d.allowed {
				continue
			}
			if len(items) == 0 {
				t.Fatalf("RateLimit misses %s", limits[i].name)
			}
			want := map[string]int64{"r": v.remaining}
			if v.nextAfter > 0 {
				want["t"] = (int64(v.nextAfter)-1)/1e6 + 1
			}
			if items[0].name != limits[i].name || !reflect.DeepEqual(items[0].params, want) {
				t.Fatalf("RateLimit item %+v, want %s %v", items[0], limits[i].name, want)
			}
			items = items[1:]
		}
		if len(items) > 0 {
			t.Fatalf("RateLimit has items too many: %+v", items)
		}
	})
}

// The three X-RateLimit fields describe one limit, which no other undercuts, and rounding never promises too early.
func TestXRateLimitDescribesTheTightest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := anyLimits(t)
		d := anyDecision(t, limits)
		rules := newHeaderRules(settingsFor(limits...))
		h := http.Header{}
		setAny(h, rules, &d)

		i := leastLeft(rules.capacities, d.verdicts)
		if !d.allowed {
			i = tightestDenying(&d)
		}
		chosen := d.verdicts[i]
		for j, v := range d.verdicts {
			if undercuts(v, limits[j], chosen, limits[i]) {
				t.Fatalf("limit %d %+v undercuts the chosen %d %+v", j, v, i, chosen)
			}
			if j < i && !undercuts(chosen, limits[i], v, limits[j]) {
				t.Fatalf("limit %d %+v ties with the chosen %d %+v and comes first by name", j, v, i, chosen)
			}
		}
		want := []string{strconv.FormatInt(capacity(limits[i]), 10), strconv.FormatInt(chosen.remaining, 10)}
		if got := []string{h.Get("X-RateLimit-Limit"), h.Get("X-RateLimit-Remaining")}; !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
		if late := micros(reset*1e6) - d.at - chosen.resetAfter; err != nil || late < 0 || late >= 1e6 {
			t.Fatalf("Reset %d is %d µs after the reset at %d + %d", reset, late, d.at, chosen.resetAfter)
		}
		if name := h.Get("X-RateLimit-Name"); (name == limits[i].name) == d.allowed || d.allowed && name != "" {
			t.Fatalf("allowed %v, named %q", d.allowed, name)
		}
	})
}

// A client that waits as long as Retry-After says has waited out every limit, and not a second too long.
func TestRetryAfterIsEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := anyLimits(t)
		d := anyDecision(t, limits)
		if d.allowed {
			return
		}
		rules := newHeaderRules(settingsFor(limits...))
		w := httptest.NewRecorder()
		denyBy(w, rules, &d)
		waited, _ := strconv.ParseInt("0"+w.Header().Get("Retry-After"), 10, 64)
		longest := micros(0)
		for _, v := range d.verdicts {
			if v.never {
				if waited != 0 {
					t.Fatalf("Retry-After %d though a limit never allows", waited)
				}
				return
			}
			if v.retryAfter > longest {
				longest = v.retryAfter
			}
		}
		if waited < 1 || micros(waited*1e6) < longest || micros((waited-1)*1e6) >= longest {
			t.Fatalf("Retry-After %d for %d µs", waited, longest)
		}
	})
}

// undercuts reports whether v of limit l is tighter than w of limit m, by the definition in exact fractions.
func undercuts(v verdict, l limit, w verdict, m limit) bool {
	if v.allowed != w.allowed {
		return !v.allowed
	}
	if !v.allowed {
		if v.never != w.never {
			return v.never
		}
		return v.retryAfter > w.retryAfter
	}
	return big.NewRat(v.remaining, capacity(l)).Cmp(big.NewRat(w.remaining, capacity(m))) < 0
}

// ceilSecondsToFill is secondsToFill in exact fractions.
func ceilSecondsToFill(l limit) int64 {
	seconds := big.NewRat(int64(l.period), 1e6)
	if l.algorithm == tokenBucket {
		seconds.Mul(seconds, big.NewRat(l.burst, l.average))
	}
	if seconds.Cmp(big.NewRat(1, 1)) < 0 {
		return 0
	}
	up := new(big.Int).Add(seconds.Num(), new(big.Int).Sub(seconds.Denom(), big.NewInt(1)))
	return up.Div(up, seconds.Denom()).Int64()
}

// fieldItem is one item of a parsed RateLimit field.
type fieldItem struct {
	name   string
	params map[string]int64
}

func parseItems(t *rapid.T, lines []string) []fieldItem {
	list, err := httpsfv.UnmarshalList(lines)
	if err != nil {
		t.Fatalf("%q: %v", lines, err)
	}
	var items []fieldItem
	for _, member := range list {
		item := member.(httpsfv.Item)
		parsed := fieldItem{item.Value.(string), map[string]int64{}}
		for _, name := range item.Params.Names() {
			value, _ := item.Params.Get(name)
			parsed.params[name] = value.(int64)
		}
		items = append(items, parsed)
	}
	return items
}

// setAny sets what a decision of either kind tells of the limits.
func setAny(h http.Header, rules *headerRules, d *decision) {
	if d.allowed || len(d.verdicts) == 0 {
		r := newRequest("x", 1)
		r.header, r.decision = h, *d
		setHeaders(rules, []*request{r})
		return
	}
	w := httptest.NewRecorder()
	maps.Copy(w.Header(), h)
	denyBy(w, rules, d)
	maps.Copy(h, w.Header())
	for _, other := range []string{headerRetryAfter, headerCacheControl, headerContentType} {
		delete(h, other)
	}
}

// denyBy answers a request that d denies.
func denyBy(w http.ResponseWriter, rules *headerRules, d *decision) {
	answerDenied(w, nil, nil, newDenial(rules, d, 0), 0)
}

// Requests of one flight are told each of its own decision, though they share what they can.
func TestHeadersOfOneFlight(t *testing.T) {
	rules := newHeaderRules(settingsFor(aWindow))
	told := func(at, reset micros, remaining int64) *request {
		p := newRequest("x", 1)
		p.decision = decision{allowed: true, at: at, verdicts: []verdict{{allowed: true, remaining: remaining, resetAfter: reset}}}
		return p
	}
	one, same, later := told(5_000_000, 1_500_000, 4), told(5_000_000, 1_900_000, 3), told(5_000_000, 2_000_001, 2)
	uncounted, tighter := newRequest("x", 1), told(5_000_000, 1_500_000, 4)
	uncounted.decision = decision{allowed: true}
	tighter.header[headerLimit], tighter.header[headerRemaining], tighter.header[headerReset] = []string{"5"}, []string{"0"}, []string{"1"}
	setHeaders(rules, []*request{one, uncounted, tighter, same, later})
	for i, row := range []struct {
		p    *request
		want string
	}{
		{one, "5 4 7"}, {uncounted, "  "}, {tighter, "5 0 1"}, {same, "5 3 7"}, {later, "5 2 8"},
	} {
		h := row.p.header
		if got := h.Get(headerLimit) + " " + h.Get(headerRemaining) + " " + h.Get(headerReset); got != row.want {
			t.Errorf("request %d is told %q, want %q", i, got, row.want)
		}
	}
}
