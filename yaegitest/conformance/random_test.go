package conformance

import (
	"fmt"
	"math/rand"
	"strings"
)

// randomCases are replies that nobody thought of, the same at every run: nested
// at random, every other one cut off somewhere.
func randomCases(n int) []testCase {
	source := rand.New(rand.NewSource(1))
	var cases []testCase
	for i := 0; i < n; i++ {
		reply := action{bytes: randomReply(source, 3)}
		if i%2 == 1 {
			reply = action{bytes: reply.bytes[:source.Intn(len(reply.bytes))], then: shut}
		}
		cases = append(cases, testCase{
			name: fmt.Sprintf("random %d", i), steps: sticky, settings: fmt.Sprintf("protocol=%d", 2+i/2%2),
			actions: []action{reply}, raced: true,
		})
	}
	return cases
}

func randomReply(source *rand.Rand, depth int) string {
	kinds := 13
	if depth == 0 {
		kinds = 9 // no aggregates
	}
	text := strings.Repeat("ab:*$\n", source.Intn(3)) + fmt.Sprint(source.Intn(1000))
	line := strings.ReplaceAll(text, "\n", "-")
	switch source.Intn(kinds) {
	case 0:
		return "+" + line + "\r\n"
	case 1:
		return "-ERR " + line + "\r\n"
	case 2:
		return fmt.Sprintf(":%d\r\n", source.Int63()-source.Int63())
	case 3:
		return fmt.Sprintf("$%d\r\n%s\r\n", len(text), text)
	case 4:
		return "$-1\r\n"
	case 5:
		return "_\r\n"
	case 6:
		return fmt.Sprintf(",%g\r\n", source.NormFloat64())
	case 7:
		return "#" + []string{"t", "f"}[source.Intn(2)] + "\r\n"
	case 8:
		return fmt.Sprintf("(%d%d\r\n", source.Int63(), source.Int63())
	case 9:
		return aggregate(source, depth, "*")
	case 10:
		return aggregate(source, depth, "~")
	case 11:
		return aggregate(source, depth, ">")
	}
	// The keys of a map are texts: published go-redis panics on an array as a key.
	n := source.Intn(3)
	reply := fmt.Sprintf("%%%d\r\n", n)
	for i := 0; i < n; i++ {
		reply += fmt.Sprintf("+key%d\r\n", i) + randomReply(source, depth-1)
	}
	return reply
}

func aggregate(source *rand.Rand, depth int, kind string) string {
	n := source.Intn(4)
	reply := fmt.Sprintf("%s%d\r\n", kind, n)
	for i := 0; i < n; i++ {
		reply += randomReply(source, depth-1)
	}
	return reply
}
