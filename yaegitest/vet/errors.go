package vet

import (
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
)

// sentinels finds the package variables of type error that hold a compiled
// error, as errors.New and fmt.Errorf make them: these can be compared.
var sentinels = &analysis.Analyzer{
	Name:      "sentinels",
	Doc:       "finds the variables that hold a compiled error",
	FactTypes: []analysis.Fact{(*compiledError)(nil)},
	// The result tells of any variable, of this package or an imported one.
	ResultType: reflect.TypeOf((func(*types.Var) bool)(nil)),
	Run: func(pass *analysis.Pass) (any, error) {
		holds := func(v *types.Var) bool { return pass.ImportObjectFact(v, &compiledError{}) }
		if isStd(pass.Pkg.Path()) {
			return holds, nil
		}
		for _, file := range pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok || len(spec.Values) != len(spec.Names) {
					return true
				}
				for i, name := range spec.Names {
					obj := pass.TypesInfo.Defs[name]
					v, ok := obj.(*types.Var)
					if ok && v.Parent() == pass.Pkg.Scope() && (makesError(pass, spec.Values[i]) || isSentinel(pass, spec.Values[i], holds)) {
						pass.ExportObjectFact(v, &compiledError{})
					}
				}
				return true
			})
		}
		return holds, nil
	},
}

type compiledError struct{}

func (*compiledError) AFact() {}

func makesError(pass *analysis.Pass, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && (calls(pass, call, "errors", "New") || calls(pass, call, "fmt", "Errorf"))
}

// isCompiledValue tells whether an expression can only be a value that compiled
// code made: a variable of the standard library, an error by errors.New, a
// value of a concrete type that is not interpreted.
func isCompiledValue(pass *analysis.Pass, e ast.Expr) bool {
	t := pass.TypesInfo.TypeOf(e)
	if !isInterface(t) {
		return own(t) == nil
	}
	if isSealed(t) {
		return true
	}
	return isSentinel(pass, e, pass.ResultOf[sentinels].(func(*types.Var) bool))
}

// isSealed tells whether only the standard library can implement an interface,
// as reflect.Type.
func isSealed(t types.Type) bool {
	i := t.Underlying().(*types.Interface)
	for m := 0; m < i.NumMethods(); m++ {
		if f := i.Method(m); !f.Exported() && isStd(f.Pkg().Path()) {
			return true
		}
	}
	return false
}

// isSentinel tells whether e is a package variable of the standard library, or
// one that holds a compiled error.
func isSentinel(pass *analysis.Pass, e ast.Expr, holds func(*types.Var) bool) bool {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return false
	}
	v, ok := pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return false
	}
	return isStd(v.Pkg().Path()) || holds(v)
}

var errorsAs = construct("errorsAs", "errors.As with an interpreted type as its target panics",
	func(pass *analysis.Pass, stack []ast.Node) {
		call := top[*ast.CallExpr](stack)
		if !calls(pass, call, "errors", "As", "AsType") || len(call.Args) < 2 {
			return
		}
		p, ok := pass.TypesInfo.TypeOf(call.Args[1]).Underlying().(*types.Pointer)
		if ok && own(p.Elem()) == nil && !isAnonymous(p.Elem()) {
			return
		}
		pass.Reportf(call.Pos(), "errors.As panics: its target is of an interpreted type")
	}, (*ast.CallExpr)(nil))

// isAnonymous tells whether t is an interface written out in place.
func isAnonymous(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Interface)
	return ok
}

var errorsIs = func() *analysis.Analyzer {
	a := construct("errorsIs", "errors.Is with an interpreted value as its target is false",
		func(pass *analysis.Pass, stack []ast.Node) {
			call := top[*ast.CallExpr](stack)
			if calls(pass, call, "errors", "Is") && len(call.Args) == 2 && !isCompiledValue(pass, call.Args[1]) {
				pass.Reportf(call.Pos(), "errors.Is is false: its target may be of an interpreted type")
			}
		}, (*ast.CallExpr)(nil))
	a.Requires = append(a.Requires, sentinels)
	return a
}()

var errorMethods = construct("errorMethods", "Unwrap, Is and As of an interpreted error are not seen by package errors",
	func(pass *analysis.Pass, stack []ast.Node) {
		f := top[*ast.FuncDecl](stack)
		if f.Recv == nil {
			return
		}
		switch f.Name.Name {
		case "Unwrap", "Is", "As":
			recv := pass.TypesInfo.Defs[f.Name].Type().(*types.Signature).Recv().Type()
			if isError(recv) {
				pass.Reportf(f.Pos(), "package errors does not see %s of an interpreted error", f.Name.Name)
			}
		}
	}, (*ast.FuncDecl)(nil))

// typedNil: compiled, an interface that holds a nil pointer is not nil.
var typedNil = construct("typedNil", "a nil pointer in an error equals nil",
	func(pass *analysis.Pass, stack []ast.Node) {
		report := func(e ast.Expr, to types.Type) {
			t := pass.TypesInfo.TypeOf(e)
			if t == nil || to == nil || !types.Identical(to, errorType) || isNil(pass, e) || own(t) == nil {
				return
			}
			if _, ok := t.Underlying().(*types.Pointer); !ok {
				return
			}
			if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op.String() == "&" {
				return // never nil
			}
			pass.Reportf(e.Pos(), "a %s becomes an error: if it is nil, the error equals nil", short(t))
		}
		switch s := top[ast.Node](stack).(type) {
		case *ast.ReturnStmt:
			sig := enclosingFunc(pass, stack)
			if len(s.Results) == sig.Results().Len() {
				for i, e := range s.Results {
					report(e, sig.Results().At(i).Type())
				}
			}
		case *ast.AssignStmt:
			if len(s.Lhs) == len(s.Rhs) {
				for i, e := range s.Rhs {
					report(e, pass.TypesInfo.TypeOf(s.Lhs[i]))
				}
			}
		case *ast.ValueSpec:
			if s.Type != nil && s.Names[0].Name != "_" {
				for _, e := range s.Values {
					report(e, pass.TypesInfo.TypeOf(s.Type))
				}
			}
		}
	}, (*ast.ReturnStmt)(nil), (*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil))
