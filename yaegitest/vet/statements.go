package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

var selects = construct("selects", "a select statement: all goroutines that run it share one list of cases (yaegi#1658)",
	func(pass *analysis.Pass, stack []ast.Node) {
		pass.Reportf(top[*ast.SelectStmt](stack).Pos(), "select: goroutines that run it wait on each other's channels")
	}, (*ast.SelectStmt)(nil))

var bareReturn = construct("bareReturn", "a bare return of named results returns stale values",
	func(pass *analysis.Pass, stack []ast.Node) {
		ret := top[*ast.ReturnStmt](stack)
		if sig := enclosingFunc(pass, stack); len(ret.Results) == 0 && sig.Results().Len() > 0 {
			pass.Reportf(ret.Pos(), "bare return of named results returns stale values")
		}
	}, (*ast.ReturnStmt)(nil))

// resultOrder: Yaegi assigns the results one after the other, so a later one
// sees what an earlier one has become.
var resultOrder = construct("resultOrder", "a returned expression reads a named result that the same return sets",
	func(pass *analysis.Pass, stack []ast.Node) {
		ret := top[*ast.ReturnStmt](stack)
		sig := enclosingFunc(pass, stack)
		if len(ret.Results) != sig.Results().Len() {
			return
		}
		for i, set := range ret.Results {
			result := sig.Results().At(i)
			if id, ok := set.(*ast.Ident); ok && pass.TypesInfo.Uses[id] == result {
				continue // unchanged
			}
			for _, later := range ret.Results[i+1:] {
				if mentions(pass, later, result) {
					pass.Reportf(later.Pos(), "reads the named result %s after the same return has set it", result.Name())
				}
			}
		}
	}, (*ast.ReturnStmt)(nil))

// returnCall: the result of such a call is written to the place of another, or
// read before it is there.
var returnCall = construct("returnCall", "among several returned values, or returned as an interface, the result of a builtin, or of a call through a func value, is lost",
	func(pass *analysis.Pass, stack []ast.Node) {
		ret := top[*ast.ReturnStmt](stack)
		results := enclosingFunc(pass, stack).Results()
		if len(ret.Results) != results.Len() {
			return
		}
		for i, e := range ret.Results {
			converted := isInterface(results.At(i).Type()) && !isInterface(pass.TypesInfo.TypeOf(e))
			if len(ret.Results) == 1 && !converted {
				return
			}
			call, ok := ast.Unparen(e).(*ast.CallExpr)
			if !ok || pass.TypesInfo.Types[call.Fun].IsType() {
				continue
			}
			switch f := callee(pass, call).(type) {
			case *types.Func:
			case *types.Builtin:
				if i > 0 {
					pass.Reportf(e.Pos(), "%s after the first of several returned values panics or is lost: assign it first", f.Name())
				}
			default:
				pass.Reportf(e.Pos(), "what a call through a func value returns is lost here: assign it first")
			}
		}
	}, (*ast.ReturnStmt)(nil))

// forwardResults: return f() passes the results on without converting them.
var forwardResults = construct("forwardResults", "return f() loses a result when another is of a different type than the one declared",
	func(pass *analysis.Pass, stack []ast.Node) {
		ret := top[*ast.ReturnStmt](stack)
		sig := enclosingFunc(pass, stack)
		if len(ret.Results) != 1 || sig.Results().Len() < 2 {
			return
		}
		call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr)
		if !ok {
			return
		}
		if f, ok := callee(pass, call).(*types.Func); ok && f.Pkg() != nil && isStd(f.Pkg().Path()) {
			return
		}
		got, ok := pass.TypesInfo.TypeOf(call).(*types.Tuple)
		if !ok {
			return
		}
		for i := 0; i < got.Len(); i++ {
			if !types.Identical(got.At(i).Type(), sig.Results().At(i).Type()) {
				pass.Reportf(ret.Pos(), "return of a call whose results are converted loses some of them: assign them first")
				return
			}
		}
	}, (*ast.ReturnStmt)(nil))

func mentions(pass *analysis.Pass, e ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && pass.TypesInfo.Uses[id] == v {
			found = true
		}
		return !found
	})
	return found
}

