// Package ext stands in for the folder of Traefik's repository that its
// published module leaves out: the hook for extensions of the dynamic
// configuration, empty in the open-source Traefik.
package ext

// HTTP extends the dynamic HTTP configuration by nothing.
type HTTP struct{}

// Router extends a router's configuration by nothing.
type Router struct{}
