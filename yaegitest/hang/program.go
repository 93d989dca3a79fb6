// Package hang is a program that drives go-redis as hard as the plugin may,
// and counts the calls that come late, get another's reply or never return.
//
// It is interpreted, so it keeps to what Yaegi runs right.
package hang

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	script = "return ARGV[1]"
	// grace is how much later a call may return: many goroutines share few CPUs.
	grace = 10 * time.Second
)

// load is one run: what its goroutines share.
type load struct {
	addr    string
	timeout time.Duration // of a call
	end     time.Time
	sha     string
	running atomic.Int64 // workers that have not ended
	calls   atomic.Int64
	failed  atomic.Int64
	late    atomic.Int64
	crossed atomic.Int64 // replies that were another call's
	last    atomic.Int64 // when a call last succeeded, Unix ns
}

// Run plays one load and prints its counts. arg is "address seconds clients
// goroutines poolsize milliseconds", the last a call's deadline: half of the goroutines share the pools and wait for a
// turn there, a quarter keep a connection each of a large pool, and a quarter
// one of a client of their own, as the plugin does.
func Run(arg string, out io.Writer) {
	words := strings.Fields(arg)
	seconds, clients, goroutines, poolSize := number(words[1]), number(words[2]), number(words[3]), number(words[4])
	timeout := time.Duration(number(words[5])) * time.Millisecond
	before := runtime.NumGoroutine()
	sum := sha1.Sum([]byte(script))
	l := &load{addr: words[0], timeout: timeout, sha: hex.EncodeToString(sum[:]), end: time.Now().Add(time.Duration(seconds) * time.Second)}
	redis.SetLogger(&silence{})

	var pooled, sticky []*redis.Client
	for i := 0; i < clients; i++ {
		pooled = append(pooled, l.client(poolSize))
		sticky = append(sticky, l.client(4096))
	}
	l.running.Store(int64(goroutines))
	for i := 0; i < goroutines; i++ {
		if i%2 == 0 {
			go l.share(pooled[i/2%clients], i)
		} else if i%4 == 1 {
			go l.keep(sticky[i/2%clients], i)
		} else {
			go l.keep(nil, i)
		}
	}

	time.Sleep(time.Until(l.end))
	for wait := time.Now(); l.running.Load() > 0 && time.Since(wait) < timeout+grace; {
		time.Sleep(10 * time.Millisecond)
	}
	stuck := l.running.Load()
	short := 0
	for i := 0; i < clients && stuck == 0; i++ {
		short += l.shortOf(pooled[i], poolSize)
	}
	for i := 0; i < clients; i++ {
		pooled[i].Close()
		sticky[i].Close()
	}
	// A pool whose dials had all failed looks for Redis once a second.
	for wait := time.Now(); runtime.NumGoroutine() > before && time.Since(wait) < 5*time.Second; {
		time.Sleep(10 * time.Millisecond)
	}
	working := l.end.UnixNano()-l.last.Load() < int64(time.Second)
	fmt.Fprintf(out, "calls %d failed %d late %d crossed %d stuck %d short %d left %d working %t\n",
		l.calls.Load(), l.failed.Load(), l.late.Load(), l.crossed.Load(), stuck, short, runtime.NumGoroutine()-before, working)
}

func (l *load) client(size int) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr:                  l.addr,
		Dialer:                dial,
		Protocol:              2,
		MaxRetries:            -1,
		ContextTimeoutEnabled: true,
		DisableIdentity:       true,
		PoolSize:              size,
		PoolTimeout:           l.timeout * 2,
	})
}

func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, addr)
}

// share makes calls on connections of the pool, for which it waits.
func (l *load) share(client *redis.Client, id int) {
	defer l.running.Add(-1)
	for n := 0; time.Now().Before(l.end); n++ {
		want := strconv.Itoa(id) + "." + strconv.Itoa(n)
		ctx, cancel := context.WithTimeout(context.Background(), l.timeout)
		start := time.Now()
		value, err := client.Do(ctx, "evalsha", l.sha, 1, "k", want).Result()
		if isUnknown(err) {
			value, err = client.Do(ctx, "eval", script, 1, "k", want).Result()
		}
		cancel()
		l.count(start, value, want, err)
	}
}

// keep makes calls on a connection of its own, and dials the next when it fails.
// Without shared it makes a client for each connection, as the plugin does.
func (l *load) keep(shared *redis.Client, id int) {
	defer l.running.Add(-1)
	client := shared
	var conn *redis.Conn
	for n := 0; time.Now().Before(l.end); n++ {
		want := strconv.Itoa(id) + "." + strconv.Itoa(n)
		ctx, cancel := context.WithTimeout(context.Background(), l.timeout)
		start := time.Now()
		var value interface{}
		var err error
		if conn == nil {
			if shared == nil {
				client = l.client(2)
			}
			conn = client.Conn()
			err = conn.Ping(ctx).Err()
		}
		if err == nil {
			value, err = conn.Do(ctx, "evalsha", l.sha, 1, "k", want).Result()
		}
		if isUnknown(err) {
			value, err = conn.Do(ctx, "eval", script, 1, "k", want).Result()
		}
		cancel()
		l.count(start, value, want, err)
		if err != nil {
			l.drop(conn, client, shared)
			conn = nil
		}
	}
	if conn != nil {
		l.drop(conn, client, shared)
	}
}

func (l *load) drop(conn *redis.Conn, client, shared *redis.Client) {
	if shared == nil {
		client.Close()
		return
	}
	conn.Close()
}

// shortOf holds as many connections of an idle pool as it should have turns
// for, and counts those that it does not get: a turn that was taken in one pool
// and given back in another is missing here.
func (l *load) shortOf(client *redis.Client, size int) int {
	var conns []*redis.Conn
	short := 0
	for i := 0; i < size; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		conn := client.Conn()
		if conn.Ping(ctx).Err() != nil {
			short++
		}
		cancel()
		conns = append(conns, conn)
	}
	for _, conn := range conns {
		conn.Close()
	}
	return short
}

func (l *load) count(start time.Time, value interface{}, want string, err error) {
	l.calls.Add(1)
	if time.Since(start) > l.timeout+grace {
		l.late.Add(1)
	}
	if err != nil {
		l.failed.Add(1)
		time.Sleep(20 * time.Millisecond)
		return
	}
	if got, ok := value.(string); !ok || got != want {
		l.crossed.Add(1)
	}
	l.last.Store(time.Now().UnixNano())
}

// isUnknown tells that the server does not know the script.
func isUnknown(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT") }

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// silence drops go-redis' own log.
type silence struct{}

func (s *silence) Printf(ctx context.Context, format string, v ...interface{}) {}
