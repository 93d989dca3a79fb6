// Package auth stands in for the library behind Traefik's basicAuth and
// digestAuth middlewares. Traefik needs a fork of it; the tests here use
// neither middleware, so it refuses every request.
package auth

import "net/http"

// SecretProvider returns a user's stored secret.
type SecretProvider func(user, realm string) string

// BasicAuth refuses everybody.
type BasicAuth struct {
	Realm   string
	Secrets SecretProvider
}

// RequireAuth answers 401.
func (a *BasicAuth) RequireAuth(w http.ResponseWriter, _ *http.Request) { refuse(w) }

// DigestAuth refuses everybody.
type DigestAuth struct{}

// NewDigestAuthenticator returns a DigestAuth that refuses everybody.
func NewDigestAuthenticator(string, SecretProvider) *DigestAuth { return &DigestAuth{} }

// CheckAuth knows no user.
func (a *DigestAuth) CheckAuth(*http.Request) (string, *string) { return "", nil }

// RequireAuth answers 401.
func (a *DigestAuth) RequireAuth(w http.ResponseWriter, _ *http.Request) { refuse(w) }

// RequireAuthStale answers 401.
func (a *DigestAuth) RequireAuthStale(w http.ResponseWriter, _ *http.Request) { refuse(w) }

// CheckSecret accepts no password.
func CheckSecret(string, string) bool { return false }

// DigestAuthParams reads nothing.
func DigestAuthParams(string) map[string]string { return nil }

func refuse(w http.ResponseWriter) {
	http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
}
