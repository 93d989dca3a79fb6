package faults

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// password is that of the user gate.
const password = "wild-horses"

// rights are the user's, the line of operations.md.
const rights = "~ratelimit:* +eval +evalsha +time +hmget +hset +pttl +pexpire +lindex +llen +ltrim +rpush +del"

// world is what one fault has to itself: a Redis, and for each failure mode a way to it.
type world struct {
	stage *stage
	fault *fault
	dir   string
	redis *harness.Redis
	admin *redis.Client // our own way to Redis

	endpoints map[string]string           // of Redis as each mode knows it
	addresses map[string]string           // of this machine, at which the Redis listens for each mode
	links     map[string]*redistest.Proxy // between the two, where the fault is linked
	busy      chan struct{}               // closed when what a fault runs beside has ended
	calm      func()                      // ends what a fault does again and again
	stops     []func()
}

// newWorld starts what a fault needs.
func newWorld(s *stage, f *fault) (*world, error) {
	w := &world{stage: s, fault: f, endpoints: map[string]string{}, addresses: map[string]string{}, links: map[string]*redistest.Proxy{}}
	var err error
	if w.dir, err = os.MkdirTemp(s.dir, "fault-"); err != nil {
		return nil, err
	}
	err = w.startRedis()
	if err == nil {
		err = w.connect()
	}
	if err == nil && f.user {
		err = w.do(append([]any{"ACL", "SETUSER", "gate", "reset", "on", ">" + password}, words(rights)...)...)
	}
	if err == nil && f.cluster {
		err = addSlots(w)
	}
	if err != nil {
		w.stop()
		return nil, err
	}
	return w, nil
}

// stop ends all that was started, the last first.
func (w *world) stop() {
	for i := len(w.stops) - 1; i >= 0; i-- {
		w.stops[i]()
	}
}

// startRedis starts a Redis that listens at an address for each mode.
func (w *world) startRedis() error {
	for i, mode := range modes {
		// By the process' number: no other process has a Redis at these addresses.
		w.addresses[mode] = fmt.Sprintf("127.%d.%d.%d", 91+i, os.Getpid()>>8&255, os.Getpid()&255)
	}
	environment := os.Environ()
	if w.fault.clock {
		library, err := w.clockLibrary()
		if err != nil {
			return err
		}
		environment = append(environment, "CLOCK_AHEAD="+w.clockFile(), "LD_PRELOAD="+library)
	}
	started, err := harness.StartRedisIn(w.stage.ctx, w.dir, environment, append(append(w.listen(), "--dir", w.dir), w.fault.redis...)...)
	if err != nil {
		return err
	}
	w.redis, w.admin = started, started.Client()
	w.stops = append(w.stops, started.Stop, func() { _ = w.admin.Close() })
	return nil
}

// listen is where a redis-server listens, as its options.
func (w *world) listen() []string {
	listen := []string{"--bind", harness.RedisHost}
	for _, mode := range modes {
		listen = append(listen, w.addresses[mode])
	}
	return listen
}

// connect makes each mode's way to Redis.
func (w *world) connect() error {
	_, port, err := net.SplitHostPort(w.redis.Addr)
	if err != nil {
		return err
	}
	for _, mode := range modes {
		w.endpoints[mode] = net.JoinHostPort(w.addresses[mode], port)
		switch {
		case w.fault.linked:
			link, err := redistest.OpenProxy(w.endpoints[mode])
			if err != nil {
				return err
			}
			w.stops = append(w.stops, link.Close)
			w.links[mode], w.endpoints[mode] = link, link.Addr
		case w.fault.named:
			w.endpoints[mode] = net.JoinHostPort(hostOf(mode), port)
		}
	}
	if w.fault.named {
		return w.resolve()
	}
	return nil
}

// hostOf is the host name of a mode's Redis.
func hostOf(mode string) string { return mode + ".redis.test" }

// resolve makes the host names lead to the Redis.
func (w *world) resolve() error {
	if w.stage.names.refused != nil {
		return w.stage.names.refused
	}
	hosts := map[string]string{}
	for mode, address := range w.addresses {
		hosts[hostOf(mode)] = address
	}
	return w.stage.names.set(hosts)
}

// connections counts those of a mode to Redis.
func (w *world) connections(mode string) (int, error) {
	if link := w.links[mode]; link != nil {
		return link.Open(), nil
	}
	list, err := w.admin.ClientList(w.stage.ctx).Result()
	return strings.Count(list, " laddr="+w.addresses[mode]+":"), err
}

// do runs one command on Redis.
func (w *world) do(command ...any) error {
	if err := w.admin.Do(w.stage.ctx, command...).Err(); err != nil {
		return fmt.Errorf("%v: %w", command, err)
	}
	return nil
}

// doAll runs commands on Redis, given as text.
func (w *world) doAll(commands ...string) error {
	for _, command := range commands {
		if err := w.do(words(command)...); err != nil {
			return err
		}
	}
	return nil
}

func words(text string) []any {
	var all []any
	for word := range strings.FieldsSeq(text) {
		all = append(all, strings.Trim(word, `"`))
	}
	return all
}

// each does the same to the link of every mode.
func (w *world) each(do func(*redistest.Proxy)) error {
	for _, link := range w.links {
		do(link)
	}
	return nil
}

// beside runs work until it ends by itself, or with the world.
func (w *world) beside(work func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(w.stage.ctx)
	done := make(chan struct{})
	w.busy = done
	w.stops = append(w.stops, func() {
		cancel()
		<-done
	})
	go func() {
		defer close(done)
		work(ctx)
	}()
}

// regularly does the same every d until the returned function is called or the world ends.
func (w *world) regularly(d time.Duration, do func(ctx context.Context)) func() {
	stop := make(chan struct{})
	w.beside(func(ctx context.Context) {
		ticker := time.NewTicker(d)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-stop:
				return
			case <-ticker.C:
				do(ctx)
			}
		}
	})
	return func() {
		close(stop)
		<-w.busy
	}
}

// until waits until a command's reply, an error too, contains text.
func (w *world) until(text string, command ...any) error {
	return harness.Until(w.stage.ctx, 10*time.Second, func() error {
		reply, err := w.admin.Do(w.stage.ctx, command...).Result()
		if said := fmt.Sprint(reply, err); !strings.Contains(said, text) {
			return fmt.Errorf("%v: %s, want %s", command, said, text)
		}
		return nil
	})
}

//go:embed clock/clock.c
var clockSource []byte

// clockLibrary compiles what makes a redis-server's clock settable.
func (w *world) clockLibrary() (string, error) {
	source, library := filepath.Join(w.dir, "clock.c"), filepath.Join(w.dir, "clock.so")
	if err := os.WriteFile(source, clockSource, 0o644); err != nil {
		return "", err
	}
	if err := w.setClock(0); err != nil {
		return "", err
	}
	if said, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-o", library, source).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cc: %w: %s", err, said)
	}
	return library, nil
}

func (w *world) clockFile() string { return filepath.Join(w.dir, "ahead") }

// setClock sets Redis' clock ahead of this machine's. The file is written in place: the server has it open.
func (w *world) setClock(ahead time.Duration) error {
	file, err := os.OpenFile(w.clockFile(), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "%10d\n", int(ahead.Seconds()))
	return err
}
