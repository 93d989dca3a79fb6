package prune

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"

	"golang.org/x/tools/go/packages"
)

// rewrite takes out of the files of a package what is not kept, and the files
// and the folder of which nothing is left.
func rewrite(p *packages.Package, r *reach) error {
	left := false
	for _, file := range p.Syntax {
		name := p.Fset.Position(file.Package).Filename
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		c := cutter{file: p.Fset.File(file.Package), source: source, info: p.TypesInfo, reach: r}
		text, err := c.cut(file)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if text == nil {
			err = os.Remove(name)
		} else {
			left = true
			err = os.WriteFile(name, text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if !left {
		return removeEmpty(filepath.Dir(p.GoFiles[0]))
	}
	return nil
}

// removeEmpty removes a folder that has no folders below it, whatever
// documents lie there, and those above it which are then empty.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			return nil
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for dir = filepath.Dir(dir); os.Remove(dir) == nil; dir = filepath.Dir(dir) {
	}
	return nil
}

// cutter cuts pieces out of one file.
type cutter struct {
	file   *token.File
	source []byte
	info   *types.Info
	reach  *reach
	pieces []piece
}

type piece struct{ from, to int }

// cut is the file without what is not kept; nil when nothing is left.
func (c *cutter) cut(file *ast.File) ([]byte, error) {
	left := false
	end := c.lineEnd(file.Name.End())
	for _, decl := range file.Decls {
		from := end
		end = c.lineEnd(decl.End())
		if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.IMPORT {
			continue
		}
		if !c.declKept(decl) {
			c.pieces = append(c.pieces, piece{from, end})
			continue
		}
		left = true
		if group, ok := decl.(*ast.GenDecl); ok {
			c.cutGroup(group)
		}
	}
	if !left {
		return nil, nil
	}
	if n := len(c.pieces); n > 0 && c.pieces[n-1].to == end && end == c.lineEnd(file.Decls[len(file.Decls)-1].End()) {
		c.pieces[n-1].to = len(c.source) // with the comments behind the last declaration
	}
	c.cutImports(file)
	return format.Source(c.remaining())
}

func (c *cutter) declKept(decl ast.Decl) bool {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return c.reach.kept[c.info.Defs[decl.Name]]
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if c.specKept(spec) {
				return true
			}
		}
	}
	return false
}

func (c *cutter) specKept(spec ast.Spec) bool {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return c.reach.kept[c.info.Defs[spec.Name]]
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if c.reach.kept[c.info.Defs[name]] {
				return true
			}
		}
	}
	return false
}

// cutGroup cuts out of a declaration that stays what is not kept of it.
func (c *cutter) cutGroup(group *ast.GenDecl) {
	if group.Tok == token.CONST {
		return
	}
	end := 0
	if group.Lparen.IsValid() {
		end = c.lineEnd(group.Lparen)
	}
	for _, spec := range group.Specs {
		from := end
		end = c.lineEnd(spec.End())
		if !c.specKept(spec) {
			c.pieces = append(c.pieces, piece{from, end})
		} else if spec, ok := spec.(*ast.TypeSpec); ok {
			c.cutInterface(spec)
		}
	}
}

func (c *cutter) cutInterface(spec *ast.TypeSpec) {
	i, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return
	}
	end := c.lineEnd(i.Methods.Opening)
	for _, field := range i.Methods.List {
		from := end
		end = c.lineEnd(field.End())
		kept := false
		for _, name := range field.Names {
			kept = c.reach.kept[c.info.Defs[name]]
		}
		if len(field.Names) == 0 {
			kept = c.reach.embedKept(c.info, field)
		}
		if !kept {
			c.pieces = append(c.pieces, piece{from, end})
		}
	}
}

// cutImports cuts out the imports that only what was cut out mentions.
func (c *cutter) cutImports(file *ast.File) {
	mentioned := make(map[types.Object]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !c.isCut(id) {
			mentioned[c.info.Uses[id]] = true
		}
		return true
	})
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.IMPORT {
			continue
		}
		var cut []piece
		for _, spec := range group.Specs {
			if !c.importMentioned(spec.(*ast.ImportSpec), mentioned) {
				cut = append(cut, piece{c.lineStart(spec.Pos()), c.lineEnd(spec.End())})
			}
		}
		if len(cut) == len(group.Specs) {
			cut = []piece{{c.lineStart(group.Pos()), c.lineEnd(group.End())}}
		}
		c.pieces = append(c.pieces, cut...)
	}
}

func (c *cutter) importMentioned(spec *ast.ImportSpec, mentioned map[types.Object]bool) bool {
	if spec.Name == nil {
		return mentioned[c.info.Implicits[spec]]
	}
	return spec.Name.Name == "_" || spec.Name.Name == "." || mentioned[c.info.Defs[spec.Name]]
}

func (c *cutter) isCut(n ast.Node) bool {
	at := c.file.Offset(n.Pos())
	for _, p := range c.pieces {
		if p.from <= at && at < p.to {
			return true
		}
	}
	return false
}

// lineEnd is where the line ends on which the token before pos stands, with a comment behind it.
func (c *cutter) lineEnd(pos token.Pos) int {
	at := c.file.Offset(pos)
	if n := bytes.IndexByte(c.source[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(c.source)
}

// lineStart is the end of the line before that of pos.
func (c *cutter) lineStart(pos token.Pos) int {
	return bytes.LastIndexByte(c.source[:c.file.Offset(pos)], '\n')
}

func (c *cutter) remaining() []byte {
	sort.Slice(c.pieces, func(i, j int) bool { return c.pieces[i].from < c.pieces[j].from })
	var text []byte
	at := 0
	for _, p := range c.pieces {
		text = append(text, c.source[at:p.from]...)
		at = p.to
	}
	return append(text, c.source[at:]...)
}
