package ratelimit

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"testing"
)

// TestMain fails when the plugin has logged a panic that no test has asked for by captureLog.
func TestMain(m *testing.M) {
	w := &panics{out: os.Stderr}
	log.SetOutput(w)
	code := m.Run()
	w.mu.Lock()
	if w.first != "" {
		fmt.Fprintln(os.Stderr, "no test expects the line:", w.first)
		code = 1
	}
	w.mu.Unlock()
	os.Exit(code)
}

// panics passes the log on and keeps the first line about a panic.
type panics struct {
	out   io.Writer
	mu    sync.Mutex
	first string
}

func (w *panics) Write(line []byte) (int, error) {
	w.mu.Lock()
	if w.first == "" && bytes.Contains(line, []byte("panic ")) {
		w.first = string(line)
	}
	w.mu.Unlock()
	return w.out.Write(line)
}
