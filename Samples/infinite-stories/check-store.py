#!/usr/bin/env python3
"""Reads a SwiftData or Core Data store by itself, for comparison with another reader.

    check-store.py STORE [--entity NAME] [--counts] [--columns]

Prints one JSON object per row (JSON Lines, entities by number, rows by primary key) and the counts per entity to
standard error; --counts prints the counts alone, --columns how each property maps to its column. The store is copied
with its -wal before it is opened.

Dates are seconds since 2001, UUIDs upper-case text, other binary values {"base64": ...}, archived arrays are decoded,
enums are their raw value, and relationships are primary keys.
"""

import argparse
import base64
import json
import os
import plistlib
import re
import shutil
import sqlite3
import sys
import tempfile
import uuid
import zlib

BOOLEAN, DOUBLE, FLOAT, DATE, BINARY, IDENTIFIER, TRANSFORMABLE, COMPOSITE = (
    800, 500, 600, 900, 1000, 1100, 1800, 2100)
DECIMAL = 400


class Archive:
    """Reads one keyed archive; objects are looked up one field at a time, since they may form circles."""

    def __init__(self, data):
        parsed = plistlib.loads(data)
        if parsed.get("$archiver") != "NSKeyedArchiver":
            raise ValueError("not a keyed archive")
        self.objects = parsed["$objects"]
        self.root = self.follow(parsed["$top"]["root"])

    def follow(self, value):
        """The object a reference leads to."""
        if not isinstance(value, plistlib.UID):
            return value
        return None if value.data == 0 else self.objects[value.data]

    def get(self, item, key):
        """A field of an object."""
        return self.follow(item.get(key))

    def items(self, item):
        """The members of an array or set."""
        return [self.follow(member) for member in item["NS.objects"]] if item else []

    def pairs(self, item):
        """The keys and values of a dictionary, with known keys or without."""
        if not item:
            return []
        if "searchMapping" in item:
            keys = self.items(self.get(self.get(item, "searchMapping"), "keys"))
            values = self.items(self.get(item, "values"))
            empty = self.get(item, "emptyToken")
            return [pair for pair in zip(keys, values) if pair[1] is not empty]
        return list(zip([self.follow(key) for key in item["NS.keys"]], self.items(item)))

    def class_name(self, item):
        """The name of an object's class."""
        return self.follow(item["$class"])["$classname"]

    def plain(self, item, depth=0):
        """A JSON value of strings, numbers, arrays, and dictionaries."""
        if depth > 64:
            raise ValueError("archive nested too deeply")
        if isinstance(item, bytes):
            return {"base64": base64.b64encode(item).decode("ascii")}
        if not isinstance(item, dict):
            return item
        if "NS.keys" in item:
            return {str(key): self.plain(value, depth + 1) for key, value in self.pairs(item)}
        if "NS.objects" in item:
            return [self.plain(member, depth + 1) for member in self.items(item)]
        if "NS.uuidbytes" in item:
            return uuid_text(self.follow(item["NS.uuidbytes"]))
        for key in ("NS.string", "NS.time"):
            if key in item:
                return self.follow(item[key])
        return {"class": self.class_name(item)}


class Property:
    """One attribute, composite, or relationship of an entity."""

    def __init__(self, archive, item):
        self.name = archive.get(item, "NSPropertyName")
        self.kind = item.get("NSAttributeType")
        self.relation = "_NSDestinationEntityName" in item
        self.external = bool(item.get("NSFlagsKey", 0) & 4)
        self.transient = bool(item.get("NSIsTransient", False))
        self.optional = bool(item.get("NSIsOptional", False))
        self.transformer = archive.get(item, "NSValueTransformerName")
        self.elements = [Property(archive, part) for part in archive.items(archive.get(item, "NSCompositeElements"))]
        self.enum = any(key == "EnumType" for key, _ in archive.pairs(archive.get(item, "NSUserInfo")))
        if self.relation:
            self.many = item.get("NSMaxCount", 0) != 1
            self.ordered = bool(item.get("NSIsOrdered", False))
            self.destination = archive.get(item, "_NSDestinationEntityName")
            self.inverse = archive.get(item, "_NSInverseRelationshipName")
        self.column = None

    @property
    def stored(self):
        """Whether a table has columns for it."""
        return not self.transient and (self.relation or self.kind is not None)

    def leaves(self):
        """The attributes that have a column each."""
        if self.kind != COMPOSITE:
            return [self]
        return [leaf for element in self.elements for leaf in element.leaves()]


