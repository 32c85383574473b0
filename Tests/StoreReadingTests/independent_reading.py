#!/usr/bin/env python3
"""Reads a Core Data or plain SQLite store on its own and prints every value, one a line.

usage: independent_reading.py STORE [ROWS]

A line is: entity, row key, attribute, value, with tabs between. A value is null, i and decimal
digits, r and the eight bytes of the double, t and the bytes of the text, b and the bytes of the
blob, all bytes in hexadecimal. The store is copied with its log first. What the script leaves out
it counts on lines that begin with #: values of transformers and composites, which need decoding,
and attributes whose column cannot be told from another by name alone.
"""
import os, plistlib, shutil, sqlite3, struct, sys, tempfile, zlib


class Archive:
    """A keyed archive, followed by hand."""

    def __init__(self, data):
        archive = plistlib.loads(data)
        self.objects = archive["$objects"]
        self.root = self.get(archive["$top"]["root"])

    def get(self, value):
        while isinstance(value, plistlib.UID):
            value = self.objects[value.data]
        return None if value == "$null" else value

    def kind(self, value):
        return self.get(value.get("$class"))["$classname"]

    def list(self, value):
        return [self.get(v) for v in self.get(value)["NS.objects"]]

    def dictionary(self, value):
        value = self.get(value)
        if self.kind(value) == "NSKnownKeysDictionary1":
            names = self.list(self.get(value["searchMapping"])["keys"])
            empty = value.get("emptyToken")
            items = self.get(value["values"])["NS.objects"]
            return {n: self.get(v) for n, v in zip(names, items) if v != empty}
        return {self.get(n): self.get(v) for n, v in zip(value["NS.keys"], value["NS.objects"])}


def entities(archive):
    result = {}
    for name, entity in archive.dictionary(archive.root["NSEntities"]).items():
        above = archive.get(entity.get("NSSuperentity"))
        attributes = {}
        for key, attribute in archive.dictionary(entity["NSProperties"]).items():
            if archive.kind(attribute) == "_NSPropertyDescriptionProxy":
                attribute = archive.get(attribute["NSUnderlyingProperty"])
            kind = archive.get(attribute.get("NSAttributeType"))
            if kind and not archive.get(attribute.get("NSIsTransient")):
                attributes[key] = (kind, (archive.get(attribute.get("NSFlagsKey")) or 0) & 4)
        result[name] = (archive.get(above["NSEntityName"]) if above else None, attributes)
    return result


def inflate(blob):
    stream = zlib.decompressobj(-15)
    data = stream.decompress(blob, 64 << 20)
    if not stream.eof:
        raise ValueError("the model is cut off")
    return data


def shown(value, external):
    if value is None:
        return "null"
    if isinstance(value, int):
        return "i%d" % value
    if isinstance(value, float):
        return "r" + struct.pack(">d", value).hex()
    if external and isinstance(value, bytes) and value[:1] == b"\x01":
        value = value[1:]
    return value.hex()


def dump(connection, entity, table, key, columns, where, limit):
    """Prints the attributes of `columns`: (attribute, column, external)."""
    for name, column, external in columns:
        sql = f'SELECT {key}, "{column}", typeof("{column}") FROM "{table}" {where} ORDER BY {key} LIMIT {limit}'
        for row, value, kind in connection.execute(sql):
            mark = {b"text": "t", b"blob": "b"}.get(kind, "")
            if external and kind == b"blob" and value[:1] == b"\x02":
                continue
            print(f"{entity}\t{row}\t{name}\t{mark}{shown(value, external)}")


def core_data(connection, limit):
    blob = connection.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()[0]
    model = entities(Archive(inflate(blob)))
    numbers = {n.decode(): e for e, n in connection.execute("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")}
    left = 0
    for name, (above, attributes) in sorted(model.items()):
        root, up = name, above
        while up:
            root, up = up, model[up][0]
        table, number = "Z" + root.upper(), numbers.get(name)
        present = [r[1].decode() for r in connection.execute(f'PRAGMA table_info("{table}")')]
        columns = []
        for attribute, (kind, external) in sorted(attributes.items()):
            column = "Z" + attribute.upper()
            others = [c for c in present if c != column and c.rstrip("0123456789") == column]
            if kind in (1800, 2100) or number is None or column not in present or others:
                left += 1
            else:
                columns.append((attribute, column, external))
        if columns:
            dump(connection, name, table, "Z_PK", columns, f"WHERE Z_ENT = {number}", limit)
    print(f"# {left} attributes left out")


def plain(connection, limit):
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    for table, sql in [(n.decode(), s) for n, s in rows.fetchall()]:
        if table.startswith("sqlite_") or not sql or b"WITHOUT ROWID" in sql.upper():
            continue
        columns = [r[1].decode() for r in connection.execute(f'PRAGMA table_info("{table}")')]
        dump(connection, table, table, "rowid", [(c, c, 0) for c in columns], "", limit)


def main():
    path, limit = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else -1
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "store")
        for end in ("", "-wal", "-journal"):
            if os.path.exists(path + end):
                shutil.copyfile(path + end, copy + end)
        connection = sqlite3.connect(copy)
        connection.text_factory = bytes
        names = {r[0] for r in connection.execute("SELECT name FROM sqlite_master")}
        (core_data if b"Z_MODELCACHE" in names else plain)(connection, limit)
        connection.close()


main()
