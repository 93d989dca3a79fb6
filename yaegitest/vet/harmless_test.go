package vet

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/yaegitest/vet/harmless"
	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

// The tests that allow.txt names: the code around a finding does the same
// compiled with go-redis as published and interpreted with the one in vendor/.

func TestArguments(t *testing.T) {
	same(t, "Arguments", harmless.Arguments, "EVALSHA sha 2 key k2 text  7 8 1 b 2.5", "PING")
}

func TestTimeout(t *testing.T) {
	same(t, "Timeout", harmless.Timeout, "EVALSHA hang 0", "EVALSHA hang 0", "EVALSHA sha 0")
}

func TestIdleConnections(t *testing.T) { same(t, "Idle", harmless.Idle, "PING", "PING", "PING") }

func TestPipelines(t *testing.T) {
	same(t, "Pipelines", harmless.Pipelines, "EVALSHA sha 0", "GET a")
}

func TestEmbeddedConn(t *testing.T) { same(t, "EmbeddedConn", harmless.EmbeddedConn, "PING") }

// same runs a function of package harmless both ways, each against a server of
// its own. want are the commands that the server gets apart from the handshake.
func same(t *testing.T, name string, compiled func(string) string, want ...string) {
	t.Helper()
	wantAnswer, wantSeen := against(t, compiled)
	if !reflect.DeepEqual(wantSeen.commands, want) {
		t.Errorf("compiled, the server got %q, want %q", wantSeen.commands, want)
	}
	answer, seen := against(t, interpretedHarmless(t, name))
	t.Logf("%s, %+v", answer, seen)
	if answer != wantAnswer {
		t.Errorf("interpreted: %s, compiled: %s", answer, wantAnswer)
	}
	if !reflect.DeepEqual(seen, wantSeen) {
		t.Errorf("interpreted, the server saw %+v, compiled %+v", seen, wantSeen)
	}
}

// interpretedHarmless is a function of package harmless in Yaegi, where it finds
// go-redis in vendor/.
func interpretedHarmless(t *testing.T, name string) func(string) string {
	t.Helper()
	src := filepath.Join(t.TempDir(), "src")
	for link, to := range map[string]string{
		"github.com/redis":     "../../vendor/github.com/redis",
		"example.com/harmless": "harmless",
	} {
		to, err := filepath.Abs(to)
		if err != nil {
			t.Fatal(err)
		}
		link = filepath.Join(src, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	i := interp.New(interp.Options{GoPath: filepath.Dir(src), Stdout: os.Stderr, Stderr: os.Stderr})
	if err := i.Use(stdlib.Symbols); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Eval(`import "example.com/harmless"`); err != nil {
		t.Fatal(err)
	}
	v, err := i.Eval("harmless." + name)
	if err != nil {
		t.Fatal(err)
	}
	return v.Interface().(func(string) string)
}

// seen is what a server saw, in an order that does not depend on chance.
type seen struct {
	connections int
	commands    []string
}

// against runs f against a server that knows the few commands that package
// harmless sends.
func against(t *testing.T, f func(addr string) string) (string, seen) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var s seen
	var served sync.WaitGroup
	served.Add(1)
	go func() {
		defer served.Done()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			s.connections++
			mu.Unlock()
			served.Add(1)
			go func() {
				defer served.Done()
				defer conn.Close()
				serve(conn, func(command string) {
					mu.Lock()
					s.commands = append(s.commands, command)
					mu.Unlock()
				})
			}()
		}
	}()
	answer := f(listener.Addr().String())
	listener.Close()
	served.Wait()
	sort.Strings(s.commands)
	return answer, s
}

func serve(conn net.Conn, saw func(command string)) {
	r := bufio.NewReader(conn)
	for {
		command, err := readCommand(r)
		if err != nil {
			return
		}
		name := strings.ToUpper(command[0])
		if name != "HELLO" && name != "CLIENT" {
			saw(strings.ToUpper(command[0]) + strings.TrimPrefix(strings.Join(command, " "), command[0]))
		}
		reply := "$2\r\nok\r\n"
		switch {
		case name == "HELLO":
			reply = "-ERR unknown command 'HELLO'\r\n"
		case name == "PING":
			reply = "+PONG\r\n"
		case name == "EVALSHA" && command[1] == "hang":
			continue
		}
		if _, err := io.WriteString(conn, reply); err != nil {
			return
		}
	}
}

// readCommand reads an array of bulk strings.
func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := readLength(r, '*')
	if err != nil {
		return nil, err
	}
	command := make([]string, n)
	for i := range command {
		size, err := readLength(r, '$')
		if err != nil {
			return nil, err
		}
		text := make([]byte, size+2)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, err
		}
		command[i] = string(text[:size])
	}
	return command, nil
}

func readLength(r *bufio.Reader, kind byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("got %q, want %c and a length", line, kind)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}
