#!/bin/sh
# Measures how many shared texts a second are read on one core.
#
#   Tests/Benchmarks/shared-texts.sh FILE        FILE is JSON Lines with the member `text`
#
# The modules are compiled straight from their sources with optimisation, not by SwiftPM; what is built
# lies in .build/benchmarks.
set -eu
file=$(realpath "${1:?name a file of JSON Lines}")
cd "$(dirname "$0")/../.."
build=$PWD/.build/benchmarks
mkdir -p "$build"
common="-swift-version 6 -package-name ferry -O -wmo -parse-as-library \
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
  -enable-upcoming-feature MemberImportVisibility \
  -enable-upcoming-feature NonisolatedNonsendingByDefault -I $build \
  -Xcc -fmodule-map-file=$PWD/Sources/CByteSearch/module.modulemap"

# What SwiftPM makes of embedded files: a constant of bytes for each.
{
  echo "struct PackageResources {"
  for game in Sources/ResultText/Games/*; do
    name=$(basename "$game" | tr -c 'A-Za-z0-9\n' _)
    echo "static let $name: [UInt8] = [$(od -An -v -tu1 "$game" | tr -s ' \n' ',' | sed 's/^,//')]"
  done
  echo "}"
} > "$build/resources.swift"
compile() {
  module=$1
  shift
  # shellcheck disable=SC2086
  swiftc $common -emit-module -emit-module-path "$build/$module.swiftmodule" \
    -module-name "$module" -emit-object -o "$build/$module.o" "$@"
}
# shellcheck disable=SC2046
compile TextCodecs $(find Sources/TextCodecs -name '*.swift')
# shellcheck disable=SC2046
compile JSONText $(find Sources/JSONText -name '*.swift')
# shellcheck disable=SC2046
compile ResultGrammar $(find Sources/ResultGrammar -name '*.swift')
# shellcheck disable=SC2046
compile ResultText $(find Sources/ResultText -name '*.swift') "$build/resources.swift"
# shellcheck disable=SC2086
swiftc $common -module-name SharedTexts -o "$build/shared-texts" Tests/Benchmarks/shared-texts.swift \
  "$build/TextCodecs.o" "$build/JSONText.o" "$build/ResultGrammar.o" "$build/ResultText.o"
exec "$build/shared-texts" "$file"
