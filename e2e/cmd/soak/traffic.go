package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

const (
	clients     = 48     // at once
	hotSources  = 2      // of each rule; they ask for more than they may
	coldSources = 10_000 // of each rule
)

// kinds of requests, and how many of a hundred are of each.
var kinds = []struct {
	share int
	send  func(*client) error
}{
	{60, (*client).hot},
	{20, (*client).cold},
	{5, (*client).hostile},
	{5, (*client).changing},
	{5, (*client).hangUp},
	{2, (*client).events},
	{3, (*client).webSocket},
}

// client sends one request after the other.
type client struct {
	ctx   context.Context
	world *world
	clerk *clerk
	rng   *rand.Rand
	http  *http.Client
	pause time.Duration // between its requests, in the mean
}

// newHTTP is what all clients share.
func newHTTP() *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
}

// run sends requests at random moments until the context ends.
func (c *client) run() {
	for wait(c.ctx, time.Duration(c.rng.ExpFloat64()*float64(c.pause))) {
		if err := c.one(); err != nil && c.ctx.Err() == nil {
			c.clerk.broke("a client got no answer: %v", err)
		}
	}
}

// one sends a request of a random kind.
func (c *client) one() error {
	n := c.rng.IntN(100)
	for _, k := range kinds {
		if n -= k.share; n < 0 {
			return k.send(c)
		}
	}
	return nil
}

// hot is a request of one of the few who ask too much.
func (c *client) hot() error {
	return c.page(&rules[c.rng.IntN(len(rules))], fmt.Sprint("hot-", c.rng.IntN(hotSources)))
}

// cold is one of the many who ask now and then.
func (c *client) cold() error {
	return c.page(&rules[c.rng.IntN(len(rules))], fmt.Sprint("cold-", c.rng.IntN(coldSources)))
}

// page asks for a page under a rule.
func (c *client) page(r *rule, source string) error {
	req := c.request(c.ctx, r.name, "")
	req.Header.Set("X-Client", source)
	resp, a, err := c.ask(req)
	if err != nil {
		return err
	}
	c.clerk.judge(account{r, source}, a)
	return finish(resp)
}

// changing asks what the reloads change.
func (c *client) changing() error { return c.uncounted(c.request(c.ctx, changingName, "")) }

// hostile asks with headers that no honest client sends.
func (c *client) hostile() error {
	req := c.request(c.ctx, hostileName, "")
	h := hostileHeaders[c.rng.IntN(len(hostileHeaders))]
	req.Header[h.name] = []string{h.value, h.value}
	if h.name == "Host" {
		req.Host = h.value
	}
	return c.uncounted(req)
}

var hostileHeaders = []struct{ name, value string }{
	{"X-Client", "}{:*\t\"'%00"},
	{"X-Client", strings.Repeat("long", 4096)},
	{"X-Client", "\xff\xfe\xfd not UTF-8"},
	{"X-Client", "ratelimit:two-limits@file:{hot-0}"},
	{"X-Client", ""},
	{"X-Forwarded-For", "1.2.3.4, , ::::, [::1]:80, %00, 999.9.9.9, unknown"},
	{"X-Forwarded-For", strings.Repeat("10.0.0.1, ", 1000)},
	{"X-Forwarded-For", "2001:db8::1%eth0, ::ffff:192.0.2.1"},
	{"X-Ratelimit-Limit", "-1"},
	{"X-Ratelimit-Remaining", "99999999999999999999"},
	{"Host", "UPPER.example:65535"},
	{"Host", "[::1]:80"},
}

// uncounted sends what is in no account: only the status matters.
func (c *client) uncounted(req *http.Request) error {
	resp, a, err := c.ask(req)
	if err != nil {
		return err
	}
	c.clerk.judgeUncounted(req.URL.Path, a)
	return finish(resp)
}

// hangUp leaves before the answer, now and then after it. Its sources are its own, since nobody sees what of theirs has passed.
func (c *client) hangUp() error {
	ctx, cancel := context.WithTimeout(c.ctx, time.Duration(c.rng.Int64N(int64(10*time.Millisecond))))
	defer cancel()
	req := c.request(ctx, rules[c.rng.IntN(len(rules))].name, "")
	req.Header.Set("X-Client", fmt.Sprint("gone-", c.rng.IntN(hotSources)))
	resp, err := c.http.Do(req)
	if err != nil {
		c.clerk.hungUp()
		return nil
	}
	return finish(resp)
}

// events reads an event stream to its end.
func (c *client) events() error {
	r, source := &rules[c.rng.IntN(len(rules))], "streams"
	req := c.request(c.ctx, r.name, "/events")
	req.Header.Set("X-Client", source)
	resp, a, err := c.ask(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	c.clerk.judge(account{r, source}, a)
	n := 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") {
			n++
		}
	}
	if a.status == http.StatusOK && n != events {
		return fmt.Errorf("%d events, want %d", n, events)
	}
	return nil
}

// webSocket sends a message and reads it back.
func (c *client) webSocket() error {
	r, source := &rules[c.rng.IntN(len(rules))], "sockets"
	url := "ws" + strings.TrimPrefix(c.gateway(), "http") + "/" + r.name + "/websocket"
	sent := now()
	conn, resp, err := websocket.DefaultDialer.DialContext(c.ctx, url, http.Header{"X-Client": {source}})
	received := now()
	if err != nil && !errors.Is(err, websocket.ErrBadHandshake) {
		return err
	}
	c.clerk.judge(account{r, source}, newAnswer(resp, sent, received))
	if err != nil {
		return nil
	}
	defer conn.Close()
	if err := conn.WriteMessage(websocket.TextMessage, []byte("there and back")); err != nil {
		return err
	}
	_, got, err := conn.ReadMessage()
	if err == nil && string(got) != "there and back" {
		err = fmt.Errorf("the WebSocket says %q", got)
	}
	return err
}

// gateway is the address of one of them.
func (c *client) gateway() string { return c.world.proxies[c.rng.IntN(len(c.world.proxies))].URL }

// request is a GET of a middleware's router at one of the gateways.
func (c *client) request(ctx context.Context, name, below string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.gateway()+"/"+name+below, nil)
	if err != nil {
		panic(err) // the address is ours
	}
	return req
}

// ask sends a request and returns when the head of its answer is there.
func (c *client) ask(req *http.Request) (*http.Response, answer, error) {
	sent := now()
	resp, err := c.http.Do(req)
	received := now()
	if err != nil {
		return nil, answer{}, err
	}
	return resp, newAnswer(resp, sent, received), nil
}

// finish reads an answer to its end, so that its connection serves again.
func finish(resp *http.Response) error {
	defer resp.Body.Close()
	_, err := io.Copy(io.Discard, resp.Body)
	return err
}
