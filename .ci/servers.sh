#!/bin/sh
# Installs the servers that nobody here wrote and that tests speak to, into .build/servers, and
# prints the variables by which the tests find them. Needs python3 with venv, and PyPI.
set -eu
cd "$(dirname "$0")/.."
place=$PWD/.build/servers
install() {
  name=$1
  shift
  if [ ! -x "$place/$name/bin/$name" ]; then
    rm -rf "$place/$name"
    python3 -m venv "$place/$name"
    "$place/$name/bin/pip" install --quiet --disable-pip-version-check "$@"
  fi
  echo "$place/$name/bin/$name"
}
mkdir -p "$place"
echo "FERRY_KINTO=$(install kinto 'kinto==26.5.0' 'setuptools<81')"
echo "FERRY_DATASETTE=$(install datasette 'datasette==1.0a41')"
