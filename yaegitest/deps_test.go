package yaegitest

import (
	_ "github.com/mitchellh/mapstructure"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/traefik-redis-ratelimit/ratelimit"
	_ "github.com/traefik/yaegi/interp"
)
