package e2e

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const protocolsConfig = `
http:
  routers:
    http: {rule: "PathPrefix(` + "`/`" + `)", middlewares: [limit], service: http}
    grpc: {rule: "PathPrefix(` + "`/grpc.health.v1.Health`" + `)", middlewares: [limit], service: grpc}
  services:
    http: {loadBalancer: {servers: [{url: "BACKEND"}]}}
    grpc: {loadBalancer: {servers: [{url: "H2C"}]}}
  middlewares:
    limit: {plugin: {ratelimit: {average: 3, period: 1h, timeout: 10s, failureMode: closed, sourceCriterion: {requestHeaderName: X-Client}, redis: {endpoints: ["REDIS"]}}}}
`

// TestProtocols: what needs more of a ResponseWriter than a page does works
// through the limiter, and is limited.
func TestProtocols(t *testing.T) {
	next := make(chan string) // what the event stream sends next
	mux := http.NewServeMux()
	mux.HandleFunc("/websocket", echoWebSocket)
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for event := range next {
			fmt.Fprintf(w, "data: %s\n\n", event)
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/upload", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Sent-As", strings.Join(r.TransferEncoding, ","))
		io.WriteString(w, digest(r.Body))
	})
	rpc := grpc.NewServer()
	service := health.NewServer()
	grpc_health_v1.RegisterHealthServer(rpc, service)
	mux.Handle("/grpc.health.v1.Health/", rpc)

	redis := startRedis(t)
	backend := startBackend(t, mux.ServeHTTP)
	proxy := startTraefik(t)
	apply(t, proxy, backend, redis, protocolsConfig)
	limited(t, proxy.URL+"/nothing", "X-Client", "warm-up")

	t.Run("WebSocket", func(t *testing.T) {
		header := http.Header{"X-Client": {"websocket"}}
		for n := range 3 {
			conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+proxy.URL[len("http"):]+"/websocket", header)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if got, want := resp.Header.Get("X-RateLimit-Remaining"), fmt.Sprint(2-n); got != want {
				t.Errorf("handshake %d: remaining %q, want %s", n, got, want)
			}
			for _, text := range []string{"there", "and back"} {
				if err := conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
					t.Fatal(err)
				}
				if _, got, err := conn.ReadMessage(); err != nil || string(got) != text {
					t.Fatalf("echo %q, %v, want %q", got, err, text)
				}
			}
		}
		_, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+proxy.URL[len("http"):]+"/websocket", header)
		if err == nil || resp.StatusCode != http.StatusTooManyRequests {
			t.Errorf("the handshake above the limit gets %v, want 429", resp)
		}
	})

	t.Run("event stream", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Client", "events")
		go func() { next <- "first" }() // the answer's header arrives with the first event
		resp, err := requests.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got := resp.Header.Get("X-RateLimit-Remaining"); got != "2" {
			t.Errorf("remaining %q, want 2", got)
		}
		lines := bufio.NewScanner(resp.Body)
		for i, want := range []string{"first", "second", "third"} {
			if i > 0 {
				next <- want // only once the one before has arrived
			}
			if !lines.Scan() || lines.Text() != "data: "+want {
				t.Fatalf("line %q, want the event %s; %v", lines.Text(), want, lines.Err())
			}
			lines.Scan()
		}
		close(next)
		if lines.Scan() {
			t.Errorf("line %q after the end", lines.Text())
		}
	})

	t.Run("chunked upload", func(t *testing.T) {
		const size = 16 << 20
		body := rand.NewChaCha8([32]byte{})
		// A reader of unknown length is sent in chunks.
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, proxy.URL+"/upload", io.LimitReader(body, size))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Client", "upload")
		resp, err := requests.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.Header.Get("X-Sent-As") != "chunked" || resp.Header.Get("X-RateLimit-Remaining") != "2" {
			t.Errorf("header %v, want it sent as chunked and 2 remaining", resp.Header)
		}
		got, err := io.ReadAll(resp.Body)
		if want := digest(io.LimitReader(rand.NewChaCha8([32]byte{}), size)); err != nil || string(got) != want {
			t.Errorf("arrived as %s, %v, want %s", got, err, want)
		}
	})

	t.Run("gRPC", func(t *testing.T) {
		conn, err := grpc.NewClient("passthrough:///"+proxy.URL[len("http://"):], grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		client := grpc_health_v1.NewHealthClient(conn)
		ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "x-client", "grpc"), 30*time.Second)
		defer cancel()

		var header metadata.MD
		reply, err := client.Check(ctx, &grpc_health_v1.HealthCheckRequest{}, grpc.Header(&header))
		if err != nil || reply.Status != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Fatalf("call: %v, %v", reply, err)
		}
		if got := header.Get("x-ratelimit-remaining"); len(got) != 1 || got[0] != "2" {
			t.Errorf("remaining %q, want 2", got)
		}

		stream, err := client.Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []grpc_health_v1.HealthCheckResponse_ServingStatus{1, 2, 1} {
			service.SetServingStatus("", want)
			if got, err := stream.Recv(); err != nil || got.Status != want {
				t.Fatalf("stream: %v, %v, want %v", got, err, want)
			}
		}
		if _, err := client.Check(ctx, &grpc_health_v1.HealthCheckRequest{}); err != nil {
			t.Errorf("the third call: %v", err)
		}
		// gRPC's clients read HTTP's 429 as UNAVAILABLE.
		_, err = client.Check(ctx, &grpc_health_v1.HealthCheckRequest{})
		if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "429") {
			t.Errorf("the call above the limit: %v, want Unavailable by 429", err)
		}
	})
}

// TestInterimAnswers: what the readme says of a backend that sends one, and
// that it is limited nevertheless.
func TestInterimAnswers(t *testing.T) {
	redis, proxy := startRedis(t), startTraefik(t)
	backend := startBackend(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hints" {
			w.WriteHeader(http.StatusEarlyHints)
		}
		io.WriteString(w, digest(r.Body))
	})
	apply(t, proxy, backend, redis, protocolsConfig)
	for _, row := range []struct {
		path, expect string
		interim      int
	}{
		{"/hints", "", http.StatusEarlyHints},
		{"/upload", "100-continue", http.StatusContinue},
	} {
		source := "interim" + row.path
		limited(t, proxy.URL+"/warm-up", "X-Client", source)
		interim := map[int]string{}
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
			interim[code] = header.Get("X-RateLimit-Remaining")
			return nil
		}})
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, proxy.URL+row.path, strings.NewReader("some"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Client", source)
		if row.expect != "" {
			req.Header.Set("Expect", row.expect)
		}
		resp, err := requests.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if remaining := resp.Header.Get("X-RateLimit-Remaining"); resp.StatusCode != http.StatusOK || interim[row.interim] != "1" || remaining != "" {
			t.Errorf("%s: interim answers with remaining %v, then %d with %q", row.path, interim, resp.StatusCode, remaining)
		}
		expect(t, ask(t, proxy.URL+"/", "X-Client", source), http.StatusOK, "0", "the request was counted")
		expect(t, ask(t, proxy.URL+row.path, "X-Client", source), http.StatusTooManyRequests, "0", "and is limited, with all fields")
	}
}

// echoWebSocket sends every message back.
func echoWebSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := new(websocket.Upgrader).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	for {
		kind, message, err := conn.ReadMessage()
		if err != nil || conn.WriteMessage(kind, message) != nil {
			return
		}
	}
}

// digest tells two streams apart.
func digest(r io.Reader) string {
	hash := sha256.New()
	n, err := io.Copy(hash, r)
	return fmt.Sprintf("%d bytes, %v, %x", n, err, hash.Sum(nil))
}
