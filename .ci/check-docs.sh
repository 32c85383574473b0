#!/bin/sh
# Checks the documentation. Sentences that are too long, a link that leads nowhere, or a reference page that
# differs from the program is an error. Then builds the documentation of every module with the toolchain's
# own docc. A broken link, a parameter without a word, or a module without an overview is an error.
#
# Nothing is compiled for it beyond what the tests are run against: symbol-graphs.py reads each module once more.
set -eu
cd "$(dirname "$0")/.."
python3 .ci/prose.py
python3 .ci/doc-links.py
docc=$(command -v docc || xcrun --find docc)
place=$PWD/.build/docs
graphs=$place/symbol-graphs
pages=$place/pages
for program in ferry ferry-backend; do sh .ci/build.sh --quiet --product "$program"; done
python3 .ci/reference.py .build/release/ferry --check
rm -rf "$place"
mkdir -p "$graphs" "$pages"

modules=
failed=
for folder in Sources/* Sources/Destinations/* Sources/Model/* Sources/Sync/* Schemas; do
  module=${folder##*/}
  # A program is one file, and a module that only says where a C library is has nothing to say.
  case $module in ferry | ferry-backend | Destinations | Model | Sync) continue ;; esac
  [ ! -f "$folder/module.modulemap" ] && [ ! -d "$folder/include" ] || continue
  if [ ! -f "$folder/$module.docc/$module.md" ]; then
    echo "$module has no overview: write $folder/$module.docc/$module.md" >&2
    failed=yes
    continue
  fi
  modules="$modules $module"
done
[ -z "$failed" ]
# shellcheck disable=SC2086
python3 .ci/symbol-graphs.py .build/release.yaml "$graphs" $modules

document() {
  module=$1
  catalog=$(find Sources Schemas -type d -name "$module.docc")
  mkdir "$pages/$module"
  cp "$graphs/$module.symbols.json" "$pages/$module"
  # docc follows links in a form of its own.
  python3 .ci/doc-links.py "$catalog" "$pages/$module/$module.docc"
  if "$docc" convert "$pages/$module/$module.docc" --additional-symbol-graph-dir "$pages/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "ferry.$module" \
    --output-path "$pages/$module.doccarchive" --warnings-as-errors >"$pages/$module.log" 2>&1; then
    echo "documented $module"
  else
    { echo "$module:"; cat "$pages/$module.log"; } >&2
    echo "$module" >>"$pages/failed"
  fi
}

# One module for each processor at a time.
count=0
for module in $modules; do
  document "$module" &
  count=$((count + 1))
  [ $((count % $(getconf _NPROCESSORS_ONLN))) -ne 0 ] || wait
done
wait
[ ! -f "$pages/failed" ]
