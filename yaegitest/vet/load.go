package vet

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// load reads the package in dir with all that it imports, down to the standard
// library, as vendor/ has it. overlay replaces the content of files by their
// absolute path.
func load(dir string, overlay map[string][]byte) (*packages.Package, error) {
	const all = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule
	pkgs, err := packages.Load(&packages.Config{
		Mode:       all,
		Dir:        dir,
		BuildFlags: []string{"-mod=vendor"},
		Env:        append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"),
		Overlay:    overlay,
	}, ".")
	if err != nil {
		return nil, err
	}
	if len(pkgs) != 1 {
		return nil, fmt.Errorf("%s: %d packages instead of one", dir, len(pkgs))
	}
	var faults []error
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			faults = append(faults, e)
		}
	})
	return pkgs[0], errors.Join(faults...)
}

// interpretedPackages lists, imported ones first, the packages that Yaegi reads
// as source when it imports root: all but the standard library.
func interpretedPackages(root *packages.Package) []*packages.Package {
	var list []*packages.Package
	packages.Visit([]*packages.Package{root}, nil, func(p *packages.Package) {
		if !isStd(p.PkgPath) {
			list = append(list, p)
		}
	})
	return list
}

// isStd tells whether a package is part of the standard library, which Yaegi
// runs compiled: the first element of its path has no dot.
func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// reachable finds the declared functions that can run once root is imported
// and its entry points are called: the initialisers of every interpreted
// package, New, CreateConfig and each ServeHTTP. The graph is built by variable
// type analysis over the standard library too, so what is called back from it
// counts.
// The value of each is how it is reached: the names of the functions from an
// entry point to it.
func reachable(root *packages.Package) (map[*types.Func]string, error) {
	prog, _ := ssautil.AllPackages([]*packages.Package{root}, ssa.InstantiateGenerics)
	prog.Build()

	from := entries(prog, root)
	coarse := cha.CallGraph(prog)
	hasNew := false
	for _, f := range from {
		hasNew = hasNew || f.Name() == "New"
		if coarse.Nodes[f] == nil {
			return nil, fmt.Errorf("%s is not in the call graph: is its type ever an http.Handler?", f)
		}
	}
	if !hasNew {
		return nil, fmt.Errorf("%s has no New", root.PkgPath)
	}
	funcs := closure(coarse, coarse, from)
	for before := len(funcs) + 1; len(funcs) < before; { // a graph over fewer functions is more precise
		before = len(funcs)
		funcs = closure(vta.CallGraph(set(funcs), coarse), coarse, from)
	}

	reached := make(map[*types.Func]string)
	for f := range funcs {
		declared := f
		if f.Origin() != nil {
			declared = f.Origin()
		}
		if obj, ok := declared.Object().(*types.Func); ok && !isStd(pkgPath(obj)) {
			reached[obj] = way(funcs, f)
		}
	}
	return reached, nil
}

func entries(prog *ssa.Program, root *packages.Package) []*ssa.Function {
	var list []*ssa.Function
	for _, p := range interpretedPackages(root) {
		list = append(list, prog.Package(p.Types).Func("init"))
	}
	for _, file := range root.Syntax {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			switch f.Name.Name {
			case "New", "CreateConfig", "ServeHTTP":
				obj := root.TypesInfo.Defs[f.Name].(*types.Func)
				list = append(list, prog.FuncValue(obj))
			}
		}
	}
	return list
}

// closure is what the functions in from call, and what they call in turn. The
// value of each function is the one that it was first reached from.
//
// Two things differ from the plain graph. An interpreted function that is
// called by value counts where it is mentioned, not where it is called: all
// that is handed to sync.Once.Do would otherwise be reached together, and what
// is handed to time.AfterFunc not at all, since it passes through assembly. And
// where the graph knows no callee in interpreted code the coarse one decides:
// types get lost in unsafe code, as atomic.Value.
func closure(graph, coarse *callgraph.Graph, from []*ssa.Function) map[*ssa.Function]*ssa.Function {
	seen := make(map[*ssa.Function]*ssa.Function)
	var queue []*ssa.Function
	reach := func(f, by *ssa.Function) {
		if _, ok := seen[f]; !ok && f != nil {
			seen[f] = by
			queue = append(queue, f)
		}
	}
	for _, f := range from {
		reach(f, nil)
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		resolved := make(map[ssa.CallInstruction]bool)
		follow := func(node *callgraph.Node) {
			if node == nil {
				return
			}
			for _, edge := range node.Out {
				byValue := edge.Site != nil && !edge.Site.Common().IsInvoke() && edge.Site.Common().StaticCallee() == nil
				if resolved[edge.Site] || byValue && isInterpreted(edge.Callee.Func) {
					continue
				}
				reach(edge.Callee.Func, f)
			}
			for _, edge := range node.Out {
				resolved[edge.Site] = true
			}
		}
		follow(graph.Nodes[f])
		if isInterpreted(f) {
			follow(coarse.Nodes[f])
			for _, g := range mentioned(f) {
				reach(g, f)
			}
		}
	}
	return seen
}

// isInterpreted tells whether Yaegi reads the source of f.
func isInterpreted(f *ssa.Function) bool {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if f.Pkg != nil {
		return !isStd(f.Pkg.Pkg.Path())
	}
	return f.Object() != nil && !isStd(pkgPath(f.Object())) // a method that is bound or promoted
}

// mentioned are the functions that stand in f as values, closures included.
func mentioned(f *ssa.Function) []*ssa.Function {
	var list []*ssa.Function
	for _, block := range f.Blocks {
		for _, instr := range block.Instrs {
			for _, operand := range instr.Operands(nil) {
				if g, ok := (*operand).(*ssa.Function); ok {
					list = append(list, g)
				}
			}
		}
	}
	return list
}

func set(funcs map[*ssa.Function]*ssa.Function) map[*ssa.Function]bool {
	s := make(map[*ssa.Function]bool, len(funcs))
	for f := range funcs {
		s[f] = true
	}
	return s
}

// way names the functions that lead to f, f last, at most the nearest five.
func way(by map[*ssa.Function]*ssa.Function, f *ssa.Function) string {
	text := f.RelString(nil)
	for i := 0; i < 4 && by[f] != nil; i++ {
		f = by[f]
		text = f.RelString(nil) + " > " + text
	}
	return text
}

func pkgPath(obj types.Object) string {
	if obj.Pkg() == nil {
		return "builtin"
	}
	return obj.Pkg().Path()
}
