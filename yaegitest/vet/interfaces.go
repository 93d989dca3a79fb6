package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// typeSwitch: what works is a switch with a variable, on a value of type any,
// with concrete types as its cases.
var typeSwitch = construct("typeSwitch", "a type switch that does not find its case",
	func(pass *analysis.Pass, stack []ast.Node) {
		s := top[*ast.TypeSwitchStmt](stack)
		operand, hasVar := switchOperand(s)
		from := pass.TypesInfo.TypeOf(operand)
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				t := pass.TypesInfo.TypeOf(e)
				switch {
				case isNil(pass, e) || t == nil:
				case isInterface(t):
					pass.Reportf(e.Pos(), "case of an interface in a type switch: a value that has the methods may go to another case")
				case ownConcrete(t) != nil && isError(from):
					pass.Reportf(e.Pos(), "case of the interpreted type %s in a type switch on an error: goes to default", short(t))
				case ownConcrete(t) != nil && !hasVar:
					pass.Reportf(e.Pos(), "case of the interpreted type %s in a type switch without a variable: goes to default", short(t))
				}
			}
		}
	}, (*ast.TypeSwitchStmt)(nil))

// switchOperand is x of switch x.(type) and whether the switch declares a variable.
func switchOperand(s *ast.TypeSwitchStmt) (ast.Expr, bool) {
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		return a.Rhs[0].(*ast.TypeAssertExpr).X, true
	case *ast.ExprStmt:
		return a.X.(*ast.TypeAssertExpr).X, false
	}
	panic("a type switch without an operand")
}

// assertInterface: an interpreted value keeps its methods only in an interface
// that is interpreted too.
var assertInterface = construct("assertInterface", "an assertion to an interface fails for interpreted values, and for compiled ones if the interface is interpreted",
	func(pass *analysis.Pass, stack []ast.Node) {
		a := top[*ast.TypeAssertExpr](stack)
		if a.Type == nil {
			return // a type switch
		}
		from, to := pass.TypesInfo.TypeOf(a.X), pass.TypesInfo.TypeOf(a.Type)
		if isInterface(to) && own(from) == nil {
			pass.Reportf(a.Pos(), "assertion of %s to the interface %s fails or panics for interpreted values", short(from), short(to))
		}
	}, (*ast.TypeAssertExpr)(nil))

// assertError: Yaegi looks for its own wrapper in the first field of the value.
var assertError = construct("assertError", "an assertion of an error to a concrete type panics on a struct without fields, as context.DeadlineExceeded",
	func(pass *analysis.Pass, stack []ast.Node) {
		a := top[*ast.TypeAssertExpr](stack)
		if a.Type == nil {
			return // a type switch
		}
		from, to := pass.TypesInfo.TypeOf(a.X), pass.TypesInfo.TypeOf(a.Type)
		if isError(from) && !isInterface(to) {
			pass.Reportf(a.Pos(), "assertion of an error to %s panics on a struct without fields, as context.DeadlineExceeded", short(to))
		}
	}, (*ast.TypeAssertExpr)(nil))

// aliased: the wrapper around an interpreted value refers to the variable, it
// does not copy it.
var aliased = construct("aliased", "an interface that is set to a variable changes with it",
	func(pass *analysis.Pass, stack []ast.Node) {
		report := func(e ast.Expr, to types.Type) {
			id, ok := ast.Unparen(e).(*ast.Ident)
			if !ok || !isInterface(to) {
				return
			}
			v, ok := pass.TypesInfo.Uses[id].(*types.Var)
			if !ok {
				return
			}
			n, ok := types.Unalias(v.Type()).(*types.Named)
			if ok && ownConcrete(n) != nil && n.NumMethods() > 0 {
				pass.Reportf(e.Pos(), "the interface refers to the variable %s and changes with it: set it to a pointer or to a value without a name", id.Name)
			}
		}
		switch n := stack[len(stack)-1].(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, e := range n.Rhs {
					report(e, pass.TypesInfo.TypeOf(n.Lhs[i]))
				}
			}
		case *ast.ValueSpec:
			if n.Type != nil {
				for _, e := range n.Values {
					report(e, pass.TypesInfo.TypeOf(n.Type))
				}
			}
		case *ast.SendStmt:
			if c, ok := pass.TypesInfo.TypeOf(n.Chan).Underlying().(*types.Chan); ok {
				report(n.Value, c.Elem())
			}
		case *ast.CompositeLit:
			reportElements(pass, n, report)
		case *ast.CallExpr:
			sig, ok := pass.TypesInfo.TypeOf(n.Fun).(*types.Signature)
			_, builtin := callee(pass, n).(*types.Builtin)
			if !ok || !builtin && !inLoop(stack) {
				return // a call that is over before the variable changes
			}
			for i, e := range n.Args {
				report(e, paramType(sig, i))
			}
		}
	}, (*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.SendStmt)(nil), (*ast.CompositeLit)(nil), (*ast.CallExpr)(nil))

