package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestScriptFails: a scene does not pass what is no limiter, or one that tells
// clients nothing.
func TestScriptFails(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"no limiter":  func(w http.ResponseWriter, _ *http.Request) {},
		"deny always": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"wrong count": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-RateLimit-Remaining", "4")
			w.Header().Set("X-RateLimit-Reset", "1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			s := &script{ctx: t.Context(), url: server.URL}
			for _, play := range []func(*script) error{slidingLog, tokenBucket, twoLimits} {
				if play(s) == nil {
					t.Error("a scene passes")
				}
			}
		})
	}
}