var receive = construct("receive", "a receive that is returned, or assigned to anything but a variable, panics or is lost",
	func(pass *analysis.Pass, stack []ast.Node) {
		switch s := top[ast.Stmt](stack).(type) {
		case *ast.ReturnStmt:
			for _, e := range s.Results {
				if isReceive(e) {
					pass.Reportf(e.Pos(), "return of a receive panics: assign it to a variable first")
				}
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || len(s.Rhs) != 1 || !isReceive(s.Rhs[0]) {
				return
			}
			for _, e := range s.Lhs {
				if id, ok := ast.Unparen(e).(*ast.Ident); !ok {
					pass.Reportf(e.Pos(), "a receive into something else than a variable is lost")
				} else if id.Name == "_" && len(s.Lhs) == 2 {
					pass.Reportf(e.Pos(), "a receive into _ and a variable panics")
				}
			}
		}
	}, (*ast.ReturnStmt)(nil), (*ast.AssignStmt)(nil))

var nilAssign = construct("nilAssign", "nil among several values that are assigned at once panics",
	func(pass *analysis.Pass, stack []ast.Node) {
		s := top[*ast.AssignStmt](stack)
		if s.Tok == token.DEFINE || len(s.Rhs) < 2 {
			return
		}
		for _, e := range s.Rhs {
			if isNil(pass, e) {
				pass.Reportf(e.Pos(), "nil in an assignment of several values panics")
			}
		}
	}, (*ast.AssignStmt)(nil))

// nilReceive: nil takes the place that a receive writes to.
var nilReceive = construct("nilReceive", "a receive into a variable that nil was assigned to panics",
	func(pass *analysis.Pass, stack []ast.Node) {
		receives := top[*ast.AssignStmt](stack)
		if receives.Tok == token.DEFINE || len(receives.Rhs) != 1 || !isReceive(receives.Rhs[0]) {
			return
		}
		into := assigned(pass, receives.Lhs[0])
		cleared := false
		ast.Inspect(outermost(stack), func(n ast.Node) bool {
			s, ok := n.(*ast.AssignStmt)
			cleared = cleared || ok && into != nil && len(s.Rhs) == 1 && isNil(pass, s.Rhs[0]) && assigned(pass, s.Lhs[0]) == into
			return !cleared
		})
		if cleared {
			pass.Reportf(receives.Pos(), "a receive into %s, to which nil is assigned elsewhere, panics", into.Name())
		}
	}, (*ast.AssignStmt)(nil))

// receivedSet: a receive leaves in the variable's place a value that nothing can be written to.
var receivedSet = construct("receivedSet", "an assignment to a variable into which a receive went panics",
	func(pass *analysis.Pass, stack []ast.Node) {
		sets := top[*ast.AssignStmt](stack)
		if sets.Tok == token.DEFINE || len(sets.Rhs) == 1 && (isReceive(sets.Rhs[0]) || isNil(pass, sets.Rhs[0])) {
			return
		}
		for _, e := range sets.Lhs {
			to := assigned(pass, e)
			received := false
			ast.Inspect(outermost(stack), func(n ast.Node) bool {
				s, ok := n.(*ast.AssignStmt)
				received = received || ok && to != nil && len(s.Rhs) == 1 && isReceive(s.Rhs[0]) && named(pass, s.Lhs[0]) == to
				return !received
			})
			if received {
				pass.Reportf(sets.Pos(), "an assignment to %s, into which a receive goes, panics", to.Name())
			}
		}
	}, (*ast.AssignStmt)(nil))

// named is the variable that e is or defines, else nil.
func named(pass *analysis.Pass, e ast.Expr) types.Object {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && pass.TypesInfo.Defs[id] != nil {
		return pass.TypesInfo.Defs[id]
	}
	return assigned(pass, e)
}

// assigned is the variable that e is, else nil.
func assigned(pass *analysis.Pass, e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	return pass.TypesInfo.Uses[id]
}

// outermost is the declaration around a node.
func outermost(stack []ast.Node) ast.Node {
	for _, n := range stack {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f
		}
	}
	return stack[0]
}

