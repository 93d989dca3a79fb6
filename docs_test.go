package ratelimit

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"gopkg.in/yaml.v3"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// The documents are tests: every fenced block of them is executed here, by what its language says.
//
//	yaml      what it gives this plugin compiles, and New makes a middleware of it
//	toml      decoded by Traefik itself, in e2e/providers
//	text      what the plugin says of the yaml before it: the start line, or the faults
//	console   curl -i and the whole answer, by the yaml before it, at the instant that its Date says
//	sh        run on a Redis of the test's own; what would need more than that (shellElsewhere) is only parsed
//
// A block of any other kind fails.
func TestDocuments(t *testing.T) {
	setSecrets(t)
	for _, file := range documents(t) {
		blocks, err := configs.Blocks(file)
		if err != nil {
			t.Fatal(err)
		}
		before := documented{}
		for i, block := range blocks {
			switch block.Language {
			case "yaml":
				before = readOptions(t, block)
				if i+1 == len(blocks) || blocks[i+1].Language != "text" {
					before.mustCompile(t)
				}
			case "text":
				before.mustSay(t, block)
			case "console":
				before.mustAnswer(t, block)
			case "sh":
				runShell(t, block)
			case "toml":
			default:
				t.Errorf("%s: a block of the unknown kind %q is executed by no test", block.Place(), block.Language)
			}
		}
	}
}

// documents are all Markdown files of the project, but for what is vendored.
func documents(t testing.TB) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (name == "vendor" || name == "testdata" || len(name) > 1 && strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// documented is what a yaml block or an example gives this plugin.
type documented struct {
	place   string
	configs map[string]map[string]interface{} // by the middleware's name
}

// isOption reports whether name is an option of the first level.
func isOption(name string) bool {
	for _, option := range optionNames[""] {
		if name == option {
			return true
		}
	}
	return false
}

// readOptions reads a yaml block. One with options alone is taken for api@file, and given the two that are required
// where it leaves them out.
func readOptions(t *testing.T, block configs.Block) documented {
	t.Helper()
	found, err := configs.Middlewares(block.Text, isOption)
	if err != nil {
		t.Errorf("%s: %v", block.Place(), err)
	}
	if options, ok := found[""]; ok {
		delete(found, "")
		if options["average"] == nil && options["limits"] == nil {
			options["average"] = "100"
		}
		if options["redis"] == nil {
			options["redis"] = map[string]interface{}{"endpoints": "redis:6379"}
		}
		found["api@file"] = options
	}
	return documented{place: block.Place(), configs: found}
}

// each calls do for each middleware, in order, with its configuration as it arrives in the plugin.
func (d documented) each(t *testing.T, do func(name string, config *Config)) {
	t.Helper()
	var names []string
	for name := range d.configs {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		config, err := decode(d.configs[name])
		if err != nil {
			t.Errorf("%s, %s: %v", d.place, name, err)
			continue
		}
		do(name, config)
	}
}

// mustCompile sees that Traefik would get a middleware.
func (d documented) mustCompile(t *testing.T) {
	t.Helper()
	d.each(t, func(name string, config *Config) {
		// A name that no other configuration has: New would keep the last good settings of that one.
		name = strings.NewReplacer("/", "-", ":", "-").Replace(d.place) + "-" + name
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		if _, err := New(ctx, http.NotFoundHandler(), config, name); err != nil {
			t.Errorf("%s: %v", d.place, err)
		}
	})
}

// mustSay compares a text block with what the plugin says of the middlewares before it.
func (d documented) mustSay(t *testing.T, block configs.Block) {
	t.Helper()
	says := ""
	d.each(t, func(name string, config *Config) {
		s, err := compile(config, name)
		if err != nil {
			says += err.Error() + "\n"
			return
		}
		says += name + ": " + s.words + "\n"
	})
	if says != block.Text {
		t.Errorf("%s:\n%s\nthe plugin says\n%s", block.Place(), block.Text, says)
	}
}

// mustAnswer plays a console block on a middleware of its own, whose Redis has the time of each answer's Date.
// Behind the middleware is a service that answers as the one in the documents.
func (d documented) mustAnswer(t *testing.T, block configs.Block) {
	t.Helper()
	server := miniredis.RunT(t)
	var handler http.Handler
	d.each(t, func(name string, config *Config) {
		ctx, cancel := context.WithCancel(background)
		t.Cleanup(cancel)
		config.Redis.Endpoints = []string{server.Addr()}
		config.Timeout = "10s" // of this machine's time, which may be short
		var err error
		if handler, err = New(ctx, http.HandlerFunc(hello), config, name); err != nil {
			t.Fatalf("%s: %v", block.Place(), err)
		}
	})
	if handler == nil {
		t.Fatalf("%s: no configuration stands before it", block.Place())
	}
	for _, exchange := range strings.Split(block.Text, "$ curl -i http://127.0.0.1:8080/\n")[1:] {
		want, err := http.ReadResponse(bufio.NewReader(strings.NewReader(wireForm(exchange))), nil)
		if err != nil {
			t.Fatalf("%s: %v", block.Place(), err)
		}
		at, err := http.ParseTime(want.Header.Get("Date"))
		if err != nil {
			t.Fatalf("%s: %v", block.Place(), err)
		}
		server.SetTime(at)
		if want.StatusCode == http.StatusServiceUnavailable {
			server.Close()
		}
		got := httptest.NewRecorder()
		handler.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/", nil))
		if g, w := answerText(t, got.Result()), answerText(t, want); g != w {
			t.Errorf("%s:\n%s\nthe plugin answers\n%s", block.Place(), w, g)
		}
	}
}

// hello is the service of the documents.
func hello(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "hello\n")
}

