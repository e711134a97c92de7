#!/usr/bin/env bash
# run.sh [go test arguments]: the page in a real Chromium. Where there is none, Debian's package is installed if that is allowed; else it
# says so, and ends well: nothing was tested.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

if ! browser > /dev/null; then
  { [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get install -y -q --no-install-recommends chromium > /dev/null 2>&1; } || true
fi
browser > /dev/null || { echo "the tests of the page are skipped: there is no Chromium, and it could not be installed" >&2; exit 0; }
exec go test -count=1 -tags 'synctests page' . "$@"
