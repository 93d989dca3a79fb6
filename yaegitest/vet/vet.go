package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"sort"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// Finding is one construct at one place.
type Finding struct {
	// Key names the finding without a line number: file:function:construct,
	// with #2 and so on for more of a kind in one function. The file is
	// relative to the module's root; outside of functions the declared name
	// stands in the function's place.
	Key     string
	Pos     token.Position
	Message string
	Way     string // how the function around it is reached, empty outside of functions
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s\n\t%s\n\treached by %s", f.Pos.Filename, f.Pos.Line, f.Message, f.Key, f.Way)
}

// Run looks through the package in dir, the root of its module, and through
// what it imports from vendor/. overlay replaces files, by absolute path. The
// second list is of the findings in functions that cannot be reached.
func Run(dir string, overlay map[string][]byte) (found, passedOver []Finding, err error) {
	root, err := load(dir, overlay)
	if err != nil {
		return nil, nil, err
	}
	pkgs := interpretedPackages(root)
	graph, err := checker.Analyze(constructs, pkgs, nil)
	if err != nil {
		return nil, nil, err
	}
	reached, err := reachable(root)
	if err != nil {
		return nil, nil, err
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, nil, act.Err
		}
		for _, d := range act.Diagnostics {
			decl, f := enclosing(act.Package, d.Pos)
			pos := act.Package.Fset.Position(d.Pos)
			rel, err := filepath.Rel(dir, pos.Filename)
			if err != nil {
				return nil, nil, err
			}
			pos.Filename = filepath.ToSlash(rel)
			finding := Finding{Key: fmt.Sprintf("%s:%s:%s", pos.Filename, decl, act.Analyzer.Name), Pos: pos, Message: d.Message, Way: reached[f]}
			if f != nil && reached[f] == "" && !atImport[act.Analyzer] {
				passedOver = append(passedOver, finding)
			} else {
				found = append(found, finding)
			}
		}
	}
	number(found)
	number(passedOver)
	return found, passedOver, nil
}

// number sorts findings by place and makes their keys unique.
func number(list []Finding) {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i].Pos, list[j].Pos
		if a.Filename != b.Filename {
			return a.Filename < b.Filename
		}
		if a.Offset != b.Offset {
			return a.Offset < b.Offset
		}
		return list[i].Key < list[j].Key
	})
	count := make(map[string]int)
	for i, f := range list {
		count[f.Key]++
		if n := count[f.Key]; n > 1 {
			list[i].Key = fmt.Sprintf("%s#%d", f.Key, n)
		}
	}
}

// enclosing names the declaration around a position, "package" outside of any;
// f is nil unless it is a function.
func enclosing(p *packages.Package, pos token.Pos) (name string, f *types.Func) {
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			if pos < decl.Pos() || decl.End() <= pos {
				continue
			}
			switch d := decl.(type) {
			case *ast.FuncDecl:
				f := p.TypesInfo.Defs[d.Name].(*types.Func)
				return funcName(d), f
			case *ast.GenDecl:
				return declName(d, pos), nil
			}
		}
	}
	return "package", nil
}

// funcName is F, T.F or (*T).F.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		return "(*" + types.ExprString(p.X) + ")." + d.Name.Name
	}
	return types.ExprString(t) + "." + d.Name.Name
}

func declName(d *ast.GenDecl, pos token.Pos) string {
	for _, spec := range d.Specs {
		if pos < spec.Pos() || spec.End() <= pos {
			continue
		}
		switch s := spec.(type) {
		case *ast.TypeSpec:
			return s.Name.Name
		case *ast.ValueSpec:
			return s.Names[0].Name
		}
	}
	return d.Tok.String()
}
