#!/bin/sh
# Builds the documentation of every room with the toolchain's own docc. A broken link, a parameter
# without a word, or a room without a front page is an error.
#
# Nothing is compiled for it beyond what the tests are run against: symbol-graphs.py reads each room once more.
set -eu
cd "$(dirname "$0")/.."
docc=$(command -v docc || xcrun --find docc)
place=$PWD/.build/docs
graphs=$place/symbol-graphs
pages=$place/pages
for program in ferry ferry-backend; do sh .ci/build.sh --quiet --product "$program"; done
rm -rf "$place"
mkdir -p "$graphs" "$pages"

rooms=
failed=
for folder in Sources/* Sources/Destinations/* Schemas; do
  room=${folder##*/}
  # A program is one file, and a room that only tells where a C library is has nothing to say.
  case $room in ferry | ferry-backend | Destinations) continue ;; esac
  [ ! -f "$folder/module.modulemap" ] && [ ! -d "$folder/include" ] || continue
  if [ ! -f "$folder/$room.docc/$room.md" ]; then
    echo "$room has no front page: write $folder/$room.docc/$room.md" >&2
    failed=yes
    continue
  fi
  rooms="$rooms $room"
done
[ -z "$failed" ]
# shellcheck disable=SC2086
python3 .ci/symbol-graphs.py .build/release.yaml "$graphs" $rooms

document() {
  room=$1
  catalog=$(find Sources Schemas -type d -name "$room.docc")
  mkdir "$pages/$room"
  cp "$graphs/$room.symbols.json" "$pages/$room"
  if "$docc" convert "$catalog" --additional-symbol-graph-dir "$pages/$room" \
    --fallback-display-name "$room" --fallback-bundle-identifier "ferry.$room" \
    --output-path "$pages/$room.doccarchive" --warnings-as-errors >"$pages/$room.log" 2>&1; then
    echo "documented $room"
  else
    { echo "$room:"; cat "$pages/$room.log"; } >&2
    echo "$room" >>"$pages/failed"
  fi
}

# One room for each processor at a time.
count=0
for room in $rooms; do
  document "$room" &
  count=$((count + 1))
  [ $((count % $(getconf _NPROCESSORS_ONLN))) -ne 0 ] || wait
done
wait
[ ! -f "$pages/failed" ]
