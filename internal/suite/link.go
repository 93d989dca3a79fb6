package suite

import (
	"net"
	"sync"
	"testing"
	"time"
)

// link is the network between the plugin and Redis: a proxy that can be cut, hung, slowed or closed.
type link struct {
	backend string // host:port of Redis
	addr    string // host:port that the plugin dials

	mu       sync.Mutex
	listener net.Listener // nil while closed
	conns    map[net.Conn]bool
	accepted int
	hung     bool
	delay    time.Duration // added to every reply
	lose     int           // so many replies are swallowed and their connections cut
}

func newLink(t *testing.T, backend string) *link {
	l := &link{backend: backend, addr: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	l.open(t)
	t.Cleanup(l.close)
	return l
}

// open lets the plugin connect again.
func (l *link) open(t *testing.T) {
	listener, err := net.Listen("tcp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	l.listener, l.addr = listener, listener.Addr().String()
	l.mu.Unlock()
	go l.accept(listener)
}

// close refuses connections and cuts those that are open.
func (l *link) close() {
	l.mu.Lock()
	if l.listener != nil {
		l.listener.Close()
		l.listener = nil
	}
	l.mu.Unlock()
	l.cut()
}

// cut closes all connections.
func (l *link) cut() {
	l.mu.Lock()
	for conn := range l.conns {
		conn.Close()
	}
	l.mu.Unlock()
}

// hang swallows every byte until told otherwise. Connections are accepted and nothing is ever answered.
func (l *link) hang(hung bool) {
	l.mu.Lock()
	l.hung = hung
	l.mu.Unlock()
}

// slow adds d to the way of every reply.
func (l *link) slow(d time.Duration) {
	l.mu.Lock()
	l.delay = d
	l.mu.Unlock()
}

// loseReply cuts the connection on which Redis' next reply travels, before it arrives.
func (l *link) loseReply() {
	l.mu.Lock()
	l.lose++
	l.mu.Unlock()
}

// counts are the connections ever accepted, and those open now.
func (l *link) counts() (accepted, open int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accepted, len(l.conns)
}

func (l *link) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		l.accepted++
		l.conns[conn] = true
		l.mu.Unlock()
		go l.serve(conn)
	}
}

// serve carries one connection until one of its ends closes.
func (l *link) serve(conn net.Conn) {
	defer func() {
		conn.Close()
		l.mu.Lock()
		delete(l.conns, conn)
		l.mu.Unlock()
	}()
	backend, err := net.Dial("tcp", l.backend)
	if err != nil {
		return
	}
	defer backend.Close()
	go func() {
		defer conn.Close()
		l.carry(conn, backend, true)
	}()
	l.carry(backend, conn, false)
}

// carry copies what from says to to.
func (l *link) carry(to, from net.Conn, replies bool) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		l.mu.Lock()
		hung, delay := l.hung, time.Duration(0)
		if replies {
			delay = l.delay
			if l.lose > 0 {
				l.lose--
				l.mu.Unlock()
				return
			}
		}
		l.mu.Unlock()
		time.Sleep(delay)
		if hung {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
