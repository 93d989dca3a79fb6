package suite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// trafficCases are about what passes through the limiter, and how much of it at once.
var trafficCases = []testCase{
	{"writer is not wrapped", "a wrapped ResponseWriter loses Flusher and Hijacker in Yaegi", both, writerNotWrapped},
	{"request is not changed", "the backend must see the client's own request", both, requestNotChanged},
	{"backend's headers stay", "a limiter adds its headers and takes none away", both, backendHeadersStay},
	{"server-sent events", "an event must reach the client before the stream ends", both, serverSentEvents},
	{"connection taken over", "WebSockets take the connection over behind the limiter", both, connectionTakenOver},
	{"chunked upload", "a large body streams through unread and unbuffered", both, chunkedUpload},
	{"upload denied", "a denied request is answered without reading its body", both, uploadDenied},
	{"abort passes", "http.ErrAbortHandler tells the server to drop the connection and must arrive as itself", both, abortPasses},
	{"panic passes", "a backend's panic is Traefik's to handle", both, panicPasses},
	{"client hangs up", "a client that leaves is no failure of Redis: no answer 500, no log line", virtual, clientHangsUp},
	{"many clients hang up", "a wave of impatient clients must not look like a lost Redis", virtual, manyClientsHangUp},
	{"many sources at once", "requests that share a script call are still counted each for its own source", virtual, manySourcesAtOnce},
	{"two gateways at once", "two Traefik instances share one count", both, twoGatewaysAtOnce},
	{"scripts flushed in the middle", "a script flush under load neither denies nor admits one too many", virtual, flushInTheMiddle},
	{"reload in the middle", "a reload under load neither denies nor admits one too many", virtual, reloadInTheMiddle},
	{"several limits at once", "concurrent requests are all or nothing too", virtual, severalLimitsAtOnce},
}

// perHour is the plainest configuration: n requests per hour, exact under any load.
func perHour(n int) map[string]interface{} {
	return map[string]interface{}{"algorithm": "sliding-log", "average": n, "period": "1h", "timeout": "10s", "failureMode": "closed"}
}

func writerNotWrapped(t *testing.T, w *world) {
	recorder := httptest.NewRecorder()
	same := false
	next := http.HandlerFunc(func(inner http.ResponseWriter, r *http.Request) {
		held, ok := inner.(*httptest.ResponseRecorder)
		same = ok && held == recorder
	})
	w.mustMake(next, perHour(10), w.name).ServeHTTP(recorder, get())
	if !same {
		t.Error("the next handler got another ResponseWriter")
	}
}

func requestNotChanged(t *testing.T, w *world) {
	type key struct{}
	r := get()
	r = r.WithContext(context.WithValue(r.Context(), key{}, "value"))
	r.Header.Set("X-Forwarded-For", "1.1.1.1")
	before := fmt.Sprint(r.Method, r.URL, r.Host, r.RemoteAddr, r.Header)
	calls := 0
	next := http.HandlerFunc(func(_ http.ResponseWriter, inner *http.Request) {
		calls++
		if after := fmt.Sprint(inner.Method, inner.URL, inner.Host, inner.RemoteAddr, inner.Header); after != before {
			t.Errorf("the request became %s, was %s", after, before)
		}
		if inner.Context().Value(key{}) != "value" {
			t.Error("the request's context lost its values")
		}
	})
	ask(w.mustMake(next, perHour(10), w.name), r)
	if calls != 1 {
		t.Errorf("next ran %d times", calls)
	}
}

func backendHeadersStay(t *testing.T, w *world) {
	next := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		rw.Header().Set("Cache-Control", "max-age=60")
		rw.Header().Add("Set-Cookie", "a=1")
		rw.WriteHeader(http.StatusTeapot)
	})
	got := ask(w.mustMake(next, perHour(10), w.name), get())
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "max-age=60", "Set-Cookie": "a=1", "X-Ratelimit-Remaining": "9",
	} {
		if got.status != http.StatusTeapot || got.header.Get(name) != want {
			t.Errorf("status %d, %s: %q, want %q", got.status, name, got.header.Get(name), want)
		}
	}
}

func serverSentEvents(t *testing.T, w *world) {
	arrived := make(chan struct{})
	next := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		flusher, ok := rw.(http.Flusher)
		if !ok {
			t.Error("no Flusher behind the limiter")
			return
		}
		io.WriteString(rw, "data: one\n\n")
		flusher.Flush()
		<-arrived // the client has the first event before there is a second
		io.WriteString(rw, "data: two\n\n")
		http.NewResponseController(rw).Flush()
	})
	server := httptest.NewServer(w.mustMake(next, perHour(10), w.name))
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Scan()
	close(arrived)
	if lines.Text() != "data: one" {
		t.Errorf("first event %q", lines.Text())
	}
	lines.Scan()
	lines.Scan()
	if lines.Text() != "data: two" {
		t.Errorf("second event %q", lines.Text())
	}
	if response.Header.Get("X-RateLimit-Limit") != "10" {
		t.Errorf("headers %v", response.Header)
	}
}

