"""Makes stores for measuring.

One is of Core Data, with a large table of mixed types and a small one it refers to; another is a plain
database with many small tables.
"""

import os
import sqlite3
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Samples", "infinite-stories"))

from generator import model, words  # noqa: E402
from generator.database import StoreWriter  # noqa: E402
from generator.rng import Rng  # noqa: E402

FOLDERS = 100

ENTITIES = [
    model.Entity("Entry", [
        model.Attribute("id", "uuid", False, None),
        model.Attribute("title", "string", False, None),
        model.Attribute("body", "string", True, None),
        model.Attribute("createdAt", "date", False, None),
        model.Attribute("changedAt", "date", True, None),
        model.Attribute("rating", "int", False, None),
        model.Attribute("playCount", "int", False, None),
        model.Attribute("latitude", "double", True, None),
        model.Attribute("isFavorite", "bool", False, None),
        model.Attribute("isArchived", "bool", False, None),
    ], [model.Relation("folder", "Folder", "entries", False, True, model.NULLIFY)], []),
    model.Entity("Folder", [
        model.Attribute("name", "string", False, None),
    ], [model.Relation("entries", "Entry", "folder", True, True, model.NULLIFY)], []),
]

PROFILE = """\
ferry-profile: 1
app: benchmark
entities:
  Entry:
    identity: { attribute: id }
    fields:
      id: id
      folder: { reference: folder }
  Folder:
    identity: object-uri
    fields:
      name: name
"""


def entry(index):
    """The cells of one row, by attribute."""
    source = Rng("entry", index)
    created = 700_000_000 + source.below(100_000_000) + source.below(1_000_000) / 1_000_000
    return {
        "id": source.uuid(),
        "title": "%s of %s (%d)" % (source.pick(words.TITLES), source.pick(words.PLACES), index),
        "body": "They spoke of %s,\nand “%s” it was." % (source.pick(words.THINGS), source.pick(words.KEYWORDS))
        if source.below(4) else None,
        "createdAt": created,
        "changedAt": created + source.below(10_000_000) / 1000 if source.below(2) else None,
        "rating": source.below(6),
        "playCount": source.below(10_000),
        "latitude": (source.below(180_000_000) - 90_000_000) / 1_000_000 if source.below(3) else None,
        "isFavorite": source.below(2),
        "isArchived": int(source.below(20) == 0),
        "folder": 1 + source.below(FOLDERS) if source.below(8) else None,
    }


def make(path, rows):
    """Writes the store; it has no history of changes, so that nearly all of it is the table."""
    writer = StoreWriter(path, ENTITIES, "1.0", "benchmark", 770_428_800.0)
    names = [name for name, _ in model.columns(ENTITIES[0])]
    marks = ", ".join("?" * (3 + len(names)))
    run = writer.connection.execute
    run("BEGIN")
    writer.connection.executemany(
        "INSERT INTO ZFOLDER VALUES (?, 2, 1, ?)",
        ((key, "Folder %d" % key) for key in range(1, FOLDERS + 1)))
    writer.connection.executemany(
        "INSERT INTO ZENTRY VALUES (%s)" % marks,
        ([index + 1, 1, 1] + [values[name] for name in names]
         for index, values in ((index, entry(index)) for index in range(rows))))
    run("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = 'Entry'", (rows,))
    run("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = 'Folder'", (FOLDERS,))
    run("COMMIT")
    writer.connection.close()


def make_tables(path, count, rows=3):
    """Writes a database of so many tables with a few rows each."""
    connection = sqlite3.connect(path)
    for number in range(count):
        connection.execute(
            f"CREATE TABLE thing_{number:04} (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size REAL)")
        connection.executemany(
            f"INSERT INTO thing_{number:04} VALUES (?, ?, ?)",
            ((row + 1, f"Thing {row} of {number}", row / 4) for row in range(rows)))
    connection.commit()
    connection.close()


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]))
