#!/bin/sh
# A first migration: starts the development backend on a free loopback port, and moves the sample store to it.
# In a checkout it first installs the missing system libraries and builds. In an unpacked or installed
# release it takes the programs of that release.
#
# Everything it writes is below .build/quick-start of the checkout, or ferry-quick-start of the home folder;
# run it again and it starts afresh.
set -eu
cd "$(dirname "$0")/.."
if [ -f Package.swift ]; then
  sh .ci/packages.sh
  swift build --product ferry
  swift build --product ferry-backend
  programs=$(swift build --show-bin-path)
  home=$PWD/.build/quick-start
else
  programs=$(cd ../../../bin && pwd)
  home=$HOME/ferry-quick-start
fi
ferry=$programs/ferry
rm -rf "$home"
mkdir -p "$home"

"$programs/ferry-backend" --database "$home/backend.sqlite" --port-file "$home/port" --quiet &
backend=$!
trap 'kill $backend 2>/dev/null || true' EXIT INT TERM
waited=0
while [ ! -s "$home/port" ]; do
  sleep 0.1
  waited=$((waited + 1))
  [ "$waited" -lt 300 ] || { echo "the development backend did not start" >&2; exit 1; }
done

# The development backend's example account. Real secrets come from a file (0600) or a command.
export FERRY_DEMO_EMAIL=demo@example.com FERRY_DEMO_PASSWORD=correct-horse
export FERRY_STATE_DIR="$home/state"
status=0
"$ferry" migrate Samples/infinite-stories/default.store \
  --profile Samples/infinite-stories/profile.yaml \
  --to "http://127.0.0.1:$(cat "$home/port")" \
  --credential email=env:FERRY_DEMO_EMAIL \
  --credential password=env:FERRY_DEMO_PASSWORD || status=$?

cat <<EOF

The backend that this script started ends with it. To go on by hand:
  export FERRY_DEMO_EMAIL=$FERRY_DEMO_EMAIL FERRY_DEMO_PASSWORD=$FERRY_DEMO_PASSWORD
  export FERRY_STATE_DIR="$FERRY_STATE_DIR"
  export PATH="$programs:\$PATH"
  ferry-backend --database "$home/backend.sqlite" --port $(cat "$home/port") &
EOF
exit "$status"
