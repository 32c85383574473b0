#!/usr/bin/env python3
"""The stores of the four apps, whole and both ways, as one table in Markdown.

    four-apps.py RELEASE [--app NAME ...] [--policy POLICY ...] [--kills N]

RELEASE is the folder of an unpacked release, with `ferry-backend` beside `ferry` in its `bin`. Each app's sample is
migrated to a server of its own. Rows are counted by sqlite3, in the store and in the server's database. The run's
write-back is applied to a copy of the store, and the copy takes the store's place: the next run must send nothing.
With --policy, one record is then changed on both sides, and the table says whose value each policy left, and whether
the next run sends anything. Where a device has no rows, its queue has the change, which counts as made on what is there:
it goes out under each policy. A preferences file takes no write-back. With --kills, each of these runs is killed up to N times before it ends.
The exit status is 1 where a count or a next run is not as it must be.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import plistlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "Samples"
PASSWORD = "correct-horse"
WRONG = " (wrong)"
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


class Server:
    """The development backend over a database of its own."""

    def __init__(self, program, folder, flags=()):
        self.database = folder / "backend.sqlite"
        port = folder / "port"
        self.process = subprocess.Popen(
            [program, "--quiet", "--port-file", port, "--database", self.database, *flags])
        for _ in range(1_200):
            if port.exists() and port.read_text().strip():
                break
            time.sleep(0.05)
        self.origin = f"http://127.0.0.1:{port.read_text().strip()}"

    def ask(self, method, path, body=None, token=None):
        """The answer to a request, as JSON, and its headers."""
        request = urllib.request.Request(self.origin + path, method=method)
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(request, data) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def writes(self):
        return self.ask("GET", "/__dev/state")["writes"]

    def stop(self):
        self.process.terminate()
        self.process.wait()


class World:
    """An app's sample in a folder, and a server."""

    def __init__(self, app, options, folder):
        self.app, self.options, self.folder = app, options, folder
        self.home = folder / "app"
        app.lay(self.home)
        self.store = self.home / app.store
        self.server = Server(options.backend, folder, app.server_flags)
        self.answer = {}

    def ferry(self, *arguments, kill_after=None):
        """Runs the program; gives its status and its results by type."""
        environment = dict(os.environ, FERRY_STATE_DIR=str(self.folder / "state"), PATHS_EMAIL=self.app.email,
                           PATHS_PASSWORD=PASSWORD)
        process = subprocess.Popen(
            [self.options.ferry, *map(str, arguments), "--format", "ndjson", "--progress", "none"], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=kill_after)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        # The last line of a run that was killed may lack its end.
        values = [json.loads(line) for line in out.splitlines(True) if line.startswith("{") and line.endswith("}\n")]
        self.answer, self.words = {value["type"]: value for value in values}, err
        return process.returncode

    def migrate(self, *more, kills=0):
        """Migrates the store; the first runs are killed, each later than the one before, until one ends."""
        self.conflicts = 0
        for self.killed in range(kills + 1):
            wait = 0.2 + 0.2 * self.killed if self.killed < kills else None
            status = self.ferry("migrate", self.store, *self.place(), *more, kill_after=wait)
            # A run may have reported its conflict before it was killed.
            self.conflicts = max(self.conflicts, self.count("conflicted"))
            if status != -signal.SIGKILL:
                return status

    def place(self):
        return ["--profile", self.home / self.app.profile, "--to", self.server.origin, "--credential",
                "email=env:PATHS_EMAIL", "--credential", "password=env:PATHS_PASSWORD"]

    def count(self, *buckets):
        records = self.answer.get("upload", {}).get("records", [])
        return sum(record.get(bucket, 0) for record in records for bucket in buckets)

    def take_write_back(self):
        """Puts a copy with the last run's write-back in the store's place; gives the file."""
        if not self.app.rows:
            return {}
        file, copy = self.folder / "write-back.json", self.folder / "copy.store"
        copy.unlink(missing_ok=True)
        if self.ferry("write-back", self.answer["upload"]["run"], "-o", file) != 0:
            sys.exit(f"{self.app.name}: no write-back: {self.words}")
        if self.ferry("write-back", "apply", file, "--copy", self.store, "--profile", self.home / self.app.profile,
                      "-o", copy) not in (0, 3):
            sys.exit(f"{self.app.name}: the write-back does not apply: {self.words}")
        for ending in ("", "-wal", "-shm"):
            pathlib.Path(f"{self.store}{ending}").unlink(missing_ok=True)
        shutil.move(copy, self.store)
        return json.loads(file.read_text())

    def next_run(self):
        """`unchanged`, or what a further run sends."""
        before = self.server.writes()
        self.migrate()
        sent, writes = self.count("created", "updated", "completed", "deleted"), self.server.writes() - before
        return "unchanged" if sent == writes == 0 else f"{sent} sent, {writes} writes"

    def close(self):
        self.server.stop()