// parallelAssign: a call on the right writes its result straight into its place,
// in the middle of the other assignments, and a literal leaves the others out.
var parallelAssign = construct("parallelAssign", "an assignment of calls, or of literals, and other values at once loses some of them",
	func(pass *analysis.Pass, stack []ast.Node) {
		var values []ast.Expr
		defines := true
		switch s := stack[len(stack)-1].(type) {
		case *ast.AssignStmt:
			values, defines = s.Rhs, s.Tok == token.DEFINE
		case *ast.ValueSpec:
			values = s.Values
		}
		calls, literals := 0, 0
		for _, e := range values {
			switch e := ast.Unparen(e).(type) {
			case *ast.CallExpr:
				if !pass.TypesInfo.Types[e.Fun].IsType() {
					calls++
				}
			case *ast.CompositeLit:
				literals++
			}
		}
		if calls > 0 && calls < len(values) && !defines {
			pass.Reportf(stack[len(stack)-1].Pos(), "a call among the several values of an assignment: some of them are lost")
		}
		if literals > 0 && literals < len(values) {
			pass.Reportf(stack[len(stack)-1].Pos(), "a literal among the several values of an assignment: the others are lost")
		}
	}, (*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil))

// literalAssign: the variable gets a new place, which those who know the old one
// do not see.
var literalAssign = construct("literalAssign", "a struct literal assigned to a named result, or to a variable that a closure or a pointer refers to, is lost",
	func(pass *analysis.Pass, stack []ast.Node) {
		s := top[*ast.AssignStmt](stack)
		if s.Tok != token.ASSIGN || len(s.Lhs) != len(s.Rhs) {
			return
		}
		for i, e := range s.Rhs {
			id, ok := ast.Unparen(s.Lhs[i]).(*ast.Ident)
			if _, isLit := ast.Unparen(e).(*ast.CompositeLit); !ok || !isLit {
				continue
			}
			v, ok := pass.TypesInfo.Uses[id].(*types.Var)
			if !ok || v.Parent() == pass.Pkg.Scope() {
				continue
			}
			if _, isStruct := v.Type().Underlying().(*types.Struct); isStruct && isShared(pass, v, stack) {
				pass.Reportf(s.Pos(), "the literal does not reach %s as a result, a closure or a pointer sees it: set its fields, or assign from another variable", v.Name())
			}
		}
	}, (*ast.AssignStmt)(nil))

// isShared tells whether v is a named result, or used in a closure within the
// function that declares it, or has its address taken.
func isShared(pass *analysis.Pass, v *types.Var, stack []ast.Node) bool {
	var function ast.Node
	for i := len(stack) - 1; i >= 0; i-- {
		var results *ast.FieldList
		switch f := stack[i].(type) {
		case *ast.FuncLit:
			results = f.Type.Results
		case *ast.FuncDecl:
			results = f.Type.Results
		default:
			continue
		}
		if stack[i].Pos() > v.Pos() || v.Pos() > stack[i].End() {
			continue // v comes from further out
		}
		function = stack[i]
		if results != nil && results.Pos() <= v.Pos() && v.Pos() < results.End() {
			return true
		}
		break
	}
	if function == nil {
		return false
	}
	shared := false
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if n != function && n.Pos() > v.Pos() || n.End() < v.Pos() {
				shared = shared || mentions(pass, n, v)
			}
		case *ast.UnaryExpr:
			id, ok := ast.Unparen(n.X).(*ast.Ident)
			shared = shared || ok && n.Op == token.AND && pass.TypesInfo.Uses[id] == v
		}
		return !shared
	})
	return shared
}

// spreadCall: f(g()) with what g returns.
var spreadCall = construct("spreadCall", "f(g()), where g returns several values and f takes an interpreted interface, panics",
	func(pass *analysis.Pass, stack []ast.Node) {
		call := top[*ast.CallExpr](stack)
		if len(call.Args) != 1 {
			return
		}
		if _, ok := pass.TypesInfo.TypeOf(call.Args[0]).(*types.Tuple); !ok {
			return
		}
		sig, ok := pass.TypesInfo.TypeOf(call.Fun).(*types.Signature)
		if !ok {
			return
		}
		for i := 0; i < sig.Params().Len(); i++ {
			if t := sig.Params().At(i).Type(); isInterface(t) && own(t) != nil {
				pass.Reportf(call.Pos(), "a call of a function that takes a %s with the results of another panics: assign them first", short(t))
				return
			}
		}
	}, (*ast.CallExpr)(nil))

