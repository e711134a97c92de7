#!/usr/bin/env bash
# A single-node Apache Kafka (KRaft) on the loopback interface, from the published jars. Needs Java 17 and, the first time,
# Maven. Sourced, it gives the functions below; run, it is:
#   broker.sh start DIR   start (or start again) the broker whose data and configuration are in DIR; prints host:port
#   broker.sh stop DIR    stop it and wait until it is gone
#   broker.sh kill DIR    the same with kill -9
# STREAMSQL_KAFKA_HEAP is the heap (512m).
set -euo pipefail

KAFKA_HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
KAFKA_VERSION=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$KAFKA_HERE/pom.xml")
KAFKA_LIB=${XDG_CACHE_HOME:-$HOME/.cache}/streamsql-kafka/$KAFKA_VERSION/lib

# broker_jars fetches the jars: whole or not at all, once for all users of the cache.
broker_jars() {
  [ -d "$KAFKA_LIB" ] && return 0
  local tmp=$KAFKA_LIB.$$
  command -v mvn > /dev/null || { echo "Maven is missing: install it, or copy Kafka's jars into $KAFKA_LIB" >&2; return 1; }
  echo "fetching Apache Kafka $KAFKA_VERSION into $KAFKA_LIB" >&2
  mkdir -p "$tmp"
  (cd "$KAFKA_HERE" && mvn -q -B dependency:copy-dependencies -DoutputDirectory="$tmp" >&2) || { rm -rf "$tmp"; return 1; }
  mv -T "$tmp" "$KAFKA_LIB" 2> /dev/null || rm -rf "$tmp" # another process was first
}

# broker_ports prints two free ports below the range of outgoing connections.
broker_ports() {
  local p found=()
  while [ ${#found[@]} -lt 2 ]; do
    p=$((20000 + RANDOM % 12000))
    (echo > "/dev/tcp/127.0.0.1/$p") 2> /dev/null || found+=("$p")
  done
  echo "${found[@]}"
}

broker_configure() { # DIR
  local port controller
  read -r port controller <<< "$(broker_ports)"
  mkdir -p "$1"
  cat > "$1/server.properties" <<P
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$1/logs
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.retention.ms=-1
log.segment.bytes=67108864
num.network.threads=2
num.io.threads=4
P
  echo "127.0.0.1:$port" > "$1/address"
  broker_java -cp "$KAFKA_LIB/*" kafka.tools.StorageTool format -t "$(head -c 16 /dev/urandom | base64 | tr '+/' '-_' | cut -c1-22)" \
    -c "$1/server.properties" > "$1/format.log" 2>&1 || { cat "$1/format.log" >&2; return 1; }
}

broker_java() { java -Dorg.slf4j.simpleLogger.defaultLogLevel=error "$@"; }

broker_answers() { # DIR
  local a; a=$(cat "$1/address")
  (echo > "/dev/tcp/${a%:*}/${a#*:}") 2> /dev/null
}

# broker_start DIR: starts the broker of DIR and waits until it answers. Its pid is in DIR/pid.
broker_start() {
  broker_jars
  [ -f "$1/server.properties" ] || broker_configure "$1"
  java "-Xms${STREAMSQL_KAFKA_HEAP:-512m}" "-Xmx${STREAMSQL_KAFKA_HEAP:-512m}" -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    -cp "$KAFKA_LIB/*" kafka.Kafka "$1/server.properties" >> "$1/broker.log" 2>&1 < /dev/null &
  echo $! > "$1/pid"
  disown
  for _ in $(seq 300); do
    broker_answers "$1" && return 0
    kill -0 "$(cat "$1/pid")" 2> /dev/null || break
    sleep 0.1
  done
  echo "the broker did not start:" >&2
  tail -5 "$1/broker.log" >&2
  return 1
}

# broker_stop DIR [SIGNAL]: ends the broker and waits until it is gone.
broker_stop() {
  [ -f "$1/pid" ] || return 0
  local pid; pid=$(cat "$1/pid")
  kill "-${2:-TERM}" "$pid" 2> /dev/null || true
  for _ in $(seq 150); do
    kill -0 "$pid" 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL "$pid" 2> /dev/null || true
  rm -f "$1/pid"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  case ${1:-} in
  start) broker_start "${2:?a directory}" && cat "$2/address" ;;
  stop) broker_stop "${2:?a directory}" ;;
  kill) broker_stop "${2:?a directory}" KILL ;;
  *) sed -n '2,7s/^# //p' "$0"; exit 2 ;;
  esac
fi
