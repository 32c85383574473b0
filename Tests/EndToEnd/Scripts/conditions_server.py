#!/usr/bin/env python3
"""Notes, at a server that takes no request without a condition that would change something (428).

    conditions_server.py PORT

`GET /state` gives the notes, and how many requests were refused for want of a condition.
"""

from stand_in import StandIn, serve

notes = {}
counts = {"version": 0, "refused": 0}


def versioned(note):
    return 200, note, ("ETag", f'"{note["v"]}"')


class Serving(StandIn):
    def answered(self, path, body):
        if path == "/me":
            return 200, {"id": "u1"}
        if path == "/state":
            return 200, {"notes": list(notes.values()), "refused": counts["refused"]}
        if path == "/notes":
            return 200, {"items": list(notes.values())}
        id = path.removeprefix("/notes/")
        note = notes.get(id)
        if self.command == "GET":
            return versioned(note) if note else (404, {"error": "NotFound"})
        match, none = self.headers["If-Match"], self.headers["If-None-Match"]
        if match is None and none is None:
            counts["refused"] += 1
            return 428, {"error": "PreconditionRequired"}
        if none is not None and note or match is not None and (
            note is None or match != f'"{note["v"]}"'
        ):
            return 412, {"error": "PreconditionFailed"}
        if self.command == "DELETE":
            return 200, notes.pop(id)
        counts["version"] += 1
        notes[id] = {**(note or {}), **body, "id": id, "v": f"{counts['version']}"}
        return versioned(notes[id])


serve(Serving)
