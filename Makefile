.PHONY: help vendor vendor-check test-yaegi

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "%-14s %s\n", $$1, $$2}'

vendor: ## rebuild vendor/ from go.mod and vendor-patches/
	rm -rf vendor
	go mod vendor
	vendor-patches/apply vendor

vendor-check: ## see whether vendor/ is what `make vendor` makes
	vendor-patches/check

test-yaegi: ## the plugin and its go-redis interpreted, as Traefik runs them
	cd yaegitest && go test -timeout 10m ./...
