package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// recursiveValue: Yaegi builds the outer type while the inner one is not known
// yet, with a stand-in of size zero. Another struct that holds the same inner
// type is reported with it.
var recursiveValue = construct("recursiveValue", "a struct that holds by value a struct which refers back to it has overlapping fields",
	func(pass *analysis.Pass, stack []ast.Node) {
		spec := top[*ast.TypeSpec](stack)
		st, ok := spec.Type.(*ast.StructType)
		if !ok {
			return
		}
		for _, f := range st.Fields.List {
			t := held(pass.TypesInfo.TypeOf(f.Type))
			if t == nil {
				continue
			}
			if back := holder(t, t, make(map[types.Type]bool)); back != nil {
				pass.Reportf(f.Pos(), "%s holds %s by value, which refers to %s, which does too: fields overlap; use a pointer", spec.Name.Name, short(t), short(back))
			}
		}
	}, (*ast.TypeSpec)(nil))

// held is the interpreted struct that a field of type t holds by value, be it in
// an array; else nil.
func held(t types.Type) *types.Named {
	for {
		a, ok := t.Underlying().(*types.Array)
		if !ok {
			break
		}
		t = a.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || own(named) == nil {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return nil
	}
	return named
}

// holder finds, among the types that t is made of, one that holds inner by value.
func holder(t types.Type, inner *types.Named, seen map[types.Type]bool) *types.Named {
	t = types.Unalias(t)
	if seen[t] {
		return nil
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok && own(named) != nil {
		if s, ok := named.Underlying().(*types.Struct); ok {
			for i := 0; i < s.NumFields(); i++ {
				if held(s.Field(i).Type()) == inner {
					return named
				}
			}
		}
	}
	for _, part := range parts(t) {
		if h := holder(part, inner, seen); h != nil {
			return h
		}
	}
	return nil
}

// parts are the types that t is directly made of; nothing for compiled types.
func parts(t types.Type) []types.Type {
	var list []types.Type
	switch u := t.(type) {
	case *types.Named:
		if own(u) != nil {
			list = append(list, u.Underlying())
		}
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			list = append(list, u.Field(i).Type())
		}
	case *types.Interface:
		for i := 0; i < u.NumMethods(); i++ {
			list = append(list, u.Method(i).Type())
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{u.Params(), u.Results()} {
			for i := 0; i < tuple.Len(); i++ {
				list = append(list, tuple.At(i).Type())
			}
		}
	case *types.Map:
		list = append(list, u.Key(), u.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		list = append(list, u.Elem())
	}
	return list
}

var embeddedInterface = construct("embeddedInterface", "a method promoted from an embedded interpreted interface panics when called",
	func(pass *analysis.Pass, stack []ast.Node) {
		expr := top[*ast.SelectorExpr](stack)
		sel := pass.TypesInfo.Selections[expr]
		if sel == nil || sel.Kind() == types.FieldVal || len(sel.Index()) < 2 {
			return
		}
		t := sel.Recv()
		for _, i := range sel.Index()[:len(sel.Index())-1] {
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			t = t.Underlying().(*types.Struct).Field(i).Type()
		}
		if types.IsInterface(t) && own(t) != nil {
			pass.Reportf(expr.Sel.Pos(), "%s is promoted from the embedded interface %s: the call panics; name the field", expr.Sel.Name, short(t))
		}
	}, (*ast.SelectorExpr)(nil))

// wrapInterface: compiled code sees only the methods of the interface that it
// asked for, and those only if the struct declares them itself.
var wrapInterface = construct("wrapInterface", "a struct around a compiled interface loses methods, as http.Flusher, for compiled code",
	func(pass *analysis.Pass, stack []ast.Node) {
		spec := top[*ast.TypeSpec](stack)
		st, ok := spec.Type.(*ast.StructType)
		if !ok {
			return
		}
		for _, f := range st.Fields.List {
			t := pass.TypesInfo.TypeOf(f.Type)
			if len(f.Names) == 0 && isInterface(t) && own(t) == nil {
				pass.Reportf(f.Pos(), "%s embeds %s: compiled code does not see all of its methods", spec.Name.Name, short(t))
				return
			}
		}
		n, ok := pass.TypesInfo.Defs[spec.Name].Type().(*types.Named)
		if ok && hasMethods(n, "Header", "Write", "WriteHeader") {
			pass.Reportf(spec.Pos(), "%s is an http.ResponseWriter: compiled code does not see its other methods, as Flush", spec.Name.Name)
		}
	}, (*ast.TypeSpec)(nil))

func hasMethods(n *types.Named, names ...string) bool {
	set := types.NewMethodSet(types.NewPointer(n))
	for _, name := range names {
		if set.Lookup(n.Obj().Pkg(), name) == nil {
			return false
		}
	}
	return true
}

var typeParams = construct("typeParams", "with two type parameters or more the wrong one is inferred",
	func(pass *analysis.Pass, stack []ast.Node) {
		f := top[*ast.FuncDecl](stack)
		if f.Type.TypeParams.NumFields() > 1 {
			pass.Reportf(f.Pos(), "%s has more than one type parameter: the wrong one is inferred", f.Name.Name)
		}
	}, (*ast.FuncDecl)(nil))
