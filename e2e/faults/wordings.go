package faults

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// Line is a line of the plugin in Traefik's log.
type Line struct {
	Level, Text string
}

// wording is one row of the table of log lines in operations.md.
type wording struct {
	level string
	words *regexp.Regexp
}

// filledIn are the words of the table that stand for something.
var filledIn = regexp.MustCompile(`\b[A-Z]+\b`)

// readWordings reads the table of all lines that the plugin may write.
func readWordings(path string) ([]wording, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, table, found := strings.Cut(string(content), "| line | level |")
	if !found {
		return nil, fmt.Errorf("%s: no table of log lines", path)
	}
	var all []wording
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if strings.TrimSpace(line) == "" && len(all) > 0 {
			break
		}
		if len(cells) < 3 || strings.Contains(cells[1], "by Traefik") {
			continue
		}
		pattern := ""
		rest := strings.Trim(cells[0], "| `")
		for at := filledIn.FindStringIndex(rest); at != nil; at = filledIn.FindStringIndex(rest) {
			filled := "(?s:.+)"
			if rest[at[0]:at[1]] == "MIDDLEWARE" {
				filled = "[a-z-]+@file"
			}
			pattern += regexp.QuoteMeta(rest[:at[0]]) + filled
			rest = rest[at[1]:]
		}
		words, err := regexp.Compile("^" + pattern + regexp.QuoteMeta(rest))
		if err != nil {
			return nil, err
		}
		all = append(all, wording{strings.ToLower(strings.TrimSpace(cells[1])), words})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the table of log lines is empty", path)
	}
	return all, nil
}

// known reports whether the documents tell of such a line.
func known(line Line, words []wording) bool {
	for _, w := range words {
		if w.level == line.Level && w.words.MatchString(line.Text) {
			return true
		}
	}
	return false
}

// written are the plugin's lines among the entries of a log.
func written(entries []harness.Entry) []Line {
	var lines []Line
	for _, e := range entries {
		if e.Plugin != "" {
			lines = append(lines, Line{e.Level, strings.TrimSpace(e.Message)})
		}
	}
	return lines
}

// of are the lines about one failure mode: those that name its address of Redis or its middleware, and those that name none.
func of(lines []Line, mode string, endpoints map[string]string) []Line {
	var own []Line
	for _, line := range lines {
		others := false
		for other, endpoint := range endpoints {
			if other != mode && (strings.Contains(line.Text, endpoint+":") || strings.Contains(line.Text, endpoint+";") || strings.Contains(line.Text, endpoint+" ") ||
				strings.HasPrefix(line.Text, other+"@file: ")) {
				others = true
			}
		}
		if !others {
			own = append(own, line)
		}
	}
	return own
}

// changing are the parts of a line that differ from run to run, and what is shown instead.
var changing = []struct {
	part *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`127\.\d+\.\d+\.\d+:\d+->127\.\d+\.\d+\.\d+:\d+`), "ADDRESS"},
	{regexp.MustCompile(`(127\.\d+\.\d+\.\d+|(open|closed|local)\.redis\.test):\d+`), "ADDRESS"},
	{regexp.MustCompile(`[a-z]+\.redis\.test`), "NAME"},
	{regexp.MustCompile(`\d+ requests were`), "N requests were"},
	{regexp.MustCompile(`key ratelimit:\S+`), "key KEY"},
	{regexp.MustCompile(`script: [0-9a-f]{40}`), "script: SHA1"},
	{regexp.MustCompile(`f_[0-9a-f]{40}`), "f_SHA1"},
}

// usualEnd is how most lines about a lost Redis end.
const usualEnd = "; each middleware's failureMode decides until it is back"

// shownMost is how many bytes of a line are shown.
const shownMost = 200

// shown is a line without what differs from run to run.
func (l Line) shown() string {
	text := strings.TrimSuffix(l.Text, usualEnd)
	for _, c := range changing {
		text = c.part.ReplaceAllString(text, c.as)
	}
	if len(text) > shownMost {
		text = strings.ToValidUTF8(text[:shownMost], "") + " …"
	}
	return text
}

// count is how many lines at ERROR begin with text.
func count(lines []Line, text string) int {
	n := 0
	for _, line := range lines {
		if line.Level == "error" && strings.HasPrefix(line.Text, text) {
			n++
		}
	}
	return n
}
