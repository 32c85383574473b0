#!/usr/bin/env python3
"""Makes inputs that are hostile by their size, as a hostile folder.

    large_inputs.py FOLDER

FOLDER gets the inputs, some 1.3 GB, and an index.jsonl whose lines have `file`, `kind` and `must`, as
hostile_inputs.py reads it.
"""

import json
import os
import sqlite3
import sys

ARRAY = b"[0" + b",1" * 4_999_999 + b"]"
XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'
TEXT = b"QUJDREVGR0hJSktM" * 4096


def pieces(start, piece, count, end):
    yield start
    for _ in range(count):
        yield piece
    yield end


def names(count):
    yield XML + b"<r>"
    for number in range(count):
        yield b"<n%08d/>" % number
    yield b"</r>"


def records(count):
    yield XML + b"<export>"
    for number in range(count):
        yield b"<entry><id>%d</id><e>%s</e></entry>\n" % (number, b"no result " * 20)
    yield b"</export>"


def store(path):
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT, bytes BLOB)")
    database.execute("INSERT INTO photo VALUES (1, 'small', x'01'), (3, 'small', x'02')")
    database.execute("INSERT INTO photo VALUES (2, 'large', zeroblob(900000000))")
    database.commit()
    database.close()


def empty_terabyte(path):
    with open(path, "wb") as file:
        file.write(b"SQLite format 3\0")
        file.truncate(1 << 40)


WRITTEN = [
    ("deep.json", "error", pieces(b"", b"[" * 1000, 1000, b"")),
    ("string.json", "error", pieces(b'{"a":"', b"x" * (1 << 20), 200, b'"}')),
    ("numbers.json", "accept", iter([ARRAY])),
    ("deep.xml", "error", pieces(XML, b"<a>" * 1000, 1000, b"")),
    ("names.xml", "error", names(2_000_000)),
    ("attribute.xml", "error", pieces(XML + b'<e a="', TEXT, 610, b'"/>')),
    ("comment.xml", "error", pieces(XML + b"<e><!--", TEXT, 610, b"--></e>")),
    ("section.xml", "error", pieces(XML + b"<e><![CDATA[", TEXT, 610, b"]]></e>")),
    ("text.xml", "error", pieces(XML + b"<e>", TEXT, 610, b"</e>")),
    ("records.xml", "accept", records(250_000)),
    ("wide.plist", "accept", pieces(
        XML + b'<plist version="1.0"><array>', b"<integer>1</integer>" * 1000, 1000,
        b"</array></plist>")),
    ("data.plist", "accept", pieces(
        XML + b'<plist version="1.0"><dict><key>a</key><data>', TEXT, 160,
        b"</data></dict></plist>")),
    ("text.plist", "accept", pieces(
        XML + b'<plist version="1.0"><dict><key>a</key><string>', TEXT, 160,
        b"</string></dict></plist>")),
]
MADE = [("blob.sqlite", "accept", store), ("terabyte.sqlite", "error", empty_terabyte)]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, _, content in WRITTEN:
        with open(os.path.join(folder, name), "wb") as file:
            for piece in content:
                file.write(piece)
    for name, _, make in MADE:
        make(os.path.join(folder, name))
    with open(os.path.join(folder, "index.jsonl"), "w") as index:
        for name, must, _ in WRITTEN + MADE:
            kind = name.rsplit(".", 1)[1]
            index.write(json.dumps({"file": name, "kind": kind, "must": must}) + "\n")


if __name__ == "__main__":
    main()
