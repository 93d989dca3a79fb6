package ratelimit

import (
	_ "github.com/alicebob/miniredis/v2"
	_ "github.com/dunglas/httpsfv"
	_ "github.com/mitchellh/mapstructure"
	_ "go.uber.org/goleak"
	_ "gopkg.in/yaml.v3"
	_ "pgregory.net/rapid"
)
