package ratelimit

import (
	"os"
	"testing"
	"time"
)

// eventually waits until holds is true, which nothing announces, and fails after 10 s.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(end) {
			t.Fatalf("not within 10 s: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
