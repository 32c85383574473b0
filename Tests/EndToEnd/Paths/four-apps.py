#!/usr/bin/env python3
"""The stores of the four apps, whole and both ways, as one table in Markdown.

    four-apps.py RELEASE [--app NAME ...] [--policy POLICY ...] [--kills N] [--seeds FIRST-LAST] [--rounds N]

RELEASE is the folder of an unpacked release, with `ferry-backend` beside `ferry` in its `bin`. Each app's sample is
migrated to a server of its own: the line without a policy. Rows, links and files are counted by sqlite3, in the store
and in the server's database. The run's write-back is applied to a copy of the store, and the copy takes the store's
place: the next run must send nothing.

With --policy, both sides then change their records, in pairs of changes that the seed draws: the same field, another
one, a move, links, a deletion. New records, files and rows of the queue come too. Each round ends with a write-back
that is applied. What must be so is asked of both databases: each record of the store is named once, what is not
named is equal on both sides, nothing was touched that only the server changed, nothing is there twice, what a row of
the queue says is there if the row is called carried or folded, and the next run sends nothing and names the same
conflicts. What is not so is listed below the table's line.

A preferences file takes no write-back. With --kills, each run is killed up to N times, as soon as the server has
counted some writes of it. The files of the app have the same digests before and after each run.
The exit status is 1 where anything is not as it must be.
"""

import argparse
import collections
import contextlib
import datetime
import hashlib
import itertools
import json
import os
import pathlib
import plistlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "Samples"
PASSWORD = "correct-horse"
PICTURE = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
                        "0000000a49444154789c6360000000020001e221bc330000000049454e44ae426082")
TAGS = ["peat", "smoke", "honey", "vanilla", "dried fruit", "sea salt", "orange peel", "leather", "ash", "iodine",
        "salt"]


def query(database, sql):
    """What sqlite3 answers about a database that a server may have open."""
    asked = subprocess.run(["sqlite3", "-readonly", str(database), sql], check=True, text=True, stdout=subprocess.PIPE)
    return asked.stdout.strip()


def change(store, *statements):
    """Changes a store as its app does: the changes lie in its write-ahead log."""
    with contextlib.closing(sqlite3.connect(store)) as base, base:
        for statement in statements:
            base.execute(statement)


def copied(table, row, **values):
    """The statements that add a copy of a row to a table, with other values."""
    sets = ", ".join(f"{column} = {value}" for column, value in values.items())
    return (f"CREATE TEMP TABLE fresh AS SELECT * FROM {table} WHERE {row} LIMIT 1", f"UPDATE fresh SET {sets}",
            f"INSERT INTO {table} SELECT * FROM fresh", "DROP TABLE fresh")


def blob(name):
    """A UUID as a store keeps it, the same in each run."""
    return f"x'{uuid.uuid5(uuid.NAMESPACE_URL, name).hex}'"


def archive(*texts):
    """A list of texts as a store keeps it: a keyed archive."""
    names = [plistlib.UID(3 + place) for place in range(len(texts))]
    objects = ["$null", {"NS.objects": names, "$class": plistlib.UID(2)},
               {"$classname": "NSArray", "$classes": ["NSArray", "NSObject"]}, *texts]
    whole = {"$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": {"root": plistlib.UID(1)},
             "$objects": objects}
    return f"x'{plistlib.dumps(whole, fmt=plistlib.FMT_BINARY).hex()}'"


def plain(identity):
    """An identity as both sides write it alike."""
    identity = (identity or "").rpartition("/")[2]
    return identity.replace("-", "").lower() if len(identity) in (32, 36) else identity


class Server:
    """The development backend over a database of its own."""

    def __init__(self, program, folder, flags=()):
        self.command, self.database, self.port = [program, "--quiet", *flags], folder / "backend.sqlite", 0
        self.start()

    def start(self):
        """Starts it, at the port that it had."""
        file = self.database.with_name("port")
        file.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [*self.command, "--port-file", file, "--port", str(self.port), "--database", self.database])
        for _ in range(1_200):
            if file.exists() and file.read_text().strip():
                break
            time.sleep(0.05)
        self.port = int(file.read_text())
        self.origin = f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body=None, token=None):
        """The answer to a request, as JSON, and its headers."""
        request = urllib.request.Request(self.origin + path, method=method)
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            # The backend fails to remove a tasting with another's comment.
            if error.code in (404, 409, 410) or (method, error.code) == ("DELETE", 500):
                raise Refused(error.url, error.code, error.msg, error.headers, error.fp) from None
            raise

    def writes(self):
        return self.ask("GET", "/__dev/state")["writes"]

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Refused(urllib.error.HTTPError):
    """A change that the server does not make: the record is gone, was changed meanwhile, or cannot be removed."""


