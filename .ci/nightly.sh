#!/bin/sh
# Tests everything, for hours.
#
#   sh .ci/nightly.sh [STEP ...]
#
# The steps, each of them where none is named:
#
#   tests       every test, and each call of each verb with all that can go wrong at it
#   simulation  1,000,000 histories, and 5,000 over the real checkpoint
#   sessions    5,000 histories of whole commands, and 500 at each kind of destination
#   soak        two faults in a run, kills at any moment, and, for root, cuts of the power
#   fuzzing     FERRY_FUZZ_SECONDS (60) for each reader
#   paths       a user's first hour, bad day and pull request, typed against a real PocketBase, and the stores
#               of the four apps both ways
#   mutation    each fault that can be put into the checkpoint and the package writer
#
# The last lines say how long each step took, and how it ended.
set -eu
cd "$(dirname "$0")/.."
. .ci/material.sh
sh .ci/packages.sh tests
export FERRY_TESTS=all
sh .ci/build.sh
export FERRY_BUILT=yes
. .ci/lanes.sh
if sh .ci/servers.sh >"$logs/servers"; then
  while read -r variable; do export "${variable?}"; done <"$logs/servers"
else
  echo "no servers could be installed; their tests are skipped" >&2
fi
seed() { od -An -N4 -tu4 /dev/urandom | tr -d ' '; }

# Tests that talk to servers or start programs wait most of their time. They go one after the other, in
# lanes at once, and so do those that have something go wrong at every call and those that kill programs at
# moments. The corpus of real stores needs no server, and takes the longest.
tests() {
  first='^(DestinationKindsTests|DevelopmentBackendTests|FerryKitTests)\.|^ScenarioTests\.(?!CorpusTests)[A-F]'
  second='^ScenarioTests\.([G-O]|P(?!ostgreSQL))'
  third='^ScenarioTests\.([Q-Z]|PostgreSQL)'
  # What only waits, for what is lost on the way or for a server that asks to.
  waiting='^Faults\.Faults/(LostAnswers|Network)/|^ScenarioTests\.PostgreSQLTests/.*503'
  calls='^Faults\.Faults/Calls/'
  faults='^Faults\.'
  # Among the unit tests, each simulated session would wait until all those had been begun.
  begin sessions '^SessionSimulationTests\.'
  some_at_once --skip "$first|$second|$third|$faults|^SessionSimulationTests\."
  begin second "$second"
  begin third "$third" --skip "$waiting"
  begin waiting "$waiting"
  begin first "$first"
  finish
  export FERRY_FAULT_PART="${FERRY_FAULT_PART:-1}"
  begin calls "$calls"
  begin faults "$faults" --skip "$calls|$waiting"
  finish
}

simulation() { sh .ci/simulation.sh || status=$?; }

sessions() {
  first=$(seed)
  simulate=.build/release/simulate-sessions
  "$simulate" "$first-$((first + 4999))" || status=$?
  for place in collections contents stories changeset cloudkit-public cloudkit-private; do
    "$simulate" --at "$place" "$first-$((first + 499))" || status=$?
  done
}

soak() {
  first=$(seed)
  soak=Tests/EndToEnd/Faults/soak.sh
  sh "$soak" "$first-$((first + 499))" || status=$?
  sh "$soak" --kill "$first-$((first + 1))" || status=$?
  [ "$(id -u)" -ne 0 ] || sh "$soak" --cut-power "$first-$((first + 49))" || status=$?
}

fuzzing() { sh Tests/Fuzzing/fuzz.sh all "${FERRY_FUZZ_SECONDS:-60}" || status=$?; }

paths() {
  release=.build/paths
  mkdir -p "$release/bin"
  for program in ferry ferry-backend; do ln -sf "$PWD/.build/release/$program" "$release/bin/$program"; done
  for script in first-hour bad-day pull-request; do
    # Without a server there is nothing to migrate to.
    [ "$script" = pull-request ] || [ -n "${FERRY_POCKETBASE:-}" ] || continue
    python3 "Tests/EndToEnd/Paths/$script.py" "$release" -o "$release/$script.txt" >/dev/null || status=$?
  done
  [ -z "${FERRY_STORES:-}" ] ||
    python3 Tests/EndToEnd/Paths/realm-files.py "$release/bin/ferry" -o "$release/realm-files.txt" || status=$?
  python3 Tests/EndToEnd/Paths/four-apps.py "$release" --kills 3 --policy remote local newest merge ask fail \
    >"$release/four-apps.md" || status=$?
}

mutation() { python3 Tests/Mutation/mutate.py || status=$?; }

took=
failed=
for step in ${*:-tests simulation sessions soak fuzzing paths mutation}; do
  status=0
  began=$(date +%s)
  "$step"
  [ "$status" -eq 0 ] || failed=yes
  took="$took$step: $(($(date +%s) - began)) s, status $status
"
done
printf '%s' "$took"
[ -z "$failed" ]
