#!/bin/sh
# Has calls of the real program go wrong, one run a seed, and prints one line that says what came of it.
#
#   Tests/EndToEnd/Faults/soak.sh [--cut-power | --kill] FIRST-LAST
#
# With --cut-power, all that the program writes is on a real file system (ext4 in a mounted file, which
# needs root), and the power is cut when the program was killed, had failed or was done.
#
# With --kill, nothing is done to calls: each seed is a round of some 700 kills at any moment, of
# migrations to the development backend, to it with its files in a bucket where FERRY_SWIFT names OpenStack
# Swift's Python, and to Kinto over PostgreSQL where FERRY_KINTO and FERRY_POSTGRES name the programs, and
# of what rolls them back; the same line is typed again after each.
#
# The same seeds are the same trials as long as the program makes the same calls; ranges add up. After
# as many seeds as the line says there are trials, each call of each verb has found everything that can
# go wrong at it; seeds beyond have something go wrong twice. FERRY_PROGRAM names another program than
# the one built with the tests, a release build say. The status is 0 when nothing was violated.
set -eu
cd "$(dirname "$0")/../../.."
FERRY_FAULT_CUTS=0
kills=
case ${1:-} in
  --cut-power) FERRY_FAULT_CUTS=1; shift ;;
  --kill) kills=1; shift ;;
esac
FERRY_FAULT_SEEDS=${1:?name a range of seeds, 1-500 say}
export FERRY_FAULT_SEEDS FERRY_FAULT_CUTS FERRY_TESTS=all SWIFT_BACKTRACE=enable=no
case $FERRY_FAULT_SEEDS in
  *[!0-9-]* | *-*-* | -* | *-) echo "not a range of seeds: $FERRY_FAULT_SEEDS" >&2; exit 64 ;;
esac
swift build --build-tests --explicit-target-dependency-import-check error >/dev/null
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
if [ -n "$kills" ]; then
  for seed in $(seq "${FERRY_FAULT_SEEDS%-*}" "${FERRY_FAULT_SEEDS#*-}"); do
    FERRY_FAULT_SEEDS='' FERRY_SEED=$seed FERRY_KILLS=210 \
      swift test --skip-build --filter 'Faults.Kills' >>"$log" 2>&1 || status=$?
  done
  grep -E '^✘|skipped' "$log" || true
  # "kills of migrate by stage: [(key: "plan", value: 46), …", "killed and rolled back: ["upload": 10, …"
  sed -nE '/^kill.*(by stage|taken back):/{ s/, seed.*//; s/[^0-9]+/ /g; p; }' "$log" |
    awk -v seeds="$1" -v failed="$(grep -cE '^✘ Test .* failed' "$log" || true)" \
      '{ for (i = 1; i <= NF; i++) kills += $i }
      END { print "soak --kill: seeds " seeds ": " kills + 0 " kills, " failed " tests failed"
        exit kills ? 0 : 1 }' || status=1
  exit "$status"
fi
swift test --skip-build --filter 'what the seeds say' >"$log" 2>&1 || status=$?
grep -E '^(VIOLATION|soak)' "$log" || {
  tail -30 "$log"
  [ "$status" -ne 0 ] || status=1
}
exit "$status"
