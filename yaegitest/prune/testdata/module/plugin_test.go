package plugin

import (
	"testing"

	"example.com/tests"
)

func TestNew(t *testing.T) { tests.Use(t) }
