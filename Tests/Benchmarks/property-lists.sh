#!/bin/sh
# Measures the reader of XML property lists against a bare libxml2 SAX2 pass over the same file, and
# beside libplist's plistutil and Python's plistlib where they are.
#
#   Tests/Benchmarks/property-lists.sh [MEGABYTES]        100 unless given
#
# The modules are compiled straight from their sources with optimisation, not by SwiftPM; what is built,
# and the list that is made up, lie in .build/benchmarks.
set -eu
megabytes=${1:-100}
cd "$(dirname "$0")/../.."
build=$PWD/.build/benchmarks
mkdir -p "$build"
common="-swift-version 6 -package-name ferry -O -wmo -parse-as-library \
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
  -enable-upcoming-feature MemberImportVisibility \
  -enable-upcoming-feature NonisolatedNonsendingByDefault -I $build"
flags=
for flag in $(pkg-config --cflags libxml-2.0); do flags="$flags -Xcc $flag"; done
for module in CLibXML2 CByteSearch CAllocator CFileSystem CZlib; do
  flags="$flags -Xcc -fmodule-map-file=$PWD/Sources/$module/module.modulemap"
done
compile() {
  module=$1
  shift
  # shellcheck disable=SC2086
  swiftc $common $flags -emit-module -emit-module-path "$build/$module.swiftmodule" \
    -module-name "$module" -emit-object -o "$build/$module.o" "$@"
}
# Nothing here is digested.
compile Crypto Tests/Fuzzing/substitutes/Crypto.swift
for module in Files TextCodecs JSONText XMLAccess PropertyLists; do
  # shellcheck disable=SC2046
  compile "$module" $(find "Sources/$module" -name '*.swift')
done
# shellcheck disable=SC2046,SC2086
swiftc $common $flags -module-name ListsBenchmark -o "$build/property-lists" \
  Tests/Benchmarks/property-lists.swift "$build/Crypto.o" "$build/Files.o" \
  "$build/TextCodecs.o" "$build/JSONText.o" "$build/XMLAccess.o" "$build/PropertyLists.o" \
  $(pkg-config --libs libxml-2.0 zlib)
# shellcheck disable=SC2046
cc -O2 -o "$build/sax" Tests/Benchmarks/sax.c $(pkg-config --cflags --libs libxml-2.0)

list=$build/list-$megabytes.plist
[ -f "$list" ] || python3 - "$list" "$megabytes" <<'PYTHON'
import sys

path, size = sys.argv[1], int(sys.argv[2]) * 1_000_000
head = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
"""
with open(path, "w", encoding="utf-8") as file:
    written = file.write(head)
    number = 0
    while written < size:
        number += 1
        written += file.write(
            f"\t<key>result {number}</key>\n\t<dict>\n\t\t<key>name</key>\n"
            f"\t\t<string>wordle &amp; friends, number {number}</string>\n\t\t<key>score</key>\n"
            f"\t\t<integer>{number % 6 + 1}</integer>\n\t\t<key>ratio</key>\n"
            f"\t\t<real>{number / 7}</real>\n\t\t<key>completed</key>\n\t\t<true/>\n"
            f"\t\t<key>date</key>\n\t\t<date>2024-03-05T10:11:{number % 60:02}Z</date>\n"
            "\t\t<key>rows</key>\n\t\t<array>\n\t\t\t<string>⬛🟨⬛⬛⬛</string>\n"
            "\t\t\t<string>🟩🟩🟩🟩🟩</string>\n\t\t</array>\n"
            "\t\t<key>data</key>\n\t\t<data>\n\t\tSGVsbG8sIHdvcmxkLCB0aGlzIGlzIGRhdGE=\n\t\t</data>\n"
            "\t</dict>\n"
        )
    file.write("</dict>\n</plist>\n")
PYTHON

for round in 1 2 3; do
  echo "round $round"
  "$build/sax" "$list"
  "$build/property-lists" "$list"
done
if command -v plistutil > /dev/null; then
  start=$(date +%s.%N)
  timeout 60 plistutil -i "$list" -o "$build/list.bplist" || echo "plistutil was stopped"
  echo "$start $(date +%s.%N)" \
    | awk '{printf "plistutil, to binary      %6.2f s\n", $2 - $1}'
fi
python3 - "$list" <<'PYTHON'
import plistlib, sys, time

start = time.monotonic()
with open(sys.argv[1], "rb") as file:
    plistlib.load(file)
print(f"Python's plistlib         {time.monotonic() - start:6.2f} s")
PYTHON
