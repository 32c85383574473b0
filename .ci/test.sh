#!/bin/sh
# Installs what is missing and runs every test. Arguments, if there are any, go to `swift test`.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh tests
export SWIFT_BACKTRACE=enable=no
swift build --build-tests --explicit-target-dependency-import-check error
[ $# -eq 0 ] || exec swift test --skip-build "$@"

# Tests that talk to servers or start programs go one after the other in two lanes, as most of them
# wait; those who kill programs at moments want the machine for themselves.
# The corpus of real stores asks nobody, and takes the longest.
servers='^(BackendsTests|DevelopmentBackendTests|FerryKitTests)\.|^CrossingTests\.(?!CorpusTests)[A-K]'
programs='^CrossingTests\.[L-Z]'
status=0
# All at once, a test would wait for those that began before it, and its time run out meanwhile.
swift test --skip-build --experimental-maximum-parallelization-width 4 \
  --skip "$servers|$programs|^Faults\." || status=$?
log=$(mktemp)
trap 'rm -f "$log"' EXIT
lane() { swift test --skip-build --ignore-lock "$@"; }
lane --no-parallel --filter "$programs" >"$log" 2>&1 &
other=$!
# Both read the manifest first, and one finds that locked while the other does.
sleep 30
lane --no-parallel --filter "$servers" || status=$?
wait "$other" || status=$?
cat "$log"
swift test --skip-build --filter '^Faults\.' || status=$?
exit "$status"
