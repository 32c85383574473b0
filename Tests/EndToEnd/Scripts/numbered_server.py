#!/usr/bin/env python3
"""Records with numbers and versions, at a server of which a backup can be restored.

    numbered_server.py PORT

A new record gets the next number and the version 1. `GET /notes` gives all notes, and so for any other name,
`POST /keep` makes a backup, and `POST /back` brings it back, with what the next number is.
"""

import copy

from stand_in import StandIn, serve

state = {"next": 101}
backup = {}


class Serving(StandIn):
    def answered(self, path, body):
        path = path.strip("/").split("/")
        if path == ["me"]:
            return 200, {"id": "u1"}
        if path == ["keep"]:
            backup.update(copy.deepcopy(state))
            return 200, {}
        if path == ["back"]:
            state.clear()
            state.update(copy.deepcopy(backup))
            return 200, {}
        records = state.setdefault(path[0], {})
        if len(path) == 1 and self.command == "GET":
            return 200, {"items": list(records.values())}
        if len(path) == 1:
            number = state["next"]
            state["next"] += 1
            records[number] = {**body, "id": number, "v": 1}
            return 201, records[number]
        number = int(path[1])
        if number not in records:
            return 404, {"error": "NotFound"}
        record = records[number]
        if self.command == "PATCH":
            record.update(body, v=record["v"] + 1)
        if self.command == "DELETE":
            del records[number]
        return 200, record


serve(Serving)
