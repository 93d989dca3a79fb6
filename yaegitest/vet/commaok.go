package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/ssa"
)

// commaOk: without a match the value is not set at all. In a variable that has
// had another value, also the same statement's in an earlier turn of a loop, that
// one stays.
var commaOk = &analysis.Analyzer{
	Name:             "commaOk",
	Doc:              "v, ok = m[k] and v, ok = x.(T) leave v as it was when ok is false",
	Requires:         []*analysis.Analyzer{inspect.Analyzer, buildssa.Analyzer},
	RunDespiteErrors: false, // SSA needs types
	Run: func(pass *analysis.Pass) (any, error) {
		if isStd(pass.Pkg.Path()) {
			return nil, nil
		}
		again := setAgain(pass)
		for _, f := range pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA).SrcFuncs {
			for _, block := range f.Blocks {
				for _, instr := range block.Instrs {
					v, ok := instr.(ssa.Value)
					if ok && isCommaOk(v) && again[v.Pos()] && usedWithoutOk(v) {
						pass.Reportf(v.Pos(), "when there is no such value the variable keeps its last one: use it only if ok is true")
					}
				}
			}
		}
		return nil, nil
	},
}

// setAgain finds, by the positions that SSA knows them by, the map reads and
// assertions whose variable may have had a value before.
func setAgain(pass *analysis.Pass) map[token.Pos]bool {
	again := make(map[token.Pos]bool)
	in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	in.WithStack([]ast.Node{(*ast.AssignStmt)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		s := n.(*ast.AssignStmt)
		if !push || len(s.Lhs) != 2 || len(s.Rhs) != 1 || s.Tok == token.DEFINE && !inLoop(stack) {
			return true
		}
		if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
			return true
		}
		switch e := ast.Unparen(s.Rhs[0]).(type) {
		case *ast.IndexExpr:
			again[e.Lbrack] = true
		case *ast.TypeAssertExpr:
			again[e.Lparen] = true
		}
		return true
	})
	return again
}

func isCommaOk(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Lookup:
		_, isMap := v.X.Type().Underlying().(*types.Map)
		return v.CommaOk && isMap
	case *ssa.TypeAssert:
		return v.CommaOk
	}
	return false
}

// usedWithoutOk tells whether the value of the pair is used where ok may be false.
func usedWithoutOk(pair ssa.Value) bool {
	var value, ok *ssa.Extract
	for _, ref := range *pair.Referrers() {
		if e, is := ref.(*ssa.Extract); is {
			if e.Index == 0 {
				value = e
			} else {
				ok = e
			}
		}
	}
	if value == nil {
		return false
	}
	for _, use := range *value.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.Phi:
			for i, edge := range use.Edges {
				from := use.Block().Preds[i]
				if edge == value && !onlyIfOk(ok, from) && !isOkEdge(ok, from, use.Block()) {
					return true
				}
			}
		default:
			if !onlyIfOk(ok, use.Block()) {
				return true
			}
		}
	}
	return false
}

// onlyIfOk tells whether a block is entered only when ok is true.
func onlyIfOk(ok *ssa.Extract, block *ssa.BasicBlock) bool {
	for b := block; b != nil; b = b.Idom() {
		if d := b.Idom(); d != nil && len(b.Preds) == 1 && isOkEdge(ok, d, b) {
			return true
		}
	}
	return false
}

// isOkEdge tells whether from branches to the block to when ok is true.
func isOkEdge(ok *ssa.Extract, from, to *ssa.BasicBlock) bool {
	if ok == nil || len(from.Instrs) == 0 {
		return false
	}
	branch, is := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	return is && branch.Cond == ok && from.Succs[0] == to
}
