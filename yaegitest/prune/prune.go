// Package prune leaves out of a vendor folder every declaration that the
// package beside it cannot reach. What is not there is not interpreted: it
// takes no memory, no time at the start, and need not be trusted.
//
// It decides by types, not by what happens to run, so what is left compiles: a
// function is kept if what is kept mentions it, a method also if a kept
// interface may call it, a method of an interface only if something calls it.
// Fields of structs are all kept.
package prune

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Prune takes out of dir/vendor what the package in folder root, below dir or
// dir itself, does not reach. The packages that root does not import at all,
// those of the tests, stay as they are.
func Prune(dir, root string) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	loaded, err := load(dir, root)
	if err != nil {
		return err
	}
	r := newReach(loaded, func(p *packages.Package) bool {
		return len(p.GoFiles) > 0 && strings.HasPrefix(p.GoFiles[0], filepath.Join(dir, "vendor")+string(filepath.Separator))
	})
	r.run()
	for _, p := range loaded {
		if !r.pruned[p.Types] {
			continue
		}
		if err := rewrite(p, r); err != nil {
			return err
		}
	}
	return nil
}

// load reads the package in folder root and all that it imports outside of the
// standard library, as vendor/ has it, imported ones first. The types of the
// standard library come compiled: nothing else needs to be.
func load(dir, root string) ([]*packages.Package, error) {
	config := &packages.Config{
		Dir:        filepath.Join(dir, root),
		BuildFlags: []string{"-mod=vendor"},
		Env:        append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"),
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps,
	}
	named, err := packages.Load(config, ".")
	if err != nil {
		return nil, err
	}
	var loaded []*packages.Package
	var compiled []string
	packages.Visit(named, nil, func(p *packages.Package) {
		if first, _, _ := strings.Cut(p.PkgPath, "/"); strings.Contains(first, ".") {
			loaded = append(loaded, p)
		} else {
			compiled = append(compiled, p.PkgPath)
		}
	})
	if len(loaded) < 2 {
		return nil, fmt.Errorf("%s imports nothing from vendor/", config.Dir)
	}
	config.Mode = packages.NeedName | packages.NeedTypes
	std, err := packages.Load(config, compiled...)
	if err != nil {
		return nil, err
	}
	known := importer{}
	for _, p := range std {
		known[p.PkgPath] = p.Types
	}
	for _, p := range loaded {
		if err := check(p, known); err != nil {
			return nil, err
		}
	}
	return loaded, nil
}

// importer finds packages by their path.
type importer map[string]*types.Package

// Import implements types.Importer.
func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// check reads the files of a package and finds its types.
func check(p *packages.Package, known importer) error {
	if len(p.Errors) > 0 {
		return p.Errors[0]
	}
	p.Fset = token.NewFileSet()
	p.Syntax = nil
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(p.Fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.Syntax = append(p.Syntax, file)
	}
	p.TypesInfo = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
	}
	var err error
	p.Types, err = (&types.Config{Importer: known}).Check(p.PkgPath, p.Fset, p.Syntax, p.TypesInfo)
	known[p.PkgPath] = p.Types
	return err
}

// interfaceOf is the interface that a type is, or nil.
func interfaceOf(t types.Type) *types.Interface {
	i, _ := t.Underlying().(*types.Interface)
	return i
}
