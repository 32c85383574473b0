#!/bin/sh
# Builds all that the tests of a change need, and those tests, or what the arguments of `swift build` ask for.
# FERRY_TESTS=all has the tests of the night too. What users run is optimised, and so is what is tested. What only
# a debugger needs is left out.
#
# FERRY_BUILT=yes says that it is done: SwiftPM takes half a minute to find that nothing is left to build.
set -eu
cd "$(dirname "$0")/.."
[ -z "${FERRY_BUILT:-}" ] || exit 0
export FERRY_TESTS="${FERRY_TESTS:-push}"
sh .ci/packages.sh
[ $# -gt 0 ] || set -- --build-tests --explicit-target-dependency-import-check error
exec swift build -c release -debug-info-format none "$@"
