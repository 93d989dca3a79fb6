package redistest

import (
	"net"
	"testing"
	"time"
)

// ask sends PING and returns whether an answer came within wait.
func ask(t *testing.T, conn net.Conn, wait time.Duration) bool {
	t.Helper()
	conn.SetDeadline(time.Now().Add(wait))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	_, err := conn.Read(make([]byte, 64))
	return err == nil
}

func dial(t *testing.T, network, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestServerLives(t *testing.T) {
	s := Start(t)
	if !ask(t, dial(t, "tcp", s.Addr), time.Second) || !ask(t, dial(t, "unix", s.Socket), time.Second) {
		t.Fatal("a started server does not answer")
	}

	s.Freeze()
	if ask(t, dial(t, "tcp", s.Addr), 100*time.Millisecond) {
		t.Error("a frozen server answers")
	}
	s.Thaw()
	if !ask(t, dial(t, "tcp", s.Addr), time.Second) {
		t.Error("a thawed server does not answer")
	}

	s.Stop()
	s.Stop()
	if _, err := net.Dial("tcp", s.Addr); err == nil {
		t.Error("a stopped server listens")
	}
	s.Restart()
	if !ask(t, dial(t, "tcp", s.Addr), time.Second) {
		t.Error("a restarted server does not answer")
	}

	s.Freeze()
	s.Kill()
	if _, err := net.Dial("tcp", s.Addr); err == nil {
		t.Error("a server killed while frozen listens")
	}
}

func TestServersAreApart(t *testing.T) {
	a, b := Start(t), Start(t, "--requirepass", "secret")
	if a.Addr == b.Addr || a.Socket == b.Socket {
		t.Fatalf("two servers share an address: %s %s", a.Addr, a.Socket)
	}
}

func TestSentinelsFailOver(t *testing.T) {
	s := StartSentinels(t, 2, 3, nil)
	first := s.Master()
	if first != s.Servers[0] {
		t.Fatalf("the master is %v", first)
	}
	s.Failover()
	next := wait(t, s, first)
	s.Settle()
	next.Kill()
	last := wait(t, s, next)
	if last == next || last == nil {
		t.Fatalf("the master is %v", last)
	}
}

// wait waits for another master than old.
func wait(t *testing.T, s *Sentinels, old *Server) *Server {
	t.Helper()
	begin := time.Now()
	for {
		if master := s.Master(); master != nil && master != old {
			t.Logf("another master after %v", time.Since(begin))
			return master
		}
		if time.Since(begin) > 30*time.Second {
			t.Fatal("no other master within 30 s")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestCluster(t *testing.T) {
	c := StartCluster(t, 3)
	first, last := c.Slots(1)
	for _, slot := range []int{first, last} {
		if got := c.Master(slot); got != c.Masters[1] {
			t.Errorf("slot %d is served by %v, want the second master", slot, got)
		}
	}
	if got := c.Replica(c.Masters[1]); got != c.Replicas[1] {
		t.Errorf("the second master's replica is %v", got)
	}
}
