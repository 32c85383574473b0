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
    """The bytes of the value, the text, or a list of values."""
    if "numbers" in kind:
        return list(range(1_500_000 if "fleece" in kind else 1_000_000))
    if "blobs" in kind:
        return [blob(12 << 20), blob(16 << 20), blob(12 << 20)]
    if kind == "jsonltexts":
        return [LINE * ((300_000 - number) // len(LINE.encode())) for number in range(200)]
    if "texts" in kind:
        return [LINE * ((1_000_000 - number) // len(LINE.encode())) for number in range(50)]
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

    def tree(self, leaves, count):
        """A B+ tree over leaves of a thousand values each."""
        if len(leaves) == 1:
            return leaves[0]
        return self.numbers([2 * 1000 + 1, *leaves, 2 * count + 1], 0xC0)

    def list(self, values):
        """A list of whole numbers, or of bytes."""
        leaves = []
        for start in range(0, len(values), 1000):
            part = values[start:start + 1000]
            if isinstance(part[0], int):
                leaves.append(self.numbers(part))
            else:
                leaves.append(self.numbers([self.blob(value) for value in part], 0x60))
        return self.tree(leaves, len(values)) if leaves else 0

    def write(self, path, names, types, leaves, row_count, attributes=None):
        """Writes a file of one class, whose rows have the keys 0, 1, 2 …."""
        none = [0] * len(types)
        attributes = attributes or none
        keys = [
            place | kind << 16 | attributes[place] << 22 | (place + 1) << 30
            for (place, kind) in enumerate(types)]
        columns = self.numbers(
            [
                self.numbers(types), self.names(names), self.numbers(attributes), 0, 0,
                self.numbers(keys)],
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
    if isinstance(large, list):
        lists = realm.numbers([0, realm.list(large), 0], 0x40)
        kind = 4 if isinstance(large[0], bytes) else 0
        leaves = [realm.numbers([1, 2, 3]), lists]
        realm.write(path, ["id", "picture"], [0, kind], leaves, 3, [0, 32])
        return
    values = [b"small", large.encode() if "text" in kind else large, b"small"]
    end = b"\0" if "text" in kind else b""
    pictures = realm.numbers([realm.blob(value + end) for value in values], 0x60)
    leaves = [realm.numbers([1, 2, 3]), pictures]
    realm.write(path, ["id", "picture"], [0, 2 if "text" in kind else 4], leaves, 3)


def fleece(numbers):
    """A document `{"picture": […]}` of whole numbers, as Couchbase Lite keeps it."""
    content = bytearray()
    places = []
    for number in numbers:
        places.append(len(content))
        content += bytes([0x13]) + number.to_bytes(4, "little") + b"\0"
    array = len(content)
    count = len(numbers)
    content += (0x6800 | min(count, 2047)).to_bytes(2, "big")
    if count >= 2047:
        content += varint(count - 2047)
        content += bytes(len(content) % 2)
    for place in places:
        content += (0x80000000 | (len(content) - place) // 2).to_bytes(4, "big")
    name = len(content)
    content += b"\x47picture"
    dictionary = len(content)
    content += bytes([0x78, 0x01])
    for place in (name, array):
        content += (0x80000000 | (len(content) - place) // 2).to_bytes(4, "big")
    content += (0x8000 | (len(content) - dictionary) // 2).to_bytes(2, "big")
    return bytes(content)


def varint(number):
    content = bytearray()
    while number > 0x7F:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(content + bytes([number]))


def make_couchbase(path, large):
    os.makedirs(path)
    database = sqlite3.connect(os.path.join(path, "db.sqlite3"))
    columns = "key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, version BLOB, body BLOB"
    for table in ("kv_default", "kv_info"):
        database.execute(f"CREATE TABLE {table} ({columns}, expiration INTEGER, extra BLOB)")
    row = "INSERT INTO kv_default (key, sequence, version, body) VALUES (?, 1, x'01ABCD', ?)"
    database.execute(row, ("a", fleece([1, 2, 3])))
    database.execute(row, ("b", fleece(large)))
    database.commit()


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
    if kind.startswith("fleece"):
        make_couchbase(path, large)
        return
    if kind == "texts":
        make_table(path, large)
        return
    if kind.endswith("svtext") or kind.startswith("json"):
        make_file(kind, path, large)
        return
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, picture)")
    database.execute("INSERT INTO photo VALUES (1, 'small'), (3, 'small')")
    database.execute("INSERT INTO photo VALUES (2, ?)", (large,))
    database.commit()


def make_table(path, texts):
    """A table with a text in each of many columns, and a reference to another row."""
    database = sqlite3.connect(path)
    names = [f"picture{number}" for number in range(len(texts))]
    database.execute(
        "CREATE TABLE photo (id INTEGER PRIMARY KEY, other INTEGER REFERENCES photo (id), "
        + ", ".join(f"{name} TEXT" for name in names) + ")")
    places = ", ".join("?" * len(names))
    for number in (1, 2):
        database.execute(
            f"INSERT INTO photo VALUES ({number}, 1, {places})", texts[number:] + texts[:number])
    database.commit()


def run(program, state, words):
    process = subprocess.Popen(
        [program, *words, "--state-dir", state],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss / unit)


def held(kind, package):
    """The large value of a package."""
    for folder, _, names in os.walk(os.path.join(package, "media")):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                return file.read()
    for name in sorted(os.listdir(os.path.join(package, "data"))):
        with open(os.path.join(package, "data", name), "rb") as file:
            for line in file:
                record = json.loads(line)
                if "picture0" in record:
                    texts = [record[f"picture{number}"] for number in range(50)]
                    if str(record["id"]) == "2":
                        return texts[-2:] + texts[:-2]
                    continue
                picture = record["picture"] or ""
                if isinstance(picture, dict):
                    picture = picture["$base64"]
                least = 1 if "blobs" in kind else 100 if isinstance(picture, list) else 1000
                if len(picture) > least:
                    return picture
    return None


def same(kind, package):
    (large, found) = (value(kind), held(kind, package))
    if "blobs" in kind:
        found = [base64.b64decode(part, validate=True) for part in found]
    if isinstance(large, bytes) and isinstance(found, str):
        found = base64.b64decode(found, validate=True)
    print(found == large)


def changed(kind):
    large = value(kind)
    if isinstance(large, list):
        return large[:-1] + [large[-1] + "!"]
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
    print("made" if picture == value(kind) else "changed" if picture == changed(kind) else "another")


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
