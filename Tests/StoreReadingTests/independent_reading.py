#!/usr/bin/env python3
"""Reads a Core Data or plain SQLite store on its own and prints every value, one a line.

usage: independent_reading.py STORE [ROWS]

A line is: entity, row key, attribute, value, with tabs between; a part of a composite is
“composite/part”. A value is null, i and decimal digits, r and the eight bytes of the double, t and
the bytes of the text, b and the bytes of the blob, all bytes in hexadecimal; j and the bytes of
JSON for a keyed archive of plain values; p and the keys of the rows a relationship leads to, in
ascending order. The store is copied with its log first. What the script leaves out it counts on
lines that begin with #: archives of other classes, relationships through tables of their own, and
properties whose column cannot be distinguished from another by name alone.
"""
import base64, datetime, json, os, plistlib, shutil, sqlite3, struct, sys, tempfile, zlib


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


class Other(Exception):
    """An archive with an object of a class that is not plain."""


def plain_value(archive, value, inside=False):
    """The value that a keyed archive holds, as JSON has it."""
    value = archive.get(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise Other()
        return value
    if isinstance(value, bytes):
        return {"$base64": base64.b64encode(value).decode()}
    if not isinstance(value, dict) or "$class" not in value:
        raise Other()
    kind, keys = archive.kind(value), set(value) - {"$class"}
    if kind in ("NSArray", "NSMutableArray") and keys == {"NS.objects"}:
        return [plain_value(archive, v) for v in value["NS.objects"]]
    if kind in ("NSDictionary", "NSMutableDictionary") and keys == {"NS.keys", "NS.objects"}:
        names = [archive.get(k) for k in value["NS.keys"]]
        if not all(isinstance(n, str) and not n.startswith("$") for n in names):
            raise Other()
        return {n: plain_value(archive, v) for n, v in zip(names, value["NS.objects"])}
    if kind in ("NSString", "NSMutableString") and keys == {"NS.string"}:
        return archive.get(value["NS.string"])
    if kind in ("NSData", "NSMutableData") and keys == {"NS.data"}:
        return {"$base64": base64.b64encode(archive.get(value["NS.data"])).decode()}
    if kind == "NSUUID" and keys == {"NS.uuidbytes"}:
        text = value["NS.uuidbytes"].hex().upper()
        return {"$uuid": "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])}
    if kind == "NSDate" and keys == {"NS.time"} and value["NS.time"] == int(value["NS.time"]):
        date = datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=value["NS.time"])
        return {"$date": date.strftime("%Y-%m-%dT%H:%M:%SZ")}
    raise Other()


def leaves(archive, attribute, path):
    """The columns of an attribute: (path, type, external); those of a composite's parts."""
    kind = archive.get(attribute.get("NSAttributeType"))
    if kind == 2100:
        for part in archive.list(attribute["NSCompositeElements"]):
            yield from leaves(archive, part, path + [archive.get(part["NSPropertyName"])])
    elif kind and not archive.get(attribute.get("NSIsTransient")):
        transformer = archive.get(attribute.get("NSValueTransformerName"))
        external = (archive.get(attribute.get("NSFlagsKey")) or 0) & 4
        yield path, -1 if kind == 1800 and transformer else kind, external


def entities(archive):
    result = {}
    for name, entity in archive.dictionary(archive.root["NSEntities"]).items():
        above = archive.get(entity.get("NSSuperentity"))
        attributes, relationships = {}, {}
        for key, attribute in archive.dictionary(entity["NSProperties"]).items():
            if archive.kind(attribute) == "_NSPropertyDescriptionProxy":
                attribute = archive.get(attribute["NSUnderlyingProperty"])
            if archive.kind(attribute) == "NSRelationshipDescription":
                target = archive.get(archive.get(attribute.get("NSDestinationEntity")))
                inverse = archive.get(attribute.get("NSInverseRelationship"))
                relationships[key] = (
                    archive.get(attribute.get("NSMaxCount")) == 1,
                    archive.get(target["NSEntityName"]) if target else None,
                    archive.get(inverse["NSPropertyName"]) if inverse else None,
                )
            for path, kind, external in leaves(archive, attribute, [key]):
                attributes["/".join(path)] = (kind, external)
        result[name] = (
            archive.get(above["NSEntityName"]) if above else None, attributes, relationships
        )
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


def unarchived(value):
    """The mark and text of an archive's value."""
    text = json.dumps(plain_value(Archive(value), Archive(value).root), ensure_ascii=False)
    return "j" + text.encode().hex()


def dump(connection, entity, table, key, columns, where, limit):
    """Prints the attributes of `columns`: (attribute, column, external, whether an archive)."""
    left = 0
    for name, column, external, archived in columns:
        sql = f'SELECT {key}, "{column}", typeof("{column}") FROM "{table}" {where} ORDER BY {key} LIMIT {limit}'
        for row, value, kind in connection.execute(sql):
            mark = {b"text": "t", b"blob": "b"}.get(kind, "")
            if external and kind == b"blob" and value[:1] == b"\x02":
                continue
            if archived and isinstance(value, bytes):
                data = value[1:] if external and value[:1] == b"\x01" else value
                try:
                    print(f"{entity}\t{row}\t{name}\t{unarchived(data)}")
                except Exception:
                    left += 1
                continue
            print(f"{entity}\t{row}\t{name}\t{mark}{shown(value, external)}")
    if left:
        print(f"# {left} archives of {entity} left out")


def root_table(model, name):
    while model[name][0]:
        name = model[name][0]
    return "Z" + name.upper()


def lead(connection, model, entity, number, limit):
    """Prints where relationships lead: by a column, or from the column of the inverse."""
    left, table = 0, root_table(model, entity)
    for name, (to_one, target, inverse) in sorted(model[entity][2].items()):
        if to_one and owns(connection, table, name):
            sql = f'SELECT Z_PK, "Z{name.upper()}" FROM "{table}" WHERE Z_ENT = {number} ORDER BY Z_PK LIMIT {limit}'
            for row, key in connection.execute(sql):
                print(f"{entity}\t{row}\t{name}\t" + ("null" if key is None else f"p{key}"))
        elif not to_one and target in model and inverse and inverse_to_one(model, target, inverse) \
                and owns(connection, root_table(model, target), inverse):
            other = root_table(model, target)
            found = {r[0]: [] for r in connection.execute(
                f'SELECT Z_PK FROM "{table}" WHERE Z_ENT = {number} ORDER BY Z_PK LIMIT {limit}')}
            for key, row in connection.execute(f'SELECT Z_PK, "Z{inverse.upper()}" FROM "{other}" ORDER BY Z_PK'):
                if row in found:
                    found[row].append(str(key))
            for row, keys in found.items():
                print(f"{entity}\t{row}\t{name}\tp" + ",".join(keys))
        else:
            left += 1
    print(f"# {left} relationships of {entity} left out")


def inverse_to_one(model, target, inverse):
    while target:
        above, _, relationships = model[target]
        if inverse in relationships:
            return relationships[inverse][0]
        target = above
    return False


def owns(connection, table, name):
    """Whether the table has the relationship's column, and none of the same name with digits."""
    present = [r[1].decode() for r in connection.execute(f'PRAGMA table_info("{table}")')]
    column = "Z" + name.upper()
    return column in present and not [
        c for c in present if c != column and c.rstrip("0123456789") == column
    ]


def core_data(connection, limit):
    blob = connection.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()[0]
    model = entities(Archive(inflate(blob)))
    numbers = {n.decode(): e for e, n in connection.execute("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")}
    left = 0
    for name, (_, attributes, _) in sorted(model.items()):
        table, number = root_table(model, name), numbers.get(name)
        present = [r[1].decode() for r in connection.execute(f'PRAGMA table_info("{table}")')]
        columns = []
        for attribute, (kind, external) in sorted(attributes.items()):
            column = "Z" + attribute.split("/")[-1].upper()
            others = [c for c in present if c != column and c.rstrip("0123456789") == column]
            if kind < 0 or number is None or column not in present or others:
                left += 1
            else:
                columns.append((attribute, column, external, kind == 1800))
        if columns:
            dump(connection, name, table, "Z_PK", columns, f"WHERE Z_ENT = {number}", limit)
        if number is not None and present:
            lead(connection, model, name, number, limit)
    print(f"# {left} attributes left out")


def plain(connection, limit):
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    for table, sql in [(n.decode(), s) for n, s in rows.fetchall()]:
        if table.startswith("sqlite_") or not sql or b"WITHOUT ROWID" in sql.upper():
            continue
        columns = [r[1].decode() for r in connection.execute(f'PRAGMA table_info("{table}")')]
        dump(connection, table, table, "rowid", [(c, c, 0, False) for c in columns], "", limit)


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
