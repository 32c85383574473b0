#!/usr/bin/env python3
"""A bad day: the laptop dies, the account is wrong, the backend is restored, a record is rejected, all is undone.

    bad-day.py RELEASE [-o TRANSCRIPT]

RELEASE is the folder of an unpacked release, or its archive. FERRY_POCKETBASE names PocketBase. After each step
the rows are counted by PocketBase's own interface and by sqlite3, and the script stops where a count is wrong.
"""

import json
import shutil
import sqlite3
import subprocess
import sys

from typed import PocketBase, Transcript

NOTES, FOLDERS = 1500, 12
LONGEST = 80


class Day:
    def __init__(self, path):
        self.path = path
        self.server = PocketBase(path)
        self.store = path.folder / "app.sqlite"
        self.server.add_user("dev@example.com")
        self.server.add_user("other@example.com")
        path.export(ADMIN=self.server.token, U="dev@example.com", P=self.server.PASSWORD, OTHER="other@example.com",
                    WRONG="not-the-password", FERRY_CREDENTIAL="user=env:U,password=env:P")

    MIGRATE = "ferry migrate app.sqlite --profile my/profile.yaml"

    def make_store(self):
        with sqlite3.connect(self.store) as base:
            base.executescript("""
                CREATE TABLE Folder (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE Note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT,
                  folder_id INTEGER REFERENCES Folder(id));""")
            base.executemany("INSERT INTO Folder VALUES (?, ?)", [
                (n, f"Folder {n}") for n in range(1, FOLDERS + 1)])
            base.executemany("INSERT INTO Note VALUES (?, ?, ?, ?)", [
                (n, f"Note {n}", f"Text {n}", n % FOLDERS + 1) for n in range(1, NOTES + 1)])
        base.close()

    def sql(self, statement):
        """Types a statement into sqlite3, as the app would change its store."""
        return self.path.type(f'sqlite3 app.sqlite "{statement}"')

    def rows_of_store(self):
        asked = subprocess.run(["sqlite3", "-json", self.store, "SELECT title, body FROM Note"], check=True,
                               text=True, stdout=subprocess.PIPE).stdout
        return sorted((row["title"], row["body"]) for row in json.loads(asked))

    def notes(self):
        return sorted((row["title"], row["body"]) for row in self.server.rows("notes"))

    def check_all(self, when):
        """Both sides have the same folders and notes, each once."""
        mine = self.rows_of_store()
        self.path.check(f"notes at PocketBase {when}", self.server.count("notes"), len(mine))
        self.path.check(f"folders at PocketBase {when}", self.server.count("folders"), FOLDERS)
        self.path.check(f"the notes of both sides are the same {when}", self.notes() == mine, True)

    def die(self, command, share=0.6):
        """Kills a command when PocketBase has that share of the notes."""
        self.path.kill_when(command, lambda: self.server.count("notes") >= NOTES * share)
        found = self.server.count("notes")
        if not NOTES * share <= found < NOTES:
            sys.exit(f"{found} notes of {NOTES} were there after the kill")
        self.path.say(f"   counted: notes at PocketBase after the kill: {found} of {NOTES}")


def draft(day):
    path = day.path
    path.heading("A profile, and the collections")
    day.make_store()
    path.type("ferry schema emit --for pocketbase app.sqlite -o collections.json")
    day.server.import_collections(path.folder / "collections.json")
    path.type(f"ferry init app.sqlite --preset pocketbase --to {day.server.origin} --credential admin=env:ADMIN -o my")
    # A note's title has at most 80 letters.
    file = path.folder / "my/app.Note.v1.schema.json"
    schema = json.loads(file.read_text())
    schema["properties"]["title"]["maxLength"] = LONGEST
    file.write_text(json.dumps(schema))
    path.type("ferry preflight --profile my/profile.yaml --credential admin=env:ADMIN", without=["UNFIT"])


def death(day):
    path = day.path
    path.heading("The laptop dies at 60 %, and the same command goes on")
    day.die(f"{day.MIGRATE} --rate 800")
    path.type("ferry status", words=["ferry resume "])
    path.type(day.MIGRATE, words=["undo:"])
    day.check_all("after the same command")
    path.type(day.MIGRATE, words=["nothing to send"])
    day.check_all("after one more run")
    path.heading("Rolled back, and dead again: resume goes on")
    run = path.name_of_run(isOldest=True)
    path.type(f"ferry rollback {run} -n")
    day.check_all("after a preview of the rollback")
    path.type(f"ferry rollback {run}")
    path.check("notes after the rollback", day.server.count("notes"), 0)
    path.check("folders after the rollback", day.server.count("folders"), 0)
    day.die(f"{day.MIGRATE} --rate 800")
    path.type("ferry status", words=["ferry resume "])
    run = path.name_of_run()
    path.type(f"ferry resume {run}")
    day.check_all("after ferry resume")
    path.type(f"ferry verify {run}")


def wrong_account(day):
    path = day.path
    path.heading("A wrong password, and another account")
    before = day.notes()
    path.type(f"{day.MIGRATE} --credential user=env:U --credential password=env:WRONG", status=7)
    path.type(f"{day.MIGRATE} --credential user=env:OTHER --credential password=env:P", status=12,
              words=["--accept-change account"])
    path.check("the notes are as before", day.notes() == before, True)


