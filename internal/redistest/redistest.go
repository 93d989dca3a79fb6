// Package redistest starts redis-server processes for tests and stops them again.
package redistest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// startTimeout is how long a server may take to answer its first PING, and to end after a signal.
const startTimeout = 10 * time.Second

// Server is a redis-server process of the test that started it. It listens on a free port of 127.0.0.1 and on a Unix
// socket, saves nothing, and is killed when the test ends.
type Server struct {
	Addr   string // host:port
	Socket string // path of the Unix socket

	t       testing.TB
	binary  string
	listen  string // the option that Addr's port belongs to
	dir     string
	first   []string // what stands before all options
	args    []string
	process *exec.Cmd
	ended   chan struct{} // closed when process has ended
	output  *bytes.Buffer // what process wrote; read it only once ended
}

// Binary returns the path of the server to test on: REDIS_SERVER names it, else it is redis-server on PATH.
// Where there is none the test is skipped, or fails when the environment variable CI is set.
func Binary(t testing.TB) string {
	t.Helper()
	name := os.Getenv("REDIS_SERVER")
	if name == "" {
		name = "redis-server"
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("CI runs every test, but there is no Redis: %v", err)
	}
	t.Skipf("no Redis to test on: %v", err)
	return ""
}

// Start starts a server and returns once it answers. args are options of redis-server in pairs, such as "--maxmemory", "2mb".
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return start(t, "--port", args)
}

func start(t testing.TB, listen string, args []string) *Server {
	t.Helper()
	s := newServer(t)
	s.listen, s.args = listen, args
	s.start()
	return s
}

// newServer is a server that does not run yet.
func newServer(t testing.TB) *Server {
	t.Helper()
	binary := Binary(t)
	dir, err := os.MkdirTemp("", "redistest") // t.TempDir can be longer than the path of a socket may be
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Socket: filepath.Join(dir, "redis.sock"), t: t, binary: binary, listen: "--port", dir: dir}
	t.Cleanup(func() {
		s.Kill()
		os.RemoveAll(dir)
	})
	return s
}

// start runs the server at a free address.
func (s *Server) start() {
	s.t.Helper()
	for try := 0; ; try++ {
		s.Addr = freeAddr(s.t)
		err := s.run()
		if err == nil {
			return
		}
		if try == 2 || !strings.Contains(err.Error(), "in use") { // another process may have taken the port meanwhile
			s.t.Fatal(err)
		}
	}
}

// Running reports whether the process is there, frozen or not.
func (s *Server) Running() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// Client returns a client of this server, around its port; the caller closes it.
func (s *Server) Client() *redis.Client {
	return redis.NewClient(&redis.Options{
		Network: "unix", Addr: s.Socket, Protocol: 2, DisableIdentity: true, MaxRetries: -1,
		DialTimeout: time.Second, ReadTimeout: time.Second,
	})
}

// Stop asks the server to end, as an operator would, and waits for that. A stopped server may be stopped again.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

// Kill ends the server without a warning, and waits for that.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Freeze makes the server hang: connections stay open, nothing is answered.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw ends Freeze; what was sent meanwhile is answered.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

// Restart starts a stopped or killed server again, empty, at the same addresses.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	if err := s.run(); err != nil {
		s.t.Fatal(err)
	}
}

// freeAddr returns an address on which nothing listens now.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// run starts the process and waits for its first answer.
func (s *Server) run() error {
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	args := append([]string(nil), s.first...)
	args = append(args, "--bind", host, s.listen, port, "--unixsocket", s.Socket, "--dir", s.dir, "--save", "", "--appendonly", "no")
	args = append(args, s.args...)
	s.output = &bytes.Buffer{}
	s.process = exec.Command(s.binary, args...)
	s.process.Stdout, s.process.Stderr = s.output, s.output
	if err := s.process.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(process *exec.Cmd, ended chan struct{}) {
		process.Wait()
		close(ended)
	}(s.process, s.ended)

	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		select {
		case <-s.ended:
			return fmt.Errorf("%s ended: %s", s.binary, s.output)
		case <-time.After(5 * time.Millisecond):
		}
		if s.answers() == nil {
			return nil
		}
	}
	s.Kill()
	return fmt.Errorf("%s did not answer for %v: %s", s.binary, startTimeout, s.output)
}

// answers returns nil when the server answers PING with anything but that it is loading.
func (s *Server) answers() error {
	conn, err := net.DialTimeout("unix", s.Socket, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && strings.HasPrefix(line, "-LOADING") {
		err = errors.New(line)
	}
	return err
}

func (s *Server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.process.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Errorf("signal %v to redis-server: %v", sig, err)
	}
}

// end sends sig, wakes a frozen process so that it can follow, and waits until it has ended.
func (s *Server) end(sig os.Signal) {
	s.t.Helper()
	if s.ended == nil { // never started
		return
	}
	s.signal(sig)
	s.signal(syscall.SIGCONT)
	select {
	case <-s.ended:
	case <-time.After(startTimeout):
		s.t.Errorf("redis-server is still there %v after signal %v", startTimeout, sig)
	}
}
