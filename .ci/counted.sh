#!/bin/sh
# Counts the work of the program on small inputs, and fails where it is more than what is written down, by
# more than a tenth. It takes about a minute.
#
# Arguments go to Tests/Benchmarks/counted.py: --update writes the counts down anew.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh tests
for program in ferry ferry-backend; do sh .ci/build.sh --product "$program"; done
exec python3 Tests/Benchmarks/counted.py "$@"