// wireForm is an answer as curl prints it, with the line ends and the length that were on the wire.
func wireForm(answer string) string {
	head, body, _ := strings.Cut(answer, "\n\n")
	return strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + strings.TrimRight(body, "\n") + "\n"
}

// answerText is an answer but for what the server in between sets.
func answerText(t *testing.T, answer *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(answer.Body)
	if err != nil && err != io.ErrUnexpectedEOF {
		t.Fatal(err)
	}
	lines := []string{fmt.Sprint(answer.StatusCode)}
	for name, values := range answer.Header {
		if name != "Date" && name != "Content-Length" {
			lines = append(lines, name+": "+strings.Join(values, " | "))
		}
	}
	sort.Strings(lines[1:])
	return strings.Join(lines, "\n") + "\n\n" + strings.TrimRight(string(body), "\n")
}

// shellElsewhere are commands whose effect is not for a test of the documents: what they do has tests of its own.
var shellElsewhere = []string{"cd", "curl", "docker", "git", "go", "kubectl", "make", "redis-server", "traefik"}

// runShell runs a shell block on a Redis of its own.
func runShell(t *testing.T, block configs.Block) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(block.Text), "\n") {
		word := strings.Fields(line + " #")[0]
		for _, elsewhere := range shellElsewhere {
			if word == elsewhere {
				parseShell(t, block)
				return
			}
		}
	}
	server := redistest.Start(t)
	if said, err := shellOn(t, server, block.Text); err != nil {
		t.Errorf("%s: %v: %s", block.Place(), err, said)
	}
}

// parseShell sees that a block is a shell's, and that the targets of make it names are there.
func parseShell(t *testing.T, block configs.Block) {
	t.Helper()
	if said, err := exec.Command("sh", "-n", "-c", block.Text).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", block.Place(), err, said)
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(block.Text, "\n") {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "make" && !strings.Contains(string(makefile), "\n"+words[1]+":") {
			t.Errorf("%s: the Makefile has no target %s", block.Place(), words[1])
		}
	}
}

