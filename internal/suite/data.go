package suite

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

//go:embed cases/*.yaml
var files embed.FS

// dataCase is one case of cases/*.yaml.
type dataCase struct {
	Name    string
	Why     string
	Real    bool                              // runs on a real Redis too: no advance, no key listing, periods of 2 s at most
	As      string                            // the first middleware's name; default: from Name
	Clock   time.Duration                     // of Redis at the start, after midnight
	Config  map[string]interface{}            // of the first middleware
	Also    map[string]map[string]interface{} // further middlewares by name
	Routers map[string][]string               // middlewares by router, outermost first; FIRST is the first one; default: main has the first alone
	Fault   string                            // what New must say of Config
	Steps   []step
}

// step is one thing that happens: a request, or what its other fields say.
type step struct {
	Why string

	// A request, when Status is set.
	On     string            // router; default: main
	From   string            // remote address; default: the one client that most cases have
	Method string            // default: GET
	Host   string            // default: example.org
	Header map[string]string // lines of one header are separated by " | "
	Times  int               // so many equal requests must all get this answer; default: 1

	// Its answer. When any of the headers is given, or Headers is "none", all of the plugin's headers are compared.
	Status    int
	Body      *string // default: what the status has by default
	Headers   string  // "none"
	Limit     *int64
	Remaining *int64
	Reset     *int64 // seconds after midnight
	Name      string
	Retry     *int64
	Policy    string
	RateLimit string            `yaml:"ratelimit"`
	Local     bool              // the plugin's process decided, by its own clock: Reset and Retry count from then
	Others    map[string]string // headers that are not about limits
	Within    time.Duration     // the answer must come within it

	// Together sends so many requests at once, of which Pass must get 200 and the others Status.
	Together int
	Pass     int

	Advance time.Duration          // moves the virtual clock
	Wait    string                 // "retry-after": as long as the last answer said
	Align   time.Duration          // to the next multiple on Redis' clock
	Reload  map[string]interface{} // a new configuration of the first middleware
	Again   bool                   // a reload without a change
	Fault   string                 // what New must say to Reload
	Redis   string                 // stop, start, hang, unhang, cut, settle
	Says    *string                // every command gets this error from Redis; "" ends it
	Command []string               // to Redis
	Reply   *string                // its reply
	Error   string                 // a line of the log at ERROR that holds this text comes Lines times
	Debug   string                 // the same at DEBUG
	Lines   *int                   // default: 1
}

// dataCases reads cases/*.yaml.
func dataCases(t *testing.T) []testCase {
	entries, err := files.ReadDir("cases")
	if err != nil {
		t.Fatal(err)
	}
	var cases []testCase
	for _, entry := range entries {
		text, err := files.ReadFile(path.Join("cases", entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		var list []dataCase
		if err := decoder.Decode(&list); err != nil && err != io.EOF {
			t.Fatalf("%s: %v", entry.Name(), err)
		}
		for i := range list {
			c := list[i]
			on := virtual
			if c.Real {
				on = both
			}
			cases = append(cases, testCase{c.Name, c.Why, on, c.run})
		}
	}
	return cases
}

// play is a dataCase while it runs.
type play struct {
	*world
	c       dataCase
	routers map[string]http.Handler
	last    answer
}

func (c dataCase) run(t *testing.T, w *world) {
	if c.As != "" {
		w.name = c.As
	}
	if w.mini != nil && c.Clock > 0 {
		w.advance(c.Clock)
	}
	p := &play{world: w, c: c}
	if err := p.build(); err != nil || c.Fault != "" {
		p.wantFault(err, c.Fault)
		return
	}
	for i := range c.Steps {
		p.step(i, c.Steps[i])
		if t.Failed() {
			t.Fatalf("at step %d: %s", i+1, describe(c.Steps[i]))
		}
	}
}

func describe(s step) string {
	if s.Why != "" {
		return s.Why
	}
	text, _ := yaml.Marshal(s)
	var kept []string
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasSuffix(line, `""`) && !strings.HasSuffix(line, " 0") && !strings.HasSuffix(line, " 0s") &&
			!strings.HasSuffix(line, "null") && !strings.HasSuffix(line, "{}") && !strings.HasSuffix(line, "[]") && !strings.HasSuffix(line, "false") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " ")
}

// build makes every router's chain, each middleware anew, as Traefik does at every reload.
func (p *play) build() error {
	routers := p.c.Routers
	if routers == nil {
		routers = map[string][]string{"main": {"FIRST"}}
	}
	built := map[string]http.Handler{}
	for router, names := range routers {
		var handler http.Handler = backend
		for i := len(names) - 1; i >= 0; i-- {
			name, config := names[i], p.c.Also[names[i]]
			if name == "FIRST" {
				name, config = p.name, p.c.Config
			}
			var err error
			handler, err = p.make(handler, config, name)
			if err != nil {
				return err
			}
		}
		built[router] = handler
	}
	p.routers = built
	return nil
}

func (p *play) wantFault(err error, want string) {
	p.t.Helper()
	switch {
	case want == "":
		p.t.Errorf("New: %v", err)
	case err == nil:
		p.t.Errorf("New succeeds, want the fault %q", want)
	case !strings.Contains(err.Error(), want):
		p.t.Errorf("New says %q, want %q", err, want)
	case strings.Contains(err.Error(), suitePassword) || strings.Contains(err.Error(), foreignSecret):
		p.t.Errorf("New says a secret: %q", err)
	}
	if err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			if !strings.HasPrefix(line, p.name+": ") {
				p.t.Errorf("a fault does not begin with the middleware's name: %q", line)
			}
		}
	}
}

