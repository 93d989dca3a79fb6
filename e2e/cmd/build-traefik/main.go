// Command build-traefik prints the path of the Traefik program that the demo
// and the tests run, and builds it first where there is none.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/traefik"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	path, from, err := traefik.Find(ctx, ".", os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "build-traefik:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "Traefik", from)
	fmt.Println(path)
}