class App:
    """What is special about an app, with what most have in common."""

    email, server_flags, first_flags, queue, profile = "demo@example.com", (), (), None, "profile.yaml"
    files, here_files = "0", None
    # Whether what the store says wins under each policy.
    outranks = False

    def seed(self, world):
        """Gives the server what the store says that it has."""

    def edit_here(self, world):
        change(world.store, self.local_edit)

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
    local_edit = "UPDATE ZHERO SET ZAPPEARANCE = 'here' WHERE Z_PK = 2"
    value = "SELECT appearance FROM heroes WHERE appearance IN ('here', 'there')"

    def lay(self, home):
        shutil.copytree(SAMPLES / "infinite-stories", home)
        profile = home / "profile.yaml"
        text = profile.read_text()
        profile.write_text(text.replace("  media:\n    enabled: false", "  media:\n    enabled: true"))

    def remote_edit(self, world):
        name = query(world.store, "SELECT ZNAME FROM ZHERO WHERE Z_PK = 2").replace("'", "''")
        hero = query(world.server.database, f"SELECT id FROM heroes WHERE name = '{name}' LIMIT 1")
        world.server.ask("PATCH", f"/api/v1/heroes/{hero}", {"appearance": "there"}, self.token(world.server))


class Noted(App):
    name, store, sign_in = "Noted", "Noted.sqlite", "/api/auth/login"
    # A fresh server lacks what the store says was sent; this makes it.
    first_flags = ("--on-conflict", "local")
    rows = """SELECT (SELECT count(*) FROM ZNOTEBOOKENTITY WHERE ZDELETEDAT IS NULL)
      + (SELECT count(*) FROM ZTAGENTITY) + (SELECT count(*) FROM ZNOTEENTITY WHERE ZDELETEDAT IS NULL)"""
    there = "SELECT count(*) FROM syncRows WHERE NOT isDeleted AND body ->> 'title' IS NOT 'Main'"
    here_links = """SELECT count(*) FROM ZNOTETAGENTITY JOIN ZNOTEENTITY AS note ON ZNOTE = note.Z_PK
      JOIN ZTAGENTITY AS tag ON ZTAG = tag.Z_PK WHERE ZDELETEDAT IS NULL"""
    links = "SELECT count(*) FROM noteTags"
    local_edit = "UPDATE ZTAGENTITY SET ZNAME = 'here', ZSYNCSTATUS = 1, " \
        "ZLOCALLYMODIFIEDAT = strftime('%s', 'now') - 978307200 WHERE Z_PK = 1"
    edited, kind, member = "SELECT ZNAME FROM ZTAGENTITY WHERE Z_PK = 1", "tags", "name"
    value = "SELECT body ->> 'name' FROM syncRows WHERE kind = 'tags' AND body ->> 'name' IN ('here', 'there')"

    def lay(self, home):
        shutil.copytree(SAMPLES / "noted", home)

    def remote_edit(self, world):
        name = query(world.store, self.edited).replace("'", "''")
        rows = world.server.ask("GET", "/__dev/dump")["syncRows"]
        row = next(row for row in rows if row["kind"] == self.kind and row[self.member] == name)
        del row["kind"]
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=60)
        row |= {self.member: "there", "updated_at": moment.strftime("%Y-%m-%dT%H:%M:%SZ")}
        world.server.ask("POST", "/api/sync", {self.kind: [row]}, self.token(world.server))


