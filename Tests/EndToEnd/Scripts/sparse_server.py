#!/usr/bin/env python3
"""Notes, at a server whose list states less of each, and states it otherwise, than a reading of one.

    sparse_server.py PORT

A row of the list has no `text`, of `mood` only the first eight letters, and no member that holds nothing;
`mood` is trimmed, and `picture` is signed anew whenever it is read. What is read or written alone comes with
its version as `ETag`. `POST /tickets` takes no file at first, and any other later. `GET /state` gives the
notes as they are, and `GET /counts` how often they were listed (`lists`), and how many were read alone at
once (`together`). `POST /later` takes what another device writes right before a list: `{"list": 2, "members":
{"mood": "theirs"}}` for the second from now, to each note. `POST /broken` takes the identities that cannot be
read alone, and `POST /lose` the methods whose next request is carried out and not answered. `GET
/notes?since=2` lists what was written after that version.
"""

import json
import time

from stand_in import StandIn, lock, serve

notes = {}
later = {"list": 0, "members": {}}
broken = []
lose = []
counts = {"version": 0, "signature": 0, "tickets": 0, "lists": 0, "reading": 0, "together": 0}


class Serving(StandIn):
    def do_any(self):
        if self.command == "GET" and self.path.startswith("/notes/"):
            self.be_read()
        super().do_any()

    def outcome(self, content):
        path = self.path.split("?")[0]
        answer = self.answered(path, None if path.startswith("/files/") else json.loads(content or b"null"))
        if self.command in lose and path.startswith("/notes/"):
            lose.remove(self.command)
            return None
        has_version = answer[0] == 200 and "v" in answer[1]
        return *answer, *([("ETag", f'"{answer[1]["v"]}"')] if has_version else [])

    def be_read(self):
        """Takes its time, so that those who read side by side meet."""
        with lock:
            counts["reading"] += 1
            counts["together"] = max(counts["together"], counts["reading"])
        time.sleep(0.1)
        with lock:
            counts["reading"] -= 1

    def answered(self, path, body):
        if path == "/me":
            return 200, {"id": "u1"}
        if path == "/state":
            return 200, notes
        if path == "/counts":
            return 200, counts
        if path == "/later":
            later.update(body)
            return 200, {}
        if path == "/broken":
            broken[:] = body
            return 200, {}
        if path == "/lose":
            lose[:] = body
            return 200, {}
        if path == "/tickets":
            if not body:
                return 400, {"error": "NoFileNamed"}
            counts["tickets"] += 1
            if counts["tickets"] == 1:
                return 415, {"error": "UnsupportedMediaType"}
            return 200, {"to": "/files/f1", "key": "f1", "url": "https://e.org/f1.png"}
        if path.startswith("/files/"):
            return 200, {}
        if path == "/notes":
            counts["lists"] += 1
            later["list"] -= 1
            if later["list"] == 0:
                for note in notes.values():
                    self.write(note["id"], later["members"])
            since = int((self.path.split("since=") + ["0"])[1])
            written = [note for note in notes.values() if int(note["v"]) > since]
            return 200, {"items": [self.row(note) for note in written]}
        id = path.removeprefix("/notes/")
        if self.command == "GET" and id in broken:
            return 500, {"error": "InternalServerError"}
        note = notes.get(id)
        if self.command == "PUT":
            if note and self.headers.get("If-None-Match"):
                return 412, {"error": "PreconditionFailed"}
            notes.pop(id, None)
        elif not note:
            return 404, {"error": "NotFound"}
        if self.command == "DELETE":
            return 200, self.shown(notes.pop(id))
        if self.command != "GET":
            self.write(id, body)
        return 200, self.shown(notes[id])

    def write(self, id, members):
        counts["version"] += 1
        if members.get("mood"):
            members["mood"] = members["mood"].strip()
        notes[id] = {**notes.get(id, {}), **members, "id": id, "v": f"{counts['version']}"}

    def shown(self, note):
        counts["signature"] += 1
        return {**note, "picture": f"{note['picture']}?signature={counts['signature']}"}

    def row(self, note):
        row = {k: v for k, v in self.shown(note).items() if k != "text" and v is not None}
        if row.get("mood"):
            row["mood"] = row["mood"][:8]
        return row


serve(Serving)
