#!/bin/sh
# Builds Tests/Embedding, a package that depends on FerryKit as an app would, and runs its tests.
#
# It is built into the folder of the project's own build, so that nothing is fetched or compiled a
# second time; its versions are those of the project.
set -eu
cd "$(dirname "$0")/.."
sh .ci/build.sh --product ferry-backend
export FERRY_BACKEND="$PWD/.build/release/ferry-backend"
export SWIFT_BACKTRACE=enable=no
cp Package.resolved Tests/Embedding/Package.resolved
# A build that `swift test` begins has other settings than the project's own.
embedding() {
  swift "$@" -c release --package-path Tests/Embedding --scratch-path "$PWD/.build" --force-resolved-versions
}
embedding build --build-tests
embedding test --skip-build "$@"