class Entity:
    """One entity with its own properties and those it inherits."""

    def __init__(self, archive, item):
        self.name = archive.get(item, "NSEntityName")
        parent = archive.get(item, "NSSuperentity")
        self.parent = archive.get(parent, "NSEntityName") if parent else None
        self.properties = {}
        for name, found in archive.pairs(archive.get(item, "NSProperties")):
            while "NSUnderlyingProperty" in found:
                found = archive.get(found, "NSUnderlyingProperty")
            self.properties[name] = Property(archive, found)
        self.number, self.children = 0, []


class Store:
    """One opened store: its model, its columns, its rows."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        integrity = self.db.execute("PRAGMA integrity_check").fetchone()[0]
        if integrity != "ok":
            raise ValueError("integrity check: " + integrity)
        self.identifier, blob = self.db.execute("SELECT Z_UUID, Z_PLIST FROM Z_METADATA").fetchone()
        self.metadata = plistlib.loads(blob)
        self.entities = self._model()
        self._number()
        self._share_inherited()
        self._assign_columns()
        self._check()

    def _model(self):
        blob = self.db.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()[0]
        inflate = zlib.decompressobj(-15)
        data = inflate.decompress(blob)
        if not inflate.eof:
            raise ValueError("the model cache is cut off")
        archive = Archive(data)
        found = [Entity(archive, item) for _, item in archive.pairs(archive.get(archive.root, "NSEntities"))]
        return {entity.name: entity for entity in found}

    def _number(self):
        for entity in self.entities.values():
            if entity.parent:
                self.entities[entity.parent].children.append(entity)
        order = []

        def visit(items):
            for entity in sorted(items, key=lambda item: item.name.lower()):
                order.append(entity)
                visit(entity.children)

        visit([entity for entity in self.entities.values() if not entity.parent])
        for number, entity in enumerate(order, 1):
            entity.number = number
        self.order = order

    def _share_inherited(self):
        for entity in self.order:
            if entity.parent:
                entity.properties.update(self.entities[entity.parent].properties)

    def chain(self, entity):
        """An entity and those it inherits from."""
        while entity:
            yield entity
            entity = self.entities.get(entity.parent)

    def table(self, entity):
        """The table of an entity: that of its root."""
        return "Z" + list(self.chain(entity))[-1].name.upper()

    def _assign_columns(self):
        self.claimed = {}
        for entity in self.order:
            inherited = self.entities[entity.parent].properties if entity.parent else {}
            taken = self.claimed.setdefault(self.table(entity), {})
            own = sorted((name for name in entity.properties if name not in inherited))
            own = [entity.properties[name] for name in own if entity.properties[name].stored]
            for item in [item for item in own if not item.relation]:
                for leaf in item.leaves():
                    leaf.column = _claim(taken, leaf.name)
            for item in [item for item in own if item.relation and not item.many]:
                item.column = _claim(taken, item.name)

    def _check(self):
        """Compares the model with the hashes, the entity numbers, and the columns of the tables."""
        if set(self.metadata["NSStoreModelVersionHashes"]) != set(self.entities):
            raise ValueError("the model cache is not the model of the metadata")
        numbers = dict(self.db.execute("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000"))
        if numbers != {entity.number: entity.name for entity in self.order}:
            raise ValueError("entity numbers differ from Z_PRIMARYKEY")
        for table, taken in self.claimed.items():
            present = {row[1] for row in self.db.execute("PRAGMA table_info(%s)" % table)}
            missing = set(taken) - present
            if missing:
                raise ValueError("%s lacks columns %s" % (table, sorted(missing)))
            special = {name for name in present - set(taken) if not re.match(r"Z_|Z\d", name)}
            if special:
                raise ValueError("%s has unexplained columns %s" % (table, sorted(special)))

    def count(self, entity):
        """How many rows an entity has."""
        statement = "SELECT count(*) FROM %s WHERE Z_ENT = ?" % self.table(entity)
        return self.db.execute(statement, (entity.number,)).fetchone()[0]

    def rows(self, entity):
        """The rows of an entity as JSON values, by primary key."""
        many = {name: self._members(entity, item) for name, item in entity.properties.items()
                if item.stored and item.relation and item.many}
        cursor = self.db.execute(
            "SELECT * FROM %s WHERE Z_ENT = ? ORDER BY Z_PK" % self.table(entity), (entity.number,))
        names = [column[0] for column in cursor.description]
        for cells in cursor:
            row = dict(zip(names, cells))
            key = row["Z_PK"]
            attributes, relations = {}, {}
            for name, item in entity.properties.items():
                if not item.stored:
                    continue
                if item.relation:
                    relations[name] = many[name].get(key, []) if item.many else row[item.column]
                else:
                    attributes[name] = _value(item, row)
            yield {
                "entity": entity.name, "pk": key, "opt": row["Z_OPT"],
                "uri": "x-coredata://%s/%s/p%d" % (self.identifier, entity.name, key),
                "attributes": attributes, "relationships": relations,
            }

    def _members(self, entity, item):
        """The members of a to-many relationship, by the owner's primary key."""
        target = self.entities[item.destination]
        inverse = target.properties.get(item.inverse)
        if inverse and inverse.many:
            return self._joined(entity, item, inverse)
        declaring = self._declaring(entity, item.name)
        if inverse:
            column, order = inverse.column, "Z_FOK_" + inverse.name.upper()
        else:
            column, order = "Z%d%s" % (declaring.number, item.name.upper()), "Z_FOK_"
        table = self.table(target)
        if not item.ordered:
            order = "Z_PK"
        return self._grouped("SELECT %s, Z_PK FROM %s WHERE %s IS NOT NULL ORDER BY %s IS NULL, %s, Z_PK" % (
            column, table, column, order, order))

    def _joined(self, entity, item, inverse):
        here = self._declaring(entity, item.name).number
        there = self._declaring(self.entities[item.destination], inverse.name).number
        candidates = ("Z_%d%s" % (here, item.name.upper()), "Z_%d%s" % (there, inverse.name.upper()))
        for table in candidates:
            columns = [row[1] for row in self.db.execute("PRAGMA table_info(%s)" % table)]
            member = _matching(columns, "Z_%d%s" % (there, item.name.upper()))
            owner = _matching([name for name in columns if name != member] + ["REFLEXIVE"],
                              "Z_%d%s" % (here, inverse.name.upper()))
            if member and owner:
                return self._grouped("SELECT %s, %s FROM %s ORDER BY 2" % (owner, member, table))
        raise ValueError("no join table for %s.%s" % (entity.name, item.name))

    def _declaring(self, entity, name):
        """The highest entity that has the property."""
        return [item for item in self.chain(entity) if name in item.properties][-1]

    def _grouped(self, statement):
        groups = {}
        for owner, member in self.db.execute(statement):
            groups.setdefault(owner, []).append(member)
        return groups


