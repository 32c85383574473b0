#!/usr/bin/env python3
"""Compares an export package with the values that Realm's own library read from the same file.

    realm_cells.py EXPECTED.json PACKAGE

EXPECTED has the file's tables with their columns and all rows, or the first and the last ones. Prints each
cell that differs, and last how many cells were compared; ends with the status 1 where one differs. Nothing of
the program is used.

A link is compared where EXPECTED has the object that it leads to.
"""

import base64
import collections
import datetime
import decimal
import glob
import json
import os
import sys

EPOCH = datetime.datetime(1970, 1, 1)
CYCLE = 146_097 * 86_400  # 400 years, for years before 1, which datetime does not have
OWN_TABLES = ("metadata", "pk")
SYNC_TABLES = ("sync_", "flx_", "client_", "class___")
NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class Unknown:
    """A value that EXPECTED does not say; equal to any."""

    def __eq__(self, other):
        return True


class Amount:
    """A decimal, which is compared by its value."""

    def __init__(self, text):
        self.number = decimal.Decimal(text)

    def __eq__(self, other):
        if not isinstance(other, str):
            return False
        found = decimal.Decimal(other)
        return found == self.number or found.is_nan() and self.number.is_nan()


class Members:
    """A set, whose order has no meaning."""

    def __init__(self, values):
        self.values = values

    def __eq__(self, other):
        return isinstance(other, list) and len(self.values) == len(other) and all(
            any(value == found for found in other) for value in self.values
        )


class Exact:
    """A value that differs from another one of another kind: 1 is not true."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(self.value, bool) == isinstance(other, bool) and self.value == other


def instant(seconds, nanoseconds):
    """RFC 3339 text, or an object beyond the years 0000 to 9999."""
    if not -62_167_219_200 <= seconds <= 253_402_300_799:
        return {"seconds": seconds, "nanoseconds": nanoseconds}
    if nanoseconds < 0:
        seconds, nanoseconds = seconds - 1, nanoseconds + 10**9
    cycles = 1 if seconds < -62_135_596_800 else 0
    date = EPOCH + datetime.timedelta(seconds=seconds + cycles * CYCLE)
    fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
    return f"{date.year - 400 * cycles:04d}{date:-%m-%dT%H:%M:%S}{fraction}Z"


def encoded(digits):
    return base64.b64encode(bytes.fromhex(digits)).decode()


class File:
    def __init__(self, path):
        with open(path) as file:
            self.tables = {table["name"]: table for table in json.load(file)["tables"]}
        self.has_classes = any(name.startswith("class_") for name in self.tables)
        self.rows = {
            name: {row["$key"]: row for row in table["rows"] + table.get("lastRows", [])}
            for name, table in self.tables.items()
        }

    def entities(self):
        """The names of the tables that are entities."""
        for name, table in self.tables.items():
            is_class = name.startswith("class_") or not self.has_classes
            if not is_class or name in OWN_TABLES or name.startswith(SYNC_TABLES):
                continue
            if table["kind"] != "embedded":
                yield name

    @staticmethod
    def entity(table):
        return table.removeprefix("class_")

    def linked(self, table, key):
        """What a link becomes: an embedded object, a primary key or an address."""
        target = self.tables[table]
        row = self.rows[table].get(key)
        if target["kind"] == "embedded":
            if row is None:
                return Unknown()
            return {c["name"]: self.value(row[c["name"]], c) for c in target["columns"]}
        address = f"realm:{self.entity(table)}/{key}"
        if not target.get("pk"):
            return address
        if row is None:
            return Unknown()
        value = row[target["pk"]]
        if value is None:
            return address
        column = next(c for c in target["columns"] if c["name"] == target["pk"])
        found = self.value(value, column)
        return str(found.value if isinstance(found, Exact) else found)

    def value(self, value, column, is_mixed=False):
        """What a value becomes in a record."""
        is_mixed = is_mixed or column.get("type") == "mixed"
        if isinstance(value, list):
            return [self.value(member, column, is_mixed) for member in value]
        if not isinstance(value, dict):
            return Exact(value)
        [(kind, held)] = value.items()
        tag = lambda name, found: {name: found} if is_mixed else found
        match kind:
            case "$date":
                return tag("$date", instant(held, 0))
            case "$ts":
                return tag("$date", instant(*held))
            case "$bin":
                return tag("$base64", encoded(held))
            case "$strhex":
                return {"$base64": encoded(held)}
            case "$oid":
                return tag("$objectId", held)
            case "$uuid":
                return tag("$uuid", held.upper())
            case "$dec":
                return tag("$decimal", Amount(held))
            case "$num":
                return tag("$real", NUMBERS[held])
            case "$set":
                return Members([self.value(member, column, is_mixed) for member in held])
            case "$dict":
                return {
                    "$" * key.startswith("$") + key: self.value(member, column, is_mixed)
                    for key, member in held.items()
                }
            case "$link" if isinstance(held, list):
                found = self.linked(*held)
                is_embedded = self.tables[held[0]]["kind"] == "embedded"
                return found if is_embedded else {"$link": found, "$entity": self.entity(held[0])}
            case "$link":
                return self.linked(column["target"], held)
            case "$subtable":
                return [self.sub_row(row, column) for row in held]
        raise ValueError(f"{value} is of an unknown kind")

    def sub_row(self, row, column):
        names = [name for name in row if name != "$key"]
        columns = column.get("columns") or [{"name": name} for name in names]
        if names == ["!ARRAY_VALUE"]:
            return self.value(row["!ARRAY_VALUE"], columns[0])
        return {c["name"]: self.value(row[c["name"]], c) for c in columns}


def records(package):
    """The records of a package by their entities, in their order."""
    found = collections.defaultdict(list)
    for path in sorted(glob.glob(f"{package}/data/*.jsonl")):
        with open(path) as lines:
            entity = os.path.basename(path).rpartition("-")[0]
            found[entity] += [json.loads(line) for line in lines]
    return found


def compare(file, package):
    count, faults = 0, []
    found = records(package)
    for name in file.entities():
        table, lines = file.tables[name], found[file.entity(name)]
        if len(lines) != table["count"]:
            faults.append(f"{name} has {table['count']} rows, and {len(lines)} records")
            continue
        last = table.get("lastRows", [])
        pairs = list(zip(table["rows"], lines)) + list(zip(last, lines[len(lines) - len(last):]))
        names = collections.Counter(column["name"] for column in table["columns"])
        for place, column in enumerate(table["columns"], 1):
            if names[column["name"]] > 1:
                continue
            # A column without a name is called by its place.
            field = column["name"] or f"column{place}"
            for row, record in pairs:
                count += 1
                expected = file.value(row[column["name"]], column)
                cell = record.get(field, "no such field")
                if not expected == cell:
                    faults.append(f"{name}.{field} of {row['$key']} is {str(cell)[:200]}")
    return count, faults


count, faults = compare(File(sys.argv[1]), sys.argv[2])
for fault in faults[:50]:
    print(fault)
print(f"{count} cells, {len(faults)} differ")
sys.exit(1 if faults else 0)