class World:
    """An app's sample in a folder, and a server."""

    def __init__(self, app, options, folder):
        self.app, self.options, self.folder = app, options, folder
        self.home = folder / "app"
        app.lay(self.home)
        # This server does nothing any more for a request whose client is gone.
        for profile in self.home.glob("*profile.yaml"):
            profile.write_text(profile.read_text().replace("settle: 60s", "settle: 2s"))
        self.store = self.home / app.store
        self.server = Server(options.backend, folder, app.server_flags)
        self.answer, self.identities = {}, {}
        self.begin(0)

    def begin(self, seed):
        """Begins a line of the table."""
        self.draw, self.killed, self.touched = random.Random(seed), 0, []
        self.written = {"records": [], "operations": []}

    def keep(self, folder):
        """Keeps a copy of everything."""
        self.server.stop()
        shutil.copytree(self.folder, folder)
        self.kept = dict(self.identities)
        self.server.start()

    def go_back(self, folder):
        """Puts the copy in the place of everything."""
        self.server.stop()
        shutil.rmtree(self.folder)
        shutil.copytree(folder, self.folder)
        self.identities = dict(self.kept)
        self.server.start()

    def ferry(self, *arguments, writes=None):
        """Runs the program, at most until the server has counted so many writes; gives its status.

        Its results are kept by type.
        """
        environment = dict(os.environ, FERRY_STATE_DIR=str(self.folder / "state"), PATHS_EMAIL=self.app.email,
                           PATHS_PASSWORD=PASSWORD)
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            process = subprocess.Popen(
                [self.options.ferry, *map(str, arguments), "--format", "ndjson", "--progress", "none"],
                env=environment, stdout=out, stderr=err)
            while writes and process.poll() is None:
                if self.server.writes() >= writes:
                    process.kill()
                    break
                time.sleep(0.005)
            process.wait()
            out.seek(0)
            err.seek(0)
            # The last line of a run that was killed may lack its end.
            values = [json.loads(line) for line in out if line.startswith("{") and line.endswith("}\n")]
            self.answer, self.words = {value["type"]: value for value in values}, err.read()
        return process.returncode

    def migrate(self, *more):
        """Migrates the store; runs are killed after some of their writes, as often as the options say."""
        before = self.digests()
        for kill in range(self.options.kills + 1):
            last = kill == self.options.kills
            writes = None if last else self.server.writes() + self.draw.randint(1, 2 ** kill)
            status = self.ferry("migrate", self.store, *self.place(), *more, writes=writes)
            if status != -signal.SIGKILL:
                break
            self.killed += 1
        after = self.digests()
        self.touched += [str(path) for path in set(before) | set(after) if before.get(path) != after.get(path)]
        return status

    def digests(self):
        """Of each file of the app; the index of a write-ahead log is SQLite's own."""
        return {path.relative_to(self.home): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in self.home.rglob("*") if path.is_file() and not path.name.endswith("-shm")}

    def place(self):
        return ["--profile", self.home / self.app.profile, "--to", self.server.origin, "--credential",
                "email=env:PATHS_EMAIL", "--credential", "password=env:PATHS_PASSWORD"]

    def count(self, *buckets):
        records = self.answer.get("upload", {}).get("records", [])
        return sum(record.get(bucket, 0) for record in records for bucket in buckets)

    def take_write_back(self):
        """Puts a copy with the last run's write-back in the store's place; gives the file."""
        file, copy = self.folder / "write-back.json", self.folder / "copy.store"
        for old in (file, copy):
            old.unlink(missing_ok=True)
        if "upload" not in self.answer or self.ferry("write-back", self.answer["upload"]["run"], "-o", file) != 0:
            raise Fault(f"no write-back: {self.words}")
        self.written = json.loads(file.read_text())
        self.identities |= {(record["entity"], plain(record["localID"])): record["serverID"]
                            for record in self.written["records"] if record["serverID"]}
        if not self.app.rows:
            return self.written
        self.applied = self.ferry("write-back", "apply", file, "--copy", self.store, "--profile",
                                  self.home / self.app.profile, "-o", copy)
        if not copy.exists():
            raise Fault(f"the write-back does not apply: {self.words}")
        for ending in ("", "-wal", "-shm"):
            pathlib.Path(f"{self.store}{ending}").unlink(missing_ok=True)
        shutil.move(copy, self.store)
        return self.written

    def named(self, *statuses):
        """The records of the last write-back with one of these statuses."""
        return {(record["entity"], plain(record["localID"])) for record in self.written["records"]
                if record["status"] in statuses}

    def left(self):
        """The records whose values the last write-back did not take to be the same on both sides."""
        return {(record["entity"], plain(record["localID"])) for record in self.written["records"]
                if record["status"] != "synced"}

    def next_run(self, *more):
        """`unchanged`, or what a further run sends."""
        before = self.server.writes()
        self.migrate(*more)
        sent, writes = self.count("created", "updated", "completed", "deleted"), self.server.writes() - before
        # A record that failed is tried again.
        is_tried = bool(self.named("failed"))
        return "unchanged" if sent == 0 and (writes == 0 or is_tried) else f"{sent} sent, {writes} writes"

    def close(self):
        self.server.stop()


class Fault(Exception):
    """What is not as it must be."""


class App:
    """What is special about an app, with what most have in common."""

    email, server_flags, first_flags, profile = "demo@example.com", (), (), "profile.yaml"
    # The rows of the queue in their order: key, kind, record, payload.
    queue = None
    files, here_files = "SELECT 0", None
    # What both sides can change, by entity: the rows as “key|identity”, the changes here, the changes there.
    kinds = ()
    # How many files the new records bring.
    more_files = 0

    def seed(self, world):
        """Gives the server what the store says that it has."""

    def edit(self, world, draw):
        """Changes records on both sides, and gives those that were changed here."""
        token, changed = self.token(world.server), set()
        for entity, rows, here, there in self.kinds:
            pairs = [pair for pair in itertools.product([None, *here], [None, *there]) if any(pair)]
            draw.shuffle(pairs)
            lines = query(world.store, rows).splitlines()
            draw.shuffle(lines)
            for line, (mine, theirs) in zip(lines, pairs):
                key, identity, *parent = line.split("|")
                number = draw.randrange(10_000)
                place = ("Hero", parent[0]) if parent else (entity, plain(identity))
                server = world.identities.get(place, identity.lower())
                with contextlib.suppress(Refused):
                    if theirs:
                        self.change_there(world, token, server, number, *theirs)
                if mine:
                    change(world.store, *(part.format(key=key, n=number) for part in mine.split(";")))
                    changed.add((entity, plain(identity)))
        self.add(world, draw.randrange(10_000, 20_000))
        return changed

    def change_there(self, world, token, server, number, method, path, body=None):
        body = body and json.loads(json.dumps(body).replace("{n}", str(number)))
        world.server.ask(method, path.format(id=server), body, token)

    def add(self, world, number):
        """New records, files and rows of the queue in the store."""

    def queued(self, world):
        return [json.loads(line) for line in query(world.store, self.queue).split("\n") if line] if self.queue else []

    def missing(self, world, rows, policy):
        """What these rows of the queue ask for, and the server does not have."""
        return []

    def values(self, database, sql):
        """What a side says of each record."""
        lines = [json.loads(line) for line in query(database, sql).split("\n") if line]
        return {(entity, plain(identity)): values for entity, identity, *values in lines}

    def said_here(self, world):
        return self.values(world.store, self.here_values) if self.here_values else {}

    def said_there(self, world):
        """By the store's identities, where it has any."""
        back = {(entity, plain(server)): (entity, local) for (entity, local), server in world.identities.items()}
        found = self.values(world.server.database, self.there_values)
        return {back.get(key, key): value for key, value in found.items()}

    def expected(self, world):
        """How many rows must be at the server in the end."""
        return query(world.store, self.rows)

    def token(self, server):
        answer = server.ask("POST", self.sign_in, {"email": self.email, "password": PASSWORD})
        return next(answer[name] for name in ("token", "access_token", "accessToken") if name in answer)


