#!/bin/sh
# Prints the licences and notices of all that is linked into the programs of a release.
#
#   sh .ci/licences.sh CHECKOUTS SWIFT
#
# CHECKOUTS is the folder of the Swift packages' sources. SWIFT is the version of the toolchain whose libraries
# are in the programs, or empty.
set -eu
part() { printf '\n======== %s\n\n' "$1"; shift; cat "$@"; }
for folder in "$1"/*; do
  found=
  for file in "$folder"/LICENSE* "$folder"/NOTICE*; do
    [ ! -f "$file" ] || found="$found $file"
  done
  if [ -z "$found" ]; then
    echo "$folder has no licence" >&2
    exit 1
  fi
  # shellcheck disable=SC2086
  part "${folder##*/}" $found
done
if [ -n "$2" ]; then
  toolchain=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)\/lib\/swift".*/\1/p')
  part "The libraries of Swift $2" "$toolchain/share/swift/LICENSE.txt"
  part "ICU, in Swift's Foundation" /dev/null
  echo "Its licence: https://www.unicode.org/license.txt"
fi
