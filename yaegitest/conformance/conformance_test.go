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

// play starts a fake per case, lets run play them all, and returns the lines of
// each case: what the program printed, then what the server saw.
func playAll(t *testing.T, cases []testCase, run func(file string) (string, error)) map[string][]string {
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
	out, err := run(path)
	if err != nil {
		t.Errorf("%v\n%s", err, tail(out))
	}

	lines := map[string][]string{}
	name := ""
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if head, _, ok := strings.Cut(line, " · "); ok {
			name = head
		}
		lines[name] = append(lines[name], ports.ReplaceAllString(line, "127.0.0.1:port"))
	}
	for i, c := range cases {
		if c.raced {
			for k, line := range lines[c.name] {
				lines[c.name][k] = lost.ReplaceAllString(line, "lost")
			}
		}
		lines[c.name] = append(lines[c.name], fakes[i].report()...)
	}
	return lines
}

// lost are the ways in which a closed connection shows, with their causes.
var lost = regexp.MustCompile(`"[^"]*(EOF|connection reset by peer|broken pipe)"(, (eof|net read|net write))*`)

var ports = regexp.MustCompile(`127\.0\.0\.1:[0-9]{4,5}`)

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

func closedAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func published(file string) (string, error) {
	var out bytes.Buffer
	Run(file, &out)
	return out.String(), nil
}

// TestConformance: the three ways print the same, and the server sees the same.
func TestConformance(t *testing.T) {
	tree, err := yaegitest.NewTree(t.TempDir(), "../..", "program.go")
	if err != nil {
		t.Fatal(err)
	}
	cases := chosenCases()
	want := playAll(t, cases, published)
	compiled := playAll(t, cases, compiledIn(tree))
	interpreted := playAll(t, cases, interpretedIn(tree))

	for _, c := range cases {
		if !c.publishedDiffers {
			compare(t, c.name, "published and patched, compiled", want[c.name], compiled[c.name])
		}
		compare(t, c.name, "patched, compiled and interpreted", compiled[c.name], interpreted[c.name])
	}
	t.Logf("%d cases", len(cases))
}

func chosenCases() []testCase {
	name := regexp.MustCompile(*only)
	var cases []testCase
	for _, c := range allCases() {
		if name.MatchString(c.name) {
			cases = append(cases, c)
		}
	}
	return cases
}

func compiledIn(tree *yaegitest.Tree) func(string) (string, error) {
	return func(file string) (string, error) { return tree.RunCompiled(file, limit) }
}

func interpretedIn(tree *yaegitest.Tree) func(string) (string, error) {
	return func(file string) (string, error) { return tree.RunInterpreted(file, limit) }
}

// limit is far above what a run takes, about 10 s.
const limit = 3 * time.Minute

func compare(t *testing.T, name, which string, want, got []string) {
	t.Helper()
	if strings.Join(want, "\n") == strings.Join(got, "\n") {
		return
	}
	for i := 0; i < len(want) || i < len(got); i++ {
		w, g := "(nothing)", "(nothing)"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			t.Errorf("%s: %s\n  %s\n  %s", name, which, w, g)
			return // what follows is the consequence
		}
	}
}
