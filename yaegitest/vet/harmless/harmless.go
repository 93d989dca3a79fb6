// Package harmless runs, compiled and interpreted, the code around the findings
// that allow.txt lets stand. Each function returns what can be told from the
// outside; the server that it talks to tells the rest.
package harmless

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

func options(addr string) *redis.Options {
	return &redis.Options{
		Addr: addr, Protocol: 2, MaxRetries: -1, DisableIdentity: true, PoolSize: 4,
		DialTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
	}
}

// Arguments sends arguments of the kinds that the plugin sends, and a few more.
func Arguments(addr string) string {
	client := redis.NewClient(options(addr))
	ctx := context.Background()
	text, err := client.Do(ctx, "evalsha", "sha", 2, "key", "k2", "text", "", 7, int64(8), true, []byte("b"), 2.5).Result()
	pingErr := client.Ping(ctx).Err()
	return fmt.Sprint(text, err, pingErr, client.Close())
}

// Timeout asks for what the server does not answer, on a connection that is
// kept and on one of the pool, and goes on.
func Timeout(addr string) string {
	o := options(addr)
	o.ReadTimeout = 700 * time.Millisecond
	client := redis.NewClient(o)
	ctx := context.Background()
	conn := client.Conn()
	first := conn.Do(ctx, "evalsha", "hang", 0).Err()
	second := conn.Do(ctx, "evalsha", "sha", 0).Err()
	closed := conn.Close()
	third := client.Do(ctx, "evalsha", "hang", 0).Err()
	fourth := client.Do(ctx, "evalsha", "sha", 0).Err()
	return fmt.Sprint(isTimeout(first), second != nil, closed, isTimeout(third), fourth, client.Close())
}

func isTimeout(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return len(text) > 11 && text[len(text)-11:] == "i/o timeout"
}

// Idle has the pool dial all that it may hold ahead, waits until it has, and
// then uses all of it at once.
func Idle(addr string) string {
	o := options(addr)
	o.PoolSize, o.MinIdleConns = 3, 3
	var dialled atomic.Int64
	o.Dialer = func(_ context.Context, network, addr string) (net.Conn, error) {
		conn, err := net.Dial(network, addr)
		dialled.Add(1)
		return conn, err
	}
	client := redis.NewClient(o)
	for i := 0; i < 2000 && dialled.Load() < 3; i++ {
		time.Sleep(5 * time.Millisecond)
	}
	a, b, c := client.Conn(), client.Conn(), client.Conn()
	ctx := context.Background()
	errA, errB, errC := a.Ping(ctx).Err(), b.Ping(ctx).Err(), c.Ping(ctx).Err()
	return fmt.Sprint(errA, errB, errC, dialled.Load(), a.Close(), b.Close(), c.Close(), client.Close())
}

// Pipelines sends several commands at once.
func Pipelines(addr string) string {
	client := redis.NewClient(options(addr))
	ctx := context.Background()
	pipe := client.Pipeline().(*redis.Pipeline)
	a, b := redis.NewCmd(ctx, "GET", "a"), redis.NewCmd(ctx, "evalsha", "sha", 0)
	queued := fmt.Sprint(pipe.Process(ctx, a), pipe.Process(ctx, b))
	_, err := pipe.Exec(ctx)
	first, firstErr := a.Result()
	second, secondErr := b.Result()
	return fmt.Sprint(queued, err, first, firstErr, second, secondErr, client.Close())
}

type counting struct {
	net.Conn
	received int
}

func (c *counting) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	c.received += n
	return n, err
}

func wrapped(c *counting, addr string) (net.Conn, error) {
	inner, err := net.Dial("tcp", addr)
	c.Conn = inner
	return c, err
}

// EmbeddedConn wraps a connection as the plugin does.
func EmbeddedConn(addr string) string {
	c := &counting{}
	conn, err := wrapped(c, addr)
	if err != nil {
		return err.Error()
	}
	deadline := conn.SetDeadline(time.Now().Add(10 * time.Second))
	w := bufio.NewWriter(conn)
	_, _ = w.WriteString("*1\r\n$4\r\nPING\r\n")
	flushed := w.Flush()
	line, readErr := bufio.NewReader(conn).ReadString('\n')
	same := conn.RemoteAddr().String() == addr && conn.LocalAddr() != nil
	read, write := conn.SetReadDeadline(time.Time{}), conn.SetWriteDeadline(time.Time{})
	closed := conn.Close()
	again := conn.SetDeadline(time.Now()) // only a closed connection refuses
	return fmt.Sprint(deadline, flushed, line, readErr, same, read, write, closed, again != nil, c.received)
}
