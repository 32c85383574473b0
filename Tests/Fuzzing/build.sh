#!/bin/sh
# Builds the fuzzer of one reader, of which it builds only what is not built from the same sources yet.
#
#   Tests/Fuzzing/build.sh TARGET               gives the path of the program
#   Tests/Fuzzing/build.sh --check [TARGET]     only compiles it, or each of them, without optimizing
#
# What a target is built from is read from imports: needs.py. A target may begin with lines that say more:
# `// without:` further files of modules that are left out (`MODULE/FILE.swift`), `// with:` a placeholder
# that is compiled into a module in their place (`MODULE/SUBSTITUTE`), `// helpers:` files of tests that
# are compiled with the target itself, `// sanitizers:` other ones than `fuzzer,address`.
#
# The modules are compiled straight from their sources, not by SwiftPM. Each module lies in
# .build/fuzzing/modules under the digest of all that it is made of, so that targets share it.
set -eu
cd "$(dirname "$0")/../.."
isChecked=
if [ "${1:-}" = --check ]; then
  isChecked=yes
  shift
  if [ $# -eq 0 ]; then
    status=0
    for source in Tests/Fuzzing/targets/*.swift; do
      target=$(basename "$source" .swift)
      sh Tests/Fuzzing/build.sh --check "$target" || {
        echo "the fuzzer of $target cannot be built" >&2
        status=1
      }
    done
    exit "$status"
  fi
fi
[ $# -eq 1 ] || { echo "name a target" >&2; exit 64; }
source=Tests/Fuzzing/targets/$1.swift
[ -f "$source" ] || { echo "there is no $source" >&2; exit 64; }
needs=$(python3 Tests/Fuzzing/needs.py "$1")
word() { { echo "$needs"; sed -n 's|^// ||p' "$source"; } | sed -n "s|^$1:||p"; }

store=$PWD/.build/fuzzing/modules
toolchain=$(swiftc --version 2>&1)
digest() { sha256sum | cut -c1-16; }

if [ -n "$isChecked" ]; then
  optimizing=-Onone
  sanitizing=
else
  optimizing="-O -g"
  sanitizing=-sanitize=$(word sanitizers | tr -d ' ' | grep . || echo fuzzer,address)
fi
common="-swift-version 6 -D PCRE2 -package-name ferry -parse-as-library -warnings-as-errors \
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
  -enable-upcoming-feature MemberImportVisibility \
  -enable-upcoming-feature NonisolatedNonsendingByDefault"

# What has been compiled so far: its objects, the flags by which others find it, and its digests.
flags=
objects=
keys=
# The folder of a module.
place() {
  for place in "Sources/$1" Sources/*/"$1"; do
    [ ! -d "$place" ] || { echo "$place"; return; }
  done
  echo "$1"
}

# The modules that files of Swift import.
imports() {
  sed -nE 's/^((package|public|internal|private|@[a-zA-Z_]+) )*import ((struct|class|enum|func|protocol|typealias|var|let) )?([A-Za-z0-9_]+).*/\5/p' \
    "$@" | LC_ALL=C sort -u
}

# Sets `folder` to the place of a module that is made of the files and words given.
settle() {
  module=$1
  key=$2
  folder=$store/$module-$key
  keys="$keys
$module $key"
  [ ! -f "$folder/done" ] || { touch "$folder"; return 0; }
  rm -rf "$folder"
  mkdir -p "$folder"
}

# A module of C, with its header or a map of its own.
instrumenting=$(echo "$sanitizing" | sed 's/-sanitize=fuzzer/-fsanitize=fuzzer-no-link/')
compile_c() {
  module=$1
  headers=$2
  shift 2
  settle "$module" "$(cat "$@" "$headers"/*.h | { echo "$toolchain $instrumenting"; cat; } | digest)"
  map=$headers/module.modulemap
  if [ ! -f "$map" ]; then
    map=$folder/module.modulemap
    echo "module $module { umbrella \"$PWD/$headers\" export * }" > "$map"
  fi
  flags="$flags -Xcc -fmodule-map-file=$(realpath "$map")"
  for file in "$@"; do
    object=$folder/$(basename "$file" .c).o
    objects="$objects $object"
    [ -z "$isChecked" ] || continue
    [ -f "$folder/done" ] ||
      clang -O1 -g $instrumenting -I "$headers" -c -o "$object" "$file"
  done
  touch "$folder/done"
}

# A module of Swift: its name, the flags it is compiled with, its files.
compile() {
  module=$1
  how=$2
  shift 2
  parts=$(imports "$@")
  key=$(
    {
      echo "$toolchain $how"
      echo "$keys" | while read -r name part; do
        for used in $parts; do [ "$used" != "$name" ] || echo "$name $part"; done
      done
      cat "$@"
    } | digest
  )
  settle "$module" "$key"
  if [ ! -f "$folder/done" ]; then
    # shellcheck disable=SC2086
    if [ -n "$isChecked" ]; then
      swiftc $how $flags -wmo -emit-module -emit-module-path "$folder/$module.swiftmodule" \
        -module-name "$module" "$@"
    else
      swiftc $how $flags -wmo -emit-module -emit-module-path "$folder/$module.swiftmodule" \
        -module-name "$module" -emit-object -o "$folder/$module.o" "$@"
    fi
    touch "$folder/done"
  fi
  flags="$flags -I $folder"
  objects="$objects $folder/$module.o"
}