// parens: gofmt takes doubled ones out, but leaves these.
var parens = construct("parens", "parentheses around a mere variable panic in a condition",
	func(pass *analysis.Pass, stack []ast.Node) {
		p := top[*ast.ParenExpr](stack)
		if id, ok := p.X.(*ast.Ident); ok && !pass.TypesInfo.Types[id].IsType() {
			pass.Reportf(p.Pos(), "parentheses around %s may panic in a condition: leave them out", id.Name)
		}
	}, (*ast.ParenExpr)(nil))

var unnamedParams = construct("unnamedParams", "unnamed parameters shift what the function's variables and results refer to",
	func(pass *analysis.Pass, stack []ast.Node) {
		var params *ast.FieldList
		switch f := stack[len(stack)-1].(type) {
		case *ast.FuncDecl:
			params = f.Type.Params
		case *ast.FuncLit:
			params = f.Type.Params
		}
		for _, p := range params.List {
			if len(p.Names) == 0 {
				pass.Reportf(p.Pos(), "an unnamed parameter shifts the function's variables and results: name it _")
				return
			}
		}
	}, (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil))

var mapAssign = construct("mapAssign", "a call's results assigned to several places, one of them in a map, do not reach the map",
	func(pass *analysis.Pass, stack []ast.Node) {
		s := top[*ast.AssignStmt](stack)
		if len(s.Lhs) < 2 || len(s.Rhs) != 1 {
			return
		}
		if _, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); !ok {
			return
		}
		for _, e := range s.Lhs {
			index, ok := ast.Unparen(e).(*ast.IndexExpr)
			if !ok {
				continue
			}
			if _, ok := pass.TypesInfo.TypeOf(index.X).Underlying().(*types.Map); ok {
				pass.Reportf(e.Pos(), "one of several results assigned to a map does not reach it")
			}
		}
	}, (*ast.AssignStmt)(nil))

var loopClosure = construct("loopClosure", "a closure made in a loop sees the variables of another turn, and keeps memory until the function returns",
	func(pass *analysis.Pass, stack []ast.Node) {
		if inLoop(stack) {
			pass.Reportf(top[*ast.FuncLit](stack).Pos(), "closure made in a loop: it may see the variables of another turn; make it in a function of its own")
		}
	}, (*ast.FuncLit)(nil))

var loopDefer = construct("loopDefer", "a defer in a loop runs with the arguments of the last turn",
	func(pass *analysis.Pass, stack []ast.Node) {
		if inLoop(stack) {
			pass.Reportf(top[*ast.DeferStmt](stack).Pos(), "defer in a loop runs with the arguments of the last turn")
		}
	}, (*ast.DeferStmt)(nil))

var rangeValue = construct("rangeValue", "a range over channels by value, or over a pointer to an array, panics",
	func(pass *analysis.Pass, stack []ast.Node) {
		s := top[*ast.RangeStmt](stack)
		t := pass.TypesInfo.TypeOf(s.X)
		if t == nil {
			return
		}
		if p, ok := t.Underlying().(*types.Pointer); ok {
			pass.Reportf(s.X.Pos(), "a range over %s panics: range over the array or a slice", short(p))
		}
		if s.Value == nil {
			return
		}
		if v := pass.TypesInfo.TypeOf(s.Value); v != nil {
			if _, ok := v.Underlying().(*types.Chan); ok {
				pass.Reportf(s.Value.Pos(), "a range whose value is a channel panics: use the index")
			}
		}
	}, (*ast.RangeStmt)(nil))

var rangeOver = construct("rangeOver", "a range over an integer or a function panics at import",
	func(pass *analysis.Pass, stack []ast.Node) {
		s := top[*ast.RangeStmt](stack)
		t := pass.TypesInfo.TypeOf(s.X)
		if t == nil {
			return
		}
		switch u := t.Underlying().(type) {
		case *types.Signature:
			pass.Reportf(s.Pos(), "range over a function panics at import")
		case *types.Basic:
			if u.Info()&types.IsInteger != 0 {
				pass.Reportf(s.Pos(), "range over an integer panics at import")
			}
		}
	}, (*ast.RangeStmt)(nil))