class Stories(App):
    name, store, sign_in = "InfiniteStories", "default.store", "/api/auth/sign-in/email"
    server_flags = ("--upload-tickets",)
    rows = """SELECT (SELECT count(*) FROM ZHERO) + (SELECT count(*) FROM ZHEROVISUALPROFILE)
      + (SELECT count(*) FROM ZCUSTOMSTORYEVENT) + (SELECT count(*) FROM ZSTORY WHERE ZHERO IN (SELECT Z_PK FROM ZHERO))"""
    there = "SELECT (SELECT count(*) FROM heroes) + (SELECT count(*) FROM visualProfiles)" \
        " + (SELECT count(*) FROM customEvents) + (SELECT count(*) FROM stories)"
    here_links = """SELECT (SELECT count(*) FROM ZHEROVISUALPROFILE WHERE ZHERO IS NOT NULL)
      + (SELECT count(ZHERO) + count(CASE WHEN ZHERO IN (SELECT Z_PK FROM ZHERO) THEN ZCUSTOMEVENT END) FROM ZSTORY)"""
    links = "SELECT (SELECT count(*) FROM visualProfiles) + (SELECT count(heroId) + count(customEventId) FROM stories)"
    files = "SELECT count(*) FROM files WHERE isConfirmed"
    kinds = [
        ("Hero", "SELECT Z_PK || '|p' || Z_PK FROM ZHERO",
         ["UPDATE ZHERO SET ZAPPEARANCE = 'here {n}' WHERE Z_PK = {key}",
          "UPDATE ZHERO SET ZAVATARPROMPT = 'here {n}' WHERE Z_PK = {key}"],
         [("PATCH", "/api/v1/heroes/{id}", {"appearance": "there {n}"}),
          ("PATCH", "/api/v1/heroes/{id}", {"avatarPrompt": "there {n}"}), ("DELETE", "/api/v1/heroes/{id}")]),
        ("HeroVisualProfile", "SELECT Z_PK || '|' || hex(ZID) || '|p' || ZHERO FROM ZHEROVISUALPROFILE WHERE ZHERO > 0",
         ["UPDATE ZHEROVISUALPROFILE SET ZHAIRCOLOR = 'here {n}' WHERE Z_PK = {key}"],
         [("PATCH", "/api/v1/heroes/{id}/visual-profile", {"hairColor": "there {n}"}),
          ("PATCH", "/api/v1/heroes/{id}/visual-profile", {"eyeColor": "there {n}"})]),
        ("CustomStoryEvent", "SELECT Z_PK || '|' || hex(ZID) FROM ZCUSTOMSTORYEVENT",
         ["UPDATE ZCUSTOMSTORYEVENT SET ZTITLE = 'here {n}' WHERE Z_PK = {key}",
          "UPDATE ZCUSTOMSTORYEVENT SET ZISFAVORITE = 1 - ZISFAVORITE WHERE Z_PK = {key}"],
         [("PATCH", "/api/v1/custom-events/{id}", {"title": "there {n}"}),
          ("DELETE", "/api/v1/custom-events/{id}")]),
        ("Story", "SELECT Z_PK || '|' || hex(ZID) FROM ZSTORY WHERE ZHERO IN (SELECT Z_PK FROM ZHERO)",
         ["UPDATE ZSTORY SET ZCONTENT = 'here {n}' WHERE Z_PK = {key}",
          "UPDATE ZSTORY SET ZTITLE = 'here {n}' WHERE Z_PK = {key}",
          "UPDATE ZSTORY SET ZISFAVORITE = 1 - ZISFAVORITE WHERE Z_PK = {key}",
          "DELETE FROM ZSTORY WHERE Z_PK = {key}"],
         [("PATCH", "/api/v1/stories/{id}", {"content": "there {n}"}),
          ("PATCH", "/api/v1/stories/{id}", {"title": "there {n}"}),
          ("PATCH", "/api/v1/stories/{id}", {"isFavorite": True}), ("DELETE", "/api/v1/stories/{id}")]),
    ]
    here_values = """SELECT json_array('Hero', 'p' || Z_PK, ZNAME, coalesce(ZAPPEARANCE, ''), ZAVATARPROMPT) FROM ZHERO
      UNION ALL SELECT json_array('HeroVisualProfile', lower(hex(ZID)), coalesce(ZHAIRCOLOR, ''),
        coalesce(ZEYECOLOR, '')) FROM ZHEROVISUALPROFILE
      UNION ALL SELECT json_array('CustomStoryEvent', lower(hex(ZID)), ZTITLE, ZPROMPTSEED, ZISFAVORITE)
        FROM ZCUSTOMSTORYEVENT
      UNION ALL SELECT json_array('Story', lower(hex(ZID)), ZTITLE, ZCONTENT, ZISFAVORITE) FROM ZSTORY"""
    there_values = """SELECT json_array('Hero', id, name, coalesce(appearance, ''), avatarPrompt) FROM heroes
      UNION ALL SELECT json_array('HeroVisualProfile', heroId, coalesce(hairColor, ''), coalesce(eyeColor, ''))
        FROM visualProfiles
      UNION ALL SELECT json_array('CustomStoryEvent', id, title, promptSeed, isFavorite) FROM customEvents
      UNION ALL SELECT json_array('Story', id, title, content, isFavorite) FROM stories"""
    more_files = 2

    def add(self, world, number):
        documents = world.home / "container" / "Documents"
        (documents / "Avatars" / f"{number}.png").write_bytes(PICTURE + str(number).encode())
        sound = next((documents / "AudioStories").glob("*.mp3")).read_bytes()
        # The same bytes would be the same file there.
        (documents / "AudioStories" / f"{number}.mp3").write_bytes(sound + str(number).encode())
        change(world.store,
               *copied("ZHERO", "ZVISUALPROFILE IS NULL", Z_PK=number, ZNAME=f"'new {number}'",
                       ZAPPEARANCE="'new'", ZAVATARPROMPT="'new'", ZAVATARIMAGEPATH=f"'{number}.png'"),
               *copied("ZSTORY", "ZHERO IS NOT NULL", Z_PK=number, ZTITLE=f"'new {number}'", ZHERO=number,
                       ZAUDIOFILENAME=f"'{number}.mp3'", ZID=blob(f"story {number}")))

    def lay(self, home):
        shutil.copytree(SAMPLES / "infinite-stories", home)
        profile = home / "profile.yaml"
        text = profile.read_text()
        profile.write_text(text.replace("  media:\n    enabled: false", "  media:\n    enabled: true"))


