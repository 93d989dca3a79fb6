package ratelimit

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// shellBlocks are the shell blocks of a page, in order.
func shellBlocks(t *testing.T, page string) []string {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, part := range strings.Split(string(content), "```sh\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// TestKeysPage runs the page's shell lines and compares the keys they print with those that requests get.
func TestKeysPage(t *testing.T) {
	blocks := shellBlocks(t, "docs/keys.md")
	if len(blocks) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	r := visit("192.0.2.1:1", "203.0.113.7", "api.example.com", "my-api-key")
	for i, c := range []criterion{
		{ipv6Subnet: 64, headerName: "X-Api-Key"},
		{ipv6Subnet: 64, depth: 1, address: true, headerName: "X-Api-Key", host: true, combined: true},
	} {
		command := exec.Command("sh", "-eu")
		command.Stdin = strings.NewReader(blocks[i])
		printed, err := command.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, blocks[i])
		}
		key := keyHead("ratelimit", "api@file") + sourceOf(&c, r) + "}"
		if string(printed) != key+"\n" {
			t.Errorf("printed %swant %s\n%s", printed, key, blocks[i])
		}
	}
	key := keyHead("ratelimit", "api@file") + sourceOf(&criterion{ipv6Subnet: 64, depth: 1}, r) + "}"
	keys := scriptKeys([]limit{{name: limitDefault, algorithm: slidingLog}}, []string{key})
	list := keys[len(keys)-1]
	if want := "redis-cli DEL '" + key + "' '" + list + "'\n"; blocks[2] != want {
		t.Errorf("got %swant %s", blocks[2], want)
	}
}

// TestKeysPageBytes: the page's lengths are bytes, whatever the shell's language.
func TestKeysPageBytes(t *testing.T) {
	block := strings.Replace(shellBlocks(t, "docs/keys.md")[1], "my-api-key", "schlüssel", 1)
	command := exec.Command("sh", "-eu")
	command.Stdin = strings.NewReader(block)
	printed, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	key := keyHead("ratelimit", "api@file") + hashed("a11:203.0.113.7h10:schlüsselo15:api.example.com") + "}"
	if string(printed) != key+"\n" {
		t.Errorf("printed %swant %s", printed, key)
	}
}
