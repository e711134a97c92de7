#!/usr/bin/env bash
# nexmark.sh [-n N] [-q q0,q5] [-b host:port]: each Nexmark query, or some, as a process of its own over N (3,000,000) events, from and to Kafka
# JSON, exactly once. One line per query, and a table at the end. The broker is a real Apache Kafka that is started for it
# and stopped after, or with -b one that runs; where that has the topics nexmark_person, nexmark_auction, nexmark_bid and nexmark_side
# already, they are read as they are and left alone.
set -euo pipefail
usage() { sed -n '2,5s/^# //p' "$0"; exit 2; }
n= q= b=
while getopts n:q:b: o; do
  case $o in n) n=$OPTARG ;; q) q=$OPTARG ;; b) b=$OPTARG ;; *) usage ;; esac
done
shift $((OPTIND - 1))
[ $# = 0 ] || usage
. "$(dirname "${BASH_SOURCE[0]}")/../kafka/broker.sh"
cd "$KAFKA_HERE/../.."
if [ -z "$b" ]; then
  dir=$(mktemp -d "${TMPDIR:-/tmp}/streamsql-nexmark.XXXXXX")
  trap 'broker_stop "$dir" KILL; rm -rf "$dir"' EXIT
  trap 'exit 130' INT TERM
  STREAMSQL_KAFKA_HEAP=${STREAMSQL_KAFKA_HEAP:-1g} broker_start "$dir"
  b=$(cat "$dir/address")
fi
STREAMSQL_BENCH_N=$n STREAMSQL_BENCH_QUERIES=$q STREAMSQL_TEST_KAFKA=$b \
  go test ./tests/bench -run '^$' -bench '^BenchmarkNexmark' -benchtime 1x -count 1 -timeout 60m
