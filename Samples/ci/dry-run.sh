#!/bin/sh
# The dry run of a pull request. Export and validate the store that the repository keeps, write every
# report, and end with a status above 0 when a record breaks its schema, when a row cannot be mapped, or when the
# change of the model would lose data. Nothing is sent.
#
#   FERRY        the program                                         (ferry)
#   STORE        the store that is kept in the repository
#   PROFILE      the profile of the app                              (profile.yaml beside the store)
#   BASE_STORE   the store, or the model, of the base branch         (no comparison of models)
#   BASE_REPORT  the JSON report of the base branch                  (no comparison of reports)
#   REPORTS      the folder for the package and the reports          (ferry-reports)
set -u
FERRY=${FERRY:-ferry}
PROFILE=${PROFILE:-$(dirname "$STORE")/profile.yaml}
REPORTS=${REPORTS:-ferry-reports}
package=$REPORTS/package.ferry
mkdir -p "$REPORTS"
rm -rf "$package"
result=0
note() { [ "$1" -eq 0 ] || [ "$result" -ne 0 ] || result=$1; }

if [ -n "${BASE_STORE:-}" ]; then
  "$FERRY" inspect "$BASE_STORE" "$STORE"
  note $?
fi

"$FERRY" export "$STORE" --profile "$PROFILE" -o "$package" --report "$REPORTS/export.json"
note $?
[ -d "$package" ] || exit "$result"

set -- validate "$package" --report "$REPORTS/ferry.json" --report "$REPORTS/ferry.md" \
  --report "$REPORTS/ferry.html" --report "$REPORTS/ferry.sarif" --report "$REPORTS/junit.xml"
if [ -n "${BASE_REPORT:-}" ] && [ -f "$BASE_REPORT" ]; then
  set -- "$@" --compare "$BASE_REPORT"
fi
"$FERRY" "$@"
note $?
exit "$result"
