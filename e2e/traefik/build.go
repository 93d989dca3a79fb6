package traefik

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// recipe is raised when build changes in a way that its inputs do not show.
const recipe = "1"

// inputs are the files and folders of the module e2e that decide what is built.
var inputs = []string{"go.mod", "stubs"}

// build compiles Traefik into <module>/.build/traefik unless that is there and
// was built from the same inputs. A second build waits for the first.
//
// It builds in a copy of the published module, since some things must be mended there:
//   - ACME links some 150 DNS providers, several of whose modules cannot be had
//     everywhere. "go mod vendor -e" goes on without them, and the one
//     generated file that imports them is replaced.
//   - The fork behind basicAuth and digestAuth cannot be had everywhere either:
//     a stub takes its place.
//   - An empty package of the repository is not part of the published module,
//     nor are the dashboard's files, which the program embeds.
func build(ctx context.Context, module string, progress io.Writer) (string, error) {
	module, err := filepath.Abs(module)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(module, ".build")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, "lock"), progress)
	if err != nil {
		return "", err
	}
	defer unlock()

	program, keyFile := filepath.Join(dir, "traefik"), filepath.Join(dir, "traefik.key")
	key, err := hashOf(module)
	if err != nil {
		return "", err
	}
	if built, err := os.ReadFile(keyFile); err == nil && string(built) == key {
		if _, err := os.Stat(program); err == nil {
			return program, nil
		}
	}

	began := time.Now()
	fmt.Fprintf(progress, "Building Traefik once, into %s (three to ten minutes on two cores).\n", dir)
	src := filepath.Join(dir, "src")
	version, err := prepare(ctx, module, src, progress)
	if err != nil {
		return "", err
	}
	if err := compile(ctx, src, program, version, progress); err != nil {
		return "", fmt.Errorf("%w\n(what could not be downloaded stands in %s)", err, filepath.Join(dir, "vendor.log"))
	}
	if err := os.RemoveAll(src); err != nil {
		return "", err
	}
	fmt.Fprintf(progress, "Built Traefik in %s.\n", time.Since(began).Round(time.Second))
	return program, os.WriteFile(keyFile, []byte(key), 0o644)
}

// lock holds the file at path for this process, until unlock or its end.
func lock(path string, progress io.Writer) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		fmt.Fprintln(progress, "Waiting for another build of Traefik to end.")
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
	return func() { f.Close() }, nil
}

// hashOf is the same for equal inputs.
func hashOf(module string) (string, error) {
	h := sha256.New()
	io.WriteString(h, recipe)
	for _, input := range inputs {
		err := filepath.WalkDir(filepath.Join(module, input), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			fmt.Fprintf(h, "%s %d\n%s", strings.TrimPrefix(path, module), len(content), content)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// prepare makes src a copy of Traefik's module, mended, with all that it is
// built from in its vendor folder. It returns Traefik's version.
func prepare(ctx context.Context, module, src string, progress io.Writer) (version string, err error) {
	if err := os.RemoveAll(src); err != nil {
		return "", err
	}
	fmt.Fprintln(progress, "  downloading its modules (about 1.5 GB on the first time)")
	var published struct{ Dir, Version, Error string }
	said, err := goCommand(ctx, module, "mod", "download", "-json", "github.com/traefik/traefik/v3").Output()
	if json.Unmarshal(said, &published) != nil || published.Dir == "" {
		return "", fmt.Errorf("go mod download: %w: %s", err, published.Error)
	}
	copies := map[string]string{ // to: from
		"stubs":                   filepath.Join(module, "stubs"),
		"pkg/config/dynamic/ext":  filepath.Join(module, "stubs/ext"),
		"webui/static/index.html": filepath.Join(module, "stubs/dashboard.txt"),
	}
	for _, part := range []string{"go.mod", "go.sum", "cmd", "internal", "pkg", "webui/embed.go"} {
		copies[part] = filepath.Join(published.Dir, part)
	}
	for to, from := range copies {
		if err := copyAll(from, filepath.Join(src, to)); err != nil {
			return "", err
		}
	}
	edit := goCommand(ctx, src, "mod", "edit", "-replace", "github.com/abbot/go-http-auth=./stubs/go-http-auth")
	if said, err := edit.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go mod edit: %w: %s", err, said)
	}

	log, err := os.Create(filepath.Join(filepath.Dir(src), "vendor.log"))
	if err != nil {
		return "", err
	}
	defer log.Close()
	vendor := goCommand(ctx, src, "mod", "vendor", "-e")
	vendor.Stdout, vendor.Stderr = log, log
	if err := vendor.Run(); err != nil {
		return "", fmt.Errorf("go mod vendor: %w, see %s", err, log.Name())
	}
	providers := filepath.Join(src, "vendor/github.com/go-acme/lego/v5/providers/dns/zz_gen_dns_providers.go")
	return strings.TrimPrefix(published.Version, "v"), copyAll(filepath.Join(module, "stubs", "dnsproviders.txt"), providers)
}

// compile builds the program in the module src, counting packages as it goes.
func compile(ctx context.Context, src, out, version string, progress io.Writer) error {
	total := 0
	if deps, err := goCommand(ctx, src, "list", "-mod=vendor", "-deps", "./cmd/traefik").Output(); err == nil {
		total = strings.Count(string(deps), "\n")
	}
	fmt.Fprintf(progress, "  compiling %d packages (those in Go's build cache are not counted again)\n", total)

	cmd := goCommand(ctx, src, "build", "-mod=vendor", "-trimpath", "-v",
		"-ldflags", "-s -w -X github.com/traefik/traefik/v3/pkg/version.Version="+version, "-o", out, "./cmd/traefik")
	said, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var faults []string
	compiled := 0
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if line := lines.Text(); strings.ContainsAny(line, " \t:") {
			faults = append(faults, line)
			continue
		}
		if compiled++; compiled%100 == 0 {
			fmt.Fprintf(progress, "  %5d of %d\n", compiled, total)
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, strings.Join(faults, "\n"))
	}
	return nil
}

// goCommand runs the go tool in dir. Without cgo, as Traefik's own releases are built.
func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off")
	return cmd
}

// copyAll copies a file or a folder with all in it but tests.
func copyAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o644)
	})
}
