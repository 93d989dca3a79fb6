package vet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

const samples = "example.com" // below testdata/src, a folder per construct

// TestConstructs holds each analyzer to the want comments of its sample.
func TestConstructs(t *testing.T) {
	byName := make(map[string]*analysis.Analyzer)
	var patterns []string
	for _, a := range constructs {
		byName[a.Name] = a
		patterns = append(patterns, samples+"/"+a.Name)
	}
	// One analyzer that does in each sample what the one of its name does: so
	// all are loaded at once.
	all := &analysis.Analyzer{
		Name:             "all",
		Doc:              "the construct that the package is named after",
		Requires:         []*analysis.Analyzer{inspect.Analyzer, buildssa.Analyzer, sentinels, computed},
		RunDespiteErrors: true,
		Run: func(pass *analysis.Pass) (any, error) {
			return byName[path.Base(pass.Pkg.Path())].Run(pass)
		},
	}
	analysistest.Run(t, analysistest.TestData(), all, patterns...)
}

// TestSampleForEachConstruct: a sample without its analyzer would never be looked at.
func TestSampleForEachConstruct(t *testing.T) {
	known := make(map[string]bool)
	for _, a := range constructs {
		known[a.Name] = true
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "src", samples))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] {
			t.Errorf("testdata has %s, which is no construct", e.Name())
		}
	}
}

// TestDocumented: who writes Go for Yaegi finds all constructs in one table.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range constructs {
		if !strings.Contains(string(text), "\n| `"+a.Name+"` | ") {
			t.Errorf("CONTRIBUTING.md does not list %s: %s", a.Name, a.Doc)
		}
	}
}

// TestInterpretedDiffers runs each sample both ways: what an analyzer reports
// must really go wrong in this version of Yaegi. One that no longer does is to
// be dropped.
func TestInterpretedDiffers(t *testing.T) {
	compiled := compiledDemos(t)
	for _, a := range constructs {
		name := a.Name
		if name == external.Name {
			continue // does not link as it stands
		}
		t.Run(name, func(t *testing.T) {
			want, ok := compiled[name]
			if !ok {
				t.Fatal("no answer compiled")
			}
			got := interpretedDemo(t, name)
			t.Logf("compiled:    %s", want)
			t.Logf("interpreted: %s", got)
			if got == want {
				t.Error("the same answer interpreted and compiled")
			}
		})
	}
}

// compiledDemos builds one program of all samples and returns each one's answer.
func compiledDemos(t *testing.T) map[string]string {
	t.Helper()
	var imports, calls strings.Builder
	for _, a := range constructs {
		if a.Name == external.Name {
			continue
		}
		fmt.Fprintf(&imports, "import %q\n", samples+"/"+a.Name)
		fmt.Fprintf(&calls, "\tfmt.Printf(\"%s\\t%%s\\n\", %s.Demo())\n", a.Name, a.Name)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	src := "package main\n\nimport \"fmt\"\n" + imports.String() + "\nfunc main() {\n" + calls.String() + "}\n"
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", file)
	cmd.Env = append(os.Environ(), "GO111MODULE=off", "GOFLAGS=", "CGO_ENABLED=0", "GOPATH="+analysistest.TestData())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go run: %v\n%s", err, stderr.String())
	}
	answers := make(map[string]string)
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		name, answer, _ := strings.Cut(line, "\t")
		answers[name] = answer
	}
	return answers
}

const demoVariable = "VET_DEMO"

// interpretedDemo runs a sample in a process of its own: some crash it, some
// never end.
func interpretedDemo(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), demoVariable+"="+name, "GOMAXPROCS=16") // select goes wrong by chance
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "never ends"
	}
	if err != nil {
		return "crashes: " + err.Error()
	}
	return string(out)
}

func TestMain(m *testing.M) {
	if name := os.Getenv(demoVariable); name != "" {
		fmt.Print(interpret(samples + "/" + name))
		return
	}
	os.Exit(m.Run())
}

// interpret imports a package from testdata as Traefik imports a plugin and
// returns what its Demo answers, or what went wrong.
func interpret(pkg string) (answer string) {
	defer func() {
		if r := recover(); r != nil {
			answer = fmt.Sprint("panics: ", r)
		}
	}()
	i := interp.New(interp.Options{GoPath: analysistest.TestData(), Stdout: os.Stderr, Stderr: os.Stderr})
	if err := i.Use(stdlib.Symbols); err != nil {
		return "use: " + err.Error()
	}
	if _, err := i.Eval(fmt.Sprintf("import %q", pkg)); err != nil {
		return "import: " + err.Error()
	}
	v, err := i.Eval(filepath.Base(pkg) + ".Demo()")
	if err != nil {
		return "panics: " + err.Error()
	}
	return v.String()
}
