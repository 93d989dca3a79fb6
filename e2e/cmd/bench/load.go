package main

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// load sends requests on one route, or on several in turn, over a fixed number of connections, each of which sends the next as soon as it has
// the answer to the last. The clients that a limiter sees take turns.
type load struct {
	urls        []string
	connections int
	sources     []string // X-Forwarded-For of each client; of a single one it does not matter

	client *fasthttp.HostClient
	sent   atomic.Int64
}

// newLoad returns the load for the paths of a server such as http://127.0.0.1:80.
func newLoad(server string, paths []string, connections int, sources []string) *load {
	address := strings.TrimPrefix(server, "http://")
	var urls []string
	for _, path := range paths {
		urls = append(urls, server+path)
	}
	return &load{
		urls: urls, connections: connections, sources: sources,
		client: &fasthttp.HostClient{
			Addr: address, MaxConns: connections, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
			MaxIdemponentCallAttempts: 1,
		},
	}
}

// answers is what came back.
type answers struct {
	statuses  map[int]int
	latencies []time.Duration // of all requests, in no order
	elapsed   time.Duration
}

// run sends for d, or if d is 0 until so many requests are sent.
func (l *load) run(d time.Duration, most int64) (answers, error) {
	all := answers{statuses: map[int]int{}}
	var failed error
	var mu sync.Mutex
	var workers sync.WaitGroup
	began := time.Now()
	for range l.connections {
		workers.Go(func() {
			mine, err := l.work(began, d, most)
			mu.Lock()
			defer mu.Unlock()
			for status, n := range mine.statuses {
				all.statuses[status] += n
			}
			all.latencies = append(all.latencies, mine.latencies...)
			if err != nil {
				failed = err
			}
		})
	}
	workers.Wait()
	all.elapsed = time.Since(began)
	return all, failed
}

// work is run on one connection.
func (l *load) work(began time.Time, d time.Duration, most int64) (answers, error) {
	mine := answers{statuses: map[int]int{}}
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	for last := time.Now(); d == 0 || last.Sub(began) < d; {
		n := l.sent.Add(1)
		if d == 0 && n > most {
			l.sent.Add(-1)
			break
		}
		request.SetRequestURI(l.urls[(n-1)%int64(len(l.urls))])
		request.Header.Set("X-Forwarded-For", l.sources[(n-1)%int64(len(l.sources))])
		if err := l.client.Do(request, response); err != nil {
			return mine, fmt.Errorf("%s: %w", request.URI(), err)
		}
		now := time.Now()
		mine.statuses[response.StatusCode()]++
		mine.latencies = append(mine.latencies, now.Sub(last))
		last = now
	}
	return mine, nil
}

// get sends one more request of the first source and returns the answer's header.
func (l *load) get() (*fasthttp.ResponseHeader, error) {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	request.SetRequestURI(l.urls[0])
	request.Header.Set("X-Forwarded-For", l.sources[0])
	err := l.client.Do(request, response)
	return &response.Header, err
}

// close ends the connections.
func (l *load) close() { l.client.CloseIdleConnections() }

// clients are n addresses, as X-Forwarded-For names them.
func clients(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)
	}
	return all
}

// backend answers what passes, and counts it.
type backend struct {
	address string
	passed  atomic.Int64
	server  *fasthttp.Server
}

// startBackend listens on a free port.
func startBackend() (*backend, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &backend{address: listener.Addr().String()}
	b.server = &fasthttp.Server{Handler: func(c *fasthttp.RequestCtx) {
		b.passed.Add(1)
		c.SetBodyString("passed")
	}}
	go b.server.Serve(listener)
	return b, nil
}

// quantile is the q-th part of sorted values, 0 if there are none.
func quantile(values []time.Duration, q float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[int(q*float64(len(values)-1))]
}
