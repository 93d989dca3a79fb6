package ratelimit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rowsBelow are the rows of the table whose header begins with first, in the Markdown file at path; each row is its cells.
func rowsBelow(t *testing.T, path, first string) [][]string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	inside := false
	for _, line := range strings.Split(string(content), "\n") {
		switch {
		case strings.HasPrefix(line, "| "+first+" |"):
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|---"):
			var cells []string
			for _, cell := range strings.Split(strings.Trim(line, "|"), " |") {
				cells = append(cells, strings.TrimSpace(cell))
			}
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no table that begins with %q", path, first)
	}
	return rows
}

// optionsOf are the paths of all options below a struct of Config, as users write them.
func optionsOf(kind reflect.Type, level, path string) []string {
	var all []string
	for i := 0; i < kind.NumField(); i++ {
		field := kind.Field(i)
		if field.Name == "Unknown" {
			continue
		}
		name := field.Name + " without a row in optionNames"
		for _, known := range optionNames[level] {
			if strings.EqualFold(known, field.Name) {
				name = known
			}
		}
		switch field.Type.Kind() {
		case reflect.Struct:
			all = append(all, optionsOf(field.Type, join(level, name), join(path, name))...)
		case reflect.Pointer:
			all = append(all, optionsOf(field.Type.Elem(), join(level, name), join(path, name))...)
		case reflect.Slice:
			all = append(all, join(path, name))
			if field.Type.Elem().Kind() == reflect.Struct {
				all = append(all, optionsOf(field.Type.Elem(), join(level, name), join(path, name)+"[]")...)
			}
		default:
			all = append(all, join(path, name))
		}
	}
	return all
}

// TestOptionTable: the readme's table names every option that there is, and no other.
func TestOptionTable(t *testing.T) {
	var listed []string
	for _, row := range rowsBelow(t, "readme.md", "option") {
		listed = append(listed, strings.Trim(row[0], "`"))
	}
	options := optionsOf(reflect.TypeOf(Config{}), "", "")
	sort.Strings(listed)
	sort.Strings(options)
	if !reflect.DeepEqual(listed, options) {
		t.Errorf("the table lists\n%s\nthe options are\n%s", strings.Join(listed, "\n"), strings.Join(options, "\n"))
	}
}

// TestDefaultsInTheOptionTable: to write a default of the table changes nothing.
func TestDefaultsInTheOptionTable(t *testing.T) {
	tried := 0
	for _, row := range rowsBelow(t, "readme.md", "option") {
		path, preset := strings.Trim(row[0], "`"), row[1]
		switch preset {
		case "required", "none":
			continue
		case "= `average`":
			preset = "7"
		case "= `timeout`":
			preset = "200ms"
		}
		tried++
		// timeout is longer than what is cut to it, and shown
		want, got := leastOptions(path), leastOptions(path)
		setOption(got, strings.Split(strings.Replace(path, "[]", "", 1), "."), strings.Trim(preset, "`"))
		if w, g := fingerprintOf(t, want), fingerprintOf(t, got); w != g {
			t.Errorf("%s: %s is not the default", path, preset)
		}
	}
	if tried < 20 {
		t.Errorf("only %d defaults in the table", tried)
	}
}

// TestRangesInTheOptionTable: both ends of a range are taken, and what lies just beyond them is a fault of that option.
func TestRangesInTheOptionTable(t *testing.T) {
	numbers := regexp.MustCompile(`^([0-9,]+) to ([0-9,]+)(?:[^0-9a-z,].*)?$`)
	spans := regexp.MustCompile(`^([0-9]+(?:ms|s|h)) to ([0-9]+(?:ms|s|h| days))`)
	tried := 0
	for _, row := range rowsBelow(t, "readme.md", "option") {
		path := strings.Trim(row[0], "`")
		var good, bad []string
		if m := numbers.FindStringSubmatch(row[2]); m != nil {
			low, high := wholeOf(t, m[1]), wholeOf(t, m[2])
			good = []string{strconv.FormatInt(low, 10), strconv.FormatInt(high, 10)}
			bad = []string{strconv.FormatInt(low-1, 10), strconv.FormatInt(high+1, 10)}
		} else if m := spans.FindStringSubmatch(row[2]); m != nil {
			low, high := spanOf(t, m[1]), spanOf(t, m[2])
			good = []string{low.String(), high.String()}
			bad = []string{(low - time.Microsecond).String(), (high + time.Microsecond).String()}
		} else {
			continue
		}
		tried++
		for _, value := range good {
			if faults := faultsWith(t, path, value); faults != "" {
				t.Errorf("%s: %s is in its range: %s", path, value, faults)
			}
		}
		for _, value := range bad {
			if faults := faultsWith(t, path, value); !strings.Contains(faults, path+": ") {
				t.Errorf("%s: %s is beyond its range, got %q", path, value, faults)
			}
		}
	}
	if tried < 13 {
		t.Errorf("only %d ranges in the table", tried)
	}
}

