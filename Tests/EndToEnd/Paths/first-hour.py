#!/usr/bin/env python3
"""The first hour of a user: from an unpacked release to two migrated stores at a real PocketBase.

    first-hour.py RELEASE [-o TRANSCRIPT]

RELEASE is the folder of an unpacked release, or its archive. FERRY_POCKETBASE names PocketBase, and
FERRY_STORES the folder of real stores; without it, a store of the samples takes their place. After each step
the rows are counted by PocketBase's own interface and by sqlite3.
"""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

from typed import ROOT, PocketBase, Transcript

# A Core Data store of the web, with records that lead to each other in both directions.
REAL = "sqlite/duckduckgo__BrowserServicesKit__Bookmarks_V4.sqlite"


def copy(store, place):
    """Copies a store with its write-ahead log, under a name of its own."""
    place.parent.mkdir()
    for ending in ["", "-wal"]:
        if os.path.exists(f"{store}{ending}"):
            shutil.copyfile(f"{store}{ending}", f"{place}{ending}")


def counted(store, tables):
    """The rows of tables, as the command sqlite3 counts them in a copy."""
    with_log = store.with_name("counted.sqlite")
    for ending in ["", "-wal"]:
        if os.path.exists(f"{store}{ending}"):
            shutil.copyfile(f"{store}{ending}", f"{with_log}{ending}")
    numbers = {}
    for entity, table in tables.items():
        asked = subprocess.run(["sqlite3", with_log, f"SELECT count(*) FROM {table}"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
        numbers[entity] = int(asked)
    for ending in ["", "-wal", "-shm"]:
        pathlib.Path(f"{with_log}{ending}").unlink(missing_ok=True)
    return numbers


def plain(place):
    """A plain SQLite database, as an app without a framework keeps one."""
    place.parent.mkdir()
    with sqlite3.connect(place) as base:
        base.executescript("""
            CREATE TABLE folders (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT, stars REAL,
              created_at TEXT NOT NULL, folder_id INTEGER REFERENCES folders(id));""")
        base.executemany("INSERT INTO folders VALUES (?, ?)", [(n, f"Folder {n}") for n in range(1, 6)])
        base.executemany("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?)", [
            (n, f"Note {n}", None if n % 7 == 0 else f"Text {n} — “quoted”", n / 4 if n % 3 else None,
             f"2024-03-{n % 28 + 1:02}T10:00:00Z", n % 5 + 1) for n in range(1, 121)])
    base.close()


def migrate(path, server, name, tables, alone):
    """The commands of a store: collections, draft, look, migrate; with counts between them.

    Where the server refuses batches, the first run takes `alone` requests; that is checked where it is known.
    """
    store = path.folder / name / "app.sqlite"
    rows = counted(store, tables)
    digest = subprocess.run(["sha256sum", store], stdout=subprocess.PIPE, check=True).stdout
    path.type(f"ferry inspect {name}/app.sqlite", words=[*tables, f"next: ferry init {name}/app.sqlite -o"])
    path.type(f"ferry schema emit --for pocketbase {name}/app.sqlite -o {name}/collections.json")
    server.import_collections(path.folder / name / "collections.json")
    path.say("   imported the collections, as the dashboard's importer does\n")
    path.type(f"ferry init {name}/app.sqlite --preset pocketbase --to {server.origin} --credential "
              f"admin=env:ADMIN -o {name}/my", words=[f"next: ferry profile check {name}/my/profile.yaml",
                                                      f"then: ferry migrate {name}/app.sqlite --profile "],
              without=["unchecked"])
    profile = (path.folder / name / "my/profile.yaml").read_text()
    path.check("fields that the draft has not found", profile.count("unchecked"), 0)
    places = {}
    for line in profile.split("api:")[1].splitlines():
        words = line.strip().replace('"', "").split(":")
        if line.startswith("    ") and not line.startswith("     "):
            entity = words[0]
        elif words[0] == "collection":
            places[entity] = words[1].strip()
    path.check("entities of the draft", sorted(places), sorted(tables))
    path.type(f"ferry profile check {name}/my/profile.yaml")
    path.type(f"ferry preflight --profile {name}/my/profile.yaml --credential admin=env:ADMIN",
              words=["fits   account", "next: ferry migrate STORE --profile "], without=["UNFIT"])
    path.type(f"ferry migrate {name}/app.sqlite --profile {name}/my/profile.yaml -n",
              words=["would do", "create", "next: the same command without -n"]
              + ([f"or {alone} where the server refuses batches"] if alone else []))
    for entity, place in places.items():
        path.check(f"{place} after the dry run", server.count(place), 0)
    path.type(f"ferry migrate {name}/app.sqlite --profile {name}/my/profile.yaml", words=["undo:"])
    for entity, place in places.items():
        path.check(f"{place}, as {entity} in sqlite3", server.count(place), rows[entity])
    path.type(f"ferry migrate {name}/app.sqlite --profile {name}/my/profile.yaml",
              words=["unchanged", "nothing to send"])
    for entity, place in places.items():
        path.check(f"{place} after the second run", server.count(place), rows[entity])
    path.check("the store's digest is the same",
               subprocess.run(["sha256sum", store], stdout=subprocess.PIPE, check=True).stdout == digest, True)
    return places


def main():
    with Transcript(sys.argv) as path:
        path.heading("Unpack")
        path.type("ferry --version")
        sample = path.release / "share/doc/ferry/Samples/quick-start.sh"
        if sample.exists():
            path.type(f"sh {sample}", words=["undo:", "To go on by hand"])
        server = PocketBase(path)
        server.add_user("dev@example.com")
        path.export(ADMIN=server.token, U="dev@example.com", P=server.PASSWORD,
                    FERRY_CREDENTIAL="user=env:U,password=env:P")
        path.heading("A real store")
        stores = os.environ.get("FERRY_STORES")
        if stores:
            copy(f"{stores}/{REAL}", path.folder / "real/app.sqlite")
            # Each is created, and gets its references in a second step; one is looked at before.
            migrate(path, server, "real", {"BookmarkEntity": "ZBOOKMARKENTITY"}, 21)
        else:
            copy(f"{ROOT}/Samples/infinite-stories/default.store", path.folder / "real/app.sqlite")
            migrate(path, server, "real", {
                "CustomStoryEvent": "ZCUSTOMSTORYEVENT", "Hero": "ZHERO", "Story": "ZSTORY",
                "HeroVisualProfile": "ZHEROVISUALPROFILE", "StoryIllustration": "ZSTORYILLUSTRATION"},
                    None)
        path.heading("A plain SQLite database, with batches allowed")
        server.allow_batches()
        plain(path.folder / "plain/app.sqlite")
        places = migrate(path, server, "plain", {"folders": "folders", "notes": "notes"}, 125)
        names = {row["id"]: row["name"] for row in server.rows(places["folders"])}
        for row in server.rows(places["notes"]):
            number = int(row["title"].split()[1])
            body = "" if number % 7 == 0 else f"Text {number} — “quoted”"
            stars = number / 4 if number % 3 else None
            if (row["body"], row["stars"], names[row["folder"]]) != (body, stars, f"Folder {number % 5 + 1}"):
                sys.exit(f"the note {number} is not as it was: {row}")
        path.say("   compared: each note has its text, its number and its folder")


main()
