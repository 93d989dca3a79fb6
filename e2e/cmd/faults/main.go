// Command faults plays every fault of the package of this name and writes what
// came of it to docs/faults.md. It exits with 1 when a promise did not hold.
//
// Names of faults as arguments play only those, and write nothing. Run it in
// the folder of the module e2e.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/faults"
	"github.com/traefik-redis-ratelimit/ratelimit/e2e/traefik"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// run plays the faults with these names, or all and writes the report.
func run(ctx context.Context, only []string) error {
	program, _, err := traefik.Find(ctx, ".", os.Stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ratelimit-faults-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	plugin, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	result, err := faults.Run(ctx, faults.Options{Program: program, Plugin: plugin, Dir: dir, Progress: os.Stderr, Only: only})
	if err != nil {
		return err
	}
	report := faults.Report(result)
	if len(only) > 0 {
		fmt.Print(report)
	} else if err := os.WriteFile(filepath.Join(plugin, "docs", "faults.md"), []byte(report), 0o644); err != nil {
		return err
	}
	for _, what := range result.Broken {
		fmt.Fprintln(os.Stderr, "broken:", what)
	}
	if len(result.Broken) > 0 {
		return fmt.Errorf("%d promises did not hold", len(result.Broken))
	}
	fmt.Fprintf(os.Stderr, "every promise held, in %d rows\n", len(result.Rows))
	return nil
}