func (p *play) step(i int, s step) {
	p.t.Helper()
	switch {
	case s.Together > 0:
		counts := together(p.routers[router(s)], s.Together, func(int) *http.Request { return s.request() })
		if counts[http.StatusOK] != s.Pass || counts[s.Status] != s.Together-s.Pass {
			p.t.Errorf("answers by status: %v, want %d times 200 and else %d", counts, s.Pass, s.Status)
		}
	case s.Status > 0:
		p.request(s)
	case s.Advance > 0:
		p.advance(s.Advance)
	case s.Wait == "retry-after":
		p.wait(time.Duration(number(p.last.header, "Retry-After")) * time.Second)
	case s.Align > 0:
		p.align(s.Align)
	case s.Reload != nil || s.Again:
		p.reconfigure(s)
	case s.Redis != "":
		p.network(s.Redis)
	case s.Says != nil:
		p.forgotten()
		p.mini.SetError(*s.Says)
	case s.Command != nil:
		got := p.command(s.Command)
		if s.Reply != nil && got != *s.Reply {
			p.t.Errorf("Redis replies to %v\n%s, want\n%s", s.Command, got, *s.Reply)
		}
	case s.Error != "" || s.Debug != "":
		p.wantLines(s)
	default:
		p.t.Fatalf("step %d says nothing: %+v", i+1, s)
	}
}

func router(s step) string {
	if s.On == "" {
		return "main"
	}
	return s.On
}

func (p *play) network(word string) {
	p.forgotten()
	switch word {
	case "stop":
		p.link.Refuse()
	case "start":
		p.link.Accept(p.t)
	case "hang":
		p.link.Swallow(true)
	case "unhang":
		p.link.Swallow(false)
	case "cut":
		p.link.CloseAll()
	case "settle":
		// The plugin notices in its own time that Redis is back. A source that no step counts asks.
		p.settled(p.routers["main"], func() *http.Request { return getFrom("198.51.100.99:1") })
	default:
		p.t.Fatalf("redis: %s is no word of the steps", word)
	}
}

func (p *play) reconfigure(s step) {
	before := p.c.Config
	if s.Reload != nil {
		p.c.Config = s.Reload
	}
	p.reload()
	err := p.build()
	if err != nil || s.Fault != "" {
		p.wantFault(err, s.Fault)
		p.c.Config = before
	}
}

func (p *play) wantLines(s step) {
	p.t.Helper()
	want := 1
	if s.Lines != nil {
		want = *s.Lines
	}
	log, text := p.plugin.Errors, s.Error
	if s.Debug != "" {
		log, text = p.plugin.Debug, s.Debug
	}
	if want > 0 {
		p.eventually(fmt.Sprintf("the log says %q", text), func() bool { return p.lines(log(), text) >= want })
	}
	if got := p.lines(log(), text); got != want {
		p.t.Errorf("%d lines of the log hold %q, want %d", got, text, want)
	}
}

