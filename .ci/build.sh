#!/bin/sh
# Builds all that the tests need, and the tests, or what the arguments of `swift build` ask for. What
# users run is optimised, and so is what is tested. What only a debugger needs is left out.
#
# FERRY_BUILT=yes says that it is done: SwiftPM takes half a minute to find that nothing is left to build.
set -eu
cd "$(dirname "$0")/.."
[ -z "${FERRY_BUILT:-}" ] || exit 0
export FERRY_TESTS=all
sh .ci/packages.sh
[ $# -gt 0 ] || set -- --build-tests --explicit-target-dependency-import-check error
exec swift build -c release -debug-info-format none "$@"
