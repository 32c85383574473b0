"""Writes the SQLite file: tables, rows, history, metadata, and a write-ahead log."""

import base64
import hashlib
import itertools
import plistlib
import sqlite3

from . import model
from .modelcache import ModelWriter
from .rng import Rng, uuid_text

INSERT, UPDATE, DELETE = 0, 1, 2
FRAMEWORK_VERSION = 1414
HISTORY = ((16001, "CHANGE"), (16002, "TRANSACTION"), (16003, "TRANSACTIONSTRING"))
ROWS_PER_SAVE = 12
# The bundle and the process that the history names.
LABELS = ("com.example.infinitestories", "InfiniteStories")

_HISTORY_TABLES = (
    "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,"
    " ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )",
    "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,"
    " ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,"
    " ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
    "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
    "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
    "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
    "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
    "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
    "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
    "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
    "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
    "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
)

_FIXED_TABLES = (
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
)


def metadata(entities, version):
    """The property list of Z_METADATA."""
    hashes = {
        entity.name: hashlib.sha256((entity.name + " " + version).encode("utf-8")).digest()
        for entity in entities
    }
    joined = b"".join(hashes[name] for name in sorted(hashes))
    return plistlib.dumps({
        "NSPersistenceFrameworkVersion": FRAMEWORK_VERSION,
        "NSStoreModelVersionChecksumKey": base64.b64encode(hashlib.sha256(joined).digest()).decode("ascii"),
        "NSStoreModelVersionHashes": hashes,
        "NSStoreModelVersionHashesDigest": base64.b64encode(hashlib.sha512(joined).digest()).decode("ascii"),
        "NSStoreModelVersionHashesVersion": 3,
        "NSStoreModelVersionIdentifiers": [version],
        "NSStoreType": "SQLite",
        "_NSAutoVacuumLevel": "2",
    }, fmt=plistlib.FMT_BINARY)


class StoreWriter:
    """One store file, open for writing."""

    def __init__(self, path, entities, version, seed, clock, labels=LABELS, configuration="default"):
        self._entities = {entity.name: entity for entity in entities}
        self._numbers = {entity.name: index + 1 for index, entity in enumerate(entities)}
        self._highest = dict.fromkeys(self._numbers, 0)
        self._change = self._transaction = 0
        self._clock = clock
        self._labels = labels
        # Models of SwiftData have one configuration of this name, others one of another.
        self._configuration = configuration
        self.connection = sqlite3.connect(path, isolation_level=None)
        self._prepare(entities, version, seed)

    def _prepare(self, entities, version, seed):
        run = self.connection.execute
        run("PRAGMA page_size = 4096")
        run("PRAGMA auto_vacuum = 2")
        run("PRAGMA journal_mode = OFF")
        run("PRAGMA synchronous = OFF")
        run("BEGIN")
        for entity in entities:
            run(_table(entity))
        for statement in itertools.chain.from_iterable(_indexes(entity) for entity in entities):
            run(statement)
        for statement in _FIXED_TABLES + _HISTORY_TABLES:
            run(statement)
        names = [(self._numbers[name], name) for name in self._numbers] + list(HISTORY)
        self.connection.executemany("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, 0, 0)", names)
        identifier = uuid_text(Rng(seed, "store", version).uuid())
        run("INSERT INTO Z_METADATA VALUES (1, ?, ?)", (identifier, metadata(entities, version)))
        run("INSERT INTO Z_MODELCACHE VALUES (?)", (ModelWriter(entities, version, self._configuration).content(),))
        self.connection.executemany(
            "INSERT INTO ATRANSACTIONSTRING VALUES (?, 16003, NULL, ?)", list(enumerate(self._labels, 1)))
        run("COMMIT")

    def insert(self, name, rows):
        """Adds rows, each a triple of primary key, save count, and values by property name."""
        entity, number = self._entities[name], self._numbers[name]
        names = [column for column, _ in model.columns(entity)]
        marks = ", ".join("?" * (3 + len(names)))
        keys = []

        def cells():
            for key, saves, values in rows:
                keys.append(key)
                yield [key, number, saves] + [values.get(item) for item in names]

        self.connection.executemany("INSERT INTO Z%s VALUES (%s)" % (name.upper(), marks), cells())
        self._highest[name] = max(keys + [self._highest[name]])
        self._record([(INSERT, number, key, None) for key in keys])

    def update(self, name, key, values):
        """Changes some properties of a row."""
        assignments = ", ".join("Z%s = ?" % item.upper() for item in values)
        statement = "UPDATE Z%s SET Z_OPT = Z_OPT + 1, %s WHERE Z_PK = ?" % (name.upper(), assignments)
        self.connection.execute(statement, list(values.values()) + [key])
        self._record([(UPDATE, self._numbers[name], key, self._changed_bits(name, values))])

    def delete(self, name, key):
        """Removes a row; its primary key is not used again."""
        self.connection.execute("DELETE FROM Z%s WHERE Z_PK = ?" % name.upper(), (key,))
        self._record([(DELETE, self._numbers[name], key, None)])

    def save_keys(self):
        """Writes the highest primary keys, as the framework does with every save."""
        highest = [(self._highest[name], number) for name, number in self._numbers.items()]
        highest += [(self._change, 16001), (self._transaction, 16002), (2, 16003)]
        self.connection.executemany("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", highest)

    def _changed_bits(self, name, values):
        entity = self._entities[name]
        names = sorted(item.name for item in entity.attributes + entity.relations)
        bits = bytearray((len(names) + 7) // 8)
        for item in values:
            place = names.index(item)
            bits[place // 8] |= 0x80 >> (place % 8)
        return bytes(bits).rstrip(b"\0")

    def _record(self, changes):
        saves, entries = [], []
        for start in range(0, len(changes), ROWS_PER_SAVE):
            self._transaction += 1
            self._clock += 37.250119
            saves.append((self._transaction, round(self._clock, 6)))
            for kind, number, key, bits in changes[start:start + ROWS_PER_SAVE]:
                self._change += 1
                entries.append((self._change, kind, number, key, self._transaction, bits))
        self.connection.executemany(
            "INSERT INTO ATRANSACTION VALUES"
            " (?, 16002, NULL, NULL, 1, NULL, 2, ?, NULL, NULL, NULL, NULL, NULL)", saves)
        self.connection.executemany(
            "INSERT INTO ACHANGE VALUES (?, 16001, NULL, ?, ?, ?, ?, ?)", entries)


def _table(entity):
    columns = ", ".join("Z%s %s" % (name.upper(), kind) for name, kind in model.columns(entity))
    return "CREATE TABLE Z%s ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, %s )" % (
        entity.name.upper(), columns)


def _indexes(entity):
    table = "Z" + entity.name.upper()
    for relation in sorted(entity.relations, key=lambda item: item.name):
        if not relation.many:
            column = "Z" + relation.name.upper()
            yield "CREATE INDEX %s_%s_INDEX ON %s (%s)" % (table, column, table, column)
    for name in entity.unique:
        yield "CREATE UNIQUE INDEX Z_%s_UNIQUE_%s ON %s (Z%s COLLATE BINARY ASC)" % (
            entity.name, name, table, name.upper())