// reportElements calls report for each element with the type it is stored as.
func reportElements(pass *analysis.Pass, lit *ast.CompositeLit, report func(ast.Expr, types.Type)) {
	t := pass.TypesInfo.TypeOf(lit).Underlying()
	for i, e := range lit.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		if keyed {
			e = kv.Value
		}
		switch u := t.(type) {
		case *types.Struct:
			if keyed {
				report(e, pass.TypesInfo.TypeOf(kv.Key))
			} else {
				report(e, u.Field(i).Type())
			}
		case interface{ Elem() types.Type }: // slice, array, map
			report(e, u.Elem())
		}
	}
}

func paramType(sig *types.Signature, i int) types.Type {
	last := sig.Params().Len() - 1
	if i < last || !sig.Variadic() && i == last {
		return sig.Params().At(i).Type()
	}
	if s, ok := sig.Params().At(last).Type().(*types.Slice); ok {
		return s.Elem()
	}
	return nil
}

// computedInterface: the result of the operation is written as if the interface
// were a plain variable of its type.
var computedInterface = construct("computedInterface", "an interface that is set to an operation, as -n or a < b, is nil, or the assignment panics",
	func(pass *analysis.Pass, stack []ast.Node) {
		report := func(e ast.Expr, to types.Type) {
			if !isInterface(to) || pass.TypesInfo.Types[e].Value != nil {
				return
			}
			switch o := ast.Unparen(e).(type) {
			case *ast.BinaryExpr:
			case *ast.UnaryExpr:
				if o.Op == token.AND || o.Op == token.ARROW {
					return
				}
			default:
				return
			}
			pass.Reportf(e.Pos(), "an interface set to an operation is nil, or panics: assign it to a variable first")
		}
		switch s := top[ast.Stmt](stack).(type) {
		case *ast.AssignStmt:
			if len(s.Lhs) == len(s.Rhs) {
				for i, e := range s.Rhs {
					report(e, pass.TypesInfo.TypeOf(s.Lhs[i]))
				}
			}
		case *ast.ReturnStmt:
			results := enclosingFunc(pass, stack).Results()
			if len(s.Results) == results.Len() {
				for i, e := range s.Results {
					report(e, results.At(i).Type())
				}
			}
		}
	}, (*ast.AssignStmt)(nil), (*ast.ReturnStmt)(nil))

// twinTypes: Yaegi makes a value's type from its shape alone.
var twinTypes = construct("twinTypes", "an assertion to a type that Yaegi cannot tell from another of the same shape",
	func(pass *analysis.Pass, stack []ast.Node) {
		switch n := stack[len(stack)-1].(type) {
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				reportTwin(pass, n.Type, pass.TypesInfo.TypeOf(n.X))
			}
		case *ast.TypeSwitchStmt:
			operand, _ := switchOperand(n)
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					reportTwin(pass, e, pass.TypesInfo.TypeOf(operand))
				}
			}
		}
	}, (*ast.TypeAssertExpr)(nil), (*ast.TypeSwitchStmt)(nil))

func reportTwin(pass *analysis.Pass, e ast.Expr, from types.Type) {
	t := pass.TypesInfo.TypeOf(e)
	n := ownConcrete(t)
	if n == nil || n.TypeParams().Len() > 0 {
		return
	}
	if u, ok := n.Underlying().(*types.Basic); ok && types.AssignableTo(u, from) {
		pass.Reportf(e.Pos(), "assertion to %s holds for a plain %s too", short(t), u)
		return
	}
	want := shape(n, nil)
	for _, other := range ownTypes(pass.Pkg) {
		if other == n || shape(other, nil) != want {
			continue
		}
		var candidate types.Type = other
		if _, ok := types.Unalias(t).(*types.Pointer); ok {
			candidate = types.NewPointer(other)
		}
		if types.AssignableTo(candidate, from) {
			pass.Reportf(e.Pos(), "assertion to %s holds for a %s too: they have the same fields", short(t), short(candidate))
			return
		}
	}
}

