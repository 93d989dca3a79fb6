package suite

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// midnight is where virtual clocks start: 00:00 UTC on a Monday, so that minutes, hours and days begin with the case.
var midnight = time.Date(2023, 11, 13, 0, 0, 0, 0, time.UTC)

// world is what one case has to itself: a Redis, the network to it, and the middlewares it makes.
type world struct {
	t        *testing.T
	plugin   Plugin
	name     string               // of the case's first middleware
	link     *redistest.Proxy     // the network between plugin and Redis
	endpoint string               // of Redis as the plugin sees it
	mini     *miniredis.Miniredis // nil on a real Redis
	client   *redis.Client        // the case's own way to Redis, around the link
	now      time.Time            // of the virtual clock
	denied   atomic.Int64         // when a request was denied last, in ns since 1970
	dial     string               // the case's own dialTimeout, which makes its Redis client its own

	ctx    context.Context // of the present configuration
	cancel context.CancelFunc
}

// worlds counts the cases. One that ends without its Redis frees the port, and another may get it. The plugin shares clients by
// endpoint: without a difference that case would begin with the broken client of the former.
var worlds int64

func newWorld(t *testing.T, s Setup, caseName string) *world {
	w := &world{t: t, plugin: s.Plugin, name: slug(caseName) + "@file", now: midnight}
	w.dial = (5*time.Second + time.Duration(atomic.AddInt64(&worlds, 1))*time.Microsecond).String()
	address := s.Redis
	if address == "" {
		w.mini = miniredis.RunT(t)
		w.mini.SetTime(w.now)
		address = w.mini.Addr()
	}
	w.link = redistest.NewProxy(t, address)
	w.endpoint = w.link.Addr
	w.client = redis.NewClient(&redis.Options{Addr: address, DisableIdentity: true})
	w.ctx, w.cancel = context.WithCancel(context.Background())
	t.Cleanup(func() {
		w.client.Close()
		w.cancel()
	})
	return w
}

// slug makes a case's name fit for a middleware's name.
func slug(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
}

// make makes one middleware in front of next. Where config names no endpoints they are the case's own Redis.
func (w *world) make(next http.Handler, config map[string]interface{}, name string) (http.Handler, error) {
	if inner, ok := next.(*watched); ok {
		next = inner.Handler // in a real Traefik two middlewares are on one router, and it must know them
	}
	handler, err := w.plugin.New(w.ctx, next, w.completed(config), name)
	if err != nil {
		return nil, err
	}
	return &watched{handler, w}, nil
}

// watched is a middleware of which the world notes when it denied last.
type watched struct {
	http.Handler
	world *world
}

func (m *watched) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	m.Handler.ServeHTTP(rw, r)
	if rw.Header().Get("Retry-After") != "" {
		m.world.denied.Store(time.Now().UnixNano())
	}
}

// forgotten waits until the plugin has forgotten the denials that it remembers for a second of the true clock:
// before whatever changes Redis' mind without waiting, a step of the virtual clock or a deleted key.
func (w *world) forgotten() {
	time.Sleep(time.Until(time.Unix(0, w.denied.Load()).Add(time.Second)))
}

// mustMake is make for a configuration without fault.
func (w *world) mustMake(next http.Handler, config map[string]interface{}, name string) http.Handler {
	w.t.Helper()
	handler, err := w.make(next, config, name)
	if err != nil {
		w.t.Fatalf("New: %v; the log says %s", err, w.plugin.Errors())
	}
	return handler
}

// patient is the time budget of cases that are not about it: a busy machine must not decide them. defaultTimeout asks for none.
const (
	patient        = "10s"
	defaultTimeout = "DEFAULT"
)

// completed is a deep copy of config with the endpoints of the case's Redis, a patient timeout and the case's dialTimeout, where
// it has none of its own.
// The words LINK and FOLDER in it stand for the endpoint and the folder of secrets.
func (w *world) completed(config map[string]interface{}) map[string]interface{} {
	config = w.filled(config).(map[string]interface{})
	section, ok := config["redis"].(map[string]interface{})
	if config["redis"] == nil {
		section, ok = map[string]interface{}{}, true
		config["redis"] = section
	}
	if ok && section["endpoints"] == nil {
		section["endpoints"] = []interface{}{w.endpoint}
	}
	if ok && section["dialTimeout"] == nil {
		section["dialTimeout"] = w.dial
	}
	switch config["timeout"] {
	case nil:
		config["timeout"] = patient
	case defaultTimeout:
		delete(config, "timeout")
	}
	return config
}

func (w *world) filled(value interface{}) interface{} {
	switch value := value.(type) {
	case map[string]interface{}:
		filled := map[string]interface{}{}
		for name := range value {
			filled[name] = w.filled(value[name])
		}
		return filled
	case []interface{}:
		filled := make([]interface{}, len(value))
		for i := range value {
			filled[i] = w.filled(value[i])
		}
		return filled
	case string:
		return strings.NewReplacer("LINK", w.endpoint, "FOLDER", secretsFolder).Replace(value)
	}
	return value
}

