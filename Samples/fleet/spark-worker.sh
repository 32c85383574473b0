#!/bin/sh
# One partition of a Spark job: the lines of the list on standard input, a result a line on standard
# output. What a repetition may mend fails the task, and Spark runs it again; a store that cannot be
# moved is reported in its result and sinks nothing.
"${FERRY:-ferry}" fleet - --jobs "${JOBS:-1}" --profile "$PROFILE" --to "$TO" --state-dir "$STATE" \
  --format ndjson --quiet
case $? in
  0 | 1 | 3 | 4 | 6 | 7 | 8 | 10 | 12) exit 0 ;;
  *) exit 1 ;;
esac