class Noted(App):
    name, store, sign_in = "Noted", "Noted.sqlite", "/api/auth/login"
    # A fresh server lacks what the store says was sent; this makes it.
    first_flags = ("--on-conflict", "local")
    rows = """SELECT (SELECT count(*) FROM ZNOTEBOOKENTITY WHERE ZDELETEDAT IS NULL)
      + (SELECT count(*) FROM ZTAGENTITY) + (SELECT count(*) FROM ZNOTEENTITY WHERE ZDELETEDAT IS NULL)"""
    there = "SELECT count(*) FROM syncRows WHERE NOT isDeleted AND body ->> 'title' IS NOT 'Main'"
    here_links = """SELECT count(*) FROM ZNOTETAGENTITY JOIN ZNOTEENTITY AS note ON ZNOTE = note.Z_PK
      JOIN ZTAGENTITY AS tag ON ZTAG = tag.Z_PK WHERE ZDELETEDAT IS NULL"""
    links = """SELECT count(*) FROM noteTags JOIN syncRows AS note ON note.id = noteId AND NOT note.isDeleted
      JOIN syncRows AS tag ON tag.id = tagId AND NOT tag.isDeleted"""
    mark = "ZSYNCSTATUS = 1, ZUPDATEDAT = strftime('%s', 'now') - 978307200"
    other = "SELECT ZID FROM ZNOTEBOOKENTITY AS other WHERE ZDELETEDAT IS NULL" \
        " AND ZID <> ZNOTEENTITY.ZNOTEBOOKID LIMIT 1"
    note, book = f"UPDATE ZNOTEENTITY SET {mark}, ", f"UPDATE ZNOTEBOOKENTITY SET {mark}, "
    tag = "UPDATE ZTAGENTITY SET ZSYNCSTATUS = 1, ZLOCALLYMODIFIEDAT = strftime('%s', 'now') - 978307200, "
    where, gone = " WHERE Z_PK = {key}", "ZDELETEDAT = strftime('%s', 'now') - 978307200"
    kinds = [
        ("NoteEntity", "SELECT Z_PK || '|' || hex(ZID) FROM ZNOTEENTITY WHERE ZDELETEDAT IS NULL",
         [note + "ZPLAINTEXT = 'here {n}'" + where, note + "ZPLAINTEXT = ''" + where,
          note + "ZPLAINTEXT = 'alike'" + where,
          note + "ZISDONE = 1 - ZISDONE" + where, note + gone + where, note + f"ZNOTEBOOKID = ({other})" + where,
          note + f"ZPLAINTEXT = 'here {{n}}', ZNOTEBOOKID = ({other})" + where,
          note + "ZISDONE = ZISDONE" + where + ";DELETE FROM ZNOTETAGENTITY WHERE ZNOTE = {key}",
          note + "ZISDONE = ZISDONE" + where + ";INSERT INTO ZNOTETAGENTITY (Z_PK, Z_ENT, Z_OPT, ZNOTE, ZTAG)"
          " SELECT (SELECT max(Z_PK) + 1 FROM ZNOTETAGENTITY), 2, 1, {key}, tag.Z_PK FROM ZTAGENTITY AS tag"
          " WHERE Z_PK NOT IN (SELECT ZTAG FROM ZNOTETAGENTITY WHERE ZNOTE = {key}) LIMIT 1"],
         [("PUT", "/api/notes/{id}", {"plain_text": "there {n}"}), ("PUT", "/api/notes/{id}", {"plain_text": "alike"}),
          ("PUT", "/api/notes/{id}", {"is_done": True}), ("PUT", "/api/notes/{id}", {"tag_ids": []}),
          ("PUT", "/api/notes/{id}", {"tag_ids": ["tag"]}), ("PUT", "/api/notes/{id}", {"notebook_id": "notebook"}),
          ("push", "notes", {"plain_text": "", "content": {"type": "text", "content": ""}}),
          ("DELETE", "/api/notes/{id}")]),
        ("NotebookEntity", "SELECT Z_PK || '|' || hex(ZID) FROM ZNOTEBOOKENTITY WHERE ZDELETEDAT IS NULL",
         [book + "ZTITLE = 'here {n}'" + where, book + "ZSORTORDER = ZSORTORDER + 1" + where, book + gone + where],
         [("push", "notebooks", {"title": "there {n}"}),
          ("push", "notebooks", {"deleted_at": "2026-11-30T10:00:00Z"})]),
        ("TagEntity", "SELECT Z_PK || '|' || hex(ZID) FROM ZTAGENTITY",
         [tag + "ZNAME = 'here {n}'" + where, tag + "ZCOLOR = '#{n}'" + where],
         [("push", "tags", {"name": "there {n}"}), ("push", "tags", {"deleted_at": "2026-11-30T10:00:00Z"})]),
    ]
    here_values = """SELECT json_array('NoteEntity', lower(hex(ZID)), coalesce(ZPLAINTEXT, ''), ZISDONE,
        lower(hex(ZNOTEBOOKID)), (SELECT group_concat(id) FROM (SELECT lower(hex(tag.ZID)) AS id FROM ZNOTETAGENTITY
          JOIN ZTAGENTITY AS tag ON ZTAG = tag.Z_PK WHERE ZNOTE = note.Z_PK ORDER BY id)))
      FROM ZNOTEENTITY AS note WHERE ZDELETEDAT IS NULL
      UNION ALL SELECT json_array('NotebookEntity', lower(hex(ZID)), ZTITLE, ZSORTORDER) FROM ZNOTEBOOKENTITY
        WHERE ZDELETEDAT IS NULL
      UNION ALL SELECT json_array('TagEntity', lower(hex(ZID)), ZNAME, coalesce(ZCOLOR, '')) FROM ZTAGENTITY"""
    there_values = """SELECT json_array('NoteEntity', id, coalesce(body ->> 'plain_text', ''), body ->> 'is_done',
        replace(body ->> 'notebook_id', '-', ''), (SELECT group_concat(id) FROM (SELECT replace(tagId, '-', '') AS id
          FROM noteTags JOIN syncRows AS tag ON tag.id = tagId AND NOT tag.isDeleted
          WHERE noteId = note.id ORDER BY id)))
      FROM syncRows AS note WHERE kind = 'notes' AND NOT isDeleted
      UNION ALL SELECT json_array('NotebookEntity', id, body ->> 'title', body ->> 'sort_order') FROM syncRows
        WHERE kind = 'notebooks' AND NOT isDeleted
      UNION ALL SELECT json_array('TagEntity', id, body ->> 'name', coalesce(body ->> 'color', '')) FROM syncRows
        WHERE kind = 'tags' AND NOT isDeleted"""

    def add(self, world, number):
        change(world.store,
               *copied("ZNOTEENTITY", "ZDELETEDAT IS NULL AND Z_PK IN (SELECT ZNOTE FROM ZNOTETAGENTITY)", Z_PK=number,
                       ZID=blob(f"note {number}"), ZPLAINTEXT=f"'new {number}'", ZSYNCSTATUS=1, ZSERVERVERSION=0),
               *copied("ZNOTETAGENTITY", "1", Z_PK=number, ZNOTE=number,
                       ZTAG="(SELECT min(Z_PK) FROM ZTAGENTITY)"))

    def lay(self, home):
        shutil.copytree(SAMPLES / "noted", home)

    def change_there(self, world, token, server, number, method, path, body=None):
        rows = world.server.ask("GET", "/__dev/dump")["syncRows"]
        some = {row["kind"]: row["id"] for row in rows if not row.get("deleted_at")}
        if method != "push":
            body = body and json.loads(json.dumps(body).replace('"tag"', f'"{some.get("tags")}"')
                                       .replace('"notebook"', f'"{some.get("notebooks")}"'))
            return super().change_there(world, token, server, number, method, path, body)
        row = next(row for row in rows if row["id"] == server)
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=60)
        row |= json.loads(json.dumps(body).replace("{n}", str(number)))
        row |= {"updated_at": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "version": row.get("version", 0)}
        del row["kind"]
        world.server.ask("POST", "/api/sync", {path: [row]}, token)

