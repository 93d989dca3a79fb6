//go:build never

package buildLines

func which() string { return "off" }
