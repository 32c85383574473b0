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

# Ends with an error that GitHub shows on the page of the run.
stop() {
  echo "::error title=Install Ferry::$*"
  exit 1
}

# Downloads one file. The line above says how the server or the network failed.
download() {
  curl -fsSL --retry 3 -o "$2" "$1" || stop "Cannot download $1 for the reason above. Check the input \"$3\"."
}

download "$ARCHIVE" "$place/ferry.tar.gz" archive
if [ -z "${SHA256:-}" ]; then
  download "$ARCHIVE.sha256" "$place/sum" sha256
  SHA256=$(cut -d ' ' -f 1 <"$place/sum")
fi
found=$(sha256sum "$place/ferry.tar.gz" | cut -d ' ' -f 1)
[ -n "$found" ] || stop "Cannot get the SHA-256 sum of $ARCHIVE for the reason above. Nothing was installed."
if [ "$found" != "$(echo "$SHA256" | tr A-F a-f)" ]; then
  stop "$ARCHIVE has the SHA-256 sum $found, and not $SHA256. Nothing was installed. Check \"archive\" and \"sha256\"."
fi
tar -xzf "$place/ferry.tar.gz" -C "$place" --strip-components 1 ||
  stop "tar cannot unpack $ARCHIVE for the reason above."
"$place/bin/ferry" --version ||
  stop "The program of $ARCHIVE does not run on this machine, for the reason above. Check that it is for $(uname -m)."
echo "$place/bin" >>"$GITHUB_PATH"
