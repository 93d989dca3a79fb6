package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// gateways are the names of the Traefik processes, and of their users in Redis.
var gateways = []string{"gateway-1", "gateway-2", "gateway-3"}

// world is all that a soak runs on.
type world struct {
	backend *harness.Backend
	redis   *harness.Redis
	proxies []*harness.Traefik // in the order of gateways
	lives   lives
}

// startWorld starts everything. The caller stops it, also after an error.
func startWorld(ctx context.Context, program, dir string) (*world, error) {
	w := &world{}
	var err error
	if w.backend, err = harness.StartBackend(http.HandlerFunc(serve)); err != nil {
		return w, err
	}
	harness.RedisHost, harness.OwnGroups = harness.OwnHost(), true
	w.lives.begin(now())
	var users []string
	for _, g := range gateways {
		users = append(users, "--user", g, "on", "nopass", "~*", "+@all")
	}
	if w.redis, err = harness.StartRedis(ctx, dir, users...); err != nil {
		return w, err
	}
	plugin, err := filepath.Abs("..")
	if err != nil {
		return w, err
	}
	for range gateways {
		proxy, err := harness.StartTraefik(ctx, harness.Options{Program: program, Plugin: plugin, Dir: dir, Trust: true, Level: "INFO"})
		if err != nil {
			return w, err
		}
		w.proxies = append(w.proxies, proxy)
	}
	return w, w.each(func(i int) error {
		if err := w.proxies[i].Apply(ctx, "rules.yml", configuration(w.redis.Addr, w.backend.URL, gateways[i])); err != nil {
			return err
		}
		return w.proxies[i].Apply(ctx, "changing.yml", changed(w.redis.Addr, gateways[i], 0, false))
	})
}

// each calls do for all gateways at once and returns the first error.
func (w *world) each(do func(i int) error) error {
	errs := make([]error, len(w.proxies))
	var wait sync.WaitGroup
	for i := range w.proxies {
		wait.Go(func() { errs[i] = do(i) })
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", gateways[i], err)
		}
	}
	return nil
}

// stop ends everything that was started.
func (w *world) stop() {
	for _, p := range w.proxies {
		p.Stop()
	}
	if w.redis != nil {
		w.redis.Stop()
	}
	if w.backend != nil {
		w.backend.Stop()
	}
}

// now is this moment.
func now() instant { return instant(time.Now().UnixMicro()) }

// events is how many events the backend's stream has.
const events = 3

// serve is the backend: pages, event streams and WebSockets, by the last part of the path.
func serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/events"):
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range events {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
		}
	case strings.HasSuffix(r.URL.Path, "/websocket"):
		echo(w, r)
	default:
		fmt.Fprint(w, "passed")
	}
}

// echo sends one message back.
func echo(w http.ResponseWriter, r *http.Request) {
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	defer conn.Close()
	kind, message, err := conn.ReadMessage()
	if err == nil {
		conn.WriteMessage(kind, message)
	}
}
