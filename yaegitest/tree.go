package yaegitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/yaegitest/prune"
)

// Tree is a GOPATH that holds, where the plugin would be, a copy of the root's
// go.mod and vendor/ and one program beside them: a package with a function
//
//	Run(arg string, out io.Writer)
//
// The program can be run compiled and interpreted, in a process of
// its own either way, so that a fault may crash or hang it.
type Tree struct {
	gopath, module, program string
}

// NewTree makes a tree in dir from the module in folder root, with its vendor/;
// files are the program's, and the folder that the first lies in names its package.
func NewTree(dir, root string, files ...string) (*Tree, error) {
	t, err := newTree(dir, root, files)
	if err != nil {
		return nil, err
	}
	return t, copyDir(filepath.Join(t.module, "vendor"), filepath.Join(root, "vendor"))
}

// NewFaultyTree is NewTree with published faults: in its vendor/ the patches of
// these names are taken back, in this order. Of go-redis it holds what the
// program reaches.
func NewFaultyTree(dir, root string, files []string, patches ...string) (*Tree, error) {
	t, err := newTree(dir, root, files)
	if err != nil {
		return nil, err
	}
	return t, errors.Join(Vendor(t.module, root, patches...), prune.Prune(t.module, t.program))
}

func newTree(dir, root string, files []string) (*Tree, error) {
	file, err := filepath.Abs(files[0])
	if err != nil {
		return nil, err
	}
	t := &Tree{
		gopath:  dir,
		module:  filepath.Join(dir, "src", filepath.FromSlash(Module)),
		program: filepath.Base(filepath.Dir(file)),
	}
	main := fmt.Sprintf("package main\n\nimport (\n\t\"os\"\n\n\t%q\n)\n\nfunc main() { %s.Run(os.Args[1], os.Stdout) }\n",
		Module+"/"+t.program, t.program)
	faults := []error{
		copyFile(filepath.Join(t.module, "go.mod"), filepath.Join(root, "go.mod")),
		copyFile(filepath.Join(t.module, "go.sum"), filepath.Join(root, "go.sum")),
		writeFile(filepath.Join(t.module, "main", "main.go"), []byte(main)),
	}
	for _, file := range files {
		faults = append(faults, copyFile(filepath.Join(t.module, t.program, filepath.Base(file)), file))
	}
	return t, errors.Join(faults...)
}

// Vendor makes module/vendor as `make vendor` makes that of the module in folder
// root, but with all declarations, and takes back the patches of these names, in
// this order.
func Vendor(module, root string, patches ...string) error {
	module, err := filepath.Abs(module)
	if err != nil {
		return err
	}
	command := func(dir, name string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GIT_CEILING_DIRECTORIES="+filepath.Dir(module))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %v: %w\n%s", name, args, err, out)
		}
		return nil
	}
	vendor := filepath.Join(module, "vendor")
	if err := command(root, "go", "mod", "vendor", "-o", vendor); err != nil {
		return err
	}
	if err := command(root, "vendor-patches/apply", vendor); err != nil {
		return err
	}
	for _, patch := range patches {
		file, err := filepath.Abs(filepath.Join(root, "vendor-patches", patch+".patch"))
		if err != nil {
			return err
		}
		if err := command(module, "git", "apply", "-R", file); err != nil {
			return err
		}
	}
	return nil
}

// RunCompiled builds the program with vendor/ and runs it.
func (t *Tree) RunCompiled(arg string, limit time.Duration) (string, error) {
	bin := filepath.Join(t.gopath, "program")
	build := exec.Command("go", "build", "-mod=vendor", "-o", bin, "./main")
	build.Dir = t.module
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return run(limit, nil, bin, arg)
}

// RunInterpreted runs the program in Yaegi, in a second process of the test's
// own binary, whose TestMain calls RunChild.
func (t *Tree) RunInterpreted(arg string, limit time.Duration) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return run(limit, []string{"YAEGITEST_GOPATH=" + t.gopath, "YAEGITEST_PROGRAM=" + t.program}, self, arg)
}

func run(limit time.Duration, env []string, name, arg string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, arg)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("hangs: stopped after %s", limit)
	}
	return out.String(), err
}

// RunChild runs the program when this process was started by RunInterpreted,
// and does not return then. A TestMain calls it first.
func RunChild() {
	gopath, program := os.Getenv("YAEGITEST_GOPATH"), os.Getenv("YAEGITEST_PROGRAM")
	if program == "" {
		return
	}
	if err := interpret(gopath, program, os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func interpret(gopath, program, arg string) error {
	i, err := Interpreter(gopath, nil, os.Stdout, os.Stderr)
	if err != nil {
		return err
	}
	if _, err := i.Eval(fmt.Sprintf("import %q", Module+"/"+program)); err != nil {
		return err
	}
	v, err := i.Eval(program + ".Run")
	if err != nil {
		return err
	}
	run, ok := v.Interface().(func(string, io.Writer))
	if !ok {
		return fmt.Errorf("%s.Run is a %s", program, v.Type())
	}
	run(arg, os.Stdout)
	return nil
}

func copyDir(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyFile(filepath.Join(to, below), path)
	})
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, data)
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
