package ratelimit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Whoever may write a label on a container decides where Redis is and what is sent to it as a password. So that nobody can
// have Traefik's other secrets sent to a server of theirs, a password comes only from what was set aside for this plugin:
// environment variables whose names begin with secretPrefix, and files below the directory that secretsVariable names.
const (
	secretPrefix    = "RATELIMIT_"
	secretsVariable = "RATELIMIT_SECRETS"
	secretsDefault  = "/run/secrets/ratelimit"
	secretMost      = 64 << 10 // bytes in a file with a password, a certificate or a key
	kubernetesURN   = "urn:k8s:secret:"
)

// passwordFrom is the password that the option at path stands for: itself, or the variable that it names as ${NAME}.
// Neither is ever part of a fault.
func passwordFrom(f *faults, path, text string) string {
	if strings.HasPrefix(text, kubernetesURN) {
		f.add(path, unresolvedURN)
		return ""
	}
	if !strings.Contains(text, "${") {
		return text
	}
	name := strings.TrimSuffix(strings.TrimPrefix(text, "${"), "}")
	if text != "${"+name+"}" || !strings.HasPrefix(name, secretPrefix) || !onlyBytes(name, upperLetters+lowerLetters+digits+"_") {
		f.add(path, "must be the password itself, or ${"+secretPrefix+"NAME} alone for an environment variable of Traefik that begins with "+secretPrefix)
		return ""
	}
	value := os.Getenv(name)
	if value == "" {
		f.add(path, "the environment variable "+name+" is not set in Traefik's environment")
	}
	return value
}

// checkUsername notes a user name that is meant to come from elsewhere: only the password does.
func checkUsername(f *faults, path, text string) {
	if strings.HasPrefix(text, kubernetesURN) {
		f.add(path, unresolvedURN)
	}
	if strings.Contains(text, "${") {
		f.add(path, "is taken as it is, only "+strings.TrimSuffix(path, "username")+"password is read from the environment")
	}
}

// unresolvedURN is the rule for a value that Traefik's Kubernetes provider should have replaced.
const unresolvedURN = kubernetesURN + "NAME:KEY is resolved only in a Kubernetes Middleware"

// checkSecretFile notes a path that no secret may be read from. The file need not be there yet.
func checkSecretFile(f *faults, option, path string) {
	if strings.HasPrefix(path, kubernetesURN) {
		f.add(option, unresolvedURN+", and there for "+strings.TrimSuffix(option, "File"))
		return
	}
	if !filepath.IsAbs(path) || tearsLine(path) {
		f.add(option, "must be an absolute path without control characters")
		return
	}
	if !filepath.IsAbs(secretsDirectory()) {
		f.add(option, "needs an absolute path in the environment variable "+secretsVariable)
		return
	}
	resolved, err := filepath.EvalSymlinks(path)
	if !below(secretsDirectory(), filepath.Clean(path)) || err == nil && !below(resolvedDirectory(), resolved) {
		f.addGot(option, "must be below "+secretsDirectory()+", or below the directory in the environment variable "+secretsVariable+" of Traefik", path)
	}
}

// readPassword reads a password file, at each dial, so that a rotated password is taken up. One trailing line break is not part
// of the password.
func readPassword(option, path string) (string, error) {
	content, err := readSecretFile(option, path)
	if err != nil {
		return "", err
	}
	password := withoutLineBreak(content)
	if password == "" {
		return "", errors.New(option + ": " + path + " is empty")
	}
	return password, nil
}

// readSecretFile reads what checkSecretFile has let pass. Links are resolved at each read, and only a file below the secrets
// directory is read. Errors name the path, never what is in it.
func readSecretFile(option, path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", option, err)
	}
	if !filepath.IsAbs(secretsDirectory()) || !below(secretsDirectory(), filepath.Clean(path)) || !below(resolvedDirectory(), resolved) {
		return "", fmt.Errorf("%s: %s is not below %s", option, path, secretsDirectory())
	}
	return readRegular(option, resolved, secretMost)
}

// readRegular reads a regular file of at most so many bytes: a pipe would be waited for, a device may have no end.
func readRegular(option, path string, most int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", option, err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %s is not a regular file", option, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", option, err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", option, err)
	}
	if int64(len(content)) > most {
		return "", fmt.Errorf("%s: %s is larger than %d KiB", option, path, most>>10)
	}
	return string(content), nil
}

// withoutLineBreak leaves out one trailing line break, as an editor or echo leaves it.
func withoutLineBreak(text string) string {
	if strings.HasSuffix(text, "\r\n") {
		return strings.TrimSuffix(text, "\r\n")
	}
	return strings.TrimSuffix(text, "\n")
}

// secretsDirectory is where password files may be, as the operator wrote it.
func secretsDirectory() string {
	if directory := os.Getenv(secretsVariable); directory != "" {
		return filepath.Clean(directory)
	}
	return secretsDefault
}

// resolvedDirectory is secretsDirectory without links, so that it can be compared with a resolved path.
func resolvedDirectory() string {
	resolved, err := filepath.EvalSymlinks(secretsDirectory())
	if err != nil {
		return secretsDirectory()
	}
	return resolved
}

// below reports whether path lies in directory or deeper; both are clean and absolute.
func below(directory, path string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(directory, "/")+"/")
}