class NotedMac(Noted):
    name, store, profile, first_flags = "Noted, its Mac app", "default.store", "mac.profile.yaml", ()
    rows = """SELECT (SELECT count(*) FROM ZLOCALNOTEBOOK WHERE ZDELETEDAT IS NULL)
      + (SELECT count(*) FROM ZLOCALNOTE WHERE ZDELETEDAT IS NULL) + (SELECT count(*) FROM ZLOCALNOTEIMAGE)"""
    # Beside the store's own notebook "Main" the server has one.
    there = "SELECT (SELECT count(*) FROM syncRows WHERE NOT isDeleted) - 1 + (SELECT count(*) FROM images)"
    here_links = "SELECT count(*) FROM ZLOCALNOTEIMAGE"
    links = "SELECT count(*) FROM images WHERE noteId IN (SELECT id FROM syncRows WHERE kind = 'notes')"
    files = "SELECT count(*) FROM images JOIN files ON storageKey = images.id || '.' || type"
    here_files = "SELECT count(*) FROM ZLOCALNOTEIMAGE"
    local_edit = "UPDATE ZLOCALNOTEBOOK SET ZTITLE = 'here', ZSYNCSTATUSRAW = 2, " \
        "ZUPDATEDAT = strftime('%s', 'now') - 978307200 WHERE Z_PK = 2"
    edited, kind, member = "SELECT ZTITLE FROM ZLOCALNOTEBOOK WHERE Z_PK = 2", "notebooks", "title"
    value = "SELECT body ->> 'title' FROM syncRows WHERE body ->> 'title' IN ('here', 'there')"

    def lay(self, home):
        shutil.copytree(SAMPLES / "noted", home)
        subprocess.run([sys.executable, SAMPLES / "noted" / "make-mac-store.py", "--folder", home], check=True,
                       stdout=subprocess.DEVNULL)
        # A fresh server lacks what the store says was sent, and the Mac has thrown that picture away.
        change(home / self.store, "UPDATE ZLOCALNOTE SET ZSERVERVERSION = 0",
               "DELETE FROM ZLOCALNOTEIMAGE WHERE ZSYNCSTATUSRAW = 0")


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
    queue = "SELECT count(*) FROM ZPENDINGMUTATION"
    files = "SELECT count(*) FROM tastingRows JOIN files ON storageKey LIKE 'tastings/%'" \
        " AND body ->> 'imageUrl' LIKE '%' || storageKey"
    here_files = "SELECT count(*) FROM ZPENDINGMUTATION WHERE ZTYPE = 'createTasting' AND ZPAYLOAD ->> 'imageData' <> ''"
    local_edit = "UPDATE ZTASTING SET ZNOTES = 'here', ZSYNCSTATUS = 'pending' WHERE ZID = '90001'"
    value = "SELECT body ->> 'notes' FROM tastingRows WHERE id = 90001"

    def lay(self, home):
        shutil.copytree(SAMPLES / "peated", home)
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        subprocess.run([sys.executable, SAMPLES / "peated" / "make-stores.py", "--folder", home, "--now", now],
                       check=True, stdout=subprocess.DEVNULL)

    def seed(self, world):
        package = world.folder / "seed.ferry"
        world.ferry("export", world.store, "--profile", world.home / self.profile, "-o", package)

        def sent(entity):
            lines = [json.loads(line) for part in sorted(package.glob(f"data/{entity}-*.jsonl"))
                     for line in part.read_text().splitlines()]
            return [line for line in lines if line["id"].isdigit()]

        def stars(rating):
            return None if rating is None else -1 if rating < 2.5 else 1 if rating < 4 else 2

        tastings, comments = sent("Tasting"), sent("Comment")
        world.server.ask("POST", "/__dev/account", {"email": "feed@example.com", "password": PASSWORD})
        for email, own in ((self.email, True), ("feed@example.com", False)):
            def mine(row, own=own):
                return (str(row["user"]) == "1041") == own
            world.server.ask("POST", "/__dev/tastings", {
                "account": email, "bottles": list(range(501, 510)), "tags": TAGS, "people": [1007, 1012, 1055],
                "friends": [1007, 1012] if own else [],
                "tastings": [
                    {"id": int(row["id"]), "bottle": int(row["bottle"]), "rating": stars(row.get("rating")),
                     "notes": row.get("notes"), "servingStyle": row.get("servingStyle"), "tags": row.get("tags") or [],
                     "createdAt": row.get("createdAt")} for row in filter(mine, tastings)],
                "comments": [
                    {"id": int(row["id"]), "tasting": int(row["tasting"]), "comment": row.get("text"),
                     "createdAt": row.get("createdAt")} for row in filter(mine, comments)],
            })

    def remote_edit(self, world):
        world.server.ask("PATCH", "/v1/tastings/90001", {"notes": "there"}, self.token(world.server))


