package prune

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// reach finds what is kept. Its objects are those that stand at the top of a
// package, methods, and methods of interfaces.
type reach struct {
	loaded     []*packages.Package
	pruned     map[*types.Package]bool
	info       map[*types.Package]*types.Info
	decls      map[types.Object]ast.Node // where an object of a pruned package is declared: a FuncDecl, a spec, a group, or a method of an interface
	kept       map[types.Object]bool
	work       []types.Object
	named      []*types.TypeName  // all types of pruned packages
	interfaces []*types.Interface // of everywhere else, whose methods may all be called
	answers    map[question]bool
}

// question is whether a type satisfies an interface as published.
type question struct {
	of types.Type
	by *types.Interface
}

// unseen are methods by which the standard library asks an error, through
// interfaces that have no name.
var unseen = []string{"Unwrap", "Is", "As", "Timeout", "Temporary"}

func newReach(loaded []*packages.Package, isPruned func(*packages.Package) bool) *reach {
	r := &reach{
		loaded:  loaded,
		pruned:  make(map[*types.Package]bool),
		info:    make(map[*types.Package]*types.Info),
		decls:   make(map[types.Object]ast.Node),
		kept:    make(map[types.Object]bool),
		answers: make(map[question]bool),
	}
	for _, p := range loaded {
		r.pruned[p.Types] = isPruned(p)
		r.info[p.Types] = p.TypesInfo
	}
	for _, p := range loaded {
		if r.pruned[p.Types] {
			r.index(p)
		}
		for _, imported := range p.Types.Imports() {
			if r.info[imported] == nil {
				r.addInterfaces(imported)
			}
		}
	}
	r.interfaces = append(r.interfaces, interfaceOf(types.Universe.Lookup("error").Type()))
	return r
}

// index notes where the objects of a package are declared.
func (r *reach) index(p *packages.Package) {
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				r.decls[p.TypesInfo.Defs[decl.Name]] = decl
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					r.indexSpec(p, decl, spec)
				}
			}
		}
	}
}

func (r *reach) indexSpec(p *packages.Package, group *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		obj := p.TypesInfo.Defs[spec.Name]
		r.decls[obj] = spec
		r.named = append(r.named, obj.(*types.TypeName))
		for _, field := range interfaceFields(spec) {
			for _, name := range field.Names {
				r.decls[p.TypesInfo.Defs[name]] = field
			}
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			obj := p.TypesInfo.Defs[name]
			r.decls[obj] = spec
			if group.Tok == token.CONST {
				r.decls[obj] = group // a constant may count on those above it
			}
		}
	}
}

// interfaceFields are the methods and embedded types of a declared interface.
func interfaceFields(spec *ast.TypeSpec) []*ast.Field {
	if i, ok := spec.Type.(*ast.InterfaceType); ok {
		return i.Methods.List
	}
	return nil
}

// addInterfaces adds those that a package from outside declares.
func (r *reach) addInterfaces(p *types.Package) {
	for _, name := range p.Scope().Names() {
		if obj, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
			if i := interfaceOf(obj.Type()); i != nil && i.IsMethodSet() {
				r.interfaces = append(r.interfaces, i)
			}
		}
	}
}

// run follows what the packages that are not pruned mention, until nothing is added.
func (r *reach) run() {
	for _, p := range r.loaded {
		if !r.pruned[p.Types] {
			for _, file := range p.Syntax {
				r.follow(p.TypesInfo, file)
			}
		}
	}
	for {
		for len(r.work) > 0 {
			obj := r.work[len(r.work)-1]
			r.work = r.work[:len(r.work)-1]
			r.followDecl(obj)
		}
		r.satisfy()
		r.initialise()
		if len(r.work) == 0 {
			return
		}
	}
}

func (r *reach) keep(obj types.Object) {
	if f, ok := obj.(*types.Func); ok {
		obj = f.Origin()
	}
	if r.decls[obj] != nil && !r.kept[obj] {
		r.kept[obj] = true
		r.work = append(r.work, obj)
	}
}

// followDecl keeps what the declaration of an object mentions. Of an interface
// that are neither its methods nor what it embeds.
func (r *reach) followDecl(obj types.Object) {
	info := r.info[obj.Pkg()]
	switch decl := r.decls[obj].(type) {
	case *ast.TypeSpec:
		if _, ok := decl.Type.(*ast.InterfaceType); !ok {
			r.follow(info, decl)
		}
	case *ast.Field:
		r.follow(info, decl.Type)
	default:
		r.follow(info, decl)
	}
}

