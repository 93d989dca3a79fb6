// Package vet looks through Go source for what Yaegi v0.16.1 gets wrong: it
// compiles, passes its tests, and does something else once it is interpreted.
//
// Each construct is an analyzer of its own with a folder of the same name in
// testdata/src/example.com: what it reports stands there in want comments, and
// its Demo gives another answer interpreted than compiled (demo_test.go).
//
// Run looks at the plugin and at what it imports from vendor/, as Yaegi would
// read it. A finding in a function that the plugin cannot reach is passed over,
// except for what already goes wrong when the package is imported. What is left
// is rewritten (in vendor/ by a patch), or stands in allow.txt with the reason
// and the test that shows it harmless.
package vet
