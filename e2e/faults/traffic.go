package faults

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// sample is one request of a client.
type sample struct {
	source int // index of the client
	status int // 0: no answer
	limit  string
	began  time.Time
	took   time.Duration
}

// ended is when the answer was there.
func (s sample) ended() time.Time { return s.began.Add(s.took) }

// redisDecided reports whether the answer carries the whole limit, not the share of failure mode local, nor none.
func (s sample) redisDecided() bool { return s.limit == strconv.Itoa(average) }

// client sends the requests of one source, one after the other on one connection.
type client struct {
	url, source string
	index       int
	http        *http.Client
	samples     []sample
}

// newClients are the clients of one failure mode.
func newClients(url, prefix string) []*client {
	clients := make([]*client, clientsEach)
	for i := range clients {
		clients[i] = &client{url: url, source: prefix + "-" + strconv.Itoa(i), index: i, http: &http.Client{
			Timeout: 10 * time.Second, Transport: &http.Transport{MaxConnsPerHost: 1},
		}}
	}
	return clients
}

// ask sends one request.
func (c *client) ask(ctx context.Context) {
	s := sample{source: c.index, began: time.Now()}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err == nil {
		req.Header.Set("X-Client", c.source)
		var resp *http.Response
		if resp, err = c.http.Do(req); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			s.status, s.limit = resp.StatusCode, resp.Header.Get("X-RateLimit-Limit")
		}
	}
	s.took = time.Since(s.began)
	c.samples = append(c.samples, s)
}

// askEach lets every client send n requests.
func askEach(ctx context.Context, clients []*client, n int, every time.Duration) {
	loop(ctx, clients, every, func(sent int) bool { return sent < n })
}

// loop lets every client send a request each every, or as soon as the last one is answered, while on.
func loop(ctx context.Context, clients []*client, every time.Duration, on func(sent int) bool) {
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() {
			for sent := 0; ctx.Err() == nil && on(sent); sent++ {
				next := time.Now().Add(every)
				c.ask(ctx)
				time.Sleep(time.Until(next))
			}
		})
	}
	all.Wait()
}

// quantile is the smallest of the durations that a share of them does not exceed; 0 when there is none.
func quantile(took []time.Duration, share float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[min(len(took)-1, int(share*float64(len(took))))]
}
