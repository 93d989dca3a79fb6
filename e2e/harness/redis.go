package harness

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Redis is one running Redis.
type Redis struct {
	Addr string // host:port
	From string // a word on where it comes from, for people

	proc *process
	mini *miniredis.Miniredis
	dir  string
	env  []string
	args []string
}

// AnyRedis returns the Redis at REDIS_ADDR, else starts the redis-server on
// PATH, else a miniredis inside this process.
func AnyRedis(ctx context.Context, dir string) (*Redis, error) {
	if addr := os.Getenv("REDIS_ADDR"); addr != "" {
		r := &Redis{Addr: addr, From: "from REDIS_ADDR"}
		if err := r.answers(ctx); err != nil {
			return nil, fmt.Errorf("REDIS_ADDR: %w", err)
		}
		return r, nil
	}
	if _, err := exec.LookPath("redis-server"); err == nil {
		return StartRedis(ctx, dir)
	}
	mini, err := miniredis.Run()
	if err != nil {
		return nil, err
	}
	return &Redis{Addr: mini.Addr(), From: "embedded miniredis, since PATH has no redis-server", mini: mini}, nil
}

// RedisHost is where the servers of StartRedis listen.
var RedisHost = "127.0.0.1"

// OwnHost is a loopback address that no other process uses: elsewhere somebody
// else's Redis may take the port of one that was stopped. Where there is no
// such address it is 127.0.0.1.
func OwnHost() string {
	host := fmt.Sprintf("127.78.%d.%d", os.Getpid()>>8&255, os.Getpid()&255)
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "127.0.0.1"
	}
	listener.Close()
	return host
}

// StartRedis starts the redis-server on PATH, with its folder below dir and
// args after its own.
func StartRedis(ctx context.Context, dir string, args ...string) (*Redis, error) {
	return StartRedisIn(ctx, dir, nil, args...)
}

// StartRedisIn is StartRedis with env as the whole environment of the process.
func StartRedisIn(ctx context.Context, dir string, env []string, args ...string) (*Redis, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, err
	}
	r := &Redis{From: "redis-server from " + filepath.Dir(program), env: env, args: args}
	if r.dir, err = os.MkdirTemp(dir, "redis-"); err != nil {
		return nil, err
	}
	for range portAttempts {
		var ports []int
		if ports, err = freePorts(1); err != nil {
			return nil, err
		}
		r.Addr = net.JoinHostPort(RedisHost, strconv.Itoa(ports[0]))
		if err = r.Start(ctx); err == nil {
			return r, nil
		}
	}
	return nil, err
}

// Start starts a stopped redis-server again, empty, at the same address. Of an option that was given before and again in args,
// the latter counts.
func (r *Redis) Start(ctx context.Context, args ...string) error {
	host, port, err := net.SplitHostPort(r.Addr)
	if err != nil {
		return err
	}
	own := append([]string{"--bind", host, "--port", port, "--save", "", "--appendonly", "no", "--dir", r.dir}, r.args...)
	args = append(own, args...)
	if r.proc, err = start(r.dir, r.env, "redis-server", args...); err != nil {
		return err
	}
	if err := r.proc.ready(ctx, func() error { return r.answers(ctx) }); err != nil {
		r.proc.kill()
		return fmt.Errorf("redis-server: %w", err)
	}
	return nil
}

// answers returns nil when Redis answers PING, be it by asking for a password.
func (r *Redis) answers(ctx context.Context) error {
	client := r.Client()
	defer client.Close()
	err := client.Ping(ctx).Err()
	if err != nil && strings.HasPrefix(err.Error(), "NOAUTH ") {
		return nil
	}
	return err
}

// clientName tells our own connections from the plugin's.
const clientName = "harness"

// Client returns a client of this Redis; the caller closes it.
func (r *Redis) Client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: r.Addr, MaxRetries: -1, ClientName: clientName})
}

// Connections counts the connections to this Redis but those of client, which is one of ours.
func Connections(ctx context.Context, client *redis.Client) (int, error) {
	list, err := client.ClientList(ctx).Result()
	n := 0
	for line := range strings.Lines(list) {
		if !strings.Contains(line, " name="+clientName+" ") {
			n++
		}
	}
	return n, err
}

// PID is the number of the redis-server's process.
func (r *Redis) PID() int { return r.proc.cmd.Process.Pid }

// Pause lets the redis-server keep its connections and answer nothing.
func (r *Redis) Pause() { r.proc.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends Pause.
func (r *Redis) Resume() { r.proc.cmd.Process.Signal(syscall.SIGCONT) }

// Kill ends the redis-server as a crash would.
func (r *Redis) Kill() { r.proc.kill() }

// Stop ends what was started; a Redis from REDIS_ADDR goes on.
func (r *Redis) Stop() {
	if r.proc != nil {
		r.proc.stop()
	}
	if r.mini != nil {
		r.mini.Close()
	}
}