// follow keeps what n mentions.
func (r *reach) follow(info *types.Info, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			r.keep(info.Uses[n])
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range spec.Names {
						r.keep(info.Defs[name]) // of a group of constants
					}
				}
			}
		case *ast.InterfaceType:
			if i, ok := info.TypeOf(n).(*types.Interface); ok {
				r.interfaces = append(r.interfaces, i)
			}
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				r.keepWhole(info.TypeOf(n.Type))
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				if tv := info.Types[e]; tv.IsType() {
					r.keepWhole(tv.Type)
				}
			}
		}
		return true
	})
}

// keepWhole keeps all methods of an interface: an assertion to it asks for each.
func (r *reach) keepWhole(t types.Type) {
	i := interfaceOf(t)
	for n := 0; i != nil && n < i.NumMethods(); n++ {
		r.keep(i.Method(n))
	}
}

// satisfy keeps the methods by which kept types satisfy interfaces, as far as
// their methods are kept, and what kept interfaces embed.
func (r *reach) satisfy() {
	interfaces := r.interfaces
	for _, name := range r.named {
		i := interfaceOf(name.Type())
		if i == nil || !r.kept[name] {
			continue
		}
		interfaces = append(interfaces[:len(interfaces):len(interfaces)], i)
		for _, field := range interfaceFields(r.decls[name].(*ast.TypeSpec)) {
			if len(field.Names) == 0 && r.embedKept(r.info[name.Pkg()], field) {
				r.follow(r.info[name.Pkg()], field.Type)
			}
		}
	}
	for _, name := range r.named {
		if !r.kept[name] {
			continue
		}
		for _, i := range interfaces {
			r.satisfyOne(name.Type(), i)
		}
		for _, method := range unseen {
			r.keepMethod(name.Type(), name.Pkg(), method)
		}
	}
}

func (r *reach) satisfyOne(t types.Type, i *types.Interface) {
	if !r.satisfies(t, i) {
		return
	}
	for n := 0; n < i.NumMethods(); n++ {
		if m := i.Method(n); r.decls[m] == nil || r.kept[m] {
			r.keepMethod(t, m.Pkg(), m.Name())
		}
	}
}

// satisfies reports whether a type, or a pointer to it, has the methods of i as published.
func (r *reach) satisfies(t types.Type, i *types.Interface) bool {
	q := question{t, i}
	answer, known := r.answers[q]
	if !known {
		answer = types.Implements(t, i) || interfaceOf(t) == nil && types.Implements(types.NewPointer(t), i)
		r.answers[q] = answer
	}
	return answer
}

func (r *reach) keepMethod(t types.Type, pkg *types.Package, name string) {
	if obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, name); obj != nil {
		if _, ok := obj.(*types.Func); ok {
			r.keep(obj)
		}
	}
}

// embedKept reports whether what an interface embeds is to be kept: a method of it is, or it is from elsewhere.
func (r *reach) embedKept(info *types.Info, field *ast.Field) bool {
	i := interfaceOf(info.TypeOf(field.Type))
	for n := 0; i != nil && n < i.NumMethods(); n++ {
		if m := i.Method(n); r.decls[m] == nil || r.kept[m] {
			return true
		}
	}
	return i == nil
}

// initialise keeps what runs by itself at the import of a package of which
// something is kept.
func (r *reach) initialise() {
	alive := make(map[*types.Package]bool)
	for obj := range r.kept {
		alive[obj.Pkg()] = true
	}
	for _, p := range r.loaded {
		if !alive[p.Types] {
			continue
		}
		for _, file := range p.Syntax {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
					r.keep(p.TypesInfo.Defs[f.Name])
				}
			}
		}
		for _, initializer := range p.TypesInfo.InitOrder {
			if r.calls(p.TypesInfo, initializer.Rhs) {
				for _, v := range initializer.Lhs {
					r.keep(v)
				}
			}
		}
	}
}

// calls reports whether an expression calls a function of a pruned package at once.
func (r *reach) calls(info *types.Info, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			ast.Inspect(call.Fun, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					f, ok := info.Uses[id].(*types.Func)
					found = found || ok && r.decls[f.Origin()] != nil
				}
				return true
			})
		}
		return true
	})
	return found
}
