// Package yaegitest loads the plugin as Traefik does, interpreted by Yaegi, and
// holds the guards that watch the interpreted go-redis in vendor/.
//
// It is a module of its own: Traefik's plugin catalog refuses a plugin whose
// go.mod requires yaegi, and here, unlike at the root, go-redis is seen as
// published.
package yaegitest
