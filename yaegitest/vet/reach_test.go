package vet

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"
)

// TestReachable: in testdata/reach each function says by its name whether it is
// to be reached.
func TestReachable(t *testing.T) {
	pkg, err := load(abs(t, "testdata/reach"), nil)
	if err != nil {
		t.Fatal(err)
	}
	reached, err := reachable(pkg)
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			way, is := reached[pkg.TypesInfo.Defs[f.Name].(*types.Func)]
			switch name := f.Name.Name; {
			case strings.HasPrefix(name, "reached"):
				looked++
				if !is {
					t.Errorf("%s is not reached", name)
				}
			case strings.HasPrefix(name, "notReached"):
				looked++
				if is {
					t.Errorf("%s is reached by %s", name, way)
				}
			}
		}
	}
	if looked < 15 {
		t.Errorf("only %d functions looked at", looked)
	}
}