// faultsWith are the faults of the required options and one more.
func faultsWith(t *testing.T, path, value string) string {
	t.Helper()
	options := leastOptions(path)
	setOption(options, strings.Split(path, "."), value)
	config, err := decode(options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile(config, "api@file"); err != nil {
		return err.Error()
	}
	return ""
}

// wholeOf reads a number with commas.
func wholeOf(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// spanOf reads a duration that may be in days.
func spanOf(t *testing.T, text string) time.Duration {
	t.Helper()
	unit := time.Duration(1)
	if strings.HasSuffix(text, " days") {
		text, unit = strings.TrimSuffix(text, " days")+"h", 24
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d * unit
}

// TestConstantsInTheDocuments: numbers that have no option are in the documents as they are in the code.
func TestConstantsInTheDocuments(t *testing.T) {
	for _, row := range []struct {
		file, says string
		holds      bool
	}{
		{"readme.md", "connections at most, to each node in mode `cluster`; 0 is 16", poolSizeDefault == 16},
		{"readme.md", "more than 4,096 requests wait", queueBound == 4096},
		{"readme.md", "below seven eighths of `timeout`", besideShare == 8 && flightsAtOnce == 8},
		{"docs/operations.md", "the nodes are asked twice a second who has its slots", askAgain == time.Second/2},
		{"docs/decisions/cluster.md", "At most 16 (`followersMost`)", followersMost == 16},
		{"docs/decisions/cluster.md", "every half a minute", slotsEvery == 30*time.Second},
		{"docs/operations.md", "unused for five minutes is closed", idleTime == 5*time.Minute},
		{"docs/operations.md", "| ERROR | once a minute |", lostAgain == time.Minute},
		{"docs/operations.md", "at most 1 MiB of authorities and 64 KiB of the others", caMost == 1<<20 && secretMost == 64<<10},
		{"docs/operations.md", "calls have succeeded for a second", backAfter == time.Second},
	} {
		content, err := os.ReadFile(row.file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), row.says) || !row.holds {
			t.Errorf("%s: %q is no longer what it says and what holds", row.file, row.says)
		}
	}
}

// leastOptions are the required options: one limit, in a list when path is of one there.
func leastOptions(path string) map[string]interface{} {
	options := map[string]interface{}{"redis": map[string]interface{}{"endpoints": "redis:6379"}}
	if path == "localShare" {
		options["failureMode"] = failLocal
	}
	if strings.HasPrefix(path, "limits[]") {
		options["limits"] = []interface{}{map[string]interface{}{"name": "one", "average": "7"}}
	} else {
		options["average"] = "7"
	}
	return options
}

// setOption sets what steps lead to; in a list, in its first item.
func setOption(table map[string]interface{}, steps []string, value string) {
	for _, step := range steps[:len(steps)-1] {
		if list, ok := table[step].([]interface{}); ok {
			table = list[0].(map[string]interface{})
			continue
		}
		if table[step] == nil {
			table[step] = map[string]interface{}{}
		}
		table = table[step].(map[string]interface{})
	}
	table[steps[len(steps)-1]] = value
}

// fingerprintOf is the fingerprint of the settings that raw means.
func fingerprintOf(t *testing.T, raw map[string]interface{}) string {
	t.Helper()
	config, err := decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	s, err := compile(config, "api@file")
	if err != nil {
		t.Fatal(err)
	}
	return s.fingerprint
}

// TestLogLinesAreDocumented: each line that the plugin can write has a row in the documents' table, and each row its line.
// A row stands for a line when it has the same plain words up to its end; what is filled in is in capitals there.
func TestLogLinesAreDocumented(t *testing.T) {
	lines := logCalls(t)
	described := map[string]bool{}
	for _, row := range rowsBelow(t, "docs/operations.md", "line") {
		if strings.Contains(row[1], "by Traefik") {
			continue
		}
		words := regexp.MustCompile(`\b[A-Z]+\b`).ReplaceAllString(strings.Trim(row[0], "`"), "%")
		stands := false
		for _, line := range lines {
			if strings.HasPrefix(line, words) {
				stands, described[line] = true, true
			}
		}
		if !stands {
			t.Errorf("the plugin writes no such line: %s", row[0])
		}
	}
	for _, line := range lines {
		if !described[line] {
			t.Errorf("no row of the table describes %q", line)
		}
	}
}

// logCalls are the formats of all calls of logError and logDebug, with % for what is filled in. Of several lines the last counts.
func logCalls(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if called, ok := call.Fun.(*ast.Ident); ok && (called.Name == "logError" || called.Name == "logDebug") {
				text := regexp.MustCompile(`%[a-z]`).ReplaceAllString(textOf(call.Args[0]), "%")
				lines = append(lines, text[strings.LastIndex(text, "\n")+1:])
			}
			return true
		})
	}
	return lines
}

// textOf is the text of an expression, with % for what is not constant.
func textOf(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return strings.ReplaceAll(textOf(e.X)+textOf(e.Y), "%%", "%")
	}
	return "%"
}

// TestLinks: what the documents point to is there, in the file and below the heading that they name.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, file := range documents(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(content), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := file
			if target != "" {
				path = filepath.Join(filepath.Dir(file), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s leads nowhere", file, match[1])
			} else if anchor != "" && !contains(anchors(t, path), anchor) {
				t.Errorf("%s: %s has no such heading", file, match[1])
			}
		}
	}
}

// anchors are the names by which the headings of a Markdown file are linked to.
func anchors(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, line := range strings.Split(string(content), "\n") {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			name := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			all = append(all, strings.ReplaceAll(name, " ", "-"))
		}
	}
	return all
}

// TestSourceFilesAreDocumented: the contributors' table leads to every file of the plugin.
func TestSourceFilesAreDocumented(t *testing.T) {
	text := ""
	for _, row := range rowsBelow(t, "CONTRIBUTING.md", "file") {
		text += strings.Join(row, " ")
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") && !strings.Contains(text, "]("+name+")") && !strings.Contains(text, "`"+name+"`") {
			t.Errorf("CONTRIBUTING.md says nothing of %s", name)
		}
	}
}

// TestDecisionsAreListed: the list of decisions leads to every one.
func TestDecisionsAreListed(t *testing.T) {
	list, err := os.ReadFile("docs/decisions/readme.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := filepath.Base(file); name != "readme.md" && !strings.Contains(string(list), "]("+name+")") {
			t.Errorf("docs/decisions/readme.md does not list %s", name)
		}
	}
}
