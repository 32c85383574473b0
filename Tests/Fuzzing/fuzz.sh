#!/bin/sh
# Feeds one reader with whatever libFuzzer makes up, for a number of seconds.
#
#   Tests/Fuzzing/fuzz.sh TARGET SECONDS        TARGET is the name of a file in Tests/Fuzzing/targets
#
# A target begins with lines that say what it needs: `// rooms:` the rooms in the order of their
# dependencies, `// embeds:` folders below Sources whose files SwiftPM builds in, `// stand-ins:`
# what in Tests/Fuzzing/stand-ins takes the place of a package, `// libraries:` what pkg-config knows
# them by, `// seeds:` folders below FERRY_STORES with files to begin with. The rooms are compiled straight from their sources, not by SwiftPM. The
# build, the corpus and what was found lie in .build/fuzzing; a crash, a hang of 10 seconds and more
# than 1 GiB of memory each end the run with a status other than 0 and leave the input there.
set -eu
cd "$(dirname "$0")/../.."
target=${1:?name a target: $(ls Tests/Fuzzing/targets | sed 's/\.swift$//' | tr '\n' ' ')}
seconds=${2:?say for how many seconds}
source=Tests/Fuzzing/targets/$target.swift
[ -f "$source" ] || { echo "there is no $source" >&2; exit 64; }
word() { sed -n "s|^// $1:||p" "$source"; }

work=$PWD/.build/fuzzing
build=$work/build-$target
rm -rf "$build"
mkdir -p "$build" "$work/corpus-$target" "$work/found-$target"
libraries=$(word libraries)
flags=
if [ -n "$libraries" ]; then
  # shellcheck disable=SC2086
  for flag in $(pkg-config --cflags $libraries); do flags="$flags -Xcc $flag"; done
  # shellcheck disable=SC2086
  flags="$flags $(pkg-config --libs $libraries)"
fi
for map in Sources/C*/module.modulemap; do
  flags="$flags -Xcc -fmodule-map-file=$PWD/$map"
done
house="-swift-version 6 -package-name ferry -O -g -sanitize=fuzzer,address -parse-as-library \
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
  -enable-upcoming-feature MemberImportVisibility \
  -enable-upcoming-feature NonisolatedNonsendingByDefault -I $build"

objects=
compile() {
  module=$1
  shift
  # shellcheck disable=SC2086
  swiftc $house $flags -wmo -emit-module -emit-module-path "$build/$module.swiftmodule" \
    -module-name "$module" -emit-object -o "$build/$module.o" "$@"
  objects="$objects $build/$module.o"
}
for name in $(word stand-ins); do
  compile "$name" "Tests/Fuzzing/stand-ins/$name.swift"
done
# What SwiftPM makes of embedded files: a constant of bytes for each.
embed() {
  echo "struct PackageResources {"
  for file in "$1"/*; do
    name=$(basename "$file" | tr -c 'A-Za-z0-9\n' _)
    echo "static let $name: [UInt8] = [$(od -An -v -tu1 "$file" | tr -s ' \n' ',' | sed 's/^,//')]"
  done
  echo "}"
}
for room in $(word rooms); do
  embedded=
  for folder in $(word embeds); do
    if [ "${folder%%/*}" = "$room" ]; then
      embedded=$build/$room-resources.swift
      embed "Sources/$folder" > "$embedded"
    fi
  done
  # shellcheck disable=SC2046,SC2086
  compile "$room" $(find "Sources/$room" -name '*.swift') $embedded
done
# shellcheck disable=SC2086
swiftc $house $flags -module-name Fuzzing -o "$build/fuzz" "$source" $objects

seeds=
if [ -n "${FERRY_STORES:-}" ]; then
  for folder in $(word seeds); do
    [ ! -d "$FERRY_STORES/$folder" ] || seeds="$seeds $FERRY_STORES/$folder"
  done
fi
export SWIFT_BACKTRACE=enable=no
# libFuzzer adds to the first folder and only reads the others.
# shellcheck disable=SC2086
exec nice "$build/fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
  -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/found-$target/" \
  "$work/corpus-$target" $seeds
