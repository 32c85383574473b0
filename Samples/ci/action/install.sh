#!/bin/sh
# Downloads a release archive, holds it against its SHA-256 sum, and puts its programs into the path of the
# next steps.
#
#   ARCHIVE      the archive's address
#   SHA256       the sum                                             (the one in ARCHIVE.sha256)
#   RUNNER_TEMP  the folder that it is unpacked in
#   GITHUB_PATH  the file that names the folders of the path
set -eu
place=$RUNNER_TEMP/ferry
rm -rf "$place"
mkdir -p "$place"
curl -fsSL --retry 3 -o "$place/ferry.tar.gz" "$ARCHIVE"
if [ -z "${SHA256:-}" ]; then
  curl -fsSL --retry 3 -o "$place/sum" "$ARCHIVE.sha256"
  SHA256=$(cut -d ' ' -f 1 <"$place/sum")
fi
if ! echo "$SHA256  $place/ferry.tar.gz" | sha256sum -c --status; then
  echo "the archive $ARCHIVE is not the one of this sum: $SHA256" >&2
  exit 1
fi
tar -xzf "$place/ferry.tar.gz" -C "$place" --strip-components 1
echo "$place/bin" >>"$GITHUB_PATH"
