# Every target that CI runs runs here, too: make ci.
GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.7.0
FUZZTIME    ?= 30s
# Go's fake clock (testing/synctest) is durable only around mutexes that this tag makes channel-based in franz-go.
TAGS         = synctests

.PHONY: help build test race lint fuzz random mutants golden test-kafka test-registry test-page bench bench-nexmark bench-memory ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/streamsql, one static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/streamsql ./cmd/streamsql

test: ## all tests that need nothing but Go
	$(GO) test -tags $(TAGS) ./...

race: ## the same under the race detector (needs a C compiler)
	$(GO) test -race -short -tags $(TAGS) ./...

lint: ## gofmt, go vet and staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w these files:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet -tags $(TAGS) ./...
	$(GO) run $(STATICCHECK) -tags $(TAGS) ./...

fuzz: ## every fuzz target for FUZZTIME
	@set -e; for pkg in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

random: ## N=10000 random queries, data and regimes from SEED=1 on, compared with two oracles; a difference prints its seed
	@n=$(or $(N),10000); GRAMMAR_RUNS=$$((n / 2)) GRAMMAR_SEED=$(or $(SEED),1) PROPERTY_RUNS=$$((n / 4)) PROPERTY_SEED=$(or $(SEED),1) \
		$(GO) test -v -count 1 -p 1 -timeout 12h -tags $(TAGS) -run '^Test(AgainstSQLite|OneAnswer|ChainsAnswerAsOneQuery)$$' ./tests/grammar ./tests

mutants: ## N=1000000 changed statements and records for every reader of them, from SEED=1 on: a tenth each, and more; nothing panics
	@n=$$(($(or $(N),1000000) / 10)); MUTANTS=$$n MUTANTS_RUNS=$$n MUTANTS_SEED=$(or $(SEED),1) \
		$(GO) test -v -count 1 -timeout 12h -tags $(TAGS) -run '^(Fuzz.*|TestMutants)$$' ./sql/parser ./tests/grammar ./exec/wire ./exec/task ./storage/keys ./connectors/format/... ./connectors/kafka \
		| grep --line-buffered -v -e '^=== ' -e '^    --- PASS' -e 'no test files' -e 'no tests to run'

golden: ## rewrite the expected plans, the help text and the tables of functions; look at the diff
	$(GO) test ./planner -run TestGolden -update
	$(GO) test ./sql/expr -run TestFunctionsPage -update
	$(GO) test ./cmd/streamsql -run TestScripts -update

test-kafka: ## the end-to-end tests against a real Apache Kafka (needs Java)
	./tests/kafka/run.sh

test-registry: ## the tests beside a real schema registry and Confluent's serialisers (needs Java, Maven and Python)
	./tests/registry/run.sh

test-page: ## the page in a real Chromium (installs Debian's package where that is allowed)
	./tests/page/run.sh

bench: ## operators, then whole processes beside the raw limit, on a real Apache Kafka (needs Java); N=2000000 records
	./tests/bench/run.sh $(N)

bench-nexmark: ## the Nexmark queries from and to a real Apache Kafka (needs Java); N=3000000 events, Q=q0,q5 some queries, B=host:port a broker that runs
	./tests/bench/nexmark.sh $(if $(N),-n $(N)) $(if $(Q),-q $(Q)) $(if $(B),-b $(B))

bench-memory: ## cost and memory as the number of keys grows up to N=1000000, in and beyond the budget
	STREAMSQL_BENCH_N=$(or $(N),1000000) $(GO) test ./tests/bench -run '^$$' -bench '^BenchmarkMinOfOneGroup' -benchtime 300000x -timeout 3h
	STREAMSQL_BENCH_N=$(or $(N),1000000) $(GO) test ./tests/bench -run '^$$' -bench '^BenchmarkMemory' -benchtime 1x -timeout 3h

ci: lint test test-kafka test-registry test-page ## what CI runs
