#!/bin/sh
# Installs what is missing and runs every test. Arguments go to `swift test`.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh tests
export SWIFT_BACKTRACE=enable=no
swift build --build-tests --explicit-target-dependency-import-check error
exec swift test --skip-build "$@"
