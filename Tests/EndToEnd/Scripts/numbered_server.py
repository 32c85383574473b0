#!/usr/bin/env python3
"""Notes with numbers and versions, at a server of which a backup can be restored.

    numbered_server.py PORT

A new note gets the next number and the version 1. `GET /notes` gives them all, `POST /keep` makes a backup, and
`POST /back` brings it back, with what the next number is.
"""

import copy

from stand_in import StandIn, serve

state = {"notes": {}, "next": 101}
backup = {}


class Serving(StandIn):
    def answered(self, path, body):
        path = path.strip("/").split("/")
        notes = state["notes"]
        if path == ["me"]:
            return 200, {"id": "u1"}
        if path == ["keep"]:
            backup.update(copy.deepcopy(state))
            return 200, {}
        if path == ["back"]:
            state.update(copy.deepcopy(backup))
            return 200, {}
        if path == ["notes"] and self.command == "GET":
            return 200, {"items": list(notes.values())}
        if path == ["notes"]:
            number = state["next"]
            state["next"] += 1
            notes[number] = {**body, "id": number, "v": 1}
            return 201, notes[number]
        number = int(path[1])
        if number not in notes:
            return 404, {"error": "NotFound"}
        note = notes[number]
        if self.command == "PATCH":
            note.update(body, v=note["v"] + 1)
        if self.command == "DELETE":
            del notes[number]
        return 200, note


serve(Serving)
