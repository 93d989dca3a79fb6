package vet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/traefik/yaegi/stdlib"
	"github.com/traefik/yaegi/stdlib/generic"
	"golang.org/x/tools/go/analysis"
)

// symbols lists what Yaegi knows of the standard library without unsafe and
// syscall: import path → name.
var symbols = sync.OnceValue(func() map[string]map[string]bool {
	known := make(map[string]map[string]bool)
	add := func(pkg, name string) {
		if known[pkg] == nil {
			known[pkg] = make(map[string]bool)
		}
		known[pkg][name] = true
	}
	for key, names := range stdlib.Symbols { // key is the path and, once more, the name: net/http/http
		for name := range names {
			add(path.Dir(key), name)
		}
	}
	for _, src := range generic.Sources { // interpreted along with the plugin
		file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		if err != nil {
			panic(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				add(file.Name.Name, f.Name.Name)
			}
		}
	}
	delete(known, "maps") // its source is there, but does not compile: "undefined type for K"
	return known
})

// missing also knows what Go added to the language itself.
var missing = construct("missing", "a package, a symbol or a builtin that Yaegi does not have",
	func(pass *analysis.Pass, stack []ast.Node) {
		switch n := stack[len(stack)-1].(type) {
		case *ast.ImportSpec:
			pkg, err := strconv.Unquote(n.Path.Value)
			if err == nil && isStd(pkg) && symbols()[pkg] == nil {
				pass.Reportf(n.Pos(), "Yaegi has no package %s", pkg)
			}
		case *ast.Ident:
			switch obj := pass.TypesInfo.Uses[n].(type) {
			case *types.Builtin:
				switch obj.Name() {
				case "min", "max", "clear":
					pass.Reportf(n.Pos(), "Yaegi has no builtin %s", obj.Name())
				}
			case *types.Var, *types.Const, *types.TypeName, *types.Func:
				pkg := obj.Pkg()
				if pkg == nil || !isStd(pkg.Path()) || obj.Parent() != pkg.Scope() {
					return
				}
				if known := symbols()[pkg.Path()]; known != nil && !known[obj.Name()] {
					pass.Reportf(n.Pos(), "Yaegi has no %s.%s", pkg.Path(), obj.Name())
				}
			}
		}
	}, (*ast.ImportSpec)(nil), (*ast.Ident)(nil))

var external = construct("external", "a function without a body, go:linkname: Yaegi knows neither assembly nor the linker",
	func(pass *analysis.Pass, stack []ast.Node) {
		switch n := stack[len(stack)-1].(type) {
		case *ast.FuncDecl:
			if n.Body == nil {
				pass.Reportf(n.Pos(), "%s has no body: Yaegi knows no assembly", n.Name.Name)
			}
		case *ast.File:
			for _, group := range n.Comments {
				for _, c := range group.List {
					if strings.HasPrefix(c.Text, "//go:linkname ") || strings.HasPrefix(c.Text, "//go:embed ") {
						pass.Reportf(c.Pos(), "Yaegi ignores %s", strings.Fields(c.Text)[0])
					}
				}
			}
		}
	}, (*ast.FuncDecl)(nil), (*ast.File)(nil))
