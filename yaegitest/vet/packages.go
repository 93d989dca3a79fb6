package vet

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// initOrder: Yaegi orders the variables by what their initialisers mention, but
// does not look into the functions that these call.
var initOrder = &analysis.Analyzer{
	Name:             "initOrder",
	Doc:              "a package variable is initialised by a function that reads a variable declared later",
	RunDespiteErrors: true,
	Run: func(pass *analysis.Pass) (any, error) {
		if isStd(pass.Pkg.Path()) {
			return nil, nil
		}
		o := orders{pass: pass, bodies: make(map[types.Object]*ast.FuncDecl)}
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
					o.bodies[pass.TypesInfo.Defs[f.Name]] = f
				}
			}
		}
		for _, init := range pass.TypesInfo.InitOrder {
			first := init.Lhs[0]
			read := make(map[*types.Var]bool)
			o.functions(init.Rhs, read, make(map[types.Object]bool))
			for v := range read {
				if v != first && o.later(v, first) && o.initialised(v) {
					pass.Reportf(first.Pos(), "%s is set by a function that reads %s, which is declared later", first.Name(), v.Name())
					break
				}
			}
		}
		return nil, nil
	},
}

type orders struct {
	pass   *analysis.Pass
	bodies map[types.Object]*ast.FuncDecl
}

// functions collects the package variables that the functions mentioned in n read.
func (o orders) functions(n ast.Node, read map[*types.Var]bool, seen map[types.Object]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		f := o.pass.TypesInfo.Uses[id]
		body := o.bodies[f]
		if body == nil || seen[f] {
			return true
		}
		seen[f] = true
		ast.Inspect(body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := o.pass.TypesInfo.Uses[id].(*types.Var); ok && v.Parent() == o.pass.Pkg.Scope() {
					read[v] = true
				}
			}
			return true
		})
		o.functions(body, read, seen)
		return true
	})
}

// later tells whether a is declared after b, by file name, then by line.
func (o orders) later(a, b *types.Var) bool {
	pa, pb := o.pass.Fset.Position(a.Pos()), o.pass.Fset.Position(b.Pos())
	if pa.Filename != pb.Filename {
		return pa.Filename > pb.Filename
	}
	return pa.Offset > pb.Offset
}

func (o orders) initialised(v *types.Var) bool {
	for _, init := range o.pass.TypesInfo.InitOrder {
		for _, l := range init.Lhs {
			if l == v {
				return true
			}
		}
	}
	return false
}

// buildLines: of the lines that choose files Yaegi reads only // +build and the
// file's name.
var buildLines = &analysis.Analyzer{
	Name:             "buildLines",
	Doc:              "a file that the compiler leaves out and Yaegi reads, or the other way round",
	RunDespiteErrors: true,
	Run: func(pass *analysis.Pass) (any, error) {
		if isStd(pass.Pkg.Path()) {
			return nil, nil
		}
		for _, f := range pass.Files {
			name := pass.Fset.Position(f.Package).Filename
			if !yaegiReads(name, f) {
				pass.Reportf(f.Package, "Yaegi leaves out %s, which the compiler builds", filepath.Base(name))
			}
		}
		for _, name := range pass.IgnoredFiles {
			src, err := os.ReadFile(name)
			if err != nil || !strings.HasSuffix(name, ".go") {
				continue
			}
			f, err := parser.ParseFile(pass.Fset, name, src, parser.PackageClauseOnly|parser.ParseComments)
			if err == nil && yaegiReads(name, f) {
				pass.Reportf(pass.Files[0].Package, "Yaegi reads %s, which the compiler leaves out", filepath.Base(name))
			}
		}
		return nil, nil
	},
}

// yaegiReads tells whether Yaegi takes a file of a package.
func yaegiReads(name string, f *ast.File) bool {
	base := filepath.Base(name)
	if strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || strings.HasSuffix(base, "_test.go") {
		return false
	}
	ctx := build.Default
	if ok, err := nameMatches(ctx, base); err != nil || !ok {
		return false
	}
	for _, group := range f.Comments {
		if group.Pos() > f.Package {
			break
		}
		for _, c := range group.List {
			text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), "+build ")
			if ok && !plusBuild(ctx, text) {
				return false
			}
		}
	}
	return true
}

// nameMatches tells whether a file of this name fits the platform.
func nameMatches(ctx build.Context, base string) (bool, error) {
	ctx.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}
	return ctx.MatchFile("", base)
}

// plusBuild decides a // +build line: blanks are or, commas are and.
func plusBuild(ctx build.Context, line string) bool {
	for _, option := range strings.Fields(line) {
		all := true
		for _, tag := range strings.Split(option, ",") {
			name, not := strings.CutPrefix(tag, "!")
			known := name == ctx.GOOS || name == ctx.GOARCH || strings.HasPrefix(name, "go1.")
			all = all && known != not
		}
		if all {
			return true
		}
	}
	return false
}