func connectionTakenOver(t *testing.T, w *world) {
	next := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		hijacker, ok := rw.(http.Hijacker)
		if !ok {
			t.Error("no Hijacker behind the limiter")
			return
		}
		conn, buffered, err := hijacker.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, _ := buffered.ReadString('\n')
		io.WriteString(conn, "echo "+line)
	})
	server := httptest.NewServer(w.mustMake(next, perHour(1), w.name))
	defer server.Close()
	upgrade := func() (net.Conn, *bufio.Reader, *http.Response) {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		reader := bufio.NewReader(conn)
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		return conn, reader, response
	}
	conn, reader, response := upgrade()
	defer conn.Close()
	if response.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("status %d", response.StatusCode)
	}
	io.WriteString(conn, "hello\n")
	if line, _ := reader.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("over the connection came %q", line)
	}
	second, _, response := upgrade()
	defer second.Close()
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("the second upgrade got %d %v", response.StatusCode, response.Header)
	}
}

func chunkedUpload(t *testing.T, w *world) {
	const size = 4 << 20
	started := make(chan struct{})
	next := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.ContentLength != -1 {
			t.Errorf("Content-Length %d, want a chunked body", r.ContentLength)
		}
		close(started) // the body is not complete yet: nobody buffered it
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(rw, n, err)
	})
	server := httptest.NewServer(w.mustMake(next, perHour(10), w.name))
	defer server.Close()
	body, writer := io.Pipe()
	go func() {
		writer.Write(make([]byte, size/2))
		<-started
		writer.Write(make([]byte, size/2))
		writer.Close()
	}()
	response, err := http.Post(server.URL, "application/octet-stream", body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if want := fmt.Sprint(int64(size), error(nil)); string(text) != want {
		t.Errorf("the backend read %q, want %q", text, want)
	}
}

// unreadBody fails the test when somebody reads it.
type unreadBody struct{ t *testing.T }

func (b unreadBody) Read([]byte) (int, error) {
	b.t.Error("the body was read")
	return 0, io.EOF
}

func uploadDenied(t *testing.T, w *world) {
	handler := w.mustMake(backend, perHour(1), w.name)
	ask(handler, get())
	r := httptest.NewRequest(http.MethodPost, "http://example.org/", unreadBody{t})
	r.RemoteAddr = get().RemoteAddr
	if got := ask(handler, r); got.status != http.StatusTooManyRequests {
		t.Errorf("status %d", got.status)
	}
}

func abortPasses(t *testing.T, w *world) { passesPanic(t, w, http.ErrAbortHandler) }

func panicPasses(t *testing.T, w *world) { passesPanic(t, w, "a fault of the backend") }

func passesPanic(t *testing.T, w *world, value interface{}) {
	handler := w.mustMake(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(value) }), perHour(10), w.name)
	func() {
		defer func() {
			if got := recover(); got != value {
				t.Errorf("a panic with %v arrived as %v", value, got)
			}
		}()
		handler.ServeHTTP(httptest.NewRecorder(), get())
	}()
	handler = w.mustMake(backend, perHour(10), w.name)
	if got := ask(handler, get()); got.header.Get("X-RateLimit-Remaining") != "8" {
		t.Errorf("after the panic: %d %v", got.status, got.header)
	}
}

// hungUp is a request whose client leaves after d.
func hungUp(d time.Duration) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	return get().WithContext(ctx), cancel
}

func clientHangsUp(t *testing.T, w *world) {
	handler := w.mustMake(backend, perHour(10), w.name)
	w.settled(handler, get)
	w.link.Delay(100 * time.Millisecond)
	r, cancel := hungUp(50 * time.Millisecond)
	defer cancel()
	if got := ask(handler, r); got.status >= 500 {
		t.Errorf("status %d", got.status)
	}
	w.link.Delay(0)
	w.settled(handler, get)
	if n := w.lines(w.plugin.Errors(), ""); n > 0 {
		t.Errorf("%d lines in the log", n)
	}
}

