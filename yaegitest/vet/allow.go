package vet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// allowed is a line of the allow list.
type allowed struct {
	line   int
	key    string // of the finding, without a line number
	reason string // why it does no harm
	test   string // file below yaegitest/ and function: vet/harmless_test.go:TestTimeout
}

// parseAllowList reads the entries, a line each, with blanks around the bars:
//
//	file:function:construct | reason | file_test.go:TestName
//
// Lines that begin with # and empty lines are comments.
func parseAllowList(text string) ([]allowed, error) {
	var list []allowed
	seen := make(map[string]int)
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " | ")
		if len(parts) != 3 {
			return nil, fmt.Errorf("line %d: must be key | reason | test, got %q", i+1, line)
		}
		a := allowed{line: i + 1, key: strings.TrimSpace(parts[0]), reason: strings.TrimSpace(parts[1]), test: strings.TrimSpace(parts[2])}
		if a.key == "" || a.reason == "" || a.test == "" {
			return nil, fmt.Errorf("line %d: must have a key, a reason and a test, got %q", i+1, line)
		}
		if at, ok := seen[a.key]; ok {
			return nil, fmt.Errorf("line %d: the same key as in line %d", i+1, at)
		}
		seen[a.key] = i + 1
		list = append(list, a)
	}
	return list, nil
}

// check compares findings with the allow list and returns what is wrong, a text
// each: findings that are not allowed, entries that no finding needs, and tests
// that do not exist below the folder tests.
func check(found []Finding, list []allowed, tests string) []string {
	var faults []string
	byKey := make(map[string]bool)
	for _, a := range list {
		byKey[a.key] = true
	}
	used := make(map[string]bool)
	for _, f := range found {
		used[f.Key] = true
		if !byKey[f.Key] {
			faults = append(faults, f.String())
		}
	}
	for _, a := range list {
		if !used[a.key] {
			faults = append(faults, fmt.Sprintf("allow.txt:%d: nothing is found at %s any more: remove the line", a.line, a.key))
		}
		if err := testExists(tests, a.test); err != nil {
			faults = append(faults, fmt.Sprintf("allow.txt:%d: %v", a.line, err))
		}
	}
	return faults
}

// testExists looks for a test as file_test.go:TestName below a folder.
func testExists(dir, test string) error {
	file, name, ok := strings.Cut(test, ":")
	if !ok || !strings.HasSuffix(file, "_test.go") || !strings.HasPrefix(name, "Test") {
		return fmt.Errorf("a test must be named file_test.go:TestName, got %q", test)
	}
	src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return fmt.Errorf("no file of tests %s", file)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range parsed.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
			return nil
		}
	}
	return fmt.Errorf("no test %s in %s", name, file)
}
