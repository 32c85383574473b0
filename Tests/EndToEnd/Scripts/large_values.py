#!/usr/bin/env python3
"""Makes sources with one large value, and measures what a command takes to work on them.

    large_values.py make KIND PATH
    large_values.py run PROGRAM STATE WORD...
    large_values.py same KIND PACKAGE
    large_values.py change KIND PATH
    large_values.py remove PATH
    large_values.py held KIND FILE

`make` writes a source; `run` prints the exit status and the peak of the resident memory in MiB; `same` prints
whether a package holds the value: as a media file, or as a member of a record. `change` gives the value of a
source another last byte, `remove` removes its record, and `held` prints which value a record in a file holds: `made`, `changed` or another.
"""

import base64
import csv
import hashlib
import html
import json
import os
import plistlib
import sqlite3
import struct
import subprocess
import sys

LINE = 'Zeile "eins", drei \u20ac und ein \U0001f600.\n'


def blob(size):
    block = bytes(range(256)) * 4096
    blocks = (
        hashlib.sha256(b"%d" % number).digest() + block[32:]
        for number in range(size // len(block) + 1)
    )
    return b"".join(blocks)[:size]


def value(kind):
    """The bytes of the value, or the text."""
    if "text" in kind:
        return LINE * ((50 << 20) // len(LINE.encode()))
    return blob(50 << 20)


class Realm:
    """A Realm file of format 24 that is written node by node, as a file that no library wrote."""

    def __init__(self):
        self.bytes = bytearray(24)

    def node(self, flags, count, content):
        place = len(self.bytes)
        self.bytes += b"AAAA" + bytes([flags]) + count.to_bytes(3, "big") + content
        self.bytes += bytes(-len(self.bytes) % 8)
        return place

    def numbers(self, numbers, flags=0):
        """Whole numbers, or with the flag 0x40 references, of 64 bits."""
        return self.node(flags | 7, len(numbers), struct.pack(f"<{len(numbers)}q", *numbers))

    def names(self, names):
        slots = (name.encode().ljust(15, b"\0") + bytes([15 - len(name)]) for name in names)
        return self.node(0x0D, len(names), b"".join(slots))

    def blob(self, content):
        """Bytes, in parts where they are more than a node can count."""
        most = (1 << 24) - 16
        parts = [content[start:start + most] for start in range(0, len(content), most)]
        places = [self.node(0x10, len(part), part) for part in parts]
        return places[0] if len(places) == 1 else self.numbers(places, 0x60)

    def write(self, path, names, types, leaves, row_count):
        """Writes a file of one class, whose rows have the keys 0, 1, 2 …."""
        keys = [
            place | kind << 16 | (place + 1) << 30 for (place, kind) in enumerate(types)]
        none = [0] * len(types)
        columns = self.numbers(
            [self.numbers(types), self.names(names), self.numbers(none), 0, 0, self.numbers(keys)],
            0x40)
        rows = self.numbers([2 * row_count + 1, *leaves], 0x40)
        table = self.numbers(
            [columns, 0, rows, 1, 0, 1, 1, self.numbers(none), 0, 1, 0, 0, 1, 0], 0x40)
        top = [self.names(["class_photo"]), self.numbers([table], 0x40)]
        place = len(self.bytes)
        self.numbers(top + [2 * (place + 32) + 1], 0x40)
        self.bytes[:24] = struct.pack("<qq", place, 0) + b"T-DB" + bytes([24, 0, 0, 0])
        with open(path, "wb") as file:
            file.write(self.bytes)


def make_realm(kind, path, large):
    realm = Realm()
    values = [b"small", large.encode() if "text" in kind else large, b"small"]
    end = b"\0" if "text" in kind else b""
    pictures = realm.numbers([realm.blob(value + end) for value in values], 0x60)
    leaves = [realm.numbers([1, 2, 3]), pictures]
    realm.write(path, ["id", "picture"], [0, 2 if "text" in kind else 4], leaves, 3)


def make_file(kind, path, large):
    rows = [{"id": 1, "picture": "small"}, {"id": 2, "picture": large}]
    with open(path, "w", encoding="utf-8", newline="") as file:
        if kind.startswith("json"):
            lines = [json.dumps(row) for row in rows]
            file.write("\n".join(lines) if "jsonl" in kind else f"[{','.join(lines)}]")
            return
        table = csv.DictWriter(file, rows[0], delimiter="\t" if "tsv" in kind else ",")
        table.writeheader()
        table.writerows(rows)


def make(kind, path):
    large = value(kind)
    if kind.endswith("plist"):
        form = plistlib.FMT_XML if kind.startswith("xml") else plistlib.FMT_BINARY
        with open(path, "wb") as file:
            plistlib.dump({"name": "a", "picture": large}, file, fmt=form)
        return
    if kind.startswith("android"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<map>\n<string name="picture">{html.escape(large)}</string>\n</map>\n')
        return
    if kind.startswith("realm"):
        make_realm(kind, path, large)
        return
    if kind.endswith("svtext") or kind.startswith("json"):
        make_file(kind, path, large)
        return
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, picture)")
    database.execute("INSERT INTO photo VALUES (1, 'small'), (3, 'small')")
    database.execute("INSERT INTO photo VALUES (2, ?)", (large,))
    database.commit()


def run(program, state, words):
    process = subprocess.Popen(
        [program, *words, "--state-dir", state],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss / unit)


def held(package):
    """The large value of a package."""
    for folder, _, names in os.walk(os.path.join(package, "media")):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                return file.read()
    for name in sorted(os.listdir(os.path.join(package, "data"))):
        with open(os.path.join(package, "data", name), "rb") as file:
            for line in file:
                picture = json.loads(line)["picture"]
                if isinstance(picture, dict):
                    picture = picture["$base64"]
                if len(picture) > 1 << 20:
                    return picture
    return None


def same(kind, package):
    (large, found) = (value(kind), held(package))
    if isinstance(large, bytes) and isinstance(found, str):
        found = base64.b64decode(found, validate=True)
    print(found == large)


def changed(kind):
    large = value(kind)
    return large[:-1] + ("!" if isinstance(large, str) else b"!")


def change(kind, path):
    database = sqlite3.connect(path)
    database.execute("UPDATE photo SET picture = ? WHERE id = 2", (changed(kind),))
    database.commit()


def remove(path):
    database = sqlite3.connect(path)
    database.execute("DELETE FROM photo WHERE id = 2")
    database.commit()


def held_as(kind, path):
    with open(path, "rb") as file:
        record = json.load(file)
    picture = record.get("data", record)["picture"]
    if isinstance(picture, dict):
        picture = picture["$base64"]
    if kind == "blob":
        picture = base64.b64decode(picture, validate=True)
    known = {value(kind): "made", changed(kind): "changed"}
    print(known.get(picture, "another"))


def main():
    (task, *words) = sys.argv[1:]
    if task == "make":
        make(*words)
    elif task == "same":
        same(*words)
    elif task == "change":
        change(*words)
    elif task == "remove":
        remove(*words)
    elif task == "held":
        held_as(*words)
    else:
        run(words[0], words[1], words[2:])


if __name__ == "__main__":
    main()
