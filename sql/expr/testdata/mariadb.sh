#!/bin/bash
# Asks a MariaDB server for the answers of mariadb.tsv again, and writes them into it.
# It needs the Debian packages mariadb-server and tzdata; the server is a private one in a temporary directory.
#
# A line of mariadb.tsv is an expression, MariaDB's answer, and, where the engine means to answer otherwise, the engine's answer
# and the reason, separated by tabs. Lines that begin with # are comments.
set -euo pipefail
cd "$(dirname "$0")"
dir=$(mktemp -d)
mariadb-install-db --no-defaults --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db >"$dir/install.log" 2>&1
mariadbd --no-defaults --user="$(id -un)" --datadir="$dir/data" --socket="$dir/s" --skip-networking --pid-file="$dir/pid" \
  --default-time-zone=+00:00 --character-set-server=utf8mb4 --collation-server=utf8mb4_bin >"$dir/log" 2>&1 &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$dir"' EXIT
client() { mariadb --no-defaults --user=root --socket="$dir/s" --default-character-set=utf8mb4 "$@"; }
for _ in $(seq 100); do client -e 'SELECT 1' >/dev/null 2>&1 && break; sleep 0.2; done
mariadb-tzinfo-to-sql /usr/share/zoneinfo 2>/dev/null | client mysql

# One session answers all: before each answer its number; an expression that fails leaves its number alone.
{
  echo "SET NAMES utf8mb4 COLLATE utf8mb4_bin;"
  grep -av '^#' mariadb.tsv | cut -f1 | awk 'NF { print "SELECT \"#" NR "\";\nSELECT " $0 ";" }'
} >"$dir/questions.sql"
client --force --batch --skip-column-names mysql <"$dir/questions.sql" >"$dir/answers" 2>"$dir/errors" || true
awk -F'\t' -v OFS='\t' -v answers="$dir/answers" '
  BEGIN { while ((getline line < answers) > 0) { if (line ~ /^#[0-9]+$/) { k = substr(line, 2) + 0; answer[k] = "ERROR" } else answer[k] = line } }
  /^#/ || !NF { print; next }
  { n++; $2 = answer[n]; print }' mariadb.tsv >"$dir/new"
cp "$dir/new" mariadb.tsv
cat "$dir/errors"
