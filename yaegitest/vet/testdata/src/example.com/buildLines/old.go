//go:build never
// +build never

package buildLines

func old() string { return "left out by both" }
