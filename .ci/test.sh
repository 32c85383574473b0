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

# Tests that talk to servers or start programs wait most of their time. They go one after the other, in three
# lanes at once; those who kill programs at moments want the machine for themselves.
# The corpus of real stores asks nobody, and takes the longest.
first='^(BackendsTests|DevelopmentBackendTests|FerryKitTests)\.|^CrossingTests\.((?!CorpusTests)[A-F]|SelectionTests)'
second='^CrossingTests\.([G-O]|P(?!ostgreSQL))'
third='^CrossingTests\.((?!SelectionTests)[Q-Z]|PostgreSQL)'
status=0
# All at once, a test would wait for those that began before it, and its time run out meanwhile.
run --experimental-maximum-parallelization-width 4 --skip "$first|$second|$third|^Faults\." || status=$?
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
lane() { run --ignore-lock --no-parallel --filter "$@"; }
lane "$third" >"$logs/third" 2>&1 &
longest=$!
# All read the manifest first, and one finds that locked while another does.
sleep 20
lane "$second" >"$logs/second" 2>&1 &
middle=$!
sleep 20
lane "$first" || status=$?
wait "$middle" || status=$?
cat "$logs/second"
wait "$longest" || status=$?
cat "$logs/third"
# Of those, some only wait for what is lost on the way.
waiting='^Faults\.Faults/(LostAnswers|Network)/'
lane "$waiting" >"$logs/waiting" 2>&1 &
patient=$!
sleep 20
run --ignore-lock --filter '^Faults\.' --skip "$waiting" || status=$?
wait "$patient" || status=$?
cat "$logs/waiting"
exit "$status"
