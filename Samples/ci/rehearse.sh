#!/bin/sh
# The whole way against a backend that is thrown away afterwards: migrate, verify, roll back, and see
# that nothing is left.
#
#   FERRY        the program                                         (ferry)
#   BACKEND      the development backend                             (ferry-backend, beside FERRY)
#   STORE        the store that is kept in the repository
#   PROFILE      the profile of the app                              (profile.yaml beside the store)
#   REPORTS      the folder for everything that is written           (ferry-reports)
set -eu
FERRY=${FERRY:-ferry}
BACKEND=${BACKEND:-$FERRY-backend}
PROFILE=${PROFILE:-$(dirname "$STORE")/profile.yaml}
REPORTS=${REPORTS:-ferry-reports}
mkdir -p "$REPORTS"
home=$(mktemp -d)

"$BACKEND" --port-file "$home/port" --quiet &
backend=$!
trap 'kill $backend 2>/dev/null || true; rm -rf "$home"' EXIT INT TERM
waited=0
while [ ! -s "$home/port" ]; do
  sleep 0.1
  waited=$((waited + 1))
  [ "$waited" -lt 300 ] || { echo "the backend did not start" >&2; exit 1; }
done

# The example account of the development backend.
export FERRY_DEMO_EMAIL=demo@example.com FERRY_DEMO_PASSWORD=correct-horse
export FERRY_STATE_DIR="$home/state"
there="--to http://127.0.0.1:$(cat "$home/port") --credential email=env:FERRY_DEMO_EMAIL
  --credential password=env:FERRY_DEMO_PASSWORD"
package=$home/package.ferry

# The words of $there are flags of their own.
# shellcheck disable=SC2086
{
  "$FERRY" migrate "$STORE" --profile "$PROFILE" $there -o "$package" \
    --report "$REPORTS/migrate.json" --report "$REPORTS/migrate.html"
  "$FERRY" verify "$package" --profile "$PROFILE" $there
  run=$("$FERRY" history --format ndjson --quiet | sed -n 's/.*"run":"\([^"]*\)".*/\1/p' | head -n 1)
  "$FERRY" rollback "$run" --profile "$PROFILE" $there --report "$REPORTS/rollback.json"
  # What the account holds is read by a person who knows nothing of the run.
  rm -rf "$REPORTS/left.ferry"
  "$FERRY" export --from ${there#--to } --profile "$PROFILE" -o "$REPORTS/left.ferry"
}
if [ -n "$(ls "$REPORTS/left.ferry/data")" ]; then
  echo "the rollback left records behind; see $REPORTS/left.ferry" >&2
  exit 6
fi
echo "rehearsed: everything went there, was read back, and is gone again"