class PeatedDatabase(Peated):
    name, store, profile, email = "Peated, its SQLite database", "peated.sqlite3", "sqlite.profile.yaml", \
        "morag@example.com"
    rows = """SELECT (SELECT count(*) FROM tastings WHERE user_id = 1041 AND id NOT IN
        (SELECT CAST(payload ->> 'tastingId' AS INTEGER) FROM offline_operations WHERE type = 'deleteTasting'))
      + (SELECT count(*) FROM collection WHERE user_id = 1041 AND status = 'owned')"""
    there = "SELECT (SELECT count(*) FROM tastingRows JOIN accounts ON userId = accounts.id" \
        " WHERE email = 'morag@example.com' AND kind = 'tasting')" \
        " + (SELECT count(*) FROM collectionRows WHERE list = 'library')"
    here_files = """SELECT count(*) FROM offline_operations
      WHERE type = 'createTasting' AND CAST(payload AS TEXT) ->> 'imageData' <> ''"""
    queue = "SELECT count(*) FROM offline_operations"
    local_edit = "UPDATE tastings SET notes = 'here', synced_at = NULL WHERE id = 90001"

    def seed(self, world):
        world.server.ask("POST", "/__dev/account", {"email": self.email, "password": PASSWORD})
        # The comments are known from the designed store alone.
        designed = Peated()
        designed.email = self.email
        original, world.store = world.store, world.home / designed.store
        designed.seed(world)
        world.store = original


class PeatedDevice(PeatedDatabase):
    name = "Peated, as on a device"
    outranks = True
    local_edit = """INSERT INTO offline_operations (id, type, payload, created_at, retry_count, status)
      SELECT '0FF11E00-0000-4000-8000-000000000099', 'updateTasting',
        CAST('{"tastingId":"90001","notes":"here"}' AS BLOB), max(created_at), 0, 'pending' FROM offline_operations"""
    # What the app would still send, by its own limits.
    rows = """SELECT sum(CASE type WHEN 'createTasting' THEN 1 WHEN 'deleteTasting' THEN -1 END)
      FROM offline_operations WHERE status <> 'completed' AND retry_count < 3 AND julianday(created_at) >
        (SELECT max(julianday(created_at)) - 7 FROM offline_operations)"""

    def lay(self, home):
        super().lay(home)
        change(home / self.store, *(f"DELETE FROM {table}" for table in ("tastings", "collection", "bottles", "users")))

    def seed(self, world):
        super().seed(world)
        self.before = int(query(world.server.database, self.there))

    def expected(self, world):
        return str(self.before + int(super().expected(world)))


