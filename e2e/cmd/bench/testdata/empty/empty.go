// Package empty is the least that a middleware plugin can be.
package empty

import (
	"context"
	"net/http"
)

// Config has no options.
type Config struct{}

// CreateConfig returns a Config.
func CreateConfig() *Config { return &Config{} }

type handler struct{ next http.Handler }

// New returns a handler that does nothing but call next.
func New(_ context.Context, next http.Handler, _ *Config, _ string) (http.Handler, error) {
	return &handler{next: next}, nil
}

// ServeHTTP passes the request on.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.next.ServeHTTP(w, r)
}
