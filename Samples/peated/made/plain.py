"""The SQLite database that the app really keeps."""

import datetime
import json
import os
import sqlite3
import tempfile

from generator import files

from . import people, queue

TABLES = """
CREATE TABLE "schema_version" ("version" INTEGER PRIMARY KEY NOT NULL);
CREATE TABLE "users" (
  "id" INTEGER PRIMARY KEY NOT NULL, "email" TEXT, "username" TEXT NOT NULL, "display_name" TEXT,
  "picture_url" TEXT, "created_at" TEXT NOT NULL, "updated_at" TEXT NOT NULL);
CREATE TABLE "bottles" (
  "id" INTEGER PRIMARY KEY NOT NULL, "name" TEXT NOT NULL, "brand" TEXT, "distillery" TEXT,
  "category" TEXT, "stated_age" INTEGER, "cask_strength" INTEGER NOT NULL, "single_cask" INTEGER NOT NULL,
  "created_at" TEXT NOT NULL, "updated_at" TEXT NOT NULL);
CREATE TABLE "tastings" (
  "id" INTEGER PRIMARY KEY NOT NULL, "bottle_id" INTEGER NOT NULL REFERENCES "bottles" ("id"),
  "user_id" INTEGER NOT NULL REFERENCES "users" ("id"), "rating" REAL, "notes" TEXT, "tags" TEXT,
  "serving_style" TEXT, "location" TEXT, "is_public" INTEGER NOT NULL, "created_at" TEXT NOT NULL,
  "updated_at" TEXT NOT NULL, "synced_at" TEXT);
CREATE TABLE "collection" (
  "id" INTEGER PRIMARY KEY NOT NULL, "user_id" INTEGER NOT NULL REFERENCES "users" ("id"),
  "bottle_id" INTEGER NOT NULL REFERENCES "bottles" ("id"), "status" TEXT NOT NULL, "notes" TEXT,
  "created_at" TEXT NOT NULL, "updated_at" TEXT NOT NULL, UNIQUE ("user_id", "bottle_id"));
CREATE TABLE "offline_operations" (
  "id" TEXT PRIMARY KEY NOT NULL, "type" TEXT NOT NULL, "payload" BLOB NOT NULL, "created_at" TEXT NOT NULL,
  "retry_count" INTEGER NOT NULL, "last_attempt_at" TEXT, "status" TEXT NOT NULL, "last_error" TEXT);
CREATE TABLE "feed_cache" (
  "feed_type" TEXT PRIMARY KEY NOT NULL, "tasting_ids" TEXT NOT NULL, "cursor" TEXT,
  "has_more" INTEGER NOT NULL DEFAULT (0), "last_updated" TEXT NOT NULL);
CREATE TABLE "tasting_cache" (
  "id" TEXT PRIMARY KEY NOT NULL, "data" BLOB NOT NULL, "last_updated" TEXT NOT NULL);
CREATE INDEX "index_offline_operations_on_status" ON "offline_operations" ("status");
CREATE INDEX "index_tasting_cache_on_last_updated" ON "tasting_cache" ("last_updated");
"""