class Streaks(App):
    name, store, sign_in = "StreakSync", "preferences.plist", "/api/auth/sign-in/email"
    rows = here_links = links = None
    there = "SELECT count(*) FROM records"
    local_edit = "2020-01-01T00:00:00Z"
    value = """SELECT CASE body ->> 'date' WHEN '2020-01-01T00:00:00Z' THEN 'here' ELSE 'there' END FROM records
      WHERE body ->> 'date' LIKE '202_-01-01T00:00:00Z'"""

    def lay(self, home):
        shutil.copytree(SAMPLES / "streaksync", home)

    def expected(self, world):
        with open(world.store, "rb") as file:
            return str(len(json.loads(plistlib.load(file)["streaksync_game_results"])))

    def edit_here(self, world):
        preferences = plistlib.loads(world.store.read_bytes())
        results = json.loads(preferences["streaksync_game_results"])
        results[0]["date"] = self.local_edit
        preferences["streaksync_game_results"] = json.dumps(results).encode()
        world.store.write_bytes(plistlib.dumps(preferences, fmt=plistlib.FMT_BINARY))

    def remote_edit(self, world):
        results = json.loads(plistlib.loads(world.store.read_bytes())["streaksync_game_results"])
        path = f"/collections/game-results/records/{results[0]['id']}"
        world.server.ask("PATCH", path, {"date": "2021-01-01T00:00:00Z"}, self.token(world.server))


APPS = [Stories, Noted, NotedMac, Peated, PeatedDatabase, PeatedDevice, Streaks]


def whole(app, options):
    """A line of the table: there, again, and back into the store."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(app, options, pathlib.Path(folder))
        try:
            app.seed(world)
            rows = app.expected(world)
            queued = query(world.store, app.queue) if app.queue else "–"
            links = query(world.store, app.here_links) if app.here_links else "–"
            kept = query(world.store, app.here_files) if app.here_files else "–"
            status = world.migrate(*app.first_flags, kills=options.kills)
            killed, base = world.killed, world.server.database
            there = query(base, app.there)
            there_links = query(base, app.links) if app.links else "–"
            files = query(base, app.files) if app.files != "0" else "0"
            settled = after = "–"
            if app.rows:
                written = world.take_write_back()
                outcomes = [row["outcome"] for row in written.get("operations", [])]
                if app.queue:
                    settled = ", ".join(f"{outcomes.count(kind)} {kind}" for kind in sorted(set(outcomes)))
                    if len(outcomes) != int(queued):
                        settled += WRONG
            after = world.next_run()
            if rows != there:
                there += WRONG
            if kept not in ("–", files):
                files += f"{WRONG}: {kept}"
            if links not in ("–", there_links):
                there_links += WRONG
            return [app.name, rows, killed, status, there, links, there_links, files, queued, settled, after]
        finally:
            world.close()


def both(app, policy, options):
    """A line of the table: one record, changed on both sides."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(app, options, pathlib.Path(folder))
        try:
            app.seed(world)
            world.migrate(*app.first_flags)
            world.take_write_back()
            world.migrate()
            app.remote_edit(world)
            app.edit_here(world)
            base = world.server.database
            before = query(base, app.there)
            status = world.migrate("--on-conflict", policy, kills=options.kills)
            conflicts, value, after = world.conflicts, query(base, app.value), query(base, app.there)
            wins = app.outranks or policy == "local"
            if [conflicts, value] != ([0, "here"] if wins else [1, "there"]) or after != before:
                value += f"{WRONG}: {before} rows, then {after}"
            world.take_write_back()
            return [app.name, policy, world.killed, status, conflicts, value, world.next_run()]
        finally:
            world.close()


def table(head, lines):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    wrong = 0
    for line in lines:
        print("| " + " | ".join(map(str, line)) + " |", flush=True)
        wrong += line[-1] != "unchanged" or any(WRONG in str(cell) for cell in line)
    print()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", metavar="RELEASE", type=pathlib.Path)
    parser.add_argument("--app", nargs="*", default=[], choices=[app.__name__ for app in APPS])
    parser.add_argument("--policy", nargs="*", default=[])
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    programs = options.release.resolve() / "bin"
    options.ferry, options.backend = programs / "ferry", programs / "ferry-backend"
    apps = [app() for app in APPS if not options.app or app.__name__ in options.app]
    wrong = table(
        ["app", "rows to be there", "killed", "status", "rows there", "links to be there", "links there", "files there",
         "queue", "settled", "next run, after the write-back"],
        (whole(app, options) for app in apps))
    if options.policy:
        wrong += table(
            ["app", "policy", "killed", "status", "conflicts", "the server has", "next run, after the write-back"],
            (both(app, policy, options) for app in apps if app.local_edit for policy in options.policy))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
