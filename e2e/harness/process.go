// Package harness starts what the plugin needs around it on this machine: a
// Redis, a backend and real Traefik processes that load the plugin as source.
// All listen on free ports of the loopback address, keep their files below a
// folder that the caller gives, and are stopped by the handle that started them.
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	// readyWithin bounds how long a process may take to serve. Generous: on a
	// busy machine the interpreter needs seconds to load the plugin.
	readyWithin = 60 * time.Second
	// stopWithin is how long a process may take to end when asked, before it is killed.
	stopWithin = 5 * time.Second
	// pollEvery is how often a condition is looked at again.
	pollEvery = 10 * time.Millisecond
	// portAttempts bounds how often a process is started on another free port,
	// because somebody took the one it was given.
	portAttempts = 5
)

// process is a program that runs until it is stopped.
type process struct {
	cmd  *exec.Cmd
	said *output
	done chan struct{} // closed when the program has ended
}

// output keeps what a program wrote.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// OwnGroups keeps a terminal's Ctrl-C from the processes that are started. For a
// program that stops them itself, when it is done with them.
var OwnGroups = false

// start runs the program in dir with nothing but env as its environment.
func start(dir string, env []string, program string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(program, args...), said: &output{}, done: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = env
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: OwnGroups}
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// ended says whether the program is no longer running.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop asks the program to end, and kills it when it does not in time.
func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGCONT) // a paused one could not hear
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(stopWithin):
		p.kill()
	}
}

// kill ends the program at once.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// errEnded says that a process ended instead of becoming ready.
var errEnded = errors.New("ended by itself")

// ready waits until serves returns nil.
func (p *process) ready(ctx context.Context, serves func() error) error {
	return Until(ctx, readyWithin, func() error {
		if p.ended() {
			return fatal{fmt.Errorf("%w: %s", errEnded, p.said)}
		}
		return serves()
	})
}

// fatal ends a wait at once: what it waits for will not come.
type fatal struct{ error }

// Unwrap returns the cause.
func (f fatal) Unwrap() error { return f.error }

// Until polls holds until it returns nil, for no longer than d. The error is
// what holds said last.
func Until(ctx context.Context, d time.Duration, holds func() error) error {
	deadline := time.Now().Add(d)
	for {
		err := holds()
		if err == nil {
			return nil
		}
		var end fatal
		if errors.As(err, &end) {
			return end.error
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %s: %w", d, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// freePorts returns n ports of the loopback address that nobody listens on.
// Somebody may take one before it is used: its user tries again with others.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}
