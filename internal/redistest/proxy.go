package redistest

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy stands between a client and a server and disturbs what passes, as networks do.
// The zero disturbance forwards everything at once.
type Proxy struct {
	Addr string // host:port on which the proxy listens

	target string
	group  sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener
	refused  bool // between Refuse and Accept
	hold     time.Duration
	delay    time.Duration
	swallow  bool
	replies  func(reply []byte) []byte
	cut      cut
	pairs    map[net.Conn]net.Conn // client side to server side
	dials    int
}

// cut says whether script replies are cut in the middle, and how their connection ends then.
type cut int

const (
	noCut cut = iota
	cutAndClose
	cutAndReset
)

// NewProxy starts a proxy in front of target (host:port, or a socket's path) that ends with the test.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	p, err := OpenProxy(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// OpenProxy is NewProxy without a test: the caller closes the proxy.
func OpenProxy(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{Addr: listener.Addr().String(), target: target, listener: listener, pairs: map[net.Conn]net.Conn{}}
	p.group.Add(1)
	go p.accept(listener)
	return p, nil
}

// Close ends the proxy and all its connections.
func (p *Proxy) Close() {
	p.Refuse()
	p.group.Wait()
}

// Refuse closes all connections and has dials refused, until Accept.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	_ = p.listener.Close()
	p.refused = true
	p.mu.Unlock()
	p.CloseAll()
}

// Accept listens again, at the same address.
func (p *Proxy) Accept(t testing.TB) {
	t.Helper()
	listener, err := net.Listen("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.listener, p.refused = listener, false
	p.mu.Unlock()
	p.group.Add(1)
	go p.accept(listener)
}

// Delay holds every byte back for d in each direction: a round trip takes 2·d longer.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	p.delay = d
	p.mu.Unlock()
}

// Hold makes each new connection wait for d before its first byte passes: a slow handshake.
func (p *Proxy) Hold(d time.Duration) {
	p.mu.Lock()
	p.hold = d
	p.mu.Unlock()
}

// Target leads new connections to another server (host:port, or a socket's path).
func (p *Proxy) Target(target string) {
	p.mu.Lock()
	p.target = target
	p.mu.Unlock()
}

// Swallow takes bytes from both sides and passes none on, while on; connections stay open.
func (p *Proxy) Swallow(on bool) {
	p.mu.Lock()
	p.swallow = on
	p.mu.Unlock()
}

// Replies passes what the server sends through change, piece by piece as it arrives; nil as a result closes both sides.
func (p *Proxy) Replies(change func(reply []byte) []byte) {
	p.mu.Lock()
	p.replies = change
	p.mu.Unlock()
}

// Cut lets half of the next script reply pass on each connection and then ends it: by a reset, else in order.
func (p *Proxy) Cut(reset bool) {
	p.mu.Lock()
	p.cut = cutAndClose
	if reset {
		p.cut = cutAndReset
	}
	p.mu.Unlock()
}

// Mend ends Cut.
func (p *Proxy) Mend() {
	p.mu.Lock()
	p.cut = noCut
	p.mu.Unlock()
}

// Dials is how many connections have been accepted so far.
func (p *Proxy) Dials() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dials
}

// Open is how many connections are open.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pairs)
}

// CloseAll closes all connections on both sides.
func (p *Proxy) CloseAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for client, server := range p.pairs {
		_ = client.Close()
		_ = server.Close()
	}
}

func (p *Proxy) accept(listener net.Listener) {
	defer p.group.Done()
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		p.group.Add(1)
		go p.connect(client)
	}
}

// connect pairs a client with a connection to the target, or closes it when there is none.
func (p *Proxy) connect(client net.Conn) {
	defer p.group.Done()
	p.mu.Lock()
	p.dials++
	target, hold := p.target, p.hold
	p.mu.Unlock()
	time.Sleep(hold)
	network := "tcp"
	if target[0] == '/' {
		network = "unix"
	}
	server, err := net.Dial(network, target)
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused { // after this client was accepted
		_ = client.Close()
		_ = server.Close()
		return
	}
	p.pairs[client] = server
	p.group.Add(2)
	go p.forward(server, client, client, false)
	go p.forward(client, server, client, true)
}

// piece is what was read at once, and when it may go on.
type piece struct {
	data []byte
	due  time.Time
}

// forward copies from one side to the other until either closes.
func (p *Proxy) forward(to, from, client net.Conn, isReply bool) {
	defer p.group.Done()
	pieces := make(chan piece, 1024)
	p.group.Add(1)
	go p.deliver(to, client, pieces)
	defer close(pieces)
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			data, due, ok := p.disturb(append([]byte(nil), buffer[:n]...), isReply)
			if !ok {
				return
			}
			if isReply && p.cutsHere(client, data) {
				pieces <- piece{data[:len(data)/2], due}
				return
			}
			pieces <- piece{data, due}
		}
		if err != nil {
			return
		}
	}
}

// disturb applies what is set at this moment; false ends the connection.
func (p *Proxy) disturb(data []byte, isReply bool) ([]byte, time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.swallow {
		return nil, time.Now(), true
	}
	if isReply && p.replies != nil {
		data = p.replies(data)
		if data == nil {
			return nil, time.Time{}, false
		}
	}
	return data, time.Now().Add(p.delay), true
}

// cutsHere reports whether a connection ends in the middle of this reply, and prepares its end. A script replies with a bulk
// string, no other command of a rate limiter does.
func (p *Proxy) cutsHere(client net.Conn, reply []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == noCut || len(reply) < 2 || reply[0] != '$' {
		return false
	}
	if p.cut == cutAndReset {
		_ = client.(*net.TCPConn).SetLinger(0)
	}
	return true
}

// deliver writes each piece when it is due, then closes both sides.
func (p *Proxy) deliver(to, client net.Conn, pieces chan piece) {
	defer p.group.Done()
	for next := range pieces {
		time.Sleep(time.Until(next.due))
		if _, err := to.Write(next.data); err != nil {
			break
		}
	}
	p.mu.Lock()
	server, open := p.pairs[client]
	delete(p.pairs, client)
	p.mu.Unlock()
	if open {
		_ = client.Close()
		_ = server.Close()
	}
	for range pieces { // until forward has seen the end
	}
}
