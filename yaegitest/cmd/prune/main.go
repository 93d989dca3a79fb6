// Command prune leaves out of vendor/ what the plugin does not reach.
// Usage: prune FOLDER, which holds the plugin, its go.mod and vendor/.
package main

import (
	"fmt"
	"os"

	"github.com/traefik-redis-ratelimit/ratelimit/yaegitest/prune"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: prune FOLDER")
		os.Exit(2)
	}
	if err := prune.Prune(os.Args[1], "."); err != nil {
		fmt.Fprintln(os.Stderr, "prune:", err)
		os.Exit(1)
	}
}