// shellOn runs text in a shell in which redis-cli speaks to server, and returns what it wrote.
func shellOn(t *testing.T, server *redistest.Server, text string) (string, error) {
	t.Helper()
	cli, err := exec.LookPath("redis-cli")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	wrapper := filepath.Join(folder, "redis-cli")
	write(t, wrapper, "#!/bin/sh\nexec '"+cli+"' -e -s '"+server.Socket+"' \"$@\"\n")
	if err := os.Chmod(wrapper, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(background, 30*time.Second)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-e", "-c", text)
	shell.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
	said, err := shell.CombinedOutput()
	return string(said), err
}

// TestRightsInTheDocuments: the ACL line of the documents is enough for every algorithm, and the narrowest.
func TestRightsInTheDocuments(t *testing.T) {
	server := redistest.Start(t)
	line := shellWith(t, "docs/operations.md", "ACL SETUSER")
	if said, err := shellOn(t, server, line); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if said, err := shellOn(t, server, "redis-cli --user ratelimit --pass change-me --no-auth-warning PING"); err == nil {
		t.Errorf("the user may PING, so this does not show that the right is not needed: %s", said)
	}

	config := fromFile(t, `
limits:
  - {name: w, algorithm: fixed-window, average: 2, period: 1h}
  - {name: b, algorithm: token-bucket, average: 2, period: 1h}
  - {name: l, algorithm: sliding-log, average: 2, period: 1h}
failureMode: closed
timeout: 10s
redis: {username: ratelimit, password: change-me}`)
	config.Redis.Endpoints = []string{server.Addr}
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	handler, err := New(ctx, http.HandlerFunc(hello), config, "api@file")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{200, 200, 429} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != want {
			t.Errorf("request %d: status %d, want %d", i, w.Code, want)
		}
	}

	var rights []string
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "+") {
			rights = append(rights, word[1:])
		}
	}
	// EVAL is how a server gets to know the script; what the script itself needs is held by TestScriptNeedsTheseRights.
	needed := append([]string{"eval"}, scriptRights...)
	sort.Strings(rights)
	sort.Strings(needed)
	if !reflect.DeepEqual(rights, needed) {
		t.Errorf("the documents grant %v, needed are %v", rights, needed)
	}
}

// shellWith is the one sh block of a file that contains text.
func shellWith(t *testing.T, file, text string) string {
	t.Helper()
	blocks, err := configs.Blocks(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		if block.Language == "sh" && strings.Contains(block.Text, text) {
			return block.Text
		}
	}
	t.Fatalf("%s: no sh block with %s", file, text)
	return ""
}

// TestQuickStartIsTheManifest: what the plugin catalog shows and tries is what the readme begins with.
func TestQuickStartIsTheManifest(t *testing.T) {
	content, err := os.ReadFile(".traefik.yml")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Import   string
		TestData map[string]interface{} `yaml:"testData"`
	}
	if err := yaml.Unmarshal(content, &manifest); err != nil {
		t.Fatal(err)
	}
	blocks, err := configs.Blocks("readme.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		var quickStart struct {
			HTTP struct {
				Middlewares struct {
					API struct {
						Plugin struct {
							RateLimit map[string]interface{} `yaml:"ratelimit"`
						}
					}
				}
			}
		}
		if block.Language != "yaml" || yaml.Unmarshal([]byte(block.Text), &quickStart) != nil {
			continue
		}
		if got := quickStart.HTTP.Middlewares.API.Plugin.RateLimit; got != nil {
			if !reflect.DeepEqual(got, manifest.TestData) {
				t.Errorf("the quick start has %v, the manifest %v", got, manifest.TestData)
			}
			return
		}
	}
	t.Error("readme.md: no quick start")
}

// TestExamples: every example gives this plugin a configuration that New takes, and stands in the list of examples.
func TestExamples(t *testing.T) {
	setSecrets(t)
	list, err := os.ReadFile("examples/readme.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		if !strings.Contains(string(list), "]("+folder.Name()+"/") {
			t.Errorf("examples/readme.md does not list %s", folder.Name())
		}
		files, err := filepath.Glob(filepath.Join("examples", folder.Name(), "*"))
		if err != nil {
			t.Fatal(err)
		}
		middlewares := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			example := readOptions(t, configs.Block{File: file, Line: 1, Text: string(text)})
			example.mustCompile(t)
			middlewares += len(example.configs)
		}
		if middlewares == 0 {
			t.Errorf("examples/%s gives this plugin nothing", folder.Name())
		}
	}
}
