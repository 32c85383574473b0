"""Sums up by room what `llvm-cov export -summary-only` says of files (standard input)."""

import collections
import json
import os
import sys

#: Rooms that are held to a share of their lines, in percent.
HELD = 95
READERS = {
    "AgeEncryption", "JSONText", "LegacyFiles", "ManagedObjectModels", "PropertyLists",
    "ResultText", "StoreReading", "XMLAccess",
}
ROOMS = READERS | {"Checkpoint", "ExportPackage"}

covered = collections.Counter()
lines = collections.Counter()
for file in json.load(sys.stdin)["data"][0]["files"]:
    path = os.path.relpath(file["filename"])
    if path.startswith("Sources" + os.sep):
        folders = path.split(os.sep)
        room = folders[2 if folders[1] == "Destinations" else 1]
        covered[room] += file["summary"]["lines"]["covered"]
        lines[room] += file["summary"]["lines"]["count"]
for name, rooms in [("every room", set(lines)), ("held rooms", ROOMS & set(lines))]:
    covered[name] = sum(covered[room] for room in rooms)
    lines[name] = sum(lines[room] for room in rooms)
for room in sorted(lines, key=lambda room: (" " in room, room)):
    share = 100 * covered[room] / lines[room]
    mark = "" if room not in ROOMS else " held" if share >= HELD else f" BELOW {HELD} %"
    print(f"{room:22} {covered[room]:6} of {lines[room]:6} lines  {share:5.1f} %{mark}")
