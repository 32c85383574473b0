# What tests use and is no part of the project. Read with `.` in the project's folder.
#
# Real stores and suites, where they lie beside it; the tests that use them say so when they are skipped.
material=$(cd .. && pwd)/shared/data
if [ -d "$material" ]; then
  export FERRY_STORES="$material/stores"
  export FERRY_HOSTILE="$material/hostile"
  export FERRY_JSON_SCHEMA_SUITE="$material/json-schema-suite"
  export FERRY_SHARE_TEXTS="$material/share-texts"
fi
cases=$(cd .. && pwd)/shared/cases
if [ -d "$cases" ]; then export FERRY_CASES="$cases"; fi
# A python3 that a version manager wraps in a script takes ten times as long to start.
if python=$(python3 -c 'import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))'); then
  export PATH="$python:$PATH"
fi
