#!/bin/sh
# Lives through simulated histories, other ones each time: a million over the model of a checkpoint, and
# five thousand over the real one on a disk that forgets what was not synced. FERRY_SEED=17 begins at 17.
set -eu
cd "$(dirname "$0")/.."
first=${FERRY_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
sh .ci/build.sh --product simulate
simulate=.build/release/simulate
status=0
# A disk that forgets is waited for: the model has the processors meanwhile.
"$simulate" --sqlite "$first-$((first + 4999))" &
on_disk=$!
"$simulate" "$first-$((first + 999999))" || status=$?
wait "$on_disk" || status=$?
exit "$status"
