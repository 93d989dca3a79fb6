package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// constructs are all that is looked for, in the order of the files.
var constructs = []*analysis.Analyzer{
	// statements.go
	selects, bareReturn, resultOrder, returnCall, forwardResults, receive, nilAssign, nilReceive, receivedSet, parallelAssign, literalAssign, mapAssign, spreadCall,
	parens, unnamedParams, loopClosure, loopDefer, rangeValue, rangeOver,
	// constants.go, commaok.go, late.go
	computedConst, commaOk, lateEval,
	// interfaces.go
	typeSwitch, assertInterface, assertError, twinTypes, aliased, computedInterface, compare, recovered,
	// errors.go
	errorsAs, errorsIs, errorMethods, typedNil,
	// types.go
	recursiveValue, embeddedInterface, wrapInterface, typeParams,
	// calls.go
	variadic, marshal, format, methodExpr,
	// stdlib.go
	missing, external,
	// packages.go
	initOrder, buildLines,
}

// atImport are the constructs that already do their harm when Yaegi imports the
// package: whether the function is ever called does not matter.
var atImport = map[*analysis.Analyzer]bool{
	rangeOver: true, recursiveValue: true, typeParams: true,
	missing: true, external: true, initOrder: true, buildLines: true,
}

// construct makes an analyzer that visits the syntax nodes of the given types,
// each with its ancestors: the last of stack is the node itself. It does nothing
// in the standard library, which is compiled.
func construct(name, doc string, visit func(pass *analysis.Pass, stack []ast.Node), nodes ...ast.Node) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:             name,
		Doc:              doc,
		Requires:         []*analysis.Analyzer{inspect.Analyzer},
		RunDespiteErrors: true,
		Run: func(pass *analysis.Pass) (any, error) {
			if isStd(pass.Pkg.Path()) {
				return nil, nil
			}
			in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
			in.WithStack(nodes, func(_ ast.Node, push bool, stack []ast.Node) bool {
				if push {
					visit(pass, stack)
				}
				return true
			})
			return nil, nil
		},
	}
}

func top[N ast.Node](stack []ast.Node) N { return stack[len(stack)-1].(N) }

// enclosingFunc is the signature of the innermost function around the top of
// the stack; nil outside of any.
func enclosingFunc(pass *analysis.Pass, stack []ast.Node) *types.Signature {
	for i := len(stack) - 2; i >= 0; i-- {
		switch f := stack[i].(type) {
		case *ast.FuncLit:
			return pass.TypesInfo.TypeOf(f).(*types.Signature)
		case *ast.FuncDecl:
			return pass.TypesInfo.Defs[f.Name].Type().(*types.Signature)
		}
	}
	return nil
}

// inLoop tells whether the top of the stack runs once per turn of a loop of
// the function that it stands in.
func inLoop(stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch s := stack[i].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		case *ast.ForStmt:
			return stack[i+1] != s.Init
		case *ast.RangeStmt:
			return stack[i+1] != s.X
		}
	}
	return false
}

// own is the type that interpreted source declares, t itself or what t points
// to; nil for all others.
func own(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || isStd(named.Obj().Pkg().Path()) {
		return nil
	}
	return named
}

// ownConcrete is own without interfaces.
func ownConcrete(t types.Type) *types.Named {
	if n := own(t); n != nil && !types.IsInterface(n) {
		return n
	}
	return nil
}

// isInterface tells whether values of t are interface values; type parameters
// are not.
func isInterface(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	return types.IsInterface(t)
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool {
	return t != nil && types.Implements(t, errorType.Underlying().(*types.Interface))
}

// short writes a type with the names of packages, not their paths.
func short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// callee is what a call calls, if that has a name: a function, a method, a
// method of an interface.
func callee(pass *analysis.Pass, call *ast.CallExpr) types.Object {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return pass.TypesInfo.Uses[f]
	case *ast.SelectorExpr:
		return pass.TypesInfo.Uses[f.Sel]
	}
	return nil
}

// calls tells whether a call is one of the named functions of a package.
func calls(pass *analysis.Pass, call *ast.CallExpr, pkg string, names ...string) bool {
	f, ok := callee(pass, call).(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != pkg {
		return false
	}
	for _, n := range names {
		if f.Name() == n {
			return true
		}
	}
	return false
}

func isReceive(e ast.Expr) bool {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	return ok && u.Op == token.ARROW
}

func isNil(pass *analysis.Pass, e ast.Expr) bool {
	return pass.TypesInfo.Types[e].IsNil()
}
