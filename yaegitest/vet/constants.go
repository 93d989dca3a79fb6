package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
)

// computed finds the constants that are declared with an interpreted type and an
// expression, as iota + 1.
var computed = &analysis.Analyzer{
	Name:      "computed",
	Doc:       "finds constants of an interpreted type that are expressions",
	FactTypes: []analysis.Fact{(*isComputed)(nil)},
	// The result tells of any constant, of this package or an imported one.
	ResultType:       reflect.TypeOf((func(*types.Const) bool)(nil)),
	RunDespiteErrors: true,
	Run: func(pass *analysis.Pass) (any, error) {
		local := make(map[*types.Const]bool)
		is := func(c *types.Const) bool {
			return local[c] || c.Pkg() != pass.Pkg && pass.ImportObjectFact(c, &isComputed{})
		}
		if isStd(pass.Pkg.Path()) {
			return is, nil
		}
		for _, file := range pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				d, ok := n.(*ast.GenDecl)
				if !ok || d.Tok != token.CONST {
					return true
				}
				for _, c := range computedIn(pass, d) {
					local[c] = true
					if c.Parent() == pass.Pkg.Scope() {
						pass.ExportObjectFact(c, &isComputed{})
					}
				}
				return true
			})
		}
		return is, nil
	},
}

type isComputed struct{}

func (*isComputed) AFact() {}

func computedIn(pass *analysis.Pass, d *ast.GenDecl) []*types.Const {
	var list []*types.Const
	var last *ast.ValueSpec // the one whose type and values are repeated
	for _, s := range d.Specs {
		spec := s.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			last = spec
		}
		if last == nil || last.Type == nil {
			continue
		}
		for i, name := range spec.Names {
			c, ok := pass.TypesInfo.Defs[name].(*types.Const)
			if !ok || i >= len(last.Values) || own(c.Type()) == nil {
				continue
			}
			if _, ok := ast.Unparen(last.Values[i]).(*ast.BinaryExpr); ok {
				list = append(list, c)
			}
		}
	}
	return list
}

// computedConst: such a constant stays an expression also where it is passed on.
var computedConst = func() *analysis.Analyzer {
	a := construct("computedConst", "a constant of an interpreted type that is an expression, as iota + 1, equals nothing",
		func(pass *analysis.Pass, stack []ast.Node) {
			id := top[*ast.Ident](stack)
			c, ok := pass.TypesInfo.Uses[id].(*types.Const)
			if !ok || !pass.ResultOf[computed].(func(*types.Const) bool)(c) {
				return
			}
			for _, n := range stack {
				if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
					return
				}
			}
			if _, ok := stack[len(stack)-2].(*ast.CaseClause); ok {
				return
			}
			pass.Reportf(id.Pos(), "%s equals nothing, since it is declared as an expression: declare a plain value or iota", id.Name)
		}, (*ast.Ident)(nil))
	a.Requires = append(a.Requires, computed)
	return a
}()
