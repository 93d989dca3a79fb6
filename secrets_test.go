package ratelimit

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// secretFiles makes a directory of secrets beside files that are none of the plugin's, and names it in the environment.
func secretFiles(t *testing.T) (secrets, outside string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secrets, outside = filepath.Join(root, "secrets"), filepath.Join(root, "outside")
	for _, directory := range []string{secrets, outside, secrets + "-evil", filepath.Join(secrets, "deeper")} {
		if err := os.Mkdir(directory, 0o700); err != nil {
			t.Fatal(err)
		}
		writeSecret(t, filepath.Join(directory, "redis"), "s3cret\n")
	}
	t.Setenv("RATELIMIT_SECRETS", secrets)
	return secrets, outside
}

func writeSecret(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Fatal(err)
	}
}

// TestTheft: a label cannot make the plugin read what was not set aside for it, neither at New nor at a dial.
func TestTheft(t *testing.T) {
	secrets, outside := secretFiles(t)
	link(t, filepath.Join(outside, "redis"), filepath.Join(secrets, "link-out"))
	link(t, outside, filepath.Join(secrets, "directory-out"))
	link(t, "../outside/redis", filepath.Join(secrets, "relative-out"))
	link(t, filepath.Join(secrets, "link-out"), filepath.Join(secrets, "link-to-link"))
	link(t, filepath.Join(secrets, "redis"), filepath.Join(outside, "link-in"))
	for _, row := range []struct{ why, path string }{
		{"another file", filepath.Join(outside, "redis")},
		{"a file of the system", "/etc/passwd"},
		{"this process' environment", "/proc/self/environ"},
		{"a way up", secrets + "/../outside/redis"},
		{"a way up and down again, out", secrets + "/deeper/../../outside/redis"},
		{"a name that begins alike", secrets + "-evil/redis"},
		{"a link out", secrets + "/link-out"},
		{"a link out with a relative path", secrets + "/relative-out"},
		{"a link to a link out", secrets + "/link-to-link"},
		{"a directory that is a link out", secrets + "/directory-out/redis"},
		{"a link from outside to within, which another could turn", filepath.Join(outside, "link-in")},
		{"the directory itself", secrets},
		{"the directory with a slash", secrets + "/"},
	} {
		f := &faults{}
		checkSecretFile(f, "redis.passwordFile", row.path)
		if len(f.lines) != 1 || !strings.HasPrefix(f.lines[0], "redis.passwordFile: must be below "+secrets+", or ") {
			t.Errorf("%s: New says %q", row.why, f.lines)
		}
		if password, err := readPassword("redis.passwordFile", row.path); err == nil || password != "" {
			t.Errorf("%s: a dial reads %q", row.why, password)
		}
	}
}

func TestReadPassword(t *testing.T) {
	secrets, _ := secretFiles(t)
	link(t, "deeper", filepath.Join(secrets, "..data"))
	link(t, "..data/redis", filepath.Join(secrets, "as-in-kubernetes"))
	for _, row := range []struct{ why, name, content, want string }{
		{"one line break at the end is not part of it", "a", "s3cret\n", "s3cret"},
		{"nor is one of Windows", "b", "s3cret\r\n", "s3cret"},
		{"but two are one too many to guess", "c", "s3cret\n\n", "s3cret\n"},
		{"no line break", "d", "s3cret", "s3cret"},
		{"a carriage return alone is no line break", "e", "s3cret\r", "s3cret\r"},
		{"blanks are part of it", "f", " s3cret \n", " s3cret "},
		{"a variable in a file is text", "g", "${RATELIMIT_PASSWORD}", "${RATELIMIT_PASSWORD}"},
		{"a file in a directory", "deeper/redis", "", "s3cret"},
		{"a link that stays within, as Kubernetes mounts secrets", "as-in-kubernetes", "", "s3cret"},
	} {
		path := filepath.Join(secrets, row.name)
		if row.content != "" {
			writeSecret(t, path, row.content)
		}
		f := &faults{}
		checkSecretFile(f, "redis.passwordFile", path)
		password, err := readPassword("redis.passwordFile", path)
		if len(f.lines) > 0 || err != nil || password != row.want {
			t.Errorf("%s: %q, %v, %q", row.why, f.lines, err, password)
		}
	}
}

// TestPasswordRotates: each dial reads the file anew, and a link that is turned between New and the dial is refused.
func TestPasswordRotates(t *testing.T) {
	secrets, outside := secretFiles(t)
	path := filepath.Join(secrets, "redis")
	for _, want := range []string{"first", "second"} {
		writeSecret(t, path, want+"\n")
		if got, err := readPassword("redis.passwordFile", path); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(outside, "redis"), path)
	if got, err := readPassword("redis.passwordFile", path); err == nil {
		t.Errorf("a link that was turned out: read %q", got)
	}
}

func TestPasswordFileErrors(t *testing.T) {
	secrets, _ := secretFiles(t)
	writeSecret(t, filepath.Join(secrets, "empty"), "\n")
	writeSecret(t, filepath.Join(secrets, "large"), strings.Repeat("s3cret", secretMost/6+1))
	if err := syscall.Mkfifo(filepath.Join(secrets, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ why, name, want string }{
		{"not there yet", "missing", "no such file"},
		{"nothing but a line break", "empty", "is empty"},
		{"a directory", "deeper", "is not a regular file"},
		{"a pipe, which would be waited for", "pipe", "is not a regular file"},
		{"a file far too large", "large", "is larger than 64 KiB"},
	} {
		_, err := readPassword("redis.passwordFile", filepath.Join(secrets, row.name))
		if err == nil || !strings.HasPrefix(err.Error(), "redis.passwordFile: ") || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", row.why, err)
		}
	}
}

// TestSecretsDirectory: the directory may be a link itself, and must be named absolutely.
func TestSecretsDirectory(t *testing.T) {
	secrets, outside := secretFiles(t)
	linked := filepath.Join(outside, "linked")
	link(t, secrets, linked)
	for _, row := range []struct {
		why, directory, path string
		good                 bool
	}{
		{"a link to the directory", linked, linked + "/redis", true},
		{"with a slash at the end", secrets + "/", secrets + "/redis", true},
		{"everything, if the operator wants it", "/", secrets + "/redis", true},
		{"a relative directory would depend on where Traefik was started", "secrets", secrets + "/redis", false},
		{"a directory that is not there", outside + "/missing", secrets + "/redis", false},
	} {
		t.Setenv("RATELIMIT_SECRETS", row.directory)
		f := &faults{}
		checkSecretFile(f, "redis.passwordFile", row.path)
		_, err := readPassword("redis.passwordFile", row.path)
		if (len(f.lines) == 0) != row.good || (err == nil) != row.good {
			t.Errorf("%s: %q, %v", row.why, f.lines, err)
		}
	}
}
