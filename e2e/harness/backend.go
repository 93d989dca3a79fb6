package harness

import (
	"net"
	"net/http"
	"sync"
)

// Backend is what a request reaches when the limiter lets it pass: HTTP/1.1,
// and HTTP/2 without TLS for gRPC.
type Backend struct {
	URL string // http://host:port
	H2C string // h2c://host:port, for Traefik to speak HTTP/2 to it

	server *http.Server
	mu     sync.Mutex
	next   http.Handler
}

// StartBackend serves next.
func StartBackend(next http.Handler) (*Backend, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := listener.Addr().String()
	b := &Backend{URL: "http://" + addr, H2C: "h2c://" + addr, next: next}
	b.server = &http.Server{Handler: b, Protocols: new(http.Protocols)}
	b.server.Protocols.SetHTTP1(true)
	b.server.Protocols.SetUnencryptedHTTP2(true)
	go b.server.Serve(listener)
	return b, nil
}

// Serve makes the backend answer by next from now on.
func (b *Backend) Serve(next http.Handler) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = next
}

// ServeHTTP answers by the current handler.
func (b *Backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	next := b.next
	b.mu.Unlock()
	next.ServeHTTP(w, r)
}

// Stop ends the backend and every connection to it.
func (b *Backend) Stop() { b.server.Close() }

// CloseIdle closes the connections that no request uses.
func (b *Backend) CloseIdle() {
	b.server.SetKeepAlivesEnabled(false)
	b.server.SetKeepAlivesEnabled(true)
}
