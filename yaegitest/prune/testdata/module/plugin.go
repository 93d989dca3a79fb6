// Package plugin uses a part of what is vendored.
package plugin

import (
	"fmt"

	"example.com/dep"
)

type answerer interface{ OfThePlugin() string }

// New uses it.
func New() string {
	client := dep.NewClient(dep.Options{Limit: dep.Third})
	var a answerer = client
	return a.OfThePlugin() + fmt.Sprint(client.Asker.Ask(), client.Promoted(), dep.Generic(1), dep.Whole(client), dep.Reflected{}, dep.Failing())
}
