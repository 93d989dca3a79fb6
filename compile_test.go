package ratelimit

import "testing"

// quickStart is the least that one writes.
const quickStart = `
average: 6
period: 1m
redis:
  endpoints: [localhost:6379]
`

func TestQuickStart(t *testing.T) {
	s, err := compile(fromFile(t, quickStart), "api@file")
	if err != nil {
		t.Fatal(err)
	}
	want := "6 requests per 1m0s by token-bucket, burst 6; counted by address (IPv6 /64); Redis at localhost:6379, db 0; " +
		"keys ratelimit:api@file:{…}; timeout 200ms; failure mode open; headers x-ratelimit; denied with 429"
	if s.words != want {
		t.Errorf("got  %s\nwant %s", s.words, want)
	}
}
