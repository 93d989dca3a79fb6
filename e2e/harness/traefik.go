package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Module is the plugin's module path, and PluginName its name in Traefik's
// static configuration here.
const (
	Module     = "github.com/traefik-redis-ratelimit/ratelimit"
	PluginName = "ratelimit"
)

// Options say how a Traefik is started.
type Options struct {
	Program string   // path of the Traefik program
	Plugin  string   // root folder of the plugin's source
	Dir     string   // a folder is made below it for this process
	Env     []string // its whole environment, as NAME=value
	Trust   bool     // believe clients' X-Forwarded-For and PROXY protocol
	Level   string   // of its log; "" is DEBUG
	Without bool     // load none but Others
	Static  string   // YAML to add to its static configuration
	// Others are local plugins beside this one: the root folder of each one's
	// source, by its module path. Its name in the static configuration is the path's last element.
	Others map[string]string
}

// Traefik is one running Traefik with the plugin in local mode and a folder
// of dynamic configuration that it watches.
type Traefik struct {
	URL string // where its routers answer
	API string // its API, with /debug/pprof
	Log string // path of its JSON log

	dir      string
	proc     *process
	markers  int
	requests *http.Client

	logMu   sync.Mutex
	logRead int64   // bytes of the log that are in entries
	entries []Entry // the log so far
}