class NotedMac(Noted):
    name, store, profile = "Noted, its Mac app", "default.store", "mac.profile.yaml"
    rows = """SELECT (SELECT count(*) FROM ZLOCALNOTEBOOK WHERE ZDELETEDAT IS NULL)
      + (SELECT count(*) FROM ZLOCALNOTE WHERE ZDELETEDAT IS NULL) + (SELECT count(*) FROM ZLOCALNOTEIMAGE)"""
    # Beside the store's own notebook "Main" the server has one.
    there = "SELECT (SELECT count(*) FROM syncRows WHERE NOT isDeleted) - 1 + (SELECT count(*) FROM images)"
    here_links = """SELECT count(*) FROM ZLOCALNOTEIMAGE JOIN ZLOCALNOTE AS note ON note.ZID = ZNOTEID
      WHERE ZDELETEDAT IS NULL"""
    links = "SELECT count(*) FROM images JOIN syncRows AS note ON note.id = noteId AND NOT isDeleted"
    files = "SELECT count(*) FROM images JOIN files ON storageKey = images.id || '.' || type"
    here_files = "SELECT count(*) FROM ZLOCALNOTEIMAGE"
    note = "UPDATE ZLOCALNOTE SET ZSYNCSTATUSRAW = 2, ZUPDATEDAT = strftime('%s', 'now') - 978307200, "
    book = "UPDATE ZLOCALNOTEBOOK SET ZSYNCSTATUSRAW = 2, ZUPDATEDAT = strftime('%s', 'now') - 978307200, "
    where = " WHERE Z_PK = {key}"
    gone = "ZSYNCSTATUSRAW = 3, ZDELETEDAT = strftime('%s', 'now') - 978307200"
    kinds = [
        ("LocalNote", "SELECT Z_PK || '|' || hex(ZID) FROM ZLOCALNOTE WHERE ZDELETEDAT IS NULL",
         [note + "ZPLAINTEXT = 'here {n}'" + where, note + gone + where, note + "ZISSTARRED = 1 - ZISSTARRED" + where],
         [("PUT", "/api/notes/{id}", {"plain_text": "there {n}"}), ("PUT", "/api/notes/{id}", {"is_starred": True}),
          ("DELETE", "/api/notes/{id}")]),
        ("LocalNotebook", "SELECT Z_PK || '|' || hex(ZID) FROM ZLOCALNOTEBOOK WHERE ZDELETEDAT IS NULL",
         [book + "ZTITLE = 'here {n}'" + where, book + gone + where], [("push", "notebooks", {"title": "there {n}"})]),
    ]
    here_values = """SELECT json_array('LocalNote', lower(hex(ZID)), coalesce(ZPLAINTEXT, ''), ZISSTARRED,
        lower(hex(ZNOTEBOOKID))) FROM ZLOCALNOTE WHERE ZDELETEDAT IS NULL
      UNION ALL SELECT json_array('LocalNotebook', lower(hex(ZID)), ZTITLE, ZSORTORDER) FROM ZLOCALNOTEBOOK
        WHERE ZDELETEDAT IS NULL
      UNION ALL SELECT json_array('LocalNoteImage', lower(hex(ZID)), ZFILENAME) FROM ZLOCALNOTEIMAGE"""
    there_values = """SELECT json_array('LocalNote', id, coalesce(body ->> 'plain_text', ''), body ->> 'is_starred',
        replace(body ->> 'notebook_id', '-', '')) FROM syncRows WHERE kind = 'notes' AND NOT isDeleted
      UNION ALL SELECT json_array('LocalNotebook', id, body ->> 'title', body ->> 'sort_order') FROM syncRows
        WHERE kind = 'notebooks' AND NOT isDeleted
      UNION ALL SELECT json_array('LocalNoteImage', id, fileName) FROM images"""
    more_files = 1

    def add(self, world, number):
        (world.home / "NotedMenu" / "Images" / f"{number}.png").write_bytes(PICTURE)
        change(world.store,
               *copied("ZLOCALNOTE", "ZDELETEDAT IS NULL", Z_PK=number, ZID=blob(f"note {number}"),
                       ZPLAINTEXT=f"'new {number}'", ZSYNCSTATUSRAW=1, ZSERVERVERSION=0),
               *copied("ZLOCALNOTEIMAGE", "1", Z_PK=number, ZID=blob(f"image {number}"), ZSYNCSTATUSRAW=1,
                       ZNOTEID=blob(f"note {number}"), ZFILENAME=f"'{number}.png'", ZLOCALPATH=f"'{number}.png'",
                       ZMIMETYPE="'image/png'"))

    def lay(self, home):
        shutil.copytree(SAMPLES / "noted", home)
        subprocess.run([sys.executable, SAMPLES / "noted" / "make-mac-store.py", "--folder", home], check=True,
                       stdout=subprocess.DEVNULL)
        # The Mac throws a picture away once it was sent, so that a fresh server never gets it.
        change(home / self.store, "DELETE FROM ZLOCALNOTEIMAGE WHERE ZSYNCSTATUSRAW = 0")


