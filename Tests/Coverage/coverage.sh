#!/bin/sh
# Says how many lines of each module the tests reach.
#
#   Tests/Coverage/coverage.sh [--filter REGEX | --skip REGEX]…   builds, runs the tests, and sums up
#   Tests/Coverage/coverage.sh lines MODULE…                        the lines that the last run did not reach
#
# Without a choice every test runs but those that count the program's calls, which a program that
# counts its lines makes more of. The program that tests run as a process of its own counts too; one
# that is killed leaves no counts behind. The build lies in .build/coverage, apart from the usual one.
set -eu
cd "$(dirname "$0")/../.."
scratch=.build/coverage
profiles=$PWD/$scratch/profiles
export FERRY_TESTS=all
merged=$scratch/merged.profdata

# The reader of the counts belongs to the compiler that wrote them.
tools=$(dirname "$(xcrun --find llvm-cov 2>/dev/null || realpath "$(command -v swiftc)")")
bin=$(swift build --scratch-path "$scratch" --show-bin-path)
objects() {
  tests=$bin/ferryPackageTests.xctest
  [ -f "$tests" ] || tests=$tests/Contents/MacOS/ferryPackageTests
  echo "$tests -object $bin/ferry -object $bin/ferry-backend"
}

if [ "${1:-}" = lines ]; then
  shift
  for module in "$@"; do
    for file in $(find "Sources/$module" Sources/*/"$module" -name '*.swift' 2>/dev/null | sort); do
      # shellcheck disable=SC2046
      "$tools/llvm-cov" show -instr-profile "$merged" $(objects) "$file" |
        awk -F'|' -v file="$file" '$2 ~ /^ *0$/ { print file ":" $1 + 0 ":" substr($0, 15) }'
    done
  done
  exit
fi

swift build --scratch-path "$scratch" --build-tests --enable-code-coverage
rm -rf "$profiles"
mkdir -p "$profiles"
status=0
[ $# -gt 0 ] || set -- --skip '^Faults\.'
# A process writes its counts as it ends, 4 MB of them; what is a minute old is added up and removed.
# One that was killed as it wrote leaves what cannot be read, and is left out.
add_up() {
  old=$(find "$profiles" -name '*.profraw' "$@")
  [ -n "$old" ] || return 0
  [ ! -f "$merged" ] || mv "$merged" "$merged.before"
  # shellcheck disable=SC2086
  "$tools/llvm-profdata" merge -sparse -failure-mode=all -o "$merged" \
    $([ ! -f "$merged.before" ] || echo "$merged.before") $old 2>/dev/null
  rm -f "$merged.before" $old
}
rm -f "$merged" "$merged.before"
LLVM_PROFILE_FILE=$profiles/%m-%p.profraw SWIFT_BACKTRACE=enable=no \
  swift test --scratch-path "$scratch" --skip-build "$@" &
tests=$!
while kill -0 "$tests" 2>/dev/null; do
  sleep 10
  add_up -mmin +1
done
wait "$tests" || status=$?
add_up
# shellcheck disable=SC2046
"$tools/llvm-cov" export -summary-only -instr-profile "$merged" $(objects) Sources |
  python3 Tests/Coverage/modules.py
exit "$status"
