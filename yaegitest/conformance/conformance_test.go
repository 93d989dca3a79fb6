package conformance

import (
	"bytes"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/yaegitest"
)

var only = flag.String("only", "", "play the cases whose name matches this expression")

func TestMain(m *testing.M) {
	yaegitest.RunChild()
	os.Exit(m.Run())
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// playAll starts a fake per case, lets run play them all, and returns the lines
// of each case: what the program printed, then what the server saw. The error
// is that of a program which crashed or hung.
func playAll(t *testing.T, cases []testCase, run func(file string) (string, error)) (map[string][]string, error) {
	t.Helper()
	var fakes []*fake
	var file bytes.Buffer
	for _, c := range cases {
		f, err := startFake(c)
		if err != nil {
			t.Fatal(err)
		}
		addr := f.addr()
		if c.refused {
			addr = closedAddr(t)
		}
		fakes = append(fakes, f)
		fmt.Fprintf(&file, "%s\t%s\t%s\t%s\n", c.name, addr, c.steps, strings.Join(strings.Fields(c.settings), "\t"))
	}
	path := filepath.Join(t.TempDir(), "cases")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	out, failure := run(path)
	if failure != nil {
		failure = fmt.Errorf("%w\n%s", failure, tail(out))
	}

	lines := map[string][]string{}
	name := "" // of the case that was played last
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if head, _, ok := strings.Cut(line, " · "); ok {
			name = head
		}
		lines[name] = append(lines[name], ports.ReplaceAllString(line, "loopback:port"))
	}
	for i, c := range cases {
		if c.raced {
			for k, line := range lines[c.name] {
				lines[c.name][k] = lost.ReplaceAllString(line, "lost")
			}
		}
		lines[c.name] = append(lines[c.name], fakes[i].report()...)
	}
	return lines, failure
}

// lost are the ways in which a closed connection shows, with their causes.
var lost = regexp.MustCompile(`"[^"]*(EOF|connection reset by peer|broken pipe)"(, (eof|net read|net write))*`)

var ports = regexp.MustCompile(`127\.[0-9.]+:[0-9]{4,5}`)

// tail is the end of what a program said before it crashed.
func tail(out string) string {
	if at := strings.Index(out, "goroutine "); at >= 0 {
		out = out[:at]
	}
	if len(out) > 1000 {
		out = out[len(out)-1000:]
	}
	return out
}

// closedAddr is an address where nobody listens, nor will before the test ends:
// the near end of an open connection.
func closedAddr(t *testing.T) string {
	t.Helper()
	listener, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.LocalAddr().String()
}

func published(file string) (string, error) {
	var out bytes.Buffer
	Run(file, &out)
	return out.String(), nil
}

// The program's files, with go-redis as published and as patched.
var (
	publishedFiles = []string{"program.go", "calls.go"}
	patchedFiles   = []string{"program.go", "testdata/line.go"}
)

// TestConformance: the three ways print the same, and the server sees the same.
func TestConformance(t *testing.T) {
	tree, err := yaegitest.NewTree(t.TempDir(), "../..", patchedFiles...)
	if err != nil {
		t.Fatal(err)
	}
	cases := matching(*only)
	want, err := playAll(t, cases, published)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := playAll(t, cases, compiledIn(tree))
	if err != nil {
		t.Error("compiled:", err)
	}
	interpreted, err := playAll(t, cases, interpretedIn(tree))
	if err != nil {
		t.Error("interpreted:", err)
	}

	for _, c := range cases {
		if diff := difference(want[c.name], compiled[c.name]); diff != "" && !c.publishedDiffers {
			t.Errorf("%s: published and patched, compiled%s", c.name, diff)
		}
		if diff := difference(compiled[c.name], interpreted[c.name]); diff != "" {
			t.Errorf("%s: patched, compiled and interpreted%s", c.name, diff)
		}
	}
	t.Logf("%d cases", len(cases))
}

// TestBounds: what the published client would read, or wait for, the patched one refuses at once, by either way.
func TestBounds(t *testing.T) {
	tree, err := yaegitest.NewTree(t.TempDir(), "../..", patchedFiles...)
	if err != nil {
		t.Fatal(err)
	}
	cases := matching("above the bound, ")
	if len(cases) != 2*len(bounded) {
		t.Fatalf("%d cases", len(cases))
	}
	for name, run := range map[string]func(string) (string, error){"compiled": compiledIn(tree), "interpreted": interpretedIn(tree)} {
		got, err := playAll(t, cases, run)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if said := strings.Join(got[c.name], "\n"); !strings.Contains(said, ` · "redis: reply is `) {
				t.Errorf("%s, %s: not refused:\n%s", c.name, name, said)
			}
		}
	}
}

func compiledIn(tree *yaegitest.Tree) func(string) (string, error) {
	return func(file string) (string, error) { return tree.RunCompiled(file, limit) }
}

func interpretedIn(tree *yaegitest.Tree) func(string) (string, error) {
	return func(file string) (string, error) { return tree.RunInterpreted(file, limit) }
}

// limit is far above what a run takes, about 10 s.
const limit = 3 * time.Minute

// difference is the first line in which two runs differ: what follows is its
// consequence.
func difference(want, got []string) string {
	for i := 0; i < len(want) || i < len(got); i++ {
		w, g := "(nothing)", "(nothing)"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			return "\n  " + w + "\n  " + g
		}
	}
	return ""
}
