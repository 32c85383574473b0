#!/usr/bin/env python3
"""Notes at a server that knows them by their names: a creation under a known name changes the note that has it.

    upserting_server.py PORT
"""

from stand_in import StandIn, serve

notes = {}


class Serving(StandIn):
    def answered(self, path, body):
        path = path.strip("/").split("/")
        if path == ["me"]:
            return 200, {"id": "u1"}
        if path == ["notes"] and self.command == "GET":
            return 200, {"items": list(notes.values())}
        if path == ["notes"]:
            number = next((note["id"] for note in notes.values() if note["name"] == body["name"]), len(notes) + 1)
            notes[number] = {**body, "id": number}
            return 201, notes[number]
        note = notes.get(int(path[1]))
        if note is None:
            return 404, {"error": "NotFound"}
        if self.command == "PATCH":
            note.update(body)
        if self.command == "DELETE":
            del notes[note["id"]]
        return 200, note


serve(Serving)
