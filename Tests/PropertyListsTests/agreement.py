#!/usr/bin/env python3
"""Compares what Ferry reads from property lists with Python's plistlib and with plistutil.

    FERRY_STORES=… FERRY_DUMP=/tmp/dump swift test --filter PropertyListsTests
    python3 Tests/PropertyListsTests/agreement.py "$FERRY_STORES" /tmp/dump

Every file and every value that differs is listed, with the class of the difference in brackets.
The status is 1 when a difference is of no known class.
"""

import datetime
import json
import math
import plistlib
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree

EPOCH = datetime.datetime(2001, 1, 1)


def bits(number):
    return str(struct.unpack("<Q", struct.pack("<d", number))[0])


def real(text):
    return struct.unpack("<d", struct.pack("<Q", int(text)))[0]


def typed_by_python(value):
    """A value of plistlib in the form of Ferry's dump."""
    if value is None:
        return ["null"]
    if isinstance(value, bool):
        return ["boolean", "true" if value else "false"]
    if isinstance(value, int):
        return ["integer", str(value)]
    if isinstance(value, float):
        return ["real", bits(value)]
    if isinstance(value, datetime.datetime):
        return ["date", (value - EPOCH).total_seconds()]
    if isinstance(value, bytes):
        import base64

        return ["data", base64.b64encode(value).decode()]
    if isinstance(value, str):
        return ["string", value]
    if isinstance(value, plistlib.UID):
        return ["uid", str(value.data)]
    if isinstance(value, list):
        return ["array", [typed_by_python(element) for element in value]]
    if isinstance(value, dict):
        return ["dictionary", [[key, typed_by_python(value[key])] for key in value]]
    raise TypeError(type(value))


def typed_by_xml(element):
    """An element of the XML that plistutil writes, in the form of Ferry's dump."""
    text = element.text or ""
    if element.tag in ("true", "false"):
        return ["boolean", element.tag]
    if element.tag == "integer":
        return ["integer", str(int(text))]
    if element.tag == "real":
        return ["real", float(text)]
    if element.tag == "string":
        return ["string", text]
    if element.tag == "data":
        return ["data", "".join(text.split())]
    if element.tag == "date":
        return ["date", text]
    if element.tag == "array":
        return ["array", [typed_by_xml(child) for child in element]]
    members = [
        [key.text or "", typed_by_xml(value)] for key, value in zip(element[::2], element[1::2])
    ]
    if len(members) == 1 and members[0][0] == "CF$UID" and members[0][1][0] == "integer":
        return ["uid", members[0][1][1]]
    return ["dictionary", members]


def date_text(seconds):
    try:
        return (EPOCH + datetime.timedelta(seconds=math.floor(seconds))).strftime(
            "%Y-%m-%dT%H:%M:%SZ"
        )
    except (OverflowError, ValueError):
        return None


def same_number(ours, theirs):
    if isinstance(theirs, float):
        return ours == theirs or math.isnan(ours) and math.isnan(theirs) or math.isclose(
            ours, theirs, rel_tol=1e-6, abs_tol=1e-6
        )
    return ours == theirs