class Peated(App):
    store, sign_in = "default.store", "/v1/auth/login"
    name = "Peated, as designed"
    # But for those that the queue deletes.
    rows = """SELECT (SELECT count(*) FROM ZTASTING WHERE ZUSER = 1 AND ZID NOT IN
        (SELECT ZPAYLOAD ->> 'tastingId' FROM ZPENDINGMUTATION WHERE ZTYPE = 'deleteTasting'))
      + (SELECT count(*) FROM ZCOMMENT WHERE ZUSER = 1 AND ZID NOT IN
        (SELECT ZPAYLOAD ->> 'commentId' FROM ZPENDINGMUTATION WHERE ZTYPE = 'deleteComment'))"""
    there = "SELECT count(*) FROM tastingRows JOIN accounts ON userId = accounts.id WHERE email = 'demo@example.com'"
    here_links = None
    links = "SELECT count(*) FROM ties"
    queue = """SELECT json_array(hex(ZID), ZTYPE, ZENTITYID, json(ZPAYLOAD)) FROM ZPENDINGMUTATION
      ORDER BY ZCREATEDAT, Z_PK"""
    files = "SELECT count(*) FROM tastingRows JOIN files ON storageKey LIKE 'tastings/%'" \
        " AND body ->> 'imageUrl' LIKE '%' || storageKey"
    here_files = "SELECT count(*) FROM ZPENDINGMUTATION WHERE ZTYPE = 'createTasting' AND ZPAYLOAD ->> 'imageData' <> ''"
    row = "UPDATE ZTASTING SET ZSYNCSTATUS = 'pending', "
    changes_there = [("PATCH", "/v1/tastings/{id}", {"notes": "there {n}"}),
                     ("PATCH", "/v1/tastings/{id}", {"servingStyle": "splash"}),
                     ("PATCH", "/v1/tastings/{id}", {"tags": []}), ("DELETE", "/v1/tastings/{id}")]
    kinds = [
        ("Tasting", "SELECT Z_PK || '|' || ZID FROM ZTASTING WHERE ZID BETWEEN '90001' AND '90012'",
         [row + "ZNOTES = 'here {n}' WHERE Z_PK = {key}", row + "ZRATING = 0.5 WHERE Z_PK = {key}",
          row + "ZSERVINGSTYLE = 'neat' WHERE Z_PK = {key}"], changes_there),
    ]
    here_values = "SELECT json_array('Tasting', ZID, coalesce(ZNOTES, ''), ZSERVINGSTYLE) FROM ZTASTING"
    there_values = """SELECT json_array('Tasting', CAST(id AS TEXT), coalesce(body ->> 'notes', ''),
      body ->> 'servingStyle') FROM tastingRows WHERE kind = 'tasting'"""
    friends, more_files = (1007, 1012), 1
    created = '{{"bottleId":"502","rating":4.0,"tags":["peat"],"notes":"new {n}","imageData":"iVBORw0KGgo="}}'

    def add(self, world, number):
        local = uuid.uuid5(uuid.NAMESPACE_URL, f"tasting {number}")
        change(world.store,
               *copied("ZTASTING", "ZUSER = 1", Z_PK=number, ZID=f"upper('{local}')", ZNOTES=f"'new {number}'",
                       ZBOTTLE="(SELECT Z_PK FROM ZBOTTLE WHERE ZID = '502')", ZRATING=4.0, ZTAGS=archive("peat"),
                       ZSYNCSTATUS="'pending'", ZCREATEDAT=f"ZCREATEDAT + {number}"),
               *copied("ZPENDINGMUTATION", "1", Z_PK=number, ZID=blob(f"row {number}"), ZTYPE="'createTasting'",
                       ZENTITYID=f"upper('{local}')", ZRETRYCOUNT=0, ZERROR="NULL",
                       ZPAYLOAD=f"CAST('{self.created.format(n=number)}' AS BLOB)"))

    def lay(self, home):
        shutil.copytree(SAMPLES / "peated", home)
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        subprocess.run([sys.executable, SAMPLES / "peated" / "make-stores.py", "--folder", home, "--now", now],
                       check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def stars(rating):
        return None if rating is None else -1 if rating < 2.5 else 1 if rating < 4 else 2

    def missing(self, world, rows, policy):
        base, there = world.server.database, {"tasting": {}, "comment": {}}
        for line in query(base, """SELECT json_array(kind, CAST(id AS TEXT), json_set(body, '$.parent', parent))
          FROM tastingRows""").splitlines():
            kind, identity, body = json.loads(line)
            there[kind][identity] = body
        ties = query(base, f"""SELECT kind || ' ' || other FROM ties JOIN accounts ON userId = accounts.id
          WHERE email = '{self.email}'""").splitlines()
        # Of several rows about one thing the last one counts.
        tastings, facts = {}, {}
        for key, kind, record, asked in rows:
            identity = record or asked.get("tastingId") or key
            identity = world.identities.get(("Tasting", plain(identity)), identity)
            match kind:
                case "createTasting" | "updateTasting":
                    tastings[identity] = tastings.get(identity, {}) | asked
                case "deleteTasting":
                    tastings.pop(identity, None)
                    facts[identity] = kind, identity not in there["tasting"]
                case "createComment" | "addComment":
                    text = asked.get("comment", asked.get("text"))
                    facts[key] = kind, any(text == body["comment"] for body in there["comment"].values())
                case "deleteComment":
                    facts[key] = kind, asked["commentId"] not in there["comment"]
                case "createToast" | "toggleToast":
                    name = f"toast {asked['tastingId']}"
                    facts[name] = kind, (name in ties) == asked.get("isToasted", True)
                case "followUser" | "unfollowUser":
                    name = f"friend {asked['userId']}"
                    facts[name] = kind, (name in ties) == (kind == "followUser")
                case _:
                    facts[key] = kind, False
        wrong = [f"{kind}, {name}" for name, (kind, is_so) in facts.items() if not is_so]
        for identity, asked in tastings.items():
            # Where the store has a row of its own for what a creation made, no identity leads from one to the other.
            among = list(there["tasting"].values())
            if identity.isdigit():
                among = [there["tasting"].get(identity, {})]
            unlike = min(([name for name in asked if not self.has(body, name, asked[name], policy)] for body in among),
                         key=len)
            wrong += [f"{name} of tasting {identity}: {asked[name]!r}" for name in unlike]
        return wrong

    def has(self, body, name, value, policy):
        """Whether a tasting at the server has what a payload says."""
        match name:
            case "tags":
                # Two sides that are merged have the tags of both.
                tags = set(body.get("tags", []))
                return tags >= set(value) if policy == "merge" else tags == set(value)
            case "bottleId":
                return str(body.get("parent")) == value
            case "imageData":
                return bool(body.get("imageUrl"))
            case "rating":
                return body.get("rating") == self.stars(value)
            case "notes" | "servingStyle":
                return (body.get(name) or None) == (value or None)
            case _:
                # The backend has no place for where it was.
                return name in ("tastingId", "location")

    def seed(self, world):
        package = world.folder / "seed.ferry"
        world.ferry("export", world.store, "--profile", world.home / self.profile, "-o", package)

        def sent(entity):
            lines = [json.loads(line) for part in sorted(package.glob(f"data/{entity}-*.jsonl"))
                     for line in part.read_text().splitlines()]
            return [line for line in lines if line["id"].isdigit()]

        tastings, comments = sent("Tasting"), sent("Comment")
        world.server.ask("POST", "/__dev/account", {"email": "feed@example.com", "password": PASSWORD})
        for email, own in ((self.email, True), ("feed@example.com", False)):
            def mine(row, own=own):
                return (str(row["user"]) == "1041") == own
            world.server.ask("POST", "/__dev/tastings", {
                "account": email, "bottles": list(range(501, 510)), "tags": TAGS, "people": [1007, 1012, 1055],
                "friends": self.friends if own else [],
                "tastings": [
                    {"id": int(row["id"]), "bottle": int(row["bottle"]), "rating": self.stars(row.get("rating")),
                     "notes": row.get("notes"), "servingStyle": row.get("servingStyle"), "tags": row.get("tags") or [],
                     "createdAt": row.get("createdAt")} for row in filter(mine, tastings)],
                "comments": [
                    {"id": int(row["id"]), "tasting": int(row["tasting"]), "comment": row.get("text"),
                     "createdAt": row.get("createdAt")} for row in filter(mine, comments)],
            })


class PeatedDatabase(Peated):
    name, store, profile, email = "Peated, its SQLite database", "peated.sqlite3", "sqlite.profile.yaml", \
        "morag@example.com"
    # The app has ended the other friendship by itself: its row of the queue is done.
    friends = (1007,)
    rows = """SELECT (SELECT count(*) FROM tastings WHERE user_id = 1041 AND id NOT IN
        (SELECT CAST(payload ->> 'tastingId' AS INTEGER) FROM offline_operations WHERE type = 'deleteTasting'))
      + (SELECT count(*) FROM collection WHERE user_id = 1041 AND status = 'owned')"""
    there = "SELECT (SELECT count(*) FROM tastingRows JOIN accounts ON userId = accounts.id" \
        " WHERE email = 'morag@example.com' AND kind = 'tasting')" \
        " + (SELECT count(*) FROM collectionRows WHERE list = 'library')"
    here_files = """SELECT count(*) FROM offline_operations
      WHERE type = 'createTasting' AND CAST(payload AS TEXT) ->> 'imageData' <> ''"""
    queue = """SELECT json_array(id, type, NULL, json(CAST(payload AS TEXT))) FROM offline_operations
      ORDER BY created_at, rowid"""
    kinds = [
        ("Tasting", "SELECT id || '|' || id FROM tastings WHERE id BETWEEN 90001 AND 90012",
         ["UPDATE tastings SET notes = 'here {n}', synced_at = NULL WHERE id = {key}",
          "UPDATE tastings SET tags = '[\"ash\"]', synced_at = NULL WHERE id = {key}",
          "UPDATE tastings SET tags = '[]', synced_at = NULL WHERE id = {key}",
          "UPDATE tastings SET rating = 0.5, synced_at = NULL WHERE id = {key}",
          "DELETE FROM tastings WHERE id = {key}"],
         Peated.changes_there),
        ("CollectionEntry", "SELECT id || '|' || id FROM collection WHERE status = 'owned' LIMIT 1",
         ["DELETE FROM collection WHERE id = {key}"], []),
    ]
    here_values = """SELECT json_array('Tasting', CAST(id AS TEXT), coalesce(notes, ''), serving_style,
      (SELECT group_concat(value) FROM (SELECT value FROM json_each(iif(tags = '', '[]', tags)) ORDER BY value)))
      FROM tastings"""
    there_values = """SELECT json_array('Tasting', CAST(id AS TEXT), coalesce(body ->> 'notes', ''),
      body ->> 'servingStyle', (SELECT group_concat(value) FROM (SELECT value FROM json_each(body -> 'tags')
      ORDER BY value))) FROM tastingRows WHERE kind = 'tasting'"""

    def operation(self, world, kind, payload, number):
        change(world.store, f"""INSERT INTO offline_operations (id, type, payload, created_at, retry_count, status)
          SELECT upper('{uuid.uuid5(uuid.NAMESPACE_URL, f"row {number}")}'), '{kind}', CAST('{payload}' AS BLOB),
            max(created_at), 0, 'pending' FROM offline_operations""")

    def add(self, world, number):
        """A change of the queue; with the row that it made, where the app keeps rows."""
        self.operation(world, "createTasting", self.created.format(n=number), number)
        if self.here_values:
            change(world.store, *copied("tastings", "user_id = 1041", id=-number, bottle_id=502, rating=4.0,
                                        notes=f"'new {number}'", tags="'[\"peat\"]'", serving_style="NULL",
                                        location="NULL", synced_at="NULL", created_at="strftime('%Y-%m-%dT%H:%M:%f')"))

    def seed(self, world):
        world.server.ask("POST", "/__dev/account", {"email": self.email, "password": PASSWORD})
        # The comments are known from the designed store alone.
        designed = Peated()
        designed.email, designed.friends = self.email, self.friends
        original, world.store = world.store, world.home / designed.store
        designed.seed(world)
        world.store = original


class PeatedDevice(PeatedDatabase):
    name = "Peated, as on a device"
    op = "INSERT INTO offline_operations (id, type, payload, created_at, retry_count, status) SELECT" \
        " upper(hex(randomblob(4))) || '-0000-4000-8000-' || upper(hex(randomblob(6))), '{0}', CAST('{1}' AS BLOB)," \
        " max(created_at), 0, 'pending' FROM offline_operations"
    kinds = [
        ("Tasting", "WITH RECURSIVE ids (id) AS (SELECT 90001 UNION ALL SELECT id + 1 FROM ids WHERE id < 90012)"
         " SELECT id || '|' || id FROM ids",
         [op.format("updateTasting", '{{"tastingId":"{key}","notes":"here {n}"}}'),
          op.format("updateTasting", '{{"tastingId":"{key}","tags":[]}}'),
          op.format("updateTasting", '{{"tastingId":"{key}","notes":"here {n}"}}') + ";"
          + op.format("updateTasting", '{{"tastingId":"{key}","rating":1.0}}'),
          op.format("addComment", '{{"tastingId":"{key}","text":"here {n}"}}'),
          op.format("deleteTasting", '{{"tastingId":"{key}"}}')],
         Peated.changes_there),
    ]
    here_values = None
    # What the app would still send, by its own limits.
    rows = """SELECT total(CASE type WHEN 'createTasting' THEN 1 WHEN 'deleteTasting' THEN -1 END)
      FROM offline_operations WHERE status <> 'completed' AND retry_count < 3 AND julianday(created_at) >
        (SELECT max(julianday(created_at)) - 7 FROM offline_operations)"""

    def lay(self, home):
        super().lay(home)
        change(home / self.store, *(f"DELETE FROM {table}" for table in ("tastings", "collection", "bottles", "users")))

    def expected(self, world):
        return str(int(query(world.server.database, self.there)) + int(float(super().expected(world))))


class Streaks(App):
    name, store, sign_in = "StreakSync", "preferences.plist", "/api/auth/sign-in/email"
    rows = here_links = links = None
    there = "SELECT count(*) FROM records"
    here_values = None
    there_values = """SELECT json_array('GameResult', id, body ->> 'date', body ->> 'score') FROM records
      WHERE body IS NOT NULL"""

    def lay(self, home):
        shutil.copytree(SAMPLES / "streaksync", home)

    def expected(self, world):
        with open(world.store, "rb") as file:
            return str(len(json.loads(plistlib.load(file)["streaksync_game_results"])))

    def edit(self, world, draw):
        preferences = plistlib.loads(world.store.read_bytes())
        results, token, changed = json.loads(preferences["streaksync_game_results"]), self.token(world.server), set()
        mine = [None, {"date": "2020-01-01T00:00:00Z"}, {"completed": False}, {"sharedText": "here"}]
        theirs = [None, {"date": "2021-01-01T00:00:00Z"}, {"sharedText": "there"}, "gone"]
        pairs = [pair for pair in itertools.product(mine, theirs) if any(pair)]
        draw.shuffle(pairs)
        for result, (here, there) in zip(results, pairs):
            path = f"/collections/game-results/records/{result['id']}"
            with contextlib.suppress(Refused):
                if there:
                    world.server.ask(*(("DELETE", path) if there == "gone" else ("PATCH", path, there)), token=token)
            if here:
                result |= here
                changed.add(("GameResult", plain(result["id"])))
        results.append(results[0] | {"id": str(uuid.UUID(int=draw.getrandbits(128), version=4)).upper(),
                                     "date": "2023-05-05T05:05:05Z"})
        preferences["streaksync_game_results"] = json.dumps(results).encode()
        world.store.write_bytes(plistlib.dumps(preferences, fmt=plistlib.FMT_BINARY))
        return changed


APPS = [Stories, Noted, NotedMac, Peated, PeatedDatabase, PeatedDevice, Streaks]


COLUMNS = ("app", "policy", "seed", "rows in", "rows there", "links in", "links there", "files there",
           "rows of the queue", "write-back", "next run", "conflicts", "killed at a write", "source", "status", "wrong")


def counted(database, sql):
    return query(database, sql) if sql else "–"


class Line:
    """A line of the table, and what is not as it must be."""

    def __init__(self, world, options, policy=None, seed=None):
        self.world, self.app, self.options, self.policy, self.seed = world, world.app, options, policy, seed
        self.wrong, self.statuses, self.applied, self.settled = [], [], [], collections.Counter()
        self.next = "–"
        world.begin(seed or 0)

    def judge(self, what, keys):
        self.wrong += [f"{what}: {key[0]} {key[1]}" for key in sorted(keys)]

    def migrate(self, *how):
        """Counts what is to go, migrates it, and applies the write-back."""
        world, app = self.world, self.app
        self.rows, self.links = app.expected(world), counted(world.store, app.here_links)
        queued = {plain(row[0]): row for row in app.queued(world)}
        self.statuses.append(world.migrate(*how))
        written = world.take_write_back()
        self.applied.append(f"applied, status {world.applied}" if app.rows else "–")
        outcomes = [(plain(row["key"]), row["outcome"]) for row in written["operations"]]
        self.settled.update(outcome for _, outcome in outcomes)
        if sorted(key for key, _ in outcomes) != sorted(queued):
            self.wrong.append(f"rows of the queue: {len(queued)}, named {len(outcomes)}")
        done = {key for key, outcome in outcomes if outcome in ("carried", "folded")}
        missing = app.missing(world, [row for key, row in queued.items() if key in done], self.policy)
        self.wrong += [f"said to be carried, and not there: {what}" for what in missing]
        return written

    def run_again(self, *how):
        self.next = self.world.next_run(*how)
        if self.next != "unchanged":
            self.wrong.append(f"the next run: {self.next}, status {self.statuses}")

    def show(self):
        world, app, base = self.world, self.app, self.world.server.database
        self.wrong += [f"changed by Ferry: {path}" for path in world.touched]
        settled = listed(f"{count} {kind}" for kind, count in sorted(self.settled.items()))
        print_row([
            app.name, self.policy or "–", "–" if self.seed is None else self.seed, self.rows, query(base, app.there),
            self.links, counted(base, app.links), query(base, app.files), settled or "–", listed(self.applied),
            self.next, len(world.named("conflicted")), world.killed, "changed" if world.touched else "unchanged",
            listed(self.statuses), len(self.wrong)])
        for what in self.wrong:
            print("  " + what, flush=True)


def whole(line):
    """There, again, and back into the store."""
    world, app, base = line.world, line.app, line.world.server.database
    app.seed(world)
    kept = counted(world.store, app.here_files)
    line.migrate(*app.first_flags)
    pairs = [("rows", line.rows, query(base, app.there)), ("links", line.links, counted(base, app.links)),
             ("files", kept, query(base, app.files))]
    line.wrong += [f"{what}: {here}, there {there}" for what, here, there in pairs if here not in ("–", there)]
    line.run_again()


def both(line):
    """Rounds of changes on both sides."""
    world, app, base, draw = line.world, line.app, line.world.server.database, random.Random(line.seed)
    there = app.said_there(world)
    # What the backend keeps in another form from the beginning.
    old = {key for key, value in app.said_here(world).items() if there.get(key, value) != value}
    # A list of what changed does not say what was removed.
    how = ["--on-conflict", line.policy, *(["--full"] if line.policy == "local" else [])]
    for _ in range(line.options.rounds):
        elsewhere = set(app.said_there(world)) - set(app.said_here(world))
        changed = app.edit(world, draw)
        here, there = app.said_here(world), app.said_there(world)
        files = int(query(base, app.files))
        written, sent = line.migrate(*how), app.said_there(world)
        named = collections.Counter((record["entity"], plain(record["localID"])) for record in written["records"])
        line.judge("named twice", [key for key, count in named.items() if count > 1])
        line.judge("not named", set(here) - set(named))
        line.judge("lost in silence", {key for key in world.named("synced") - old
                                       if key in here and here[key] != sent.get(key, here[key])})
        line.judge("touched", {key for key in set(there) & set(sent) - changed if there[key] != sent[key]})
        line.judge("gone there", set(there) - set(sent) - changed)
        line.judge("too many there", set(sent) - set(there) - set(named))
        if int(query(base, app.files)) < files + app.more_files:
            line.wrong.append(f"files: {files}, then {query(base, app.files)}")
        conflicts = world.named("conflicted")
        line.run_again(*how)
        world.take_write_back()
        line.judge("another conflict in the next run", conflicts ^ world.named("conflicted"))
        if app.rows:
            line.judge("not taken over", world.named("replace", "restore", "withdrawn"))
        here, sent = app.said_here(world), app.said_there(world)
        if here:
            same = world.named("synced") | set(here) | set(sent)
            unequal = {key for key in same - world.left() - old - elsewhere
                       if here.get(key) != sent.get(key) and key not in set(sent) - set(named)}
            line.wrong += [f"not equal: {key} {here.get(key)} {sent.get(key)}" for key in sorted(unequal)]


def listed(values):
    return ", ".join(map(str, values))


def print_row(cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def drawn(line, steps):
    """Goes through the steps of a line and shows it; gives whether all was as it must be."""
    try:
        steps(line)
    except Fault as fault:
        line.wrong.append(str(fault))
    line.show()
    return not line.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", metavar="RELEASE", type=pathlib.Path)
    parser.add_argument("--app", nargs="*", default=[], choices=[app.__name__ for app in APPS])
    parser.add_argument("--policy", nargs="*", default=[])
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seeds", default="0-0")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    programs = options.release.resolve() / "bin"
    options.ferry, options.backend = programs / "ferry", programs / "ferry-backend"
    first, last = map(int, options.seeds.split("-"))
    results = []
    print_row(COLUMNS)
    print("|" + "---|" * len(COLUMNS))
    for app in APPS:
        if options.app and app.__name__ not in options.app:
            continue
        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as ending:
            folder = pathlib.Path(name)
            (folder / "now").mkdir()
            world = World(app(), options, folder / "now")
            ending.callback(world.close)
            results.append(drawn(Line(world, options), whole))
            if options.policy:
                world.keep(folder / "kept")
            for seed, policy in itertools.product(range(first, last + 1), options.policy):
                world.go_back(folder / "kept")
                results.append(drawn(Line(world, options, policy, seed), both))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