def _claim(taken, name):
    base = "Z" + name.upper()
    column, digit = base, 0
    while column in taken:
        digit += 1
        column = base + str(digit)
    taken[column] = name
    return column


def _matching(columns, base):
    return next((name for name in columns if re.fullmatch(re.escape(base) + r"\d*", name)), None)


def uuid_text(data):
    """The upper-case text of 16 bytes."""
    return str(uuid.UUID(bytes=data)).upper()


def _value(item, row):
    if item.kind == COMPOSITE:
        if item.enum and len(item.elements) == 1 and item.elements[0].name == item.name:
            return _value(item.elements[0], row)
        if all(row[leaf.column] is None for leaf in item.leaves()):
            return None
        return {element.name: _value(element, row) for element in item.elements}
    value = row[item.column]
    if value is None:
        return None
    if item.kind == BOOLEAN:
        return value != 0
    if item.kind in (DATE, DOUBLE, FLOAT, DECIMAL):
        return float(value)
    if item.kind == IDENTIFIER:
        return uuid_text(value)
    if item.kind == TRANSFORMABLE and value[:8] == b"bplist00":
        archive = Archive(value)
        return archive.plain(archive.root)
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    return value


def _mapping(entity):
    return {
        "entity": entity.name, "number": entity.number,
        "columns": {name: [leaf.column for leaf in item.leaves()]
                    for name, item in sorted(entity.properties.items()) if item.stored and not _is_many(item)},
    }


def _is_many(item):
    return item.relation and item.many


def _print(value):
    print(json.dumps(value, sort_keys=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--entity")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--columns", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.store")
        for suffix in ("", "-wal"):
            if os.path.exists(options.store + suffix):
                shutil.copyfile(options.store + suffix, copy + suffix)
        store = Store(copy)
        chosen = [entity for entity in store.order if options.entity in (None, entity.name)]
        if not chosen:
            parser.error("no entity named " + options.entity)
        counts = {entity.name: store.count(entity) for entity in chosen}
        if options.counts:
            _print(counts)
        elif options.columns:
            for entity in chosen:
                _print(_mapping(entity))
        else:
            print(json.dumps(counts, sort_keys=True), file=sys.stderr)
            for entity in chosen:
                for row in store.rows(entity):
                    _print(row)
        store.db.close()


if __name__ == "__main__":
    main()