// reload cancels what the present configuration was made with, as Traefik does before it makes the next.
func (w *world) reload() {
	w.cancel()
	w.ctx, w.cancel = context.WithCancel(context.Background())
}

// advance moves the virtual clock.
func (w *world) advance(d time.Duration) {
	w.forgotten()
	w.now = w.now.Add(d)
	w.mini.SetTime(w.now)
	w.mini.FastForward(d)
}

// wait lets d pass: on the virtual clock, or truly.
func (w *world) wait(d time.Duration) {
	if w.mini != nil {
		w.advance(d)
		return
	}
	time.Sleep(d)
}

// align waits for the next whole multiple of d on Redis' clock.
func (w *world) align(d time.Duration) {
	now, err := redistest.Now(w.client)
	if err != nil {
		w.t.Fatal(err)
	}
	w.wait(now.Truncate(d).Add(d).Sub(now))
}

// answer is what a client gets.
type answer struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

// passed is the answer of the backend behind every limiter.
const passed = "passed"

// backend answers every request.
var backend = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, passed) })

// ask sends r through handler.
func ask(handler http.Handler, r *http.Request) answer {
	recorder := httptest.NewRecorder()
	start := time.Now()
	handler.ServeHTTP(recorder, r)
	return answer{recorder.Code, recorder.Result().Header, recorder.Body.String(), time.Since(start)}
}

// get is a plain request from the one client that most cases have.
func get() *http.Request { return getFrom("203.0.113.7:4711") }

func getFrom(remote string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://example.org/", nil)
	r.RemoteAddr = remote
	return r
}

// together sends n requests at once and counts the answers by status.
func together(handler http.Handler, n int, request func(i int) *http.Request) map[int]int {
	var mu sync.Mutex
	counts := map[int]int{}
	var all sync.WaitGroup
	for i := 0; i < n; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			got := ask(handler, request(i))
			mu.Lock()
			counts[got.status]++
			mu.Unlock()
		}(i)
	}
	all.Wait()
	return counts
}

// limitHeaders are all that the plugin may set.
var limitHeaders = []string{
	"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Ratelimit-Name",
	"Ratelimit-Policy", "Ratelimit", "Retry-After", "Cache-Control",
}

// onlyLimitHeaders are those of limitHeaders that h has.
func onlyLimitHeaders(h http.Header) map[string]string {
	found := map[string]string{}
	for _, name := range limitHeaders {
		if values := h[name]; len(values) > 0 {
			found[name] = strings.Join(values, " | ")
		}
	}
	return found
}

// wantHeaders compares all of the plugin's headers, so that one too many fails too.
func (w *world) wantHeaders(got answer, want map[string]string) {
	w.t.Helper()
	if have := onlyLimitHeaders(got.header); !reflect.DeepEqual(have, want) {
		w.t.Errorf("headers %v, want %v", have, want)
	}
}

// command runs a command on Redis and writes its reply as text: a list in brackets, sorted for KEYS.
func (w *world) command(words []string) string {
	switch strings.ToUpper(words[0]) {
	case "DEL", "FLUSHALL", "FLUSHDB", "HSET", "SET":
		w.forgotten()
	}
	arguments := make([]interface{}, len(words))
	for i := range words {
		arguments[i] = words[i]
	}
	reply, err := w.client.Do(context.Background(), arguments...).Result()
	if err != nil {
		return err.Error()
	}
	if list, ok := reply.([]interface{}); ok && strings.EqualFold(words[0], "KEYS") {
		sort.Slice(list, func(i, j int) bool { return list[i].(string) < list[j].(string) })
	}
	return fmt.Sprint(reply)
}

// lines counts the log's lines that hold text and belong to this case: they name one of its middlewares or its endpoint.
func (w *world) lines(log, text string, names ...string) int {
	count := 0
	for _, line := range strings.Split(log, "\n") {
		if !strings.Contains(line, text) {
			continue
		}
		for _, name := range append([]string{w.endpoint, w.name}, names...) {
			if strings.Contains(line, name) {
				count++
				break
			}
		}
	}
	return count
}

// eventually waits until holds, for what happens beside the requests: log lines, connections that close.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if holds() {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("not within 10 s: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// settled asks handler until Redis decides: until limit headers come, and not by the clock of the plugin's process.
func (w *world) settled(handler http.Handler, request func() *http.Request) answer {
	w.t.Helper()
	var got answer
	w.eventually("Redis decides", func() bool {
		got = ask(handler, request())
		return len(got.header["X-Ratelimit-Limit"]) > 0 && !w.byLocalClock(got)
	})
	return got
}

// byLocalClock reports whether Reset is of the plugin's process, whose clock is years ahead of the virtual one.
func (w *world) byLocalClock(got answer) bool {
	const years = 500 * 24 * time.Hour
	return w.mini != nil && number(got.header, "X-RateLimit-Reset") > w.now.Add(years).Unix()
}

// number is a header's whole number, or -1.
func number(h http.Header, name string) int64 {
	n, err := strconv.ParseInt(h.Get(name), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
