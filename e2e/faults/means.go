package faults

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// What more than one fault begins or ends by, or takes more than a line.

// addSlots gives a Cluster of one node all slots, and waits until it serves: some seconds, by Redis' own rule.
func addSlots(w *world) error {
	if err := w.doAll("CLUSTER ADDSLOTSRANGE 0 16383"); err != nil {
		return err
	}
	return w.until("cluster_state:ok", "CLUSTER", "INFO")
}

// delay makes each way longer by d.
func (w *world) delay(d time.Duration) error {
	return w.each(func(p *redistest.Proxy) { p.Delay(d) })
}

// replies puts a reply in the place of each script reply; "" puts none.
func (w *world) replies(reply string) error {
	return w.each(func(p *redistest.Proxy) {
		if reply == "" {
			p.Replies(nil)
			return
		}
		p.Replies(func(real []byte) []byte {
			if real[0] != '$' { // no script's: a greeting
				return real
			}
			return []byte(reply)
		})
	})
}

// run runs one command beside everything else until it ends by itself.
func (w *world) run(command ...any) {
	client := redis.NewClient(&redis.Options{Addr: w.redis.Addr, ReadTimeout: -1, MaxRetries: -1})
	w.beside(func(ctx context.Context) {
		context.AfterFunc(ctx, func() { _ = client.Close() })
		_ = client.Do(context.Background(), command...).Err()
		_ = client.Close()
	})
}

// evict fills the memory with keys of somebody else's, again and again.
func evict(w *world) error {
	var used int
	info, err := w.admin.Info(w.stage.ctx, "memory").Result()
	if err != nil {
		return err
	}
	_, after, _ := strings.Cut(info, "used_memory:")
	if _, err := fmt.Sscan(after, &used); err != nil {
		return err
	}
	if err := w.do("CONFIG", "SET", "maxmemory", used+2<<20); err != nil {
		return err
	}
	filler, n := strings.Repeat("x", 20<<10), 0
	w.calm = w.regularly(5*time.Millisecond, func(ctx context.Context) {
		n++
		_ = w.admin.Set(ctx, fmt.Sprint("filler:", n), filler, 0).Err()
	})
	return nil
}

// ownKeys runs a command on the key of each mode's first source, which it makes to be no hash.
func (w *world) ownKeys(command string, rest ...any) error {
	for _, mode := range modes {
		source := newClients("", strings.ReplaceAll(w.fault.name, " ", "-")+"-"+mode)[0].source
		key := fmt.Sprintf("ratelimit:%s@file:{#%x}", mode, sha256.Sum256([]byte(source)))
		key = key[:strings.IndexByte(key, '#')+33] + "}"
		if err := w.do(append([]any{command, key}, rest...)...); err != nil {
			return err
		}
	}
	return nil
}

// move starts Redis at other addresses, and makes the names lead there.
func move(w *world) error {
	for mode, address := range w.addresses {
		w.addresses[mode] = "127.1" + strings.TrimPrefix(address, "127.")
	}
	if err := w.redis.Start(w.stage.ctx, w.listen()...); err != nil {
		return err
	}
	return w.resolve()
}
