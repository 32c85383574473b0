#!/bin/sh
# Makes the archive of a release for this platform, in .build/distribution: the stripped programs with
# Swift's own libraries inside, completions, the manual pages, the published schemas, a bill of materials,
# and a SHA-256 sum of each file; beside it the sum of the archive. The same commit gives the same
# archive, as far as the compiler gives the same programs.
set -eu
cd "$(dirname "$0")/.."
sh .ci/packages.sh
programs="ferry ferry-backend"
version=$(sed -n 's/.*FERRY_VERSION "\(.*\)"/\1/p' Sources/CBuildMark/include/CBuildMark.h)
commit=$(git rev-parse --short=12 HEAD)
[ -z "$(git status --porcelain --untracked-files=no)" ] || commit=$commit-modified
epoch=$(git log -1 --format=%ct)
system=$(uname -s | tr '[:upper:]' '[:lower:]')
name=ferry-$version-$system-$(uname -m)
build=${FERRY_RELEASE_BUILD:-$PWD/.build/release-build}
place=$PWD/.build/distribution
folder=$place/$name

# The manifest hands it to the one file that holds it; without it nothing is built anew.
export FERRY_COMMIT="$commit"
static=
[ "$system" = darwin ] || static=--static-swift-stdlib
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/share/completions" "$folder/share/man/man1"
libraries=
for item in $programs; do
  # shellcheck disable=SC2086
  swift build -c release --product "$item" --scratch-path "$build" $static
  program=$folder/bin/$item
  cp "$(swift build -c release --scratch-path "$build" --show-bin-path)/$item" "$program"
  if [ "$system" = darwin ]; then
    strip -rSTx "$program"
    libraries="$libraries $(otool -L "$program" | awk 'NR > 1 { print $1 }')"
  else
    strip --strip-all "$program"
    libraries="$libraries $(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')"
  fi
  "$program" --version | grep -qF "$version ($commit)"
  completions=$folder/share/completions
  "$program" --generate-completion-script bash >"$completions/$item.bash"
  "$program" --generate-completion-script zsh >"$completions/_$item"
  "$program" --generate-completion-script fish >"$completions/$item.fish"
done
# The argument parser's plug-in makes a page for each verb, in which a blank line represents a paragraph.
rm -rf "$build/plugins/GenerateManual"
swift package --scratch-path "$build" generate-manual --multi-page \
  --date "$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%d)"
for page in "$build"/plugins/GenerateManual/outputs/*/*.1; do
  sed 's/^$/.Pp/' "$page" >"$folder/share/man/man1/${page##*/}"
done
cp -R Schemas/published "$folder/share/schemas"
cp README.md "$folder"
# shellcheck disable=SC2086
python3 .ci/sbom.py Package.resolved "$version" "$commit" "$epoch" $libraries >"$folder/ferry.spdx.json"

sum() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
cd "$folder"
find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's|^\./||' | while read -r file; do
  sum "$file"
done >SHA256SUMS
cd "$place"
if tar --version 2>/dev/null | grep -q GNU; then
  tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner -cf "$name.tar" "$name"
else
  tar -cf "$name.tar" "$name"
fi
gzip -nf9 "$name.tar"
sum "$name.tar.gz" >"$name.tar.gz.sha256"
echo "$place/$name.tar.gz"
