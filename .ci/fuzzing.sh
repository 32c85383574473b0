#!/bin/sh
# Compiles every fuzzer as Tests/Fuzzing/fuzz.sh would, without optimizing and without running it: their
# targets are fed by the ordinary tests too, but with modules and packages that SwiftPM has built.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh
[ -d .build/checkouts/GRDB.swift ] || swift package resolve
exec sh Tests/Fuzzing/build.sh --check
