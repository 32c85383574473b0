#!/bin/sh
# Builds all that the tests need, and the tests. What users run is optimised, and so is what is tested.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh
exec swift build -c release --build-tests --explicit-target-dependency-import-check error
