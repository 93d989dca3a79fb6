module github.com/traefik-redis-ratelimit/ratelimit/yaegitest

go 1.26.0

require (
	github.com/mitchellh/mapstructure v1.5.1-0.20231216201459-8508981c8b6c
	github.com/redis/go-redis/v9 v9.14.1
	github.com/traefik-redis-ratelimit/ratelimit v0.0.0
	github.com/traefik/yaegi v0.16.1
	golang.org/x/mod v0.42.0
	golang.org/x/tools v0.52.0
	gopkg.in/yaml.v3 v3.0.1
)

require (
	github.com/alicebob/miniredis/v2 v2.40.0 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	github.com/yuin/gopher-lua v1.1.1 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

replace github.com/traefik-redis-ratelimit/ratelimit => ../
