#!/bin/sh
# Installs what is missing and runs every test. Arguments, if there are any, go to `swift test`.
#
# For a single test while something is changed, `swift test --filter` alone is sooner done.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh tests
export SWIFT_BACKTRACE=enable=no
sh .ci/build.sh
run() { swift test -c release --skip-build "$@"; }
if [ $# -gt 0 ]; then
  run "$@"
  exit
fi

# Tests that talk to servers or start programs wait most of their time. They go one after the other, in
# lanes at once, and so do those that have something go wrong at every call and those that kill programs at
# moments. The corpus of real stores asks nobody, and takes the longest.
first='^(BackendsTests|DevelopmentBackendTests|FerryKitTests)\.|^CrossingTests\.(?!CorpusTests)[A-F]'
second='^CrossingTests\.([G-O]|P(?!ostgreSQL))'
third='^CrossingTests\.([Q-Z]|PostgreSQL)'
# What only waits, for what is lost on the way or for a server that asks to.
waiting='^Faults\.Faults/(LostAnswers|Network)/|^CrossingTests\.PostgreSQLTests/.*503'
calls='^Faults\.Faults/Calls/'
faults='^Faults\.'
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
status=0
# A lane: its name, and which tests it has.
lane() {
  name=$1
  shift
  run --ignore-lock --no-parallel --filter "$@" >"$logs/$name" 2>&1
}
# Waits for a lane that was begun before, and shows what it said.
end() {
  wait "$2" || status=$?
  cat "$logs/$1"
}
# All read the manifest first, and one finds that locked while another does.
apart() { sleep 20; }

# All at once, a test would wait for those that began before it, and its time run out meanwhile.
run --experimental-maximum-parallelization-width 4 --skip "$first|$second|$third|$faults" || status=$?
lane second "$second" &
begun_second=$!
apart
lane third "$third" --skip "$waiting" &
begun_third=$!
apart
lane waiting "$waiting" &
begun_waiting=$!
apart
lane first "$first" &
end first $!
end second "$begun_second"
end third "$begun_third"
end waiting "$begun_waiting"
lane calls "$calls" &
begun_calls=$!
apart
lane faults "$faults" --skip "$calls|$waiting" &
end faults $!
end calls "$begun_calls"
exit "$status"