// request is the request that s describes.
func (s step) request() *http.Request {
	method := s.Method
	if method == "" {
		method = http.MethodGet
	}
	r := httptest.NewRequest(method, "http://example.org/", nil)
	r.RemoteAddr = "203.0.113.7:4711"
	if s.From != "" {
		r.RemoteAddr = s.From
	}
	if s.Host != "" {
		r.Host = s.Host
	}
	for name, value := range s.Header {
		r.Header[http.CanonicalHeaderKey(name)] = strings.Split(value, " | ")
	}
	return r
}

// bodies are what the plugin and the backend say by default.
var bodies = map[int]string{200: passed, 429: "Too Many Requests", 503: "Service Unavailable"}

func (p *play) request(s step) {
	p.t.Helper()
	times := s.Times
	if times == 0 {
		times = 1
	}
	for i := 0; i < times && !p.t.Failed(); i++ {
		p.last = ask(p.routers[router(s)], s.request())
		p.compare(s)
	}
}

func (p *play) compare(s step) {
	p.t.Helper()
	got := p.last
	body := bodies[s.Status]
	if s.Body != nil {
		body = *s.Body
	}
	if got.status != s.Status || got.body != body {
		p.t.Errorf("answer %d %q with %v, want %d %q", got.status, got.body, got.header, s.Status, body)
	}
	limit := 10 * time.Second
	if s.Within > 0 {
		limit = s.Within
	}
	if limit += p.plugin.Slack; got.took > limit {
		p.t.Errorf("the answer took %v, want at most %v", got.took, limit)
	}
	for name, value := range s.Others {
		if got.header.Get(name) != value {
			p.t.Errorf("%s: %q, want %q", name, got.header.Get(name), value)
		}
	}
	want := s.wantedHeaders()
	if want == nil {
		return
	}
	if p.mini == nil || s.Local {
		p.compareTimes(s, want)
	}
	p.wantHeaders(got, want)
}

// compareTimes takes Reset and Retry-After out of the comparison: a clock that did not start at midnight and does not stand still,
// a real Redis' or the process', tells only how far ahead they may be.
func (p *play) compareTimes(s step, want map[string]string) {
	p.t.Helper()
	if s.Retry != nil {
		least := int64(1)
		if s.Local && *s.Retry > 60 {
			least = *s.Retry - 60 // counting began a moment ago
		}
		if retry := number(p.last.header, "Retry-After"); retry < least || retry > *s.Retry {
			p.t.Errorf("Retry-After is %d, want %d to %d", retry, least, *s.Retry)
		}
		want["Retry-After"] = p.last.header.Get("Retry-After")
	}
	if s.Reset == nil {
		return
	}
	now := time.Now()
	if !s.Local {
		var err error
		now, err = redistest.Now(p.client)
		if err != nil {
			p.t.Fatal(err)
		}
	}
	ahead := number(p.last.header, "X-RateLimit-Reset") - now.Unix()
	if ahead < -1 || ahead > *s.Reset+1 {
		p.t.Errorf("X-RateLimit-Reset is %d s ahead, want at most %d", ahead, *s.Reset+1)
	}
	want["X-Ratelimit-Reset"] = p.last.header.Get("X-RateLimit-Reset")
}

// wantedHeaders are all of the plugin's headers that s wants, or nil when it does not say.
func (s step) wantedHeaders() map[string]string {
	if s.Headers != "none" && s.Limit == nil && s.Retry == nil && s.Policy == "" {
		return nil
	}
	want := map[string]string{}
	set := func(name string, n *int64) {
		if n != nil {
			want[name] = strconv.FormatInt(*n, 10)
		}
	}
	set("X-Ratelimit-Limit", s.Limit)
	set("X-Ratelimit-Remaining", s.Remaining)
	set("Retry-After", s.Retry)
	if s.Reset != nil {
		want["X-Ratelimit-Reset"] = strconv.FormatInt(midnight.Unix()+*s.Reset, 10)
	}
	for name, value := range map[string]string{"X-Ratelimit-Name": s.Name, "Ratelimit-Policy": s.Policy, "Ratelimit": s.RateLimit} {
		if value != "" {
			want[name] = value
		}
	}
	if s.Status >= 400 {
		want["Cache-Control"] = "no-store"
	}
	return want
}
