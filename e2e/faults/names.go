package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// names are the host names that this Traefik can resolve. It runs in a mount namespace of its own, in which /etc/hosts is a
// file of ours, and no name is asked for anywhere else. Linux lets everybody make such a namespace, unless it is told not to.
type names struct {
	hosts   string // path of the file; it is written in place, since a bind mount stays with the file
	wrapper string // path of a program that starts Traefik in the namespace; "" where that is not possible
	refused error  // why not
}

// inNamespace is the wrapper: /etc/hosts of the file's folder, then Traefik in the same process.
const inNamespace = `#!/bin/sh
exec unshare --map-root-user --mount sh -c 'mount --bind %[1]s/hosts /etc/hosts && mount --bind %[1]s/nsswitch.conf /etc/nsswitch.conf && exec "$TRAEFIK" "$@"' traefik "$@"
`

// newNames prepares the files below dir and tries a namespace.
func newNames(dir string) (*names, error) {
	folder, err := os.MkdirTemp(dir, "names-")
	if err != nil {
		return nil, err
	}
	n := &names{hosts: filepath.Join(folder, "hosts"), wrapper: filepath.Join(folder, "traefik")}
	for _, file := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"hosts", "127.0.0.1 localhost\n", 0o644},
		{"nsswitch.conf", "hosts: files\n", 0o644},
		{"traefik", fmt.Sprintf(inNamespace, folder), 0o755},
	} {
		if err := os.WriteFile(filepath.Join(folder, file.name), []byte(file.text), file.mode); err != nil {
			return nil, err
		}
	}
	try := exec.Command(n.wrapper)
	try.Env = []string{"PATH=" + os.Getenv("PATH"), "TRAEFIK=true"}
	if said, err := try.CombinedOutput(); err != nil {
		n.wrapper = ""
		n.refused = fmt.Errorf("no mount namespace for names: %w: %s", err, strings.TrimSpace(string(said)))
	}
	return n, nil
}

// wrapped is the program to start instead of Traefik's own, which TRAEFIK names in its environment.
func (n *names) wrapped(program string) string {
	if n.wrapper == "" {
		return program
	}
	return n.wrapper
}

// set makes all of hosts resolve to their addresses, and no other name resolve at all.
func (n *names) set(hosts map[string]string) error {
	text := "127.0.0.1 localhost\n"
	for name, address := range hosts {
		text += address + " " + name + "\n"
	}
	return os.WriteFile(n.hosts, []byte(text), 0o644)
}
