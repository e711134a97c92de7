#!/usr/bin/env bash
# run.sh [go test arguments]: the end-to-end tests against a real Apache Kafka, which is started for them and stopped after.
# STREAMSQL_SOAK=5m lets the crash tests go on that long.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/broker.sh"
cd "$KAFKA_HERE/../.."
dir=$(mktemp -d "${TMPDIR:-/tmp}/streamsql-kafka.XXXXXX")
trap 'broker_stop "$dir"; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
broker_start "$dir"
export STREAMSQL_TEST_KAFKA; STREAMSQL_TEST_KAFKA=$(cat "$dir/address")
echo "Apache Kafka $KAFKA_VERSION answers at $STREAMSQL_TEST_KAFKA"
go test -tags synctests -p 1 -count=1 -timeout 20m ./tests/kafka/... ./connectors/kafka/... "$@"
