// Package ratelimit is a Traefik middleware plugin.
package ratelimit

import _ "github.com/redis/go-redis/v9"
