#!/usr/bin/env python3
"""Notes with numbers, at a server that removes none: it retires them.

    retiring_server.py PORT

A note that was removed is in no list any more. `GET /notes/N` still answers of it, and says so: `"retired": true`.
"""

from stand_in import StandIn, serve

notes = {}


class Serving(StandIn):
    def answered(self, path, body):
        path = path.strip("/").split("/")
        if path == ["me"]:
            return 200, {"id": "u1"}
        if path == ["notes"] and self.command == "GET":
            return 200, {"items": [note for note in notes.values() if not note["retired"]]}
        if path == ["notes"]:
            number = len(notes) + 1
            notes[number] = {**body, "id": number, "v": 1, "retired": False}
            return 201, notes[number]
        note = notes.get(int(path[1]))
        if note is None:
            return 404, {"error": "NotFound"}
        if self.command == "PATCH":
            note.update(body, v=note["v"] + 1)
        if self.command == "DELETE":
            note["retired"] = True
        return 200, note


serve(Serving)
