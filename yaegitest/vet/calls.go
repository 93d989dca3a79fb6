package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

var variadic = construct("variadic", "a []any among the arguments of an interpreted func(...any) is spread",
	func(pass *analysis.Pass, stack []ast.Node) {
		call := top[*ast.CallExpr](stack)
		sig, ok := pass.TypesInfo.TypeOf(call.Fun).(*types.Signature)
		if !ok || !sig.Variadic() || call.Ellipsis.IsValid() {
			return
		}
		if f, ok := callee(pass, call).(*types.Func); ok && f.Pkg() != nil && isStd(f.Pkg().Path()) {
			return
		}
		last := sig.Params().Len() - 1
		rest := sig.Params().At(last).Type()
		if s, ok := rest.(*types.Slice); !ok || !isEmptyInterface(s.Elem()) {
			return
		}
		for i := last; i < len(call.Args); i++ {
			if types.Identical(pass.TypesInfo.TypeOf(call.Args[i]), rest) {
				pass.Reportf(call.Args[i].Pos(), "a []any without ... is spread into the arguments")
			}
		}
	}, (*ast.CallExpr)(nil))

func isEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

var marshal = construct("marshal", "encoding a struct writes its unexported fields as Xname",
	func(pass *analysis.Pass, stack []ast.Node) {
		call := top[*ast.CallExpr](stack)
		for _, pkg := range []string{"encoding/json", "encoding/xml", "encoding/gob"} {
			if !calls(pass, call, pkg, "Marshal", "MarshalIndent", "Encode") || len(call.Args) == 0 {
				continue
			}
			if t := pass.TypesInfo.TypeOf(call.Args[0]); hidesFields(t, make(map[types.Type]bool)) {
				pass.Reportf(call.Args[0].Pos(), "unexported fields of %s are written too, as Xname", short(t))
			}
		}
	}, (*ast.CallExpr)(nil))

// hidesFields tells whether a struct of interpreted source with an unexported
// field is a part of t.
func hidesFields(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	if s, ok := t.(*types.Struct); ok {
		for i := 0; i < s.NumFields(); i++ {
			if !s.Field(i).Exported() && !isStd(s.Field(i).Pkg().Path()) {
				return true
			}
		}
	}
	for _, part := range parts(t) {
		if hidesFields(part, seen) {
			return true
		}
	}
	return false
}

// format: compiled code sees an interpreted value as a bare struct, or, if the
// type has methods, as the wrapper that holds it.
var format = construct("format", "%T, %+v and %#v show an interpreted value raw, verbs for numbers the wrapper around it",
	func(pass *analysis.Pass, stack []ast.Node) {
		call := top[*ast.CallExpr](stack)
		first := 0 // the argument with the format
		switch {
		case calls(pass, call, "fmt", "Printf", "Sprintf", "Errorf"), calls(pass, call, "log", "Printf", "Fatalf", "Panicf"):
		case calls(pass, call, "fmt", "Fprintf", "Appendf"):
			first = 1
		default:
			return
		}
		if len(call.Args) <= first || call.Ellipsis.IsValid() {
			return
		}
		v := pass.TypesInfo.Types[call.Args[first]].Value
		if v == nil || v.Kind() != constant.String {
			return
		}
		for i, verb := range verbs(constant.StringVal(v)) {
			if first+1+i >= len(call.Args) {
				break
			}
			arg := call.Args[first+1+i]
			n := own(pass.TypesInfo.TypeOf(arg))
			if n == nil {
				continue
			}
			switch verb {
			case "%T", "%+v", "%#v":
				pass.Reportf(arg.Pos(), "%s shows the interpreted type %s raw", verb, n.Obj().Name())
			case "%v", "%s", "%q", "%p", "%w":
			default:
				if n.NumMethods() > 0 {
					pass.Reportf(arg.Pos(), "%s shows the wrapper of %s, which has methods", verb, n.Obj().Name())
				}
			}
		}
	}, (*ast.CallExpr)(nil))

// verbs splits a format into its verbs, one per argument, without width and precision.
func verbs(format string) []string {
	var list []string
	for {
		_, after, found := strings.Cut(format, "%")
		if !found {
			return list
		}
		flags := after[:len(after)-len(strings.TrimLeft(after, "+#- 0123456789."))]
		after = after[len(flags):]
		if after == "" {
			return list
		}
		flags = strings.Map(func(r rune) rune {
			if r == '+' || r == '#' {
				return r
			}
			return -1
		}, flags)
		if after[0] != '%' {
			list = append(list, "%"+flags+after[:1])
		}
		format = after[1:]
	}
}

var methodExpr = construct("methodExpr", "a method expression with a pointer receiver panics, unless it is called where it stands",
	func(pass *analysis.Pass, stack []ast.Node) {
		expr := top[*ast.SelectorExpr](stack)
		sel := pass.TypesInfo.Selections[expr]
		if sel == nil || sel.Kind() != types.MethodExpr || own(sel.Recv()) == nil {
			return
		}
		if call, ok := stack[len(stack)-2].(*ast.CallExpr); ok && call.Fun == expr {
			return // (*T).m(t): costs no more than a function
		}
		if _, ok := sel.Recv().(*types.Pointer); ok {
			pass.Reportf(expr.Pos(), "a method expression with a pointer receiver panics")
		}
	}, (*ast.SelectorExpr)(nil))