// shape writes a type without the names that interpreted source gives.
func shape(t types.Type, around []types.Type) string {
	for _, a := range around {
		if a == t {
			return "itself"
		}
	}
	around = append(around, t)
	sub := func(t types.Type) string { return shape(t, around) }
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		if own(u) == nil {
			return u.String()
		}
		return sub(u.Underlying())
	case *types.Struct:
		fields := make([]string, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i).Name() + " " + sub(u.Field(i).Type())
		}
		return "struct{" + strings.Join(fields, ";") + "}"
	case *types.Interface:
		return "interface"
	case *types.Pointer:
		return "*" + sub(u.Elem())
	case *types.Slice:
		return "[]" + sub(u.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", u.Len(), sub(u.Elem()))
	case *types.Map:
		return "map[" + sub(u.Key()) + "]" + sub(u.Elem())
	case *types.Chan:
		return fmt.Sprintf("chan%d %s", u.Dir(), sub(u.Elem()))
	case *types.Signature:
		return "func" + sub(u.Params()) + sub(u.Results())
	case *types.Tuple:
		list := make([]string, u.Len())
		for i := range list {
			list[i] = sub(u.At(i).Type())
		}
		return "(" + strings.Join(list, ",") + ")"
	}
	return t.String()
}

// ownTypes are the types that a package and the interpreted ones it imports
// declare at their top.
func ownTypes(pkg *types.Package) []*types.Named {
	var list []*types.Named
	seen := make(map[*types.Package]bool)
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p] || isStd(p.Path()) {
			return
		}
		seen[p] = true
		for _, name := range p.Scope().Names() {
			tn, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() == 0 {
				list = append(list, n)
			}
		}
		for _, imported := range p.Imports() {
			visit(imported)
		}
	}
	visit(pkg)
	return list
}

// compare: an interpreted value in an interface has a wrapper around it, which
// is another one each time or cannot be compared at all.
var compare = func() *analysis.Analyzer {
	a := construct("compare", "a comparison of an interface value with an interpreted one is false or panics",
		func(pass *analysis.Pass, stack []ast.Node) {
			switch n := stack[len(stack)-1].(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					reportCompare(pass, n.OpPos, n.X, n.Y)
				}
			case *ast.SwitchStmt:
				if n.Tag == nil {
					return
				}
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						reportCompare(pass, e.Pos(), n.Tag, e)
					}
				}
			}
		}, (*ast.BinaryExpr)(nil), (*ast.SwitchStmt)(nil))
	a.Requires = append(a.Requires, sentinels)
	return a
}()

func reportCompare(pass *analysis.Pass, pos token.Pos, x, y ast.Expr) {
	tx, ty := pass.TypesInfo.TypeOf(x), pass.TypesInfo.TypeOf(y)
	if isNil(pass, x) || isNil(pass, y) || !isInterface(tx) && !isInterface(ty) {
		return
	}
	if isCompiledValue(pass, x) || isCompiledValue(pass, y) {
		return
	}
	pass.Reportf(pos, "comparison of %s with %s is false or panics when an interpreted value is in it", short(tx), short(ty))
}

var recovered = construct("recovered", "what recover returns is wrapped: it equals nothing, and no assertion on it holds",
	func(pass *analysis.Pass, stack []ast.Node) {
		f := stack[len(stack)-1]
		vars := make(map[types.Object]bool)
		ast.Inspect(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && isRecover(pass, a.Rhs[0]) {
				if id, ok := a.Lhs[0].(*ast.Ident); ok {
					vars[pass.TypesInfo.ObjectOf(id)] = true
				}
			}
			return true
		})
		is := func(e ast.Expr) bool {
			if isRecover(pass, e) {
				return true
			}
			id, ok := ast.Unparen(e).(*ast.Ident)
			return ok && vars[pass.TypesInfo.Uses[id]]
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if (is(n.X) || is(n.Y)) && !isNil(pass, n.X) && !isNil(pass, n.Y) {
					pass.Reportf(n.Pos(), "comparison with what recover returns is false")
				}
			case *ast.TypeAssertExpr:
				if is(n.X) {
					pass.Reportf(n.Pos(), "assertion on what recover returns fails")
				}
			case *ast.SwitchStmt:
				if n.Tag != nil && is(n.Tag) {
					pass.Reportf(n.Pos(), "comparison with what recover returns is false")
				}
			}
			return true
		})
	}, (*ast.FuncDecl)(nil))

func isRecover(pass *analysis.Pass, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	b, ok := callee(pass, call).(*types.Builtin)
	return ok && b.Name() == "recover"
}
