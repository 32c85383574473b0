#!/bin/sh
# Lives through simulated histories, other ones each time: a million over the model of a checkpoint, and
# five thousand over the real one on a disk that forgets what was not synced. FERRY_SEED=17 begins at 17,
# and FERRY_HISTORIES=100000 lives through a tenth of them.
set -eu
cd "$(dirname "$0")/.."
first=${FERRY_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
histories=${FERRY_HISTORIES:-1000000}
sh .ci/build.sh --product simulate
simulate=.build/release/simulate
status=0
# A disk that forgets is waited for: the model has the processors meanwhile.
python3 .ci/interruptible.py "$simulate" --sqlite "$first-$((first + histories / 200 - 1))" &
on_disk=$!
"$simulate" "$first-$((first + histories - 1))" || status=$?
wait "$on_disk" || status=$?
exit "$status"
