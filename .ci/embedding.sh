#!/bin/sh
# Builds Tests/Embedding, a package that depends on FerryKit as an app for a phone would, and runs its tests.
# Before that it says which modules and system libraries such an app gets.
#
# It is built into the folder of the project's own build, so that no package is fetched or compiled a second
# time; its versions are those of the project. The trait PCRE2 is off, and the compiler is told of a trait in
# each module: the modules of FerryKit are compiled again, and once more by the next build of the project. They
# are not optimised here, which takes a third of the time; the packages that they use stay as they are built.
set -eu
cd "$(dirname "$0")/.."
sh .ci/build.sh --product ferry-backend
swift package dump-package | python3 .ci/embedded-modules.py
export FERRY_BACKEND="$PWD/.build/release/ferry-backend"
export SWIFT_BACKTRACE=enable=no
cp Package.resolved Tests/Embedding/Package.resolved
# A build that `swift test` begins has other settings than the project's own.
embedding() {
  FERRY_OPTIMIZED=no swift "$@" -c release -debug-info-format none --package-path Tests/Embedding --scratch-path "$PWD/.build" \
    --force-resolved-versions
}
embedding build --build-tests
embedding test --skip-build "$@"
