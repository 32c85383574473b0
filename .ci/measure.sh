#!/bin/sh
# Measures the project and prints one figure a line, separated by tabs, so that `diff` compares two outputs:
# what is measured, of what, the figure, a note. It builds nothing, and takes less than twenty seconds.
#
#   sh .ci/measure.sh [LOG ...]
#
# The flags of `migrate`, the size of the program and the parses of a line, which gdb counts, are those of
# .build/release/ferry, or of FERRY_PROGRAM.
# The times of the rings of tests are read from logs of test.sh, nightly.sh and .ci/run.
set -eu
begun=$PWD
cd "$(dirname "$0")/.."
manifest=$(mktemp)
trap 'rm -f "$manifest"' EXIT
FERRY_TESTS=all swift package dump-package >"$manifest"
FERRY_BEGUN=$begun FERRY_MANIFEST=$manifest python3 .ci/measure.py "$@"
