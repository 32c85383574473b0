"""The SwiftData store of the app's design."""

import os
import tempfile
import uuid

from generator import archive, files
from generator.database import StoreWriter
from generator.model import CASCADE, NULLIFY, Entity, Relation, attributes

from . import people, queue

USER = """
id string
username string
displayName string?
pictureUrl string?
isFollowing bool
isBlocked bool
"""

BOTTLE = """
id string
name string
brand string
distillery string?
category string?
statedAge int?
strength double?
isSingleCask bool
isWishlist bool
hasHad bool
"""

TASTING = """
id string
rating double?
notes string?
servingStyle enum?
tags strings
createdAt date
updatedAt date?
syncStatus enum=synced
"""

COMMENT = """
id string
text string
createdAt date
syncStatus enum=synced
"""

TOAST = """
id string
createdAt date
syncStatus enum=synced
"""

LIST = """
id string
name string
details string?
bottleIds strings
createdAt date
syncStatus enum=synced
"""

MUTATION = """
id uuid
type enum
entityId string
payload data
retryCount int
maxRetries int
createdAt date
lastAttemptAt date?
error string?
priority number
"""


def entities():
    """The model, entity by entity."""
    def to_many(name, other, back):
        return Relation(name, other, back, True, True, CASCADE)

    def to_one(name, other, back):
        return Relation(name, other, back, False, True, NULLIFY)

    return [
        Entity("Bottle", attributes(BOTTLE), [to_many("tastings", "Tasting", "bottle")], ["id"]),
        Entity("BottleList", attributes(LIST), [to_one("owner", "User", "lists")], ["id"]),
        Entity("Comment", attributes(COMMENT), [
            to_one("tasting", "Tasting", "comments"), to_one("user", "User", "comments")], ["id"]),
        Entity("PendingMutation", attributes(MUTATION), [], ["id"]),
        Entity("Tasting", attributes(TASTING), [
            to_one("bottle", "Bottle", "tastings"), to_one("user", "User", "tastings"),
            to_many("comments", "Comment", "tasting"), to_many("toasts", "Toast", "tasting")], ["id"]),
        Entity("Toast", attributes(TOAST), [
            to_one("tasting", "Tasting", "toasts"), to_one("user", "User", "toasts")], ["id"]),
        Entity("User", attributes(USER), [
            to_many("comments", "Comment", "user"), to_many("lists", "BottleList", "owner"),
            to_many("tastings", "Tasting", "user"), to_many("toasts", "Toast", "user")], ["id"]),
    ]


def write(path, seed="peated"):
    """Writes the store; what the person did last lies only in its write-ahead log."""
    files.remove(path)
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "work.store")
        clock = _seconds(people.NOW) - 90_000.0
        labels = ("com.example.peated", "Peated")
        writer = StoreWriter(work, entities(), "1.0.0", seed, clock, labels)
        _insert(writer)
        files.copy_while_open(work, path, seed)
        writer.connection.close()


def _insert(writer):
    run = writer.connection.execute
    tastings = people.tastings()
    keys = {item.key: number for number, item in enumerate(tastings, 1)}
    bottles = {item[0]: number for number, item in enumerate(people.BOTTLES, 1)}
    users = {item[0]: number for number, item in enumerate(people.USERS, 1)}
    queued = queue.mutations(tastings)
    run("BEGIN")
    writer.insert("User", map(_user, enumerate(people.USERS, 1)))
    writer.insert("Bottle", map(_bottle, enumerate(people.BOTTLES, 1)))
    writer.insert("Tasting", (_tasting(item, keys, bottles, users) for item in tastings))
    writer.insert("Comment", (_remark(entry, keys, users) for entry in enumerate(people.comments(), 1)))
    writer.insert("Toast", (_toast(entry, keys, users) for entry in enumerate(people.toasts(), 1)))
    writer.insert("BottleList", map(_list, enumerate(LISTS, 1)))
    writer.insert("PendingMutation", map(_mutation, enumerate(queued[:-3], 1)))
    writer.save_keys()
    run("COMMIT")
    run("PRAGMA journal_mode = WAL")
    run("PRAGMA wal_autocheckpoint = 0")
    run("BEGIN")
    writer.insert("PendingMutation", map(_mutation, list(enumerate(queued, 1))[-3:]))
    writer.update("Bottle", 2, {"isWishlist": 1})
    writer.save_keys()
    run("COMMIT")


# identity, name, details, bottles, state
LISTS = [
    ("40001", "Favourites", "What I would buy again", ["501", "505"], "pending"),
    ("40002", "Try some day", None, ["504"], "pending"),
    (people.local_id(401), "For the winter ❄️", None, ["501"], "pending"),
    ("40003", "Gifts", "", [], "synced"),
]


def _seconds(moment):
    return moment.timestamp() - 978_307_200.0


def _user(entry):
    number, (identity, name, shown, picture) = entry
    return number, 1, {
        "id": str(identity), "username": name, "displayName": shown, "pictureUrl": picture,
        "isFollowing": int(identity in (1007, 1012)), "isBlocked": int(identity == 1060)}


def _bottle(entry):
    number, (identity, name, brand, distillery, category, age, strength, single, wished, had) = entry
    return number, 1, {
        "id": str(identity), "name": name, "brand": brand, "distillery": distillery, "category": category,
        "statedAge": age, "strength": strength, "isSingleCask": int(single), "isWishlist": int(wished),
        "hasHad": int(had)}


def _tasting(item, keys, bottles, users):
    return keys[item.key], 1, {
        "id": item.key, "rating": item.rating, "notes": item.notes, "servingStyle": item.style,
        "tags": archive.archived_strings(item.tags), "createdAt": _seconds(item.created),
        "updatedAt": _seconds(item.updated) if item.number % 3 else None, "syncStatus": item.sync,
        "bottle": bottles[item.bottle], "user": users[item.user]}


def _remark(entry, keys, users):
    number, (identity, tasting, user, text, days, state) = entry
    moment = _seconds(people.NOW) - days * 86_400 - number * 61.5
    return number, 1, {
        "id": identity, "text": text, "createdAt": moment, "syncStatus": state, "tasting": keys[tasting],
        "user": users[user]}


def _toast(entry, keys, users):
    number, (identity, tasting, user, days, state) = entry
    moment = _seconds(people.NOW) - days * 86_400 - number * 59.25
    return number, 1, {
        "id": identity, "createdAt": moment, "syncStatus": state, "tasting": keys[tasting], "user": users[user]}


def _list(entry):
    number, (identity, name, details, bottles, state) = entry
    return number, 1, {
        "id": identity, "name": name, "details": details, "bottleIds": archive.archived_strings(bottles),
        "createdAt": _seconds(people.NOW) - 40 * 86_400 + number, "syncStatus": state, "owner": 1}


def _mutation(entry):
    number, item = entry
    return number, 1 + item.tries, {
        "id": uuid.UUID(item.identifier).bytes, "type": item.kind, "entityId": item.entity,
        "payload": item.payload, "retryCount": item.tries, "maxRetries": 3, "createdAt": _seconds(item.created),
        "lastAttemptAt": _seconds(item.attempted) if item.attempted else None, "error": item.error,
        "priority": item.priority}
