#!/usr/bin/env bash
# run.sh [N]: benchmarks of the operators, then of whole processes over N (2,000,000) records on a real Apache Kafka, which is
# started for them and stopped after. One line per job, and a table at the end; every row is checked.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../kafka/broker.sh"
cd "$KAFKA_HERE/../.."
dir=$(mktemp -d "${TMPDIR:-/tmp}/streamsql-bench.XXXXXX")
trap 'broker_stop "$dir" KILL; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
go test ./tests/bench -run '^$' -bench . -skip '^Benchmark(Jobs|Nexmark|Memory)'
STREAMSQL_KAFKA_HEAP=${STREAMSQL_KAFKA_HEAP:-1g} broker_start "$dir"
STREAMSQL_BENCH_N=${1:-2000000} STREAMSQL_TEST_KAFKA=$(cat "$dir/address") \
  go test ./tests/bench -run '^$' -bench '^BenchmarkJobs' -benchtime 1x -count 1 -timeout 30m
