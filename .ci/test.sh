#!/bin/sh
# Installs what is missing and runs what each change is tested by, in some eight minutes once it is built:
# unit tests, whole sessions and 100,000 histories of the simulation, the destinations against servers, the
# tests that Tests/EndToEnd/push.txt names, and a hundred calls of the program that go wrong. nightly.sh runs
# the rest.
#
# Arguments, if there are any, go to `swift test`; with FERRY_TESTS=all they find the tests of the night too. For a
# single test while something is changed, `FERRY_TESTS=all swift test --filter` alone is sooner done.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh tests
sh .ci/build.sh
. .ci/lanes.sh
if [ $# -gt 0 ]; then
  swift test -c release --skip-build "$@"
  exit
fi

# The tests of push.txt that are of a module, as a pattern; of so many lanes, the suites of one.
push() {
  awk -v module="$1." -v lane="$2" -v lanes="$3" '
    function plain(text) { gsub(/[][\\.*^$()+?{}|]/, "\\\\&", text); return text }
    index($0, module) == 1 {
      match($0, /.*\//)
      suite = substr($0, 1, RLENGTH - 1)
      if (!(suite in place)) place[suite] = count++
      # A name with spaces has a mark before it.
      if (place[suite] % lanes == lane)
        all = all (all ? "|" : "") plain(suite) "/.?" plain(substr($0, RLENGTH + 1))
    }
    END { print "^(" all ")" }' Tests/EndToEnd/push.txt
}
places='^(DestinationKindsTests|DevelopmentBackendTests|FerryKitTests)\.'
# Of servers that take half a minute to start or to answer, push.txt has others.
slow='OverPostgreSQLTests|servers that are not ours|an endless sequence|more than 64 MiB'

# Simulated sessions go one after the other: among the unit tests, each would wait until all those had been begun.
begin sessions '^SessionSimulationTests\.'
some_at_once --skip "$places|^(ScenarioTests|Faults|SessionSimulationTests)\."
# What talks to servers or starts programs waits most of its time. Histories take what it leaves of the processors.
for number in 0 1 2 3; do begin "crossing-$number" "$(push ScenarioTests "$number" 4)"; done
begin places "$places" --skip "$slow"
FERRY_HISTORIES=${FERRY_HISTORIES:-100000} FERRY_BUILT=yes \
  python3 .ci/interruptible.py nice -n 19 sh .ci/simulation.sh >"$logs/histories" 2>&1 &
begun="$begun histories:$!"
finish
# One kind of fault at one call, for each seed.
first=$(($(od -An -N2 -tu2 /dev/urandom) % 2000 + 1))
export FERRY_FAULT_SEEDS="${FERRY_FAULT_SEEDS:-$first-$((first + 99))}"
calls='^Faults\.Faults/Calls/'
begin calls "$calls.?no seeded failure"
begin faults "$(push Faults 0 1)" --skip "$calls"
finish
exit "$status"