def write(path, seed="peated"):
    """Writes the database; its last operation lies only in the write-ahead log."""
    files.remove(path)
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "work.sqlite3")
        connection = sqlite3.connect(work, isolation_level=None)
        connection.execute("PRAGMA page_size = 4096")
        connection.executescript(TABLES)
        connection.execute("BEGIN")
        _insert(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        _add(connection, "offline_operations", [_operations()[-1]])
        files.copy_while_open(work, path, seed)
        connection.close()


def _insert(connection):
    made = "2025-11-02T18:20:00.000"
    tastings = people.tastings()
    _add(connection, "schema_version", [(3,)])
    _add(connection, "users", [
        (identity, "morag@example.com" if identity == people.SELF else None, name, shown, picture, made, made)
        for identity, name, shown, picture in people.USERS])
    _add(connection, "bottles", [
        (item[0], item[1], item[2], item[3], item[4], item[5], int((item[6] or 0) > 55), int(item[7]), made, made)
        for item in people.BOTTLES])
    _add(connection, "tastings", map(_tasting, tastings))
    owned = [(501, "owned", None), (503, "tried", "At a friend's"), (502, "wishlist", None), (507, "owned", "")]
    _add(connection, "collection", [
        (number, people.SELF, bottle, status, notes, made, made)
        for number, (bottle, status, notes) in enumerate(owned, 1)])
    _add(connection, "offline_operations", _operations()[:-1])
    feed = [_shown(item) for item in tastings[-9:]]
    _add(connection, "feed_cache", [
        (kind, json.dumps([item["id"] for item in items], separators=(",", ":")), None, 0, _text(people.NOW))
        for kind, items in [("friends", feed[:5]), ("global", feed)]])
    _add(connection, "tasting_cache", [(item["id"], _bytes(item), _text(people.NOW)) for item in feed[:3]])


def _shown(item):
    """A tasting as the app caches it: names instead of rows, and the moment in seconds since 2001."""
    bottle = next(found for found in people.BOTTLES if found[0] == item.bottle)
    user = next(found for found in people.USERS if found[0] == item.user)
    start = datetime.datetime(2001, 1, 1, tzinfo=people.UTC)
    shown = {
        "id": str(item.number), "rating": item.rating or 0, "notes": item.notes, "servingStyle": item.style,
        "createdAt": (item.created - start).total_seconds(), "userId": str(item.user), "username": user[1],
        "userDisplayName": user[2], "bottleId": str(item.bottle), "bottleName": bottle[1],
        "bottleBrandName": bottle[2], "bottleCategory": bottle[4], "toastCount": item.number % 3,
        "commentCount": 0, "hasToasted": False, "tags": item.tags, "friendUsernames": []}
    return {name: value for name, value in shown.items() if value is not None}


def _tasting(item):
    # What the server has not numbered yet has a number below zero.
    number = -item.number if item.local else item.number
    place = json.dumps({"name": "The Made-up Bar", "latitude": 55.75, "longitude": -6.25}) if number == -1 else None
    return (
        number, item.bottle, item.user, item.rating, item.notes,
        json.dumps(item.tags, ensure_ascii=False) if item.tags else None, item.style, place,
        int(item.number % 5 != 0), _text(item.created), _text(item.updated),
        None if item.local else _text(item.updated))


def _operations():
    waiting = [item for item in people.tastings() if item.local]
    create = [queue.create_tasting(item) for item in waiting]
    create[0]["location"] = {"name": "The Made-up Bar", "latitude": 55.75, "longitude": -6.25}
    create[3]["imageData"] = "iVBORw0KGgo="
    offline = "The request timed out."
    rows = [
        ("createTasting", create[0], 20, 0, "pending", None),
        ("createTasting", create[1], 19, 1, "pending", offline),
        # The app was killed while this one was on its way: nobody knows whether it arrived.
        ("createTasting", create[2], 18, 1, "inProgress", None),
        ("createTasting", create[3], 17, 0, "pending", None),
        # Tried as often as it may be.
        ("createTasting", create[4], 40, 3, "failed", offline),
        # Older than seven days: the app would throw these two away.
        ("createTasting", dict(create[1], notes="From last month"), 24 * 9, 2, "pending", offline),
        ("addComment", {"tastingId": "80009", "text": "Too late?"}, 24 * 8, 0, "pending", None),
        ("updateTasting", {"tastingId": "90003", "rating": 2.5, "tags": ["peat", "ash"]}, 16, 0, "pending", None),
        ("deleteTasting", {"tastingId": "90006"}, 15, 0, "pending", None),
        ("toggleToast", {"tastingId": "80003", "isToasted": True}, 14, 0, "pending", None),
        # Given and taken back is the same as never.
        ("toggleToast", {"tastingId": "80004", "isToasted": True}, 13, 0, "pending", None),
        ("toggleToast", {"tastingId": "80004", "isToasted": False}, 12.5, 0, "pending", None),
        ("addComment", {"tastingId": "80002", "text": "Sláinte"}, 12, 0, "pending", None),
        ("deleteComment", {"commentId": "70006"}, 11, 0, "pending", None),
        ("followUser", {"userId": "1055", "isFollowing": True}, 10, 0, "pending", None),
        ("unfollowUser", {"userId": "1012", "isFollowing": False}, 9, 0, "completed", None),
        ("uploadImage", {"tastingId": "90001", "imageData": "iVBORw0KGgo="}, 8, 0, "pending", None),
        ("updateProfile", {"displayName": "Mòrag Example (she)"}, 7, 0, "pending", None),
    ]
    return [_operation(number, *row) for number, row in enumerate(rows, 1)]


def _operation(number, kind, payload, hours, tries, status, error):
    created = people.NOW - datetime.timedelta(hours=hours)
    attempted = created + datetime.timedelta(seconds=2 * 2 ** tries) if tries else None
    return (
        "0FF11E00-0000-4000-8000-%012d" % number, kind, _bytes(payload), _text(created), tries,
        _text(attempted) if attempted else None, status, error)


def _bytes(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _text(moment):
    # As the library writes dates: in UTC, and without saying so.
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + "%03d" % (moment.microsecond // 1000)


def _add(connection, table, rows):
    rows = list(rows)
    marks = ", ".join("?" * len(rows[0]))
    connection.executemany('INSERT INTO "%s" VALUES (%s)' % (table, marks), rows)
