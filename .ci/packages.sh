#!/bin/sh
# Installs the system libraries that the build needs, where they are missing.
# With `tests` as first argument, also what only the tests use.
set -eu
libraries="libpcre2-dev libsqlite3-dev libxml2-dev zlib1g-dev"
used_by_tests="python3 python3-venv sqlite3 curl memcached liberasurecode-dev strace e2fsprogs iproute2 iptables postgresql ruby-activerecord ruby-railties ruby-sqlite3 ruby-webrick zsh fish age valgrind"
[ "${1:-}" = tests ] && libraries="$libraries $used_by_tests"
if command -v dpkg-query >/dev/null 2>&1; then
  missing=
  for library in $libraries; do
    dpkg-query -W -f='${Status}' "$library" 2>/dev/null | grep -q 'ok installed' ||
      missing="$missing $library"
  done
  [ -n "$missing" ] || exit 0
  echo "installing:$missing"
  sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update -qq
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing >/dev/null
elif command -v brew >/dev/null 2>&1; then
  for library in pcre2 sqlite libxml2 zlib pkg-config; do
    brew list "$library" >/dev/null 2>&1 || brew install --quiet "$library"
  done
else
  echo "install these by hand, then run again: $libraries" >&2
  exit 1
fi
