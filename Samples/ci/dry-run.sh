#!/bin/sh
# The dry run of a pull request. Compare the models, export and validate the store that the repository keeps,
# plan what an upload would do, and write one report of all that, whatever happens. End with a status above 0
# when a record breaks its schema, when a row cannot be mapped, when the profile is wrong, or when the change of
# the model would lose data. Nothing is sent, and no destination is asked.
#
#   FERRY        the program                                         (ferry)
#   STORE        the store that is kept in the repository
#   PROFILE      the profile of the app                              (profile.yaml beside the store)
#   DESTINATION  the destination of the plan, by its name or address; no for no plan
#                                                                    (the profile's only one)
#   BASE_STORE   the store, or the model, of the base branch         (no comparison of models)
#   BASE_REPORT  the JSON report of the base branch                  (no comparison of reports)
#   REPORTS      the folder for the package and the reports          (ferry-reports)
set -u
FERRY=${FERRY:-ferry}
STORE=${STORE:?names no store: set it to the path of the store in the repository}
PROFILE=${PROFILE:-$(dirname "$STORE")/profile.yaml}
DESTINATION=${DESTINATION:-}
REPORTS=${REPORTS:-ferry-reports}
package=$REPORTS/package.ferry
mkdir -p "$REPORTS"
rm -rf "$package"
steps=

# Runs one command, with a report that says how it ended. The last command marks what was found.
step() {
  steps="$steps $1"
  report=$REPORTS/$1.json
  shift
  rm -f "$report"
  printf '\n$ ferry %s\n' "$*" >&2
  "$FERRY" "$@" --annotations none --report "$report"
}

[ -z "${BASE_STORE:-}" ] || step model inspect "$BASE_STORE" "$STORE"
step export export "$STORE" --profile "$PROFILE" -o "$package"
if [ -d "$package" ] && step validation validate "$package" && [ "$DESTINATION" != no ]; then
  step plan plan "$package" --profile "$PROFILE" ${DESTINATION:+--to "$DESTINATION"} --offline --diff \
    >"$REPORTS/plan.txt"
fi

set -- report
for name in $steps; do set -- "$@" "$REPORTS/$name.json"; done
for form in json md html sarif; do set -- "$@" --report "$REPORTS/ferry.$form"; done
set -- "$@" --report "$REPORTS/junit.xml"
if [ -n "${BASE_REPORT:-}" ] && [ -f "$BASE_REPORT" ]; then
  set -- "$@" --compare "$BASE_REPORT"
fi
"$FERRY" "$@"
