package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// nodeTimeout is after how many milliseconds without an answer a node of a cluster counts as lost.
const nodeTimeout = "2000"

// clusterSlots is how many slots a cluster has.
const clusterSlots = 16384

// Cluster are masters that share the slots, and one replica of each, each a process of the test that started it.
type Cluster struct {
	Masters  []*Server // as at the start; the slots are shared in this order
	Replicas []*Server // of the master at the same place at the start

	t      testing.TB
	listen string // the option that the nodes' addresses belong to
}

// StartCluster starts so many masters with a replica each, and returns once all know each other and serve all slots.
// args are options of every server.
func StartCluster(t testing.TB, masters int, args ...string) *Cluster {
	t.Helper()
	return startCluster(&Cluster{t: t, listen: "--port"}, masters, args)
}

// StartClusterTLS is StartCluster for nodes that speak only TLS, with clients that authority has signed, as among themselves.
// Their Unix sockets are plain.
func StartClusterTLS(t testing.TB, masters int, pair Pair, authority *Authority) *Cluster {
	t.Helper()
	args := append(tlsOptions(t, pair, authority), "--tls-cluster", "yes", "--tls-replication", "yes")
	return startCluster(&Cluster{t: t, listen: "--tls-port"}, masters, args)
}

func startCluster(c *Cluster, masters int, args []string) *Cluster {
	c.t.Helper()
	for i := 0; i < masters; i++ {
		c.Masters = append(c.Masters, c.start(args))
		c.Replicas = append(c.Replicas, c.start(args))
	}
	for i, s := range c.Masters {
		first, last := c.Slots(i)
		s.Must("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last))
		s.Must("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1))
	}
	for _, s := range c.Servers()[1:] {
		c.Masters[0].Must("CLUSTER", "MEET", s.host(), s.port(), s.busPort())
	}
	c.wait("all know each other", func() error {
		for _, s := range c.Servers() {
			if strings.Contains(s.nodes(), "handshake") { // by a name that is not its own yet
				return errors.New(s.Addr + " does not know all names")
			}
		}
		return c.each("cluster_known_nodes:" + strconv.Itoa(2*masters))
	})
	for i, s := range c.Replicas {
		s.Must("CLUSTER", "REPLICATE", c.Masters[i].nodeID())
	}
	c.Settle()
	return c
}

// start starts one node. Its bus has a free port of its own: the usual one, 10,000 above, may not exist.
func (c *Cluster) start(args []string) *Server {
	c.t.Helper()
	_, bus, _ := net.SplitHostPort(freeAddr(c.t))
	own := []string{"--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", nodeTimeout, "--repl-diskless-sync-delay", "0"}
	return start(c.t, c.listen, append(own, args...))
}

// Slots are the first and the last slot of a master at the start.
func (c *Cluster) Slots(master int) (first, last int) {
	n := len(c.Masters)
	return master * clusterSlots / n, (master+1)*clusterSlots/n - 1
}

// Servers are all nodes.
func (c *Cluster) Servers() []*Server {
	return append(append([]*Server(nil), c.Masters...), c.Replicas...)
}

// Endpoints are the addresses of all nodes.
func (c *Cluster) Endpoints() []string {
	var endpoints []string
	for _, s := range c.Servers() {
		endpoints = append(endpoints, s.Addr)
	}
	return endpoints
}

// Settle waits until all running nodes say that all slots are served, no replica that runs lags behind, and everybody knows
// which are replicas: a master votes for no other.
func (c *Cluster) Settle() {
	c.t.Helper()
	c.wait("all slots are served", func() error {
		if err := c.each("cluster_state:ok"); err != nil {
			return err
		}
		running := 0
		for _, s := range c.Servers() {
			if s.Running() {
				running++
			}
		}
		for _, s := range c.Servers() {
			if s.Running() && !s.inStep() {
				return errors.New(s.Addr + " is not in step")
			}
			if n := s.knownReplicas(); s.Running() && n != running-len(c.Masters) {
				return fmt.Errorf("%s knows %d replicas", s.Addr, n)
			}
		}
		return nil
	})
}

// each wants text in CLUSTER INFO of every running node.
func (c *Cluster) each(text string) error {
	for _, s := range c.Servers() {
		if !s.Running() {
			continue
		}
		client := s.Client()
		info, err := Text(client, "CLUSTER", "INFO")
		client.Close()
		if err != nil || !strings.Contains(info, text+"\r\n") {
			return fmt.Errorf("%s: %v, %s, want %s", s.Addr, err, info, text)
		}
	}
	return nil
}

func (c *Cluster) wait(what string, holds func() error) {
	c.t.Helper()
	var err error
	for deadline := time.Now().Add(4 * startTimeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = holds(); err == nil {
			return
		}
	}
	c.t.Fatalf("a cluster of which not %s: %v", what, err)
}

// Master is the running node that serves slot by its own words; nil is none.
func (c *Cluster) Master(slot int) *Server {
	for _, s := range c.Servers() {
		if s.Running() && s.serves(slot) {
			return s
		}
	}
	return nil
}

// Replica is the running replica of a master; nil is none.
func (c *Cluster) Replica(of *Server) *Server {
	id := of.nodeID()
	for _, s := range c.Servers() {
		if s.Running() && strings.Contains(s.ownLine(), " "+id+" ") {
			return s
		}
	}
	return nil
}

// Move begins to migrate a slot: from that node on the other is asked for keys that are not there any more.
func (c *Cluster) Move(slot int, from, to *Server) {
	c.t.Helper()
	to.Must("CLUSTER", "SETSLOT", strconv.Itoa(slot), "IMPORTING", from.nodeID())
	from.Must("CLUSTER", "SETSLOT", strconv.Itoa(slot), "MIGRATING", to.nodeID())
}

// MoveKeys migrates keys of a slot that moves.
func (c *Cluster) MoveKeys(from, to *Server, keys ...string) {
	c.t.Helper()
	words := []string{"MIGRATE", to.host(), to.port(), "", "0", "5000", "KEYS"}
	from.Must(append(words, keys...)...)
}

// Moved ends Move: the slot is the other node's now.
func (c *Cluster) Moved(slot int, from, to *Server) {
	c.t.Helper()
	for _, s := range []*Server{to, from} {
		s.Must("CLUSTER", "SETSLOT", strconv.Itoa(slot), "NODE", to.nodeID())
	}
}

// Must runs a command that the server must take.
func (s *Server) Must(words ...string) {
	s.t.Helper()
	client := s.Client()
	defer client.Close()
	arguments := make([]interface{}, len(words))
	for i := range words {
		arguments[i] = words[i]
	}
	if err := client.Do(context.Background(), arguments...).Err(); err != nil {
		s.t.Fatalf("%s replies to %v: %v", s.Addr, words, err)
	}
}

func (s *Server) host() string {
	host, _, _ := net.SplitHostPort(s.Addr)
	return host
}

func (s *Server) port() string {
	_, port, _ := net.SplitHostPort(s.Addr)
	return port
}

// busPort is where a node speaks with the others.
func (s *Server) busPort() string {
	for i, arg := range s.args {
		if arg == "--cluster-port" {
			return s.args[i+1]
		}
	}
	return ""
}

// nodeID is the node's name in its cluster, which a killed one has still.
func (s *Server) nodeID() string {
	s.t.Helper()
	return strings.Fields(s.ownLine() + " -")[0]
}

// nodes are all nodes of the cluster as this one knows them, a line each.
func (s *Server) nodes() string {
	client := s.Client()
	defer client.Close()
	nodes, _ := Text(client, "CLUSTER", "NODES")
	return nodes
}

// knownReplicas is how many replicas a node takes for running.
func (s *Server) knownReplicas() int {
	client := s.Client()
	defer client.Close()
	nodes, _ := Text(client, "CLUSTER", "NODES")
	known := 0
	for _, line := range strings.Split(nodes, "\n") {
		if strings.Contains(line, "slave") && !strings.Contains(line, "fail") {
			known++
		}
	}
	return known
}

// ownLine is what a node says of itself: ID, address, flags, master …, slots.
func (s *Server) ownLine() string {
	for _, line := range strings.Split(s.nodes(), "\n") {
		if strings.Contains(line, "myself") {
			return line
		}
	}
	return ""
}

// serves reports whether a node is the master of slot by its own words.
func (s *Server) serves(slot int) bool {
	client := s.Client()
	defer client.Close()
	slots, err := client.Do(context.Background(), "CLUSTER", "SLOTS").Slice()
	if err != nil || !strings.Contains(s.ownLine(), "myself,master") {
		return false
	}
	for i := range slots { // each: first slot, last slot, master, replicas; a node: host, port, ID
		var first, last, port int
		var host, id string
		line := strings.NewReplacer("[", " ", "]", " ").Replace(fmt.Sprint(slots[i]))
		_, err := fmt.Sscan(line, &first, &last, &host, &port, &id)
		if err == nil && first <= slot && slot <= last && net.JoinHostPort(host, strconv.Itoa(port)) == s.Addr {
			return true
		}
	}
	return false
}

// inStep reports whether a replica follows its master; a master always does.
func (s *Server) inStep() bool {
	client := s.Client()
	defer client.Close()
	text, err := Text(client, "INFO", "replication")
	return err == nil && (strings.Contains(text, "role:master") || strings.Contains(text, "master_link_status:up"))
}
