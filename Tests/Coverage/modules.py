"""Sums up by module what `llvm-cov export -summary-only` says of files (standard input)."""

import collections
import json
import os
import sys

#: Modules that are held to a share of their lines, in percent.
HELD = 95
READERS = {
    "AgeEncryption", "JSONText", "LegacyFiles", "ManagedObjectModels", "PropertyLists",
    "PreferenceFiles", "ResultText", "SQLiteStores", "StoreFiles", "StoreReading", "XMLAccess",
}
MODULES = READERS | {"CheckedDatabases", "Checkpoint", "CheckpointMending", "ExportPackage"}

#: Folders of `Sources` that hold modules.
FOLDERS = {"Destinations", "Model", "Sync"}

covered = collections.Counter()
lines = collections.Counter()
for file in json.load(sys.stdin)["data"][0]["files"]:
    path = os.path.relpath(file["filename"])
    if path.startswith("Sources" + os.sep):
        folders = path.split(os.sep)
        module = folders[2 if folders[1] in FOLDERS else 1]
        covered[module] += file["summary"]["lines"]["covered"]
        lines[module] += file["summary"]["lines"]["count"]
for name, modules in [("every module", set(lines)), ("held modules", MODULES & set(lines))]:
    covered[name] = sum(covered[module] for module in modules)
    lines[name] = sum(lines[module] for module in modules)
for module in sorted(lines, key=lambda module: (" " in module, module)):
    share = 100 * covered[module] / lines[module]
    mark = "" if module not in MODULES else " held" if share >= HELD else f" BELOW {HELD} %"
    print(f"{module:22} {covered[module]:6} of {lines[module]:6} lines  {share:5.1f} %{mark}")
