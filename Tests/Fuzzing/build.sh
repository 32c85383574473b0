#!/bin/sh
# Builds the fuzzer of one reader, where it is not built from the same sources yet.
#
#   Tests/Fuzzing/build.sh TARGET               gives the path of the program
#
# A target begins with lines that say what it needs: `// rooms:` the rooms in the order of their
# dependencies, `// embeds:` folders of rooms whose files SwiftPM builds in, `// packages:` what is
# compiled from where SwiftPM has checked it out, `// stand-ins:` what in Tests/Fuzzing/stand-ins
# takes the place of a package, `// libraries:` what pkg-config knows them by. Of the last room
# `// without:` names files that are left out, and `// with:` a stand-in that is compiled into it in
# their place. `// helpers:` names files of tests that are compiled with the target itself.
#
# The rooms are compiled straight from their sources, not by SwiftPM.
set -eu
cd "$(dirname "$0")/../.."
target=${1:?name a target}
source=Tests/Fuzzing/targets/$target.swift
[ -f "$source" ] || { echo "there is no $source" >&2; exit 64; }
word() { sed -n "s|^// $1:||p" "$source"; }

build=$PWD/.build/fuzzing/build-$target
# The folder of a room.
place() { if [ -d "Sources/$1" ]; then echo "Sources/$1"; else echo "$1"; fi; }
state=$(
  {
    swiftc --version 2>&1
    # shellcheck disable=SC2046
    find Tests/Fuzzing/build.sh Tests/Fuzzing/stand-ins "$source" $(word helpers) Package.resolved Sources/C[[:upper:]]* \
      $(for room in $(word rooms); do place "$room"; done) -type f | LC_ALL=C sort | xargs cat
  } | sha256sum
)
if [ "$state" = "$(cat "$build/state" 2>/dev/null)" ]; then
  echo "$build/fuzz"
  exit
fi
rm -rf "$build"
mkdir -p "$build"
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
# A module of C, with its header or a map of its own.
compile_c() {
  module=$1
  headers=$2
  shift 2
  map=$headers/module.modulemap
  if [ ! -f "$map" ]; then
    map=$build/$module.modulemap
    echo "module $module { umbrella \"$PWD/$headers\" export * }" > "$map"
  fi
  flags="$flags -Xcc -fmodule-map-file=$(realpath "$map")"
  for file in "$@"; do
    clang -O1 -g -fsanitize=fuzzer-no-link,address -I "$headers" -c -o "$build/$module-$(basename "$file" .c).o" "$file"
    objects="$objects $build/$module-$(basename "$file" .c).o"
  done
}
for headers in Sources/C*/include; do
  folder=$(dirname "$headers")
  for room in $(word rooms); do
    grep -rqs "^import $(basename "$folder")$" "Sources/$room" && break
  done || continue
  compile_c "$(basename "$folder")" "$headers" "$folder"/*.c
done
compile() {
  module=$1
  shift
  # shellcheck disable=SC2086
  swiftc $house $flags -wmo -emit-module -emit-module-path "$build/$module.swiftmodule" \
    -module-name "$module" -emit-object -o "$build/$module.o" "$@"
  objects="$objects $build/$module.o"
}
# A package, with the sanitizers where `sanitizers` says so: a way through a library that is only used
# is no way of its own through a reader.
foreign() {
  # shellcheck disable=SC2086
  (house="-O -g $sanitizers -parse-as-library -suppress-warnings -I $build"; compile "$@")
  objects="$objects $build/$1.o"
}
for name in $(word packages); do
  place=.build/checkouts
  sanitizers=-sanitize=fuzzer,address
  # shellcheck disable=SC2046
  case $name in
    Yams)
      compile_c CYaml $place/Yams/Sources/CYaml/include $place/Yams/Sources/CYaml/src/*.c
      foreign Yams -swift-version 5 -D SWIFT_PACKAGE $place/Yams/Sources/Yams/*.swift ;;
    GRDB)
      sanitizers=
      flags="$flags -Xcc -fmodule-map-file=$PWD/$place/GRDB.swift/Sources/GRDBSQLite/module.modulemap"
      foreign GRDB -swift-version 6 -D SWIFT_PACKAGE -D SQLITE_ENABLE_FTS5 -D SQLITE_DISABLE_SNAPSHOT \
        $(find $place/GRDB.swift/GRDB -name '*.swift') ;;
    *) echo "nobody knows how to compile $name" >&2; exit 64 ;;
  esac
done
for name in $(word stand-ins); do
  compile "$name" "Tests/Fuzzing/stand-ins/$name.swift"
done
# What SwiftPM makes of embedded files: a constant of bytes for each.
embed() {
  for file in "$1"/*; do
    name=$(basename "$file" | tr -c 'A-Za-z0-9\n' _)
    echo "static let $name: [UInt8] = [$(od -An -v -tu1 "$file" | tr -s ' \n' ',' | sed 's/^,//')]"
  done
}
for room in $(word rooms); do
  folder=$(place "$room")
  embedded=
  for embeds in $(word embeds); do
    [ "${embeds%%/*}" = "$room" ] || continue
    [ -n "$embedded" ] || echo "struct PackageResources {" > "$build/$room-resources.swift"
    embedded=$build/$room-resources.swift
    embed "$folder/${embeds#*/}" >> "$embedded"
  done
  [ -z "$embedded" ] || echo "}" >> "$embedded"
  sources=$(find "$folder" -name '*.swift')
  last=$(word rooms | awk '{ print $NF }')
  if [ "$room" = "$last" ]; then
    for left in $(word without); do
      sources=$(echo "$sources" | grep -vxF "$folder/$left")
    done
    for added in $(word with); do sources="$sources Tests/Fuzzing/stand-ins/$added.swift"; done
  fi
  # shellcheck disable=SC2086
  compile "$room" $sources $embedded
done
# shellcheck disable=SC2046,SC2086
swiftc $house $flags -module-name Fuzzing -o "$build/fuzz" "$source" $(word helpers) $objects

echo "$state" > "$build/state"
echo "$build/fuzz"
