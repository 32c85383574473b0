# What test.sh and nightly.sh share: lanes of tests, several at once. Read with `.` in the project's folder.
export FERRY_TESTS="${FERRY_TESTS:-push}" SWIFT_BACKTRACE=enable=no
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
status=0
begun=

# Runs tests, by themselves where they are a program: SwiftPM takes 20 seconds before it starts it.
program=.build/release/ferryPackageTests.xctest
run() {
  if [ -f "$program" ]; then
    python3 .ci/interruptible.py "$program" --testing-library swift-testing "$@"
  else
    python3 .ci/interruptible.py swift test -c release --skip-build --ignore-lock "$@"
  fi
}
# Begins a lane, in which one test goes after the other: its name, and which tests it has.
begin() {
  name=$1
  shift
  run --no-parallel --filter "$@" >"$logs/$name" 2>&1 &
  begun="$begun $name:$!"
  # SwiftPM finds the manifest locked while another one reads it.
  [ -f "$program" ] || sleep 20
}
# Waits for the lanes that were begun, and shows what they said.
finish() {
  for lane in $begun; do
    wait "${lane#*:}" || status=$?
    cat "$logs/${lane%:*}"
  done
  begun=
}
# All at once, a test would wait for those that began before it, and its time run out meanwhile.
some_at_once() { run --experimental-maximum-parallelization-width 4 "$@" || status=$?; }