func manyClientsHangUp(t *testing.T, w *world) {
	handler := w.mustMake(backend, perHour(1000), w.name)
	w.settled(handler, get)
	w.link.Delay(100 * time.Millisecond)
	counts := together(handler, 200, func(int) *http.Request {
		r, _ := hungUp(20 * time.Millisecond)
		return r
	})
	for status := range counts {
		if status >= 500 {
			t.Errorf("answers by status: %v", counts)
		}
	}
	w.link.Delay(0)
	if got := ask(handler, get()); got.status != http.StatusOK || got.header.Get("X-RateLimit-Limit") != "1000" {
		t.Errorf("after the wave: %d %v", got.status, got.header)
	}
	if n := w.lines(w.plugin.Errors(), ""); n > 0 {
		t.Errorf("%d lines in the log", n)
	}
}

func manySourcesAtOnce(t *testing.T, w *world) {
	handler := w.mustMake(backend, perHour(10), w.name)
	const sources = 20
	counts := together(handler, sources*15, func(i int) *http.Request {
		return getFrom(fmt.Sprintf("192.0.2.%d:1", i%sources))
	})
	if counts[200] != sources*10 || counts[429] != sources*5 {
		t.Errorf("answers by status: %v, want 10 of 15 for each of %d sources", counts, sources)
	}
	for i := 0; i < sources; i++ {
		if got := ask(handler, getFrom(fmt.Sprintf("192.0.2.%d:1", i))); got.status != 429 {
			t.Errorf("source %d is not used up: %d", i, got.status)
		}
	}
}

func twoGatewaysAtOnce(t *testing.T, w *world) {
	// Another budget makes another instance: its own connections, flights and batches.
	other := perHour(100)
	other["timeout"] = "9s"
	gateways := []http.Handler{w.mustMake(backend, perHour(100), w.name), w.mustMake(backend, other, w.name)}
	balancer := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		gateways[len(r.Header.Get("X-Odd"))].ServeHTTP(rw, r)
	})
	counts := together(balancer, 500, func(i int) *http.Request {
		r := get()
		r.Header.Set("X-Odd", strings.Repeat("x", i%2))
		return r
	})
	if counts[200] != 100 || counts[429] != 400 {
		t.Errorf("answers by status: %v, want 100 times 200 and 400 times 429", counts)
	}
}

func flushInTheMiddle(t *testing.T, w *world) {
	handler := w.mustMake(backend, perHour(100), w.name)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < 20; i++ {
			w.command([]string{"SCRIPT", "FLUSH"})
			time.Sleep(time.Millisecond)
		}
	}()
	counts := together(handler, 500, func(int) *http.Request { return get() })
	<-done
	if counts[200] != 100 || counts[429] != 400 {
		t.Errorf("answers by status: %v, want 100 times 200 and 400 times 429", counts)
	}
}

func reloadInTheMiddle(t *testing.T, w *world) {
	handlers := make(chan http.Handler, 1)
	handlers <- w.mustMake(backend, perHour(100), w.name)
	current := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		handler := <-handlers
		handlers <- handler
		handler.ServeHTTP(rw, r)
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < 10; i++ {
			w.reload()
			fresh, err := w.make(backend, perHour(100), w.name)
			if err != nil {
				t.Error(err)
				return
			}
			<-handlers
			handlers <- fresh
		}
	}()
	counts := together(current, 500, func(int) *http.Request { return get() })
	<-done
	if counts[200] != 100 || counts[429] != 400 {
		t.Errorf("answers by status: %v, want 100 times 200 and 400 times 429", counts)
	}
}

func severalLimitsAtOnce(t *testing.T, w *world) {
	config := map[string]interface{}{
		"timeout": "10s", "failureMode": "closed", "headers": "ratelimit",
		"limits": []interface{}{
			map[string]interface{}{"name": "small", "algorithm": "token-bucket", "average": 50, "period": "1h"},
			map[string]interface{}{"name": "large", "algorithm": "fixed-window", "average": 80, "period": "1h"},
			map[string]interface{}{"name": "third", "algorithm": "sliding-log", "average": 90, "period": "1h"},
		},
	}
	handler := w.mustMake(backend, config, w.name)
	counts := together(handler, 300, func(int) *http.Request { return get() })
	if counts[200] != 50 || counts[429] != 250 {
		t.Errorf("answers by status: %v, want 50 times 200 and 250 times 429", counts)
	}
	// A token every 72 s, so the one request that passes then finds 29 and 39 left of the others: denials took nothing.
	w.advance(72 * time.Second)
	got := ask(handler, get())
	if want := `"large";r=29;t=3528, "small";r=0;t=72, "third";r=39;t=3528`; got.header.Get("RateLimit") != want {
		t.Errorf("RateLimit %s, want %s", got.header.Get("RateLimit"), want)
	}
}
