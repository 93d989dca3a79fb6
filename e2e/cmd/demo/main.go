// Command demo shows the limiter at work in the real Traefik: it starts a
// Redis, a backend and Traefik with this plugin in local mode, plays a scripted
// run against each algorithm, prints what a client sees, and stops all it
// started. It exits with 1 when the limiter does not do what the script says.
//
// With -stay it starts the same, prints the addresses to try, and stays until
// it is interrupted. Run it in the folder of the module e2e.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
	"github.com/traefik-redis-ratelimit/ratelimit/e2e/traefik"
)

//go:embed dynamic.yml
var dynamic string

func main() {
	stay := flag.Bool("stay", false, "start everything and stay until interrupted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *stay); err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}

// run starts everything, plays or stays, and stops everything.
func run(ctx context.Context, stay bool) error {
	program, from, err := traefik.Find(ctx, ".", os.Stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ratelimit-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	redis, err := harness.AnyRedis(ctx, dir)
	if err != nil {
		return err
	}
	defer redis.Stop()
	fmt.Printf("Redis    %s, %s\n", redis.Addr, redis.From)

	backend, err := harness.StartBackend(http.HandlerFunc(greet))
	if err != nil {
		return err
	}
	defer backend.Stop()
	fmt.Printf("backend  %s\n", backend.URL)

	plugin, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	proxy, err := harness.StartTraefik(ctx, harness.Options{Program: program, Plugin: plugin, Dir: dir})
	if err != nil {
		return err
	}
	defer proxy.Stop()
	fmt.Printf("Traefik  %s, %s %s, with this plugin as source\n", proxy.URL, program, from)

	values := strings.NewReplacer("BACKEND", backend.URL, "REDIS", redis.Addr, "PREFIX", fmt.Sprintf("demo-%d", os.Getpid()))
	if err := proxy.Apply(ctx, "demo.yml", values.Replace(dynamic)); err != nil {
		return err
	}
	s := &script{ctx: ctx, url: proxy.URL, redis: redis.Client()}
	defer s.redis.Close()
	if err := s.warmUp(); err != nil {
		router, _ := proxy.Router("warm-up@file")
		return fmt.Errorf("%w\nrouter warm-up@file: %s %q", err, router.Status, router.Errors)
	}
	if stay {
		return serve(ctx, proxy)
	}
	return s.play()
}

// greet is the backend's answer.
func greet(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "Hello from the backend, %s\n", r.URL.Path)
}

// serve says where to look and waits for the end.
func serve(ctx context.Context, proxy *harness.Traefik) error {
	fmt.Println("\nTry, several times:")
	for _, c := range scenes {
		fmt.Printf("  curl -i %s%-14s  # %s\n", proxy.URL, c.path, c.rule)
	}
	fmt.Printf("Traefik's API is at %s/api/rawdata, its log at %s.\nCtrl-C stops everything.\n", proxy.API, proxy.Log)
	began := time.Now()
	<-ctx.Done()
	fmt.Printf("\nStopped after %s.\n", time.Since(began).Round(time.Second))
	return nil
}