# A package. What is far from a reader is compiled without sanitizers: a way through a library that is
# only used is no way of its own through the reader.
package() {
  checkouts=.build/checkouts
  foreign="$optimizing -parse-as-library -suppress-warnings -D SWIFT_PACKAGE"
  # Whether what others wrote compiles is not the question.
  [ -z "$isChecked" ] || foreign="$foreign -experimental-skip-non-inlinable-function-bodies"
  # shellcheck disable=SC2046
  case $1 in
    Yams)
      compile_c CYaml $checkouts/Yams/Sources/CYaml/include $checkouts/Yams/Sources/CYaml/src/*.c
      compile Yams "$foreign $sanitizing -swift-version 5" $checkouts/Yams/Sources/Yams/*.swift ;;
    GRDB)
      flags="$flags -Xcc -fmodule-map-file=$PWD/$checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap"
      compile GRDB "$foreign -swift-version 6 -D SQLITE_ENABLE_FTS5 -D SQLITE_DISABLE_SNAPSHOT" \
        $(find $checkouts/GRDB.swift/GRDB -name '*.swift' | LC_ALL=C sort) ;;
    *) echo "nobody knows how to compile $1" >&2; exit 64 ;;
  esac
}

# What SwiftPM makes of embedded files: a constant of bytes for each.
embed() {
  echo "struct PackageResources {"
  for file in "$@"; do
    name=$(basename "$file" | tr -c 'A-Za-z0-9\n' _)
    echo "static let $name: [UInt8] = [$(od -An -v -tu1 "$file" | tr -s ' \n' ',' | sed 's/^,//')]"
  done
  echo "}"
}
# The file in which what a module embeds is written, made where it is not there yet; none where it
# embeds nothing.
embedded() {
  module=$1
  set --
  for embeds in $(word embeds); do
    [ "${embeds%%/*}" != "$module" ] || set -- "$@" "$(place "$module")/${embeds#*/}"/*
  done
  [ $# -gt 0 ] || return 0
  resources=$store/$module-$(cat "$@" | digest).swift
  [ -f "$resources" ] || { embed "$@" > "$resources.new"; mv "$resources.new" "$resources"; }
  echo "$resources"
}

mkdir -p "$store"
# What no target has asked for in a week.
find "$store" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +

links=
libraries=$(word libraries)
if [ -n "$libraries" ]; then
  # shellcheck disable=SC2086
  for flag in $(pkg-config --cflags $libraries); do flags="$flags -Xcc $flag"; done
  # shellcheck disable=SC2086
  links=$(pkg-config --libs $libraries)
fi
for map in Sources/C*/module.modulemap; do
  flags="$flags -Xcc -fmodule-map-file=$PWD/$map"
  folder=$(dirname "$map")
  keys="$keys
$(basename "$folder") $(cat "$folder"/*.h "$map" | digest)"
done
for headers in Sources/C*/include; do
  folder=$(dirname "$headers")
  for module in $(word modules); do
    grep -rqs "^import $(basename "$folder")$" "$(place "$module")" && break
  done || continue
  compile_c "$(basename "$folder")" "$headers" "$folder"/*.c
done
for name in $(word packages); do package "$name"; done
for name in $(word substitutes); do
  compile "$name" "$common $optimizing $sanitizing" "Tests/Fuzzing/substitutes/$name.swift"
done
for module in $(word modules); do
  files=$(find "$(place "$module")" -name '*.swift' | LC_ALL=C sort)
  for left in $(word without); do
    [ "${left%%/*}" != "$module" ] ||
      files=$(echo "$files" | grep -vxF "$(place "$module")/${left#*/}")
  done
  for added in $(word with); do
    [ "${added%%/*}" != "$module" ] || files="$files Tests/Fuzzing/substitutes/${added#*/}.swift"
  done
  # shellcheck disable=SC2046,SC2086
  compile "$module" "$common $optimizing $sanitizing" $files $(embedded "$module")
done

target=$1
# shellcheck disable=SC2046
set -- "$source" $(word helpers) Tests/Fuzzing/FuzzTarget.swift Tests/Fuzzing/LibFuzzer.swift
key=$({ echo "$keys $toolchain $sanitizing $links"; cat "$@"; } | digest)
settle "fuzz-$target" "$key"
if [ ! -f "$folder/done" ]; then
  echo "$target" | awk -F - '{
    printf "let chosen = FuzzTarget.%s", $1
    for (word = 2; word <= NF; word++) printf "%s%s", toupper(substr($word, 1, 1)), substr($word, 2)
    print ""
  }' > "$folder/chosen.swift"
  set -- "$@" "$folder/chosen.swift"
  # shellcheck disable=SC2086
  if [ -n "$isChecked" ]; then
    swiftc $common $flags -typecheck "$@"
  else
    swiftc $common $optimizing $sanitizing $flags -module-name Fuzzing -o "$folder/fuzz" \
      "$@" $objects $links 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
  fi
  touch "$folder/done"
fi
[ -n "$isChecked" ] || echo "$folder/fuzz"
