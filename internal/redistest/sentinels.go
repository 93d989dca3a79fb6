package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// MasterSet is the name under which Sentinels watch their master.
const MasterSet = "limits"

// How soon sentinels act, in milliseconds, so that a test need not wait long.
const (
	downAfter       = "2000" // without an answer: the master is down; after 1 s a busy machine fails over twice
	failoverTimeout = "3000" // and twice that between two failovers
)

// Sentinels are a master, its replicas and the sentinels that watch them, each a process of the test that started it.
type Sentinels struct {
	Servers   []*Server // the first is the master at the start
	Sentinels []*Server

	t testing.TB
}

// StartSentinels starts a master with replicas and sentinels of which two must agree, and returns once all know each other.
// args are options of the master and its replicas, lines are lines of the sentinels' configuration.
func StartSentinels(t testing.TB, replicas, sentinels int, args []string, lines ...string) *Sentinels {
	t.Helper()
	all := &Sentinels{t: t}
	master := Start(t, append([]string{"--repl-diskless-sync-delay", "0"}, args...)...)
	host, port, _ := net.SplitHostPort(master.Addr)
	all.Servers = []*Server{master}
	for i := 0; i < replicas; i++ {
		all.Servers = append(all.Servers, Start(t, append([]string{"--replicaof", host + " " + port}, args...)...))
	}
	lines = append([]string{
		"sentinel monitor " + MasterSet + " " + host + " " + port + " 2",
		"sentinel down-after-milliseconds " + MasterSet + " " + downAfter,
		"sentinel failover-timeout " + MasterSet + " " + failoverTimeout,
	}, lines...)
	for i := 0; i < sentinels; i++ {
		all.Sentinels = append(all.Sentinels, startSentinel(t, lines))
	}
	all.Settle()
	return all
}

// Endpoints are the addresses of the sentinels.
func (s *Sentinels) Endpoints() []string {
	var endpoints []string
	for _, sentinel := range s.Sentinels {
		endpoints = append(endpoints, sentinel.Addr)
	}
	return endpoints
}

// Settle waits until every running sentinel knows the others and a master that answers with all replicas that run.
func (s *Sentinels) Settle() {
	s.t.Helper()
	var err error
	for deadline := time.Now().Add(4 * startTimeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = s.settled(); err == nil {
			return
		}
	}
	s.t.Fatalf("the sentinels did not settle: %v", err)
}

func (s *Sentinels) settled() error {
	running := 0
	for _, server := range s.Servers {
		if server.Running() {
			running++
		}
	}
	master := s.Master()
	if master == nil {
		return errors.New("no master")
	}
	if n, err := connectedReplicas(master); err != nil || n != running-1 {
		return fmt.Errorf("%d replicas of %d follow, %v", n, running-1, err)
	}
	for _, sentinel := range s.Sentinels {
		if !sentinel.Running() {
			continue
		}
		state, err := s.state(sentinel)
		if err != nil {
			return err
		}
		if net.JoinHostPort(state["ip"], state["port"]) != master.Addr || state["flags"] != "master" ||
			state["num-other-sentinels"] != fmt.Sprint(len(s.Sentinels)-1) || state["num-slaves"] != fmt.Sprint(len(s.Servers)-1) {
			return fmt.Errorf("sentinel %s: %v", sentinel.Addr, state)
		}
	}
	return nil
}

// Master is the running server that a running sentinel names the master and that is one by its own words; nil is none.
// Where the sentinels do not agree, it is the one that was not the master at the start.
func (s *Sentinels) Master() *Server {
	var found *Server
	for _, sentinel := range s.Sentinels {
		if !sentinel.Running() {
			continue
		}
		state, err := s.state(sentinel)
		if err != nil {
			continue
		}
		for _, server := range s.Servers {
			if server == found || server.Addr != net.JoinHostPort(state["ip"], state["port"]) || !server.Running() {
				continue
			}
			if _, err := connectedReplicas(server); err == nil && (found == nil || found == s.Servers[0]) {
				found = server
			}
		}
	}
	return found
}

// Failover asks the first sentinel to promote a replica, and returns when it has begun.
func (s *Sentinels) Failover() {
	s.t.Helper()
	client := s.Sentinels[0].Client()
	defer client.Close()
	if err := client.Do(context.Background(), "SENTINEL", "FAILOVER", MasterSet).Err(); err != nil {
		s.t.Fatal(err)
	}
}

// state is what a sentinel knows of the master.
func (s *Sentinels) state(sentinel *Server) (map[string]string, error) {
	client := sentinel.Client()
	defer client.Close()
	reply, err := Texts(client, "SENTINEL", "MASTER", MasterSet)
	state := map[string]string{}
	for i := 0; i+1 < len(reply); i += 2 {
		state[reply[i]] = reply[i+1]
	}
	return state, err
}

// connectedReplicas is how many replicas are in step with a master; a server that is none is an error.
func connectedReplicas(server *Server) (int, error) {
	client := server.Client()
	defer client.Close()
	text, err := Text(client, "INFO", "replication")
	if err == nil && !strings.Contains(text, "role:master") {
		err = errors.New(server.Addr + " is no master")
	}
	return strings.Count(text, "state=online"), err
}

// startSentinel starts a sentinel with these lines in its configuration, which it rewrites itself.
func startSentinel(t testing.TB, lines []string) *Server {
	t.Helper()
	s := newServer(t)
	file := filepath.Join(s.dir, "sentinel.conf")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.first = []string{file, "--sentinel"}
	s.start()
	return s
}