// StartTraefik starts a Traefik without any dynamic configuration.
func StartTraefik(ctx context.Context, o Options) (*Traefik, error) {
	dir, err := os.MkdirTemp(o.Dir, "traefik-")
	if err != nil {
		return nil, err
	}
	for module, root := range o.plugins() {
		if err := InstallPlugin(root, filepath.Join(dir, "plugins-local", "src", module)); err != nil {
			return nil, err
		}
	}
	for _, d := range []string{"dynamic", "staging"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	t := &Traefik{
		Log: filepath.Join(dir, "traefik.log"),
		dir: dir,
		// A connection of its own for each look: none must be left open to an old state.
		requests: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	for range portAttempts {
		if err = t.start(ctx, o); err == nil || !strings.Contains(err.Error(), "address already in use") {
			break
		}
	}
	return t, err
}

// plugins are the root folders of all local plugins, by module path.
func (o Options) plugins() map[string]string {
	all := map[string]string{}
	if !o.Without {
		all[Module] = o.Plugin
	}
	maps.Copy(all, o.Others)
	return all
}

// start runs the program on free ports and waits until it serves.
func (t *Traefik) start(ctx context.Context, o Options) error {
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	web, api := fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
	t.URL, t.API = "http://"+web, "http://"+api
	trust := ""
	if o.Trust {
		trust = "    forwardedHeaders: {insecure: true}\n    proxyProtocol: {insecure: true}\n"
	}
	level := o.Level
	if level == "" {
		level = "DEBUG"
	}
	experimental := ""
	if plugins := o.plugins(); len(plugins) > 0 {
		experimental = "experimental:\n  localPlugins:\n"
		for module := range plugins {
			experimental += fmt.Sprintf("    %s: {moduleName: %s}\n", path.Base(module), module)
		}
	}
	static := fmt.Sprintf(`
global: {checkNewVersion: false, sendAnonymousUsage: false}
entryPoints:
  web:
    address: %[1]q
%[2]s  traefik:
    address: %[3]q
api: {insecure: true, debug: true}
log: {level: %[4]s, format: json, filePath: traefik.log}
providers:
  # Reloads are applied at once, not at most one every two seconds.
  providersThrottleDuration: 1ms
  file: {directory: dynamic, watch: true}
%[5]s%[6]s`, web, trust, api, level, experimental, o.Static)
	if err := os.WriteFile(filepath.Join(t.dir, "traefik.yml"), []byte(static), 0o644); err != nil {
		return err
	}
	if t.proc, err = start(t.dir, o.Env, o.Program, "--configFile=traefik.yml"); err != nil {
		return err
	}
	err = t.proc.ready(ctx, func() error { return t.Applied(ctx) })
	if err != nil {
		t.proc.kill()
		return fmt.Errorf("traefik: %w\n%s", err, t.logTail())
	}
	return nil
}

// Apply replaces one file of the dynamic configuration and waits until Traefik serves it.
func (t *Traefik) Apply(ctx context.Context, file, content string) error {
	if err := t.put(file, content); err != nil {
		return err
	}
	return t.Applied(ctx)
}

// Applied waits until Traefik serves what its dynamic configuration says now.
// It adds a router of its own, so it always causes one reload: with nothing
// else changed, a reload of the same configuration.
func (t *Traefik) Applied(ctx context.Context) error {
	t.markers++
	marker := fmt.Sprintf("/harness-marker/%d", t.markers)
	err := t.put("marker.yml", fmt.Sprintf("http: {routers: {harness-marker: {rule: 'Path(`%s`)', entryPoints: [web], priority: 1000000, service: noop@internal}}}\n", marker))
	if err != nil {
		return err
	}
	// The API is asked first: on the way of the routers, an earlier look would
	// reach a router of the test that matches every path.
	err = t.proc.ready(ctx, func() error {
		router, err := t.Router("harness-marker@file")
		if err == nil && !strings.Contains(router.Rule, marker) {
			err = errors.New("the configuration is not applied yet")
		}
		return err
	})
	if err != nil {
		return err
	}
	return t.proc.ready(ctx, func() error {
		resp, err := t.requests.Get(t.URL + marker)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusTeapot { // as noop@internal answers
			return fmt.Errorf("the routers are not switched yet: %s", resp.Status)
		}
		return nil
	})
}

// put replaces a file of the dynamic configuration in one step, so that
// Traefik never reads half of it.
func (t *Traefik) put(file, content string) error {
	staged := filepath.Join(t.dir, "staging", file)
	if err := os.WriteFile(staged, []byte(content), 0o644); err != nil {
		return err
	}
	return os.Rename(staged, filepath.Join(t.dir, "dynamic", file))
}

// Router is what the API says of a router.
type Router struct {
	Rule   string   `json:"rule"`
	Status string   `json:"status"` // "enabled", "warning" or "disabled"
	Errors []string `json:"error"`
}

// Router asks the API about a router, named as in "api@file".
func (t *Traefik) Router(name string) (Router, error) {
	var r Router
	body, err := t.Get("/api/http/routers/" + name)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(body, &r)
}

// Goroutines is how many goroutines the process has.
func (t *Traefik) Goroutines() (int, error) {
	body, err := t.Get("/debug/pprof/goroutine?debug=1")
	if err != nil {
		return 0, err
	}
	var n int
	_, err = fmt.Sscanf(string(body), "goroutine profile: total %d", &n)
	return n, err
}

// Get returns the body of an answer of the API.
func (t *Traefik) Get(path string) ([]byte, error) {
	resp, err := t.requests.Get(t.API + path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, resp.Status, body)
	}
	return body, err
}

// Entry is one line of Traefik's log.
type Entry struct {
	Level   string `json:"level"`
	Plugin  string `json:"plugin"` // set where a plugin wrote it
	Message string `json:"message"`
	Error   string `json:"error"`
}

// Entries returns the whole log. A line that is not JSON is an error.
func (t *Traefik) Entries() ([]Entry, error) {
	t.logMu.Lock()
	defer t.logMu.Unlock()
	file, err := os.Open(t.Log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(t.logRead, io.SeekStart); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	// A line still being written is left for the next time.
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	t.logRead += int64(len(content))
	for line := range bytes.Lines(content) {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("log line %q: %w", line, err)
		}
		t.entries = append(t.entries, e)
	}
	return t.entries, nil
}

// logTail is the end of the log and of what bypassed it, for messages.
func (t *Traefik) logTail() string {
	content, _ := os.ReadFile(t.Log)
	return string(content[max(0, len(content)-4096):]) + t.proc.said.String()
}

// Said is what the process wrote to its standard output and error, past its log.
func (t *Traefik) Said() string { return t.proc.said.String() }

// PID is the process' number.
func (t *Traefik) PID() int { return t.proc.cmd.Process.Pid }

// Ended says whether the process is no longer running.
func (t *Traefik) Ended() bool { return t.proc.ended() }

// Stop ends the process.
func (t *Traefik) Stop() { t.proc.stop() }

// InstallPlugin copies from the root folder from what Traefik needs of the plugin: its manifest, its
// own files without the tests, its vendor folder.
func InstallPlugin(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		isSource := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if !isSource && name != ".traefik.yml" && name != "go.mod" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), content, 0o644); err != nil {
			return err
		}
	}
	vendor := filepath.Join(from, "vendor")
	if _, err := os.Stat(vendor); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return os.CopyFS(filepath.Join(to, "vendor"), os.DirFS(vendor))
}
