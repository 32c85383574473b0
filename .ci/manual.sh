#!/bin/sh
# Makes the manual pages, one for each verb of each program:
#
#   manual.sh PROGRAMS BUILD PAGES [OPTION …]
#
# PROGRAMS is the folder of the built programs, BUILD the scratch path of their build, and PAGES the folder for
# the pages. Options, as --date, go to the argument parser's tool. Its plug-in would build all programs once
# more. Its pages need two changes. A blank line represents a paragraph, for which mdoc has a macro. And it joins
# the words of a verb with dots, where `man ferry-write-back-apply` is typed: the synopsis alone has spaces.
set -eu
programs=$1
build=$2
pages=$3
shift 3
swift build --disable-sandbox --package-path "$build/checkouts/swift-argument-parser" \
  --scratch-path "$build/manual" --product generate-manual
raw=$build/manual/pages
mkdir -p "$pages"
for program in "$programs"/*; do
  rm -rf "$raw"
  mkdir -p "$raw"
  "$build/manual/debug/generate-manual" "$program" --multi-page --output-directory "$raw" "$@"
  for page in "$raw"/*.1; do
    name=$(basename "$page" .1 | tr . -)
    sed '
      s/^$/.Pp/
      :title
      s/^\(\.[DX][tr] [^ ]*\)\./\1-/
      t title
      /^\.Nm "/{
        h
        s/"//g
      }
      :name
      s/^\(\.Nm [^" ]*\) /\1-/
      t name
      /^\.Nm$/{
        x
        /^$/x
      }' "$page" >"$pages/$name.1"
  done
done
