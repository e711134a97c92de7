#!/usr/bin/env bash
# run.sh [go test arguments]: the tests against a real schema registry (Apicurio, by its API that is Confluent's) and Confluent's own
# serialisers (its Python client). Both come from package registries, once, into the cache. Needs Java 17, Maven and Python 3; where
# one of them or the packages are missing it says so, and ends well: nothing was tested.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
version=3.0.9
client=2.16.1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/streamsql-registry

skip() { echo "the tests against a real schema registry are skipped: $1" >&2; exit 0; }

fetch_registry() {
  [ -d "$cache/apicurio-$version" ] && return 0
  local tmp=$cache/apicurio.$$
  mvn -q -B dependency:get -Dartifact="io.apicurio:apicurio-registry-app:$version:tar.gz:all" -Dtransitive=false >&2 || return 1
  mkdir -p "$tmp"
  tar xzf "${MAVEN_REPO:-$HOME/.m2/repository}/io/apicurio/apicurio-registry-app/$version/apicurio-registry-app-$version-all.tar.gz" -C "$tmp" || return 1
  mv -T "$tmp" "$cache/apicurio-$version" 2> /dev/null || rm -rf "$tmp" # another process was first
}

fetch_client() {
  [ -x "$cache/client-$client/bin/python" ] && return 0
  local tmp=$cache/client-$client.new
  rm -rf "$tmp"
  python3 -m venv "$tmp" || return 1
  "$tmp/bin/pip" install -q "confluent-kafka[avro,json,protobuf,schemaregistry]==$client" >&2 || return 1
  mv -T "$tmp" "$cache/client-$client"
}

for tool in java mvn python3 curl; do
  command -v $tool > /dev/null || skip "$tool is missing"
done
mkdir -p "$cache"
fetch_registry || skip "Apicurio Registry $version cannot be fetched"
fetch_client || skip "Confluent's Python client $client cannot be installed"

dir=$(mktemp -d "${TMPDIR:-/tmp}/streamsql-registry.XXXXXX")
pid=
end() {
  if [ -n "$pid" ]; then
    kill "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
  fi
  rm -rf "$dir"
}
trap end EXIT
trap 'exit 130' INT TERM

port=$((20000 + RANDOM % 12000))
QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT=$port QUARKUS_MANAGEMENT_ENABLED=false \
  java -Xmx512m -jar "$cache/apicurio-$version/apicurio-registry-app-$version-runner.jar" > "$dir/registry.log" 2>&1 &
pid=$!
url=http://127.0.0.1:$port/apis/ccompat/v7
for _ in $(seq 120); do
  curl -sf "$url/subjects" > /dev/null && break
  kill -0 "$pid" 2> /dev/null || { tail -n 40 "$dir/registry.log" >&2; exit 1; }
  sleep 1
done
curl -sf "$url/subjects" > /dev/null || { tail -n 40 "$dir/registry.log" >&2; exit 1; }
echo "Apicurio Registry $version answers at $url"
export STREAMSQL_TEST_REGISTRY=$url STREAMSQL_TEST_PYTHON=$cache/client-$client/bin/python
go test -tags synctests -count=1 -timeout 10m . "$@"
