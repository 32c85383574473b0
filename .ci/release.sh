#!/bin/sh
# Makes a release for this platform, in .build/distribution:
#
# - the archive: the stripped programs with Swift's own libraries inside, completions, the manual pages, the
#   published schemas, the documentation, the licences of all parts, a bill of materials, and a SHA-256 sum of
#   each file;
# - where Debian's dpkg-dev is, the same as a Debian package;
# - the sources, with the versions of all Swift packages, and a Homebrew formula that builds them;
# - the sum of each.
#
# A release is for the kind of machine that it is made on. For another kind the compiler would need a Swift SDK
# of that machine, with SQLite, libxml2, PCRE2 and zlib in it, which nothing here sets up: make the release for
# arm64 on an arm64 machine.
#
# FERRY_RELEASE_URL is where the release is published; the formula reads the sources from there. The same
# commit gives the same archives, as far as the compiler gives the same programs.
set -eu
# Others read what is installed, whatever the umask of the person who makes it.
umask 022
cd "$(dirname "$0")/.."
sh .ci/packages.sh
programs="ferry ferry-backend"
version=$(sed -n 's/.*FERRY_VERSION "\(.*\)"/\1/p' Sources/CBuildMark/include/CBuildMark.h)
commit=$(git rev-parse --short=12 HEAD)
[ -z "$(git status --porcelain --untracked-files=no)" ] || commit=$commit-modified
epoch=$(git log -1 --format=%ct)
url=${FERRY_RELEASE_URL:-https://example.com/ferry/releases/$version}
system=$(uname -s | tr '[:upper:]' '[:lower:]')
name=ferry-$version-$system-$(uname -m)
build=${FERRY_RELEASE_BUILD:-$PWD/.build/release-build}
place=$PWD/.build/distribution
folder=$place/$name

# The manifest hands it to the one file that holds it; without it nothing is built anew.
export FERRY_COMMIT="$commit"
# Each function has a section of its own, so that the linker leaves out what no code calls; no other
# program loads symbols from this one. Of ICU's data a release has the part that Ferry can need.
flags=
if [ "$system" != darwin ]; then
  flags="--static-swift-stdlib -Xlinker --no-export-dynamic -Xswiftc -use-ld=lld \
    -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections"
  python3 .ci/icu-data.py "$build/icu-data.s"
  export FERRY_ICU_DATA="$build/icu-data.s"
fi
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/share/completions"
libraries=
for item in $programs; do
  # shellcheck disable=SC2086
  swift build -c release --product "$item" --scratch-path "$build" $flags
  program=$folder/bin/$item
  cp "$(swift build -c release --scratch-path "$build" --show-bin-path)/$item" "$program"
  if [ "$system" = darwin ]; then
    strip -rSTx "$program"
    libraries="$libraries $(otool -L "$program" | awk 'NR > 1 { print $1 }')"
  else
    strip --strip-all "$program"
    if [ "$(wc -c <"$program")" -gt 85000000 ]; then
      echo "$item has $(wc -c <"$program") bytes, and at most 85000000: .ci/measure.sh lists what is in it" >&2
      exit 1
    fi
    libraries="$libraries $(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')"
  fi
  said=$("$program" --version)
  if [ "$said" != "$version ($commit)" ]; then
    echo "$item --version prints $said, and not $version ($commit)" >&2
    exit 1
  fi
  completions=$folder/share/completions
  "$program" --generate-completion-script bash >"$completions/$item.bash"
  "$program" --generate-completion-script zsh >"$completions/_$item"
  "$program" --generate-completion-script fish >"$completions/$item.fish"
done
sh .ci/manual.sh "$folder/bin" "$build" "$folder/share/man/man1" \
  --date "$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%d)"
cp -R Schemas/published "$folder/share/schemas"
# The pages lie as they do in the project, so that their links lead from one to the other.
documentation=$folder/share/doc/ferry
mkdir -p "$documentation"
git ls-files -z README.md LICENSE Samples Schemas Tests/README.md Sources/FerryCommands/FerryCommands.docc |
  xargs -0 tar -cf - | tar -C "$documentation" -xf -
cp LICENSE "$folder"
# Darwin has Swift's own libraries; elsewhere they are in the programs.
swift=
if [ "$system" != darwin ]; then
  swift=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/\1/p')
fi
sh .ci/licences.sh "$build/checkouts" "$swift" >"$folder/LICENSES-OF-PARTS"
# shellcheck disable=SC2086
python3 .ci/sbom.py Package.resolved "$version" "$commit" "$epoch" "$swift" $libraries >"$folder/ferry.spdx.json"

sum() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
(
  cd "$folder"
  find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's|^\./||' | while read -r file; do
    sum "$file"
  done >SHA256SUMS
)
cd "$place"
if tar --version 2>/dev/null | grep -q GNU; then
  tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner -cf "$name.tar" "$name"
else
  tar -cf "$name.tar" "$name"
fi
gzip -nf9 "$name.tar"
made=$name.tar.gz

if command -v dpkg-shlibdeps >/dev/null; then
  tree=$build/debian
  rm -rf "$tree"
  mkdir -p "$tree/DEBIAN" "$tree/usr/share/bash-completion/completions" \
    "$tree/usr/share/zsh/vendor-completions" "$tree/usr/share/fish/vendor_completions.d"
  cp -R "$folder/bin" "$tree/usr/bin"
  cp -R "$folder/share/man" "$folder/share/doc" "$tree/usr/share"
  gzip -nf9 "$tree"/usr/share/man/man1/*.1
  for item in $programs; do
    cp "$folder/share/completions/$item.bash" "$tree/usr/share/bash-completion/completions/$item"
    cp "$folder/share/completions/_$item" "$tree/usr/share/zsh/vendor-completions"
    cp "$folder/share/completions/$item.fish" "$tree/usr/share/fish/vendor_completions.d"
  done
  cp "$folder/LICENSE" "$tree/usr/share/doc/ferry/copyright"
  cat "$folder/LICENSES-OF-PARTS" >>"$tree/usr/share/doc/ferry/copyright"
  # With the versions from which on the system's libraries have what the programs use.
  mkdir -p "$build/needed/debian"
  printf 'Source: ferry\n\nPackage: ferry\nArchitecture: any\n' >"$build/needed/debian/control"
  needed=$(cd "$build/needed" && dpkg-shlibdeps --warnings=0 -O "$folder"/bin/* | sed -n 's/^shlibs:Depends=//p')
  cat >"$tree/DEBIAN/control" <<EOF
Package: ferry
Version: $version
Architecture: $(dpkg --print-architecture)
Installed-Size: $(du -sk "$tree/usr" | cut -f 1)
Maintainer: Ferry <ferry@example.com>
Section: database
Priority: optional
Depends: $needed
Recommends: ca-certificates, tzdata, libpq5
Description: moves an app's local store to the app's backend
 Ferry exports SwiftData, Core Data, SQLite and other stores to JSON, validates
 and uploads it, reads it back, and can roll it back. It never writes the store.
EOF
  debian=ferry_${version}_$(dpkg --print-architecture).deb
  SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group --build "$tree" "$debian" >/dev/null
  made="$made $debian"
fi

sources=ferry-$version-source.tar.gz
git -C ../.. archive --prefix="ferry-$version/" --add-file=Package.resolved HEAD | gzip -n9 >"$sources"
sed -e "s|^  url .*|  url \"$url/$sources\"|" \
  -e "s|^  sha256 .*|  sha256 \"$(sum "$sources" | cut -d' ' -f1)\"|" ../../Samples/ferry.rb >ferry.rb
for file in $made "$sources" ferry.rb; do
  sum "$file" >"$file.sha256"
  echo "$place/$file"
done
echo "for $(uname -m) alone: each kind of machine makes its own release"