def restored(day):
    path, server = day.path, day.server
    path.heading("The backend is restored from yesterday")
    server.stop()
    shutil.copytree(server.folder / "data", server.folder / "yesterday")
    server.start()
    day.sql(f"INSERT INTO Note SELECT id + {NOTES}, 'New ' || id, body, folder_id FROM Note WHERE id <= 40")
    day.sql("UPDATE Note SET body = 'changed today' WHERE id BETWEEN 100 AND 109")
    path.type(day.MIGRATE)
    day.check_all("after today's changes")
    server.stop()
    shutil.rmtree(server.folder / "data")
    shutil.move(server.folder / "yesterday", server.folder / "data")
    server.start()
    path.say("   PocketBase has yesterday's copy of its data folder again")
    path.check("notes after the restoration", server.count("notes"), NOTES)
    path.type(day.MIGRATE, status=6, words=["verify.missing"])
    path.check("notes, for Ferry makes none again by itself", server.count("notes"), NOTES)
    path.type(f"{day.MIGRATE} --full -n", status=6, words=["Note × 10", "Note × 40"])
    path.check("notes after the dry run", server.count("notes"), NOTES)
    path.type(f"{day.MIGRATE} --full --on-conflict local", status=6, words=["created", "Note × 10"])
    path.check("notes, with those that the backup lacked", server.count("notes"), NOTES + 40)
    changed = "body = 'changed today'"
    path.check("notes of today, which the backup has as they were", server.count("notes", changed), 0)
    path.type("ferry checkpoint show")
    path.type("mkdir moved && mv state/checkpoints/app-* moved/")
    path.type(f"{day.MIGRATE} --on-conflict local")
    path.check("notes of today", server.count("notes", changed), 10)
    day.check_all("after the checkpoint was moved away")


def rejected(day):
    path, server = day.path, day.server
    path.heading("A record that breaks its schema is quarantined, mended and replayed")
    too_long = "x" * (LONGEST + 1)
    before = server.count("notes")
    day.sql(f"INSERT INTO Note VALUES (9001, '{too_long}', 'mended', 1), (9002, 'good', 'sound', 1)")
    path.type(day.MIGRATE, status=4, words=["schema."])
    path.check("notes after status 4", server.count("notes"), before)
    path.type(f"{day.MIGRATE} --on-invalid quarantine --max-rejects 1%", status=3,
              words=["repair: ferry quarantine show "])
    path.check("notes without the invalid one", server.count("notes"), before + 1)
    listed = path.type("ferry quarantine list --format json --quiet")
    name = json.loads(listed)["packages"][0]["package"]
    path.type(f"ferry quarantine show {name} -o repair")
    path.type(f"sed -i 's/{too_long}/a shorter title/' repair/*.jsonl")
    path.type("ferry export app.sqlite --profile my/profile.yaml -o app.ferry")
    path.type(f"ferry quarantine replay {name} --package app.ferry --records repair -o repaired.ferry")
    path.type("ferry upload repaired.ferry --profile my/profile.yaml")
    path.check("the mended note", server.count("notes", "title = 'a shorter title' && body = 'mended'"), 1)
    path.check("notes with the mended one", server.count("notes"), before + 2)
    day.sql("UPDATE Note SET title = 'a shorter title' WHERE id = 9001")
    path.type(day.MIGRATE)
    day.check_all("after the repair in the store")
    path.heading("A record that PocketBase rejects")
    collection = server.ask("GET", "/api/collections/notes")
    for field in collection["fields"]:
        if field["name"] == "body":
            field["max"] = 30
    server.ask("PATCH", "/api/collections/notes", {"fields": collection["fields"]})
    day.sql("INSERT INTO Note VALUES (9003, 'refused', 'a body of more than thirty letters, in all', 1)")
    day.sql("INSERT INTO Note VALUES (9004, 'taken', 'short', 1)")
    path.type(day.MIGRATE, status=3)
    path.check("the note that PocketBase took", server.count("notes", "title = 'taken'"), 1)
    path.check("the note that it refused", server.count("notes", "title = 'refused'"), 0)
    day.sql("UPDATE Note SET body = 'shorter' WHERE id = 9003")
    path.type(day.MIGRATE)
    day.check_all("after the repair")


def undo(day):
    path, server = day.path, day.server
    path.heading("Undo")
    path.type("rm -r state && mkdir state")
    for row in server.rows("notes") + server.rows("folders"):
        server.ask("DELETE", f"/api/collections/{row['collectionName']}/records/{row['id']}")
    path.say("   emptied both collections by PocketBase's own interface")
    path.type(f"{day.MIGRATE} --quiet")
    day.check_all("after a migration from nothing")
    run = path.name_of_run()
    row = server.rows("notes")[0]
    server.ask("PATCH", f"/api/collections/notes/records/{row['id']}", {"body": "by another device"})
    path.type(f"ferry rollback {run} -n", words=["to reverse", f"next: ferry rollback {run}"])
    day_before = server.count("notes")
    path.type(f"ferry rollback {run}", status=6)
    path.check("notes that another device changed since", server.count("notes"), 1)
    path.check("folders that this note names", server.count("folders"), 1)
    path.check("rows before the preview and after it", day_before, len(day.rows_of_store()))
    path.type("ferry status")


def main():
    with Transcript(sys.argv) as path:
        day = Day(path)
        draft(day)
        death(day)
        wrong_account(day)
        restored(day)
        rejected(day)
        undo(day)


main()
