.PHONY: bench demo e2e faults help lint run soak test test-compiled test-yaegi traefik vendor vendor-check vet-yaegi

STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort -t: -k1,1 | awk -F ':.*## ' '{printf "%-14s %s\n", $$1, $$2}'

test: lint vendor-check test-compiled test-yaegi e2e ## every test there is, as CI runs them

lint: ## gofmt, go vet and staticcheck (staticcheck.conf), over all three modules
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' ':!vendor')); test -z "$$unformatted" || { echo "run gofmt -w $$unformatted"; exit 1; }
	go vet ./... && $(STATICCHECK) ./...
	cd yaegitest && go vet ./... && $(STATICCHECK) ./...
	cd e2e && go vet ./... && $(STATICCHECK) ./...

test-compiled: ## the plugin compiled: units, documents, examples, the suite; then the same under the race detector
	go test -shuffle=on -timeout 20m ./...
	go test -race -shuffle=on -timeout 20m ./...

vendor: ## rebuild vendor/ from go.mod, vendor-patches/ and what the plugin uses
	rm -rf vendor
	go mod vendor
	vendor-patches/apply vendor
	cd yaegitest && go run ./cmd/prune ..

vendor-check: ## see whether vendor/ is what `make vendor` makes
	vendor-patches/check

# -count=1: the tests of the nested modules read files of this one, and go test
# takes no notice when those change.
test-yaegi: ## the plugin and its go-redis interpreted, as Traefik runs them
	cd yaegitest && go test -count=1 -p 1 -timeout 10m ./...

vet-yaegi: ## look for what Yaegi gets wrong, in the plugin and in vendor/
	cd yaegitest && go test -count=1 ./vet/

traefik: ## find the real Traefik, or build it once (three to ten minutes)
	cd e2e && go run ./cmd/build-traefik

demo: ## see the limiter at work in the real Traefik
	cd e2e && go run ./cmd/demo

run: ## start what the demo starts, and stay until Ctrl-C
	cd e2e && go run ./cmd/demo -stay

# CELLS is a regular expression of the traffic to measure, such as token-bucket/allowed/1/128, PARTS some of traffic,growth,memory,script,steps;
# ROUNDS and SPAN say how often and how long. Only with neither CELLS nor PARTS is docs/benchmark.md written.
bench: traefik ## what the limiter costs beside native RateLimit (twelve minutes), into docs; a short look: make bench CELLS=token-bucket/.*/1/ ROUNDS=1
	cd e2e && go run ./cmd/bench $(if $(CELLS),-cells '$(CELLS)',$(if $(PARTS),-parts $(PARTS),-out ../docs)) $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(SPAN),-span $(SPAN))

faults: traefik ## play every fault of Redis in the real Traefik and write docs/faults.md (three minutes)
	cd e2e && go run ./cmd/faults

# LENGTH is that of the traffic, SEED that of a run to repeat, RATE its requests per second.
soak: traefik ## three Traefiks and a Redis on a bad day, for two minutes or make soak LENGTH=30m
	cd e2e && go run ./cmd/soak $(if $(LENGTH),-length $(LENGTH)) $(if $(SEED),-seed $(SEED)) $(if $(RATE),-rate $(RATE))

e2e: traefik ## the tests with the real Traefik
	cd e2e && go test -count=1 -p 1 -timeout 20m ./...
