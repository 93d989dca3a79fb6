package conformance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// action is how the fake answers one script call.
type action struct {
	bytes string        // written as they are
	then  end           // what happens to the connection afterwards
	delay time.Duration // before the bytes
}

type end int

const (
	keep  end = iota // the connection stays
	shut             // closed in an orderly way
	reset            // closed with a RST
	hang             // stays open, answers nothing any more
)

// okReply answers every script call for which a case names no action.
const okReply = "$2\r\nok\r\n"

// fake is a scripted Redis for one case: it parses commands, answers the
// handshake, and plays the case's actions for EVALSHA and EVAL in turn.
type fake struct {
	listener  net.Listener
	handshake map[string]action // by first word of the command, instead of the default
	actions   []action
	greeting  action // before any command is read; then is honoured

	mu    sync.Mutex
	next  int      // the next of actions
	conns []string // per connection, what it asked and how it ended
	wg    sync.WaitGroup
}

// listen listens on a loopback address that nothing else uses: a client of another test, which asks again and again at
// 127.0.0.1 where its server has gone, would take an action for itself. Where there is no such address, at that one.
func listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.77.0.1:0")
	if err != nil {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return listener, nil
}

func startFake(c testCase) (*fake, error) {
	listener, err := listen()
	if err != nil {
		return nil, err
	}
	f := &fake{listener: listener, handshake: c.handshake, actions: c.actions, greeting: c.greeting}
	f.wg.Add(1)
	go f.accept()
	return f, nil
}

func (f *fake) addr() string { return f.listener.Addr().String() }

// report stops the fake and tells what each connection asked and who ended it.
// The client is closed by then, so every connection ends by itself. Which of
// several was dialled first is no matter.
func (f *fake) report() []string {
	f.listener.Close()
	f.wg.Wait()
	sort.Strings(f.conns)
	return f.conns
}

func (f *fake) accept() {
	defer f.wg.Done()
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.mu.Lock()
		index := len(f.conns)
		f.conns = append(f.conns, "")
		f.mu.Unlock()
		f.wg.Add(1)
		go f.serve(conn.(*net.TCPConn), index)
	}
}

func (f *fake) serve(conn *net.TCPConn, index int) {
	defer f.wg.Done()
	defer conn.Close()
	asked, ended := f.talk(conn)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conns[index] = fmt.Sprintf("connection · %s · %s", strings.Join(asked, " | "), ended)
}

func (f *fake) talk(conn *net.TCPConn) (asked []string, ended string) {
	rd := bufio.NewReader(conn)
	if f.greeting != (action{}) {
		if done, ended := f.play(conn, f.greeting); done {
			return asked, ended
		}
	}
	for {
		words, err := readCommand(rd)
		if err != nil {
			return asked, "ended by the client" + unexpected(err)
		}
		asked = append(asked, fmt.Sprintf("%q", words))
		if done, ended := f.play(conn, f.answer(words)); done {
			return asked, ended
		}
	}
}

// unexpected names what is neither EOF nor a reset, of which a client that
// closes a connection with unread bytes in it may cause either.
func unexpected(err error) string {
	var op *net.OpError
	if errors.Is(err, io.EOF) || errors.As(err, &op) {
		return ""
	}
	return ": " + err.Error()
}

func (f *fake) play(conn *net.TCPConn, a action) (done bool, ended string) {
	time.Sleep(a.delay)
	if _, err := io.WriteString(conn, a.bytes); err != nil {
		return true, "ended by the client"
	}
	switch a.then {
	case shut:
		return true, "ended by the server"
	case reset:
		conn.SetLinger(0)
		return true, "ended by the server"
	case hang:
		io.Copy(io.Discard, conn)
		return true, "ended by the client"
	}
	return false, ""
}

func (f *fake) answer(words []string) action {
	name := strings.ToUpper(words[0])
	if a, ok := f.handshake[name]; ok {
		return a
	}
	switch name {
	case "HELLO":
		if words[1] == "3" {
			return action{bytes: "%3\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n+modules\r\n*0\r\n"}
		}
		return action{bytes: "*6\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:2\r\n$7\r\nmodules\r\n*0\r\n"}
	case "AUTH", "SELECT", "CLIENT", "READONLY", "ASKING":
		return action{bytes: "+OK\r\n"}
	case "PING":
		return action{bytes: "+PONG\r\n"}
	case "EVAL", "EVALSHA":
		f.mu.Lock()
		defer f.mu.Unlock()
		f.next++
		if f.next <= len(f.actions) {
			return f.actions[f.next-1]
		}
		return action{bytes: okReply}
	}
	return action{bytes: "-ERR unknown command '" + words[0] + "'\r\n"}
}

// readCommand reads one command: an array of bulk strings, nothing else.
func readCommand(rd *bufio.Reader) ([]string, error) {
	n, err := readLength(rd, '*')
	if err != nil {
		return nil, err
	}
	words := make([]string, n)
	for i := range words {
		size, err := readLength(rd, '$')
		if err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(rd, word); err != nil {
			return nil, err
		}
		words[i] = string(word[:size])
	}
	return words, nil
}

func readLength(rd *bufio.Reader, kind byte) (int, error) {
	line, err := rd.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("command has %q where %q belongs", line, kind)
	}
	return strconv.Atoi(strings.TrimSuffix(line[1:], "\r\n"))
}
