// Package traefik finds the Traefik program that the demo and the tests run,
// and builds it from its Go module where there is none.
package traefik

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Find returns the path of a Traefik program and a word on where it comes
// from: the path in the environment variable TRAEFIK, else "traefik" on PATH,
// else the one built from module, the folder of the module e2e. Only a build
// takes time; its progress is written to progress.
func Find(ctx context.Context, module string, progress io.Writer) (path, from string, err error) {
	if path := os.Getenv("TRAEFIK"); path != "" {
		path, err := filepath.Abs(path)
		if err != nil {
			return "", "", err
		}
		if _, err := os.Stat(path); err != nil {
			return "", "", fmt.Errorf("TRAEFIK: %w", err)
		}
		return path, "from TRAEFIK", nil
	}
	if path, err := exec.LookPath("traefik"); err == nil {
		path, err := filepath.Abs(path)
		return path, "from PATH", err
	}
	path, err = build(ctx, module, progress)
	return path, "built from its Go module", err
}
