package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// lateEval: what defer, go and a method value need is to be fixed at once. Yaegi
// looks it up when the call comes.
var lateEval = construct("lateEval", "the arguments of a defer, the receiver of a go and of a method value are evaluated at the call, not before",
	func(pass *analysis.Pass, stack []ast.Node) {
		switch n := stack[len(stack)-1].(type) {
		case *ast.DeferStmt:
			reportReceiver(pass, n.Call.Fun, stack)
			for _, arg := range n.Call.Args {
				reportArgument(pass, arg, stack)
			}
		case *ast.GoStmt:
			reportReceiver(pass, n.Call.Fun, stack)
		case *ast.SelectorExpr:
			if sel := pass.TypesInfo.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && !isCalled(stack) {
				reportReceiver(pass, n, stack)
			}
		}
	}, (*ast.DeferStmt)(nil), (*ast.GoStmt)(nil), (*ast.SelectorExpr)(nil))

func isCalled(stack []ast.Node) bool {
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	return ok && call.Fun == stack[len(stack)-1]
}

func reportReceiver(pass *analysis.Pass, fun ast.Expr, stack []ast.Node) {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		if id, ok := fun.(*ast.Ident); ok && isVariable(pass, id) && changesLater(pass, id, stack) {
			pass.Reportf(id.Pos(), "%s is set again before the call, which calls the new one", id.Name)
		}
		return
	}
	s := pass.TypesInfo.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	_, byPointer := s.Obj().Type().(*types.Signature).Recv().Type().(*types.Pointer)
	if _, isPointer := s.Recv().(*types.Pointer); byPointer && !isPointer {
		return // the address of the variable, which stays
	}
	if changesLater(pass, sel.X, stack) {
		pass.Reportf(sel.Pos(), "%s is set again before %s is called on it, which uses the new one", types.ExprString(sel.X), sel.Sel.Name)
	}
}

func reportArgument(pass *analysis.Pass, arg ast.Expr, stack []ast.Node) {
	switch a := ast.Unparen(arg).(type) {
	case *ast.Ident:
		if isVariable(pass, a) && changesLater(pass, a, stack) {
			pass.Reportf(a.Pos(), "a deferred call sees what %s is set to after the defer", a.Name)
		}
	case *ast.SelectorExpr:
		if s := pass.TypesInfo.Selections[a]; s != nil && s.Kind() == types.FieldVal && changesLater(pass, a, stack) {
			pass.Reportf(a.Pos(), "a deferred call sees what %s is set to after the defer", types.ExprString(a))
		}
	case *ast.IndexExpr, *ast.StarExpr:
		if changesLater(pass, a, stack) {
			pass.Reportf(a.Pos(), "a deferred call sees what %s is set to after the defer", types.ExprString(a))
		}
	}
}

func isVariable(pass *analysis.Pass, id *ast.Ident) bool {
	_, ok := pass.TypesInfo.ObjectOf(id).(*types.Var)
	return ok
}

// changesLater tells whether e, as x, x.f or x.f[i], or what it is a part of is
// set after the top of the stack in the function around it; in a loop, before it
// as well.
func changesLater(pass *analysis.Pass, e ast.Expr, stack []ast.Node) bool {
	names := make(map[string]bool)
	text := ""
	for part := e; part != nil; {
		text = types.ExprString(part)
		names[text] = true
		switch p := part.(type) {
		case *ast.SelectorExpr:
			part = p.X
		case *ast.IndexExpr:
			part = p.X
			if id, ok := p.Index.(*ast.Ident); ok {
				names[id.Name] = true
			}
		case *ast.ParenExpr:
			part = p.X
		case *ast.StarExpr:
			part = p.X
		default:
			part = nil
		}
	}
	whole := types.ExprString(e)
	_, isPointer := pass.TypesInfo.TypeOf(e).Underlying().(*types.Pointer)
	set := func(l ast.Expr) bool {
		name := types.ExprString(l)
		return names[name] || !isPointer && strings.HasPrefix(name, whole+".")
	}

	at := stack[len(stack)-1].Pos()
	body, loop := around(stack)
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || found {
			return false
		}
		again := n.Pos() > at || loop != nil && loop.Pos() <= n.Pos() && n.End() <= loop.End()
		if !again {
			return true
		}
		switch s := n.(type) {
		case *ast.AssignStmt:
			inLoop := loop != nil && n.Pos() < at
			for _, l := range s.Lhs {
				if (s.Tok != token.DEFINE || inLoop) && set(l) {
					found = true
				}
			}
		case *ast.IncDecStmt:
			found = found || set(s.X)
		case *ast.RangeStmt:
			for _, l := range []ast.Expr{s.Key, s.Value} {
				if l != nil && set(l) && (s == loop || s.Tok == token.ASSIGN) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// around is the function around the top of the stack and the outermost loop in
// it, nil if there is none. Outside of functions it is the top itself.
func around(stack []ast.Node) (function, loop ast.Node) {
	for i := len(stack) - 2; i >= 0; i-- {
		switch s := stack[i].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return s, loop
		case *ast.ForStmt, *ast.RangeStmt:
			loop = s
		}
	}
	return stack[len(stack)-1], nil
}
