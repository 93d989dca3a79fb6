package ratelimit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strings"
	"testing"
	"time"
)

// What an alarm is for shows only after hours, in the memory of an interpreted plugin (make soak). So that nobody forgets it, every
// go statement and every time.AfterFunc of the plugin stands here, with the reason why it makes no chain.
func TestWhatRunsLaterMakesNoChain(t *testing.T) {
	allowed := map[string]string{
		"alarm.go:set time.AfterFunc":             "once in the life of an alarm",
		"intake.go:open go":                       "once in the life of a middleware",
		"redis.go:dialIfNeeded go":                "follows a flight, or a dial before it until there are poolSize connections",
		"sentinel.go:leaveIfMoved time.AfterFunc": "ends with its dial, after dialTimeout at the latest",
		"shared.go:release go":                    "ends by itself",
		"trips.go:follow go":                      "follows a flight, or once a trip",
	}
	packages, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for name, file := range packages["ratelimit"].Files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, declared := range file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				if _, ok := n.(*ast.GoStmt); ok {
					found[name+":"+function.Name.Name+" go"] = true
				}
				if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "AfterFunc" {
					if from, ok := call.X.(*ast.Ident); ok && from.Name == "time" {
						found[name+":"+function.Name.Name+" time.AfterFunc"] = true
					}
				}
				return true
			})
		}
	}
	for place := range found {
		if allowed[place] == "" {
			t.Errorf("%s: use an alarm, or say here why no chain of frames can come of it", place)
		}
	}
	for place := range allowed {
		if !found[place] {
			t.Errorf("%s is gone", place)
		}
	}
}

// An alarm rings as often as it is set, at the moment that it was set to last.
func TestAlarm(t *testing.T) {
	rang := make(chan time.Time, 10)
	ring := func() { rang <- time.Now() }
	a := &alarm{}
	a.stop() // never set
	var moments []time.Time
	for i := 0; i < 3; i++ {
		a.set(0, ring)
		moments = append(moments, <-rang)
	}
	if !sort.SliceIsSorted(moments, func(i, j int) bool { return moments[i].Before(moments[j]) }) {
		t.Errorf("rang at %v", moments)
	}
	a.set(time.Hour, ring)
	a.set(time.Millisecond, ring)
	<-rang
	a.set(time.Hour, ring)
	a.stop()
	if a.timer.Stop() {
		t.Error("still set after stop")
	}
}
