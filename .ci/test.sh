#!/bin/sh
# Installs what is missing and runs every test. Arguments, if there are any, go to `swift test`.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh tests
export SWIFT_BACKTRACE=enable=no
swift build --build-tests --explicit-target-dependency-import-check error
[ $# -eq 0 ] || exec swift test --skip-build "$@"

# Tests that talk to servers or start programs come two at a time, as most of them wait; those who
# kill programs at moments want the machine for themselves.
# The corpus of real stores asks nobody, and takes the longest.
talking='^(BackendsTests|DevelopmentBackendTests|CrossingTests|FerryKitTests)\.(?!CorpusTests)'
status=0
swift test --skip-build --skip "$talking|^Faults\." || status=$?
swift test --skip-build --experimental-maximum-parallelization-width 2 --filter "$talking" || status=$?
swift test --skip-build --filter '^Faults\.' || status=$?
exit "$status"
