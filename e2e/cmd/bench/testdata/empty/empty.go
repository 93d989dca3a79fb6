// Package empty is the least that a middleware plugin can be.
package empty

import (
	"context"
	"net/http"
)

// Config is what a user writes.
type Config struct {
	Deny string // "true" denies every request, otherwise all pass
}

// CreateConfig returns a Config in which nothing is set.
func CreateConfig() *Config { return &Config{} }

type handler struct {
	next http.Handler
	deny bool
}

// New returns a handler that does nothing but call next, or deny.
func New(_ context.Context, next http.Handler, config *Config, _ string) (http.Handler, error) {
	return &handler{next: next, deny: config.Deny == "true"}, nil
}

// ServeHTTP passes the request on, or answers that it is one too many.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.deny {
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	h.next.ServeHTTP(w, r)
}
