#!/bin/sh
# Feeds one reader with whatever libFuzzer makes up, for a number of seconds.
#
#   Tests/Fuzzing/fuzz.sh TARGET SECONDS        TARGET is the name of a file in Tests/Fuzzing/targets
#   Tests/Fuzzing/fuzz.sh all SECONDS           each target in turn: a line for each, and one that
#                                               sums up, so that runs add up
#
# A target begins with lines that say what it needs (Tests/Fuzzing/build.sh has those of the build):
# `// seeds:` folders below FERRY_STORES with files to begin with, `// options:` libFuzzer's own.
#
# The build, the corpus and what was found lie in .build/fuzzing; a crash, a hang of 10 seconds and
# more than 1 GiB of memory each end the run with a status other than 0 and leave the input there.
# A run begins with the inputs in Tests/Fuzzing/corpora/TARGET, which the ordinary tests read too.
# With 0 seconds it only builds.
set -eu
cd "$(dirname "$0")/../.."
target=${1:?name a target: $(ls Tests/Fuzzing/targets | sed 's/\.swift$//' | tr '\n' ' ')}
seconds=${2:?say for how many seconds}

# The sum of what the logs of `all` say: executions, seconds, and how many inputs were found.
all() {
  executions=0
  elapsed=0
  found=0
  for source in Tests/Fuzzing/targets/*.swift; do
    name=$(basename "$source" .swift)
    log=.build/fuzzing/$name.log
    mkdir -p .build/fuzzing
    begun=$(date +%s)
    if sh Tests/Fuzzing/fuzz.sh "$name" "$1" >"$log" 2>&1; then said=nothing; else said=status\ $?; fi
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ -z "$count" ] && [ "$1" -gt 0 ]; then
      count=$(sed -n 's/^#\([0-9]*\).*/\1/p' "$log" | tail -1)
      said="$said, see $log"
    fi
    [ "$said" = nothing ] || found=$((found + 1))
    took=$(sed -n 's/^Done .* in \([0-9]*\) second.*/\1/p' "$log")
    took=${took:-$(($(date +%s) - begun))}
    echo "$name: ${count:-0} executions in $took s, found $said, $(sed -n 's/^INFO: Seed: /seed /p' "$log")"
    executions=$((executions + ${count:-0}))
    elapsed=$((elapsed + took))
  done
  echo "fuzzing: $executions executions in $elapsed s, $found targets found something"
  [ "$found" -eq 0 ]
}
if [ "$target" = all ]; then
  all "$seconds"
  exit
fi

program=$(sh Tests/Fuzzing/build.sh "$target")
[ "$seconds" -gt 0 ] || exit 0
work=$PWD/.build/fuzzing
mkdir -p "$work/corpus-$target" "$work/found-$target"
word() { sed -n "s|^// $1:||p" "Tests/Fuzzing/targets/$target.swift"; }
seeds=
[ ! -d "Tests/Fuzzing/corpora/$target" ] || seeds="Tests/Fuzzing/corpora/$target"
if [ -n "${FERRY_STORES:-}" ]; then
  for folder in $(word seeds); do
    [ ! -d "$FERRY_STORES/$folder" ] || seeds="$seeds $FERRY_STORES/$folder"
  done
fi
export SWIFT_BACKTRACE=enable=no
# Small inputs cost little beside what the sanitizer keeps of them: no stacks of allocations (a
# found input is run again with them), and only a little of the memory that was given back.
export ASAN_OPTIONS="${ASAN_OPTIONS:-malloc_context_size=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=16:max_malloc_fill_size=0}"
# Some targets write the input to a file.
[ ! -w /dev/shm ] || export TMPDIR="${TMPDIR:-/dev/shm}"
# libFuzzer adds to the first folder and only reads the others.
# shellcheck disable=SC2046,SC2086
exec nice "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
  -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/found-$target/" $(word options) \
  "$work/corpus-$target" $seeds