def differences(ours, theirs, path=""):
    """Pairs of values that differ, with the class of the difference."""
    kind = ours[0]
    if kind == "uid" and theirs == ["dictionary", [["CF$UID", ["integer", ours[1]]]]]:
        yield path, "CF$UID in XML is a dictionary for plistlib", ours, theirs
    elif kind == "set" and theirs[0] == "array":
        yield path, "a set is an array elsewhere", "set", "array"
        for place, (mine, other) in enumerate(zip(ours[1], theirs[1])):
            yield from differences(mine, other, f"{path}/{place}")
    elif kind != theirs[0]:
        yield path, "?", str(ours)[:80], str(theirs)[:80]
    elif kind == "array":
        if len(ours[1]) != len(theirs[1]):
            yield path, "?", f"{len(ours[1])} elements", f"{len(theirs[1])} elements"
        for place, (mine, other) in enumerate(zip(ours[1], theirs[1])):
            yield from differences(mine, other, f"{path}/{place}")
    elif kind == "dictionary":
        mine, other = dict(map(tuple, ours[1])), dict(map(tuple, theirs[1]))
        for name in mine.keys() ^ other.keys():
            yield f"{path}/{name}", "?", name in mine, name in other
        for name in mine.keys() & other.keys():
            yield from differences(mine[name], other[name], f"{path}/{name}")
    elif kind == "date":
        seconds = real(ours[1])
        if isinstance(theirs[1], str):
            if date_text(seconds) != theirs[1]:
                text = date_text(seconds)
                known = text is None or abs(seconds) > 2**31
                yield path, "plistutil's dates" if known else "?", text, theirs[1]
        elif seconds != theirs[1]:
            known = abs(seconds - theirs[1]) < 1e-5
            yield path, "plistlib keeps microseconds" if known else "?", seconds, theirs[1]
    elif kind == "real":
        value = real(ours[1])
        other = theirs[1] if isinstance(theirs[1], float) else real(theirs[1])
        if isinstance(theirs[1], float) and not same_number(value, other):
            yield path, "plistutil rounds reals", value, other
        elif not isinstance(theirs[1], float) and ours != theirs:
            if not (math.isnan(value) and math.isnan(other)):
                yield path, "?", value, other
    elif kind == "data":
        import base64

        if base64.b64decode(ours[1]) != base64.b64decode(theirs[1] + "=="):
            yield path, "?", ours[1][:80], theirs[1][:80]
    elif ours != theirs:
        known = "\ufffd" in ours[1] or re.search("[\ud800-\udfff]", theirs[1])
        yield path, "half a surrogate pair" if known else "?", ours[1][:80], theirs[1][:80]


def read_by_python(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        return typed_by_python(plistlib.loads(data)), None
    except RecursionError:
        return None, "it holds itself (plistlib reads it, and it cannot be walked)"
    except Exception as error:  # every refusal counts, regardless of its type
        return None, f"{type(error).__name__}: {error}"[:100]


def read_by_plistutil(path):
    done = subprocess.run(
        ["plistutil", "-i", path, "-f", "xml"], capture_output=True, timeout=60, check=False
    )
    if done.returncode != 0 or not done.stdout.strip():
        return None, f"status {done.returncode}: {done.stderr.decode(errors='replace')}"[:100]
    try:
        root = xml.etree.ElementTree.fromstring(done.stdout)
        return typed_by_xml(root[0]), None
    except Exception as error:
        return None, f"its XML cannot be read: {error}"[:100]


def main():
    stores, dump = sys.argv[1:3]
    readers = {"plistlib": read_by_python}
    if shutil.which("plistutil"):
        readers["plistutil"] = read_by_plistutil
    else:
        print("plistutil is not installed (Debian: libplist-utils)")
    unknown = 0
    for kind in ("plist", "nskeyed"):
        with open(f"{stores}/{kind}/index.jsonl", encoding="utf-8") as index:
            entries = [json.loads(line) for line in index if line.strip()]
        for name, reader in readers.items():
            counts = {"agree": 0, "both refuse": 0, "only Ferry reads": 0, "only the other": 0}
            differing = 0
            for entry in sorted(entries, key=lambda entry: entry["file"]):
                file = entry["file"]
                with open(f"{dump}/{kind}/{file}.json", encoding="utf-8") as text:
                    ours = json.load(text)
                theirs, refusal = reader(f"{stores}/{kind}/{file}")
                if "error" in ours:
                    counts["both refuse" if theirs is None else "only the other"] += 1
                    if theirs is not None:
                        print(f"{name} reads, Ferry refuses: {file}: {ours['error'][:160]}")
                elif theirs is None:
                    counts["only Ferry reads"] += 1
                    print(f"Ferry reads, {name} refuses: {file}: {refusal}")
                else:
                    found = list(differences(ours["list"], theirs))
                    differing += bool(found)
                    counts["agree"] += not found
                    for known in sorted({item[1] for item in found}):
                        items = [item for item in found if item[1] == known]
                        path, _, mine, other = items[0]
                        unknown += known == "?"
                        print(
                            f"{name} differs [{known}], {len(items)} times: "
                            f"{file} {path}: {mine} | {other}"
                        )
            print(f"== {kind}, {name}: {counts}, values differ in {differing}")
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    sys.setrecursionlimit(5000)
    main()
