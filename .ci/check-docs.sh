#!/bin/sh
# Builds the documentation of every room with the toolchain's own docc. A broken link, a parameter
# without a word, or a room without a front page is an error.
#
# The symbol graphs come from a build of their own, below .build/docs: extracted from finished
# modules they would lack whatever names another room's package types. They stay there, because a
# later build writes only those of rooms that changed.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh
docc=$(command -v docc || xcrun --find docc)
build=$PWD/.build/docs
graphs=$build/symbol-graphs
pages=$build/pages
mkdir -p "$graphs"
swift build --scratch-path "$build" --product ferry --quiet \
  -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs" \
  -Xswiftc -symbol-graph-minimum-access-level -Xswiftc package

rm -rf "$pages"
mkdir -p "$pages"
failed=
for folder in Sources/*; do
  room=${folder#Sources/}
  case $room in
    ferry | TestSupport) continue ;;
  esac
  # A room that only tells where a C library is has nothing to document.
  [ ! -f "$folder/module.modulemap" ] && [ ! -d "$folder/include" ] || continue
  catalog=$folder/$room.docc
  if [ ! -f "$catalog/$room.md" ]; then
    echo "$room has no front page: write $catalog/$room.md" >&2
    failed=yes
    continue
  fi
  if [ ! -f "$graphs/$room.symbols.json" ]; then
    echo "$room left no symbol graph in $graphs; remove $build and try again" >&2
    failed=yes
    continue
  fi
  mkdir "$pages/$room"
  cp "$graphs/$room.symbols.json" "$pages/$room"
  if "$docc" convert "$catalog" --additional-symbol-graph-dir "$pages/$room" \
    --fallback-display-name "$room" --fallback-bundle-identifier "ferry.$room" \
    --output-path "$pages/$room.doccarchive" --warnings-as-errors >"$pages/$room.log" 2>&1; then
    echo "documented $room"
  else
    echo "$room:" >&2
    cat "$pages/$room.log" >&2
    failed=yes
  fi
done
[ -z "$failed" ]
