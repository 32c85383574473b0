#!/usr/bin/env python3
"""Notes, at a server that has its own mind about the identities that clients choose.

    identity_server.py PORT

`POST /set` takes what it does: `identity` (`kept`, `own`, `lower`), `status` of an answer that says what was made,
`bare` (an answer names no identity), `hidden` (the list shows no note), `lose` (the titles whose new records are answered by nothing, or true for all),
`words` (the answer, by 400, to a record that is there) and `confused` (identities that are answered with another
record). `GET /state` gives the notes in the order in which they were made, and
how many requests came that make one. A note is made by POST under the identity in its body, or by PUT under the one
in its address.
"""

import urllib.parse

from stand_in import StandIn, serve

notes = []
made = [0]
mind = {"identity": "kept", "status": 201, "bare": False, "hidden": False, "lose": [], "words": "already exists", "confused": []}


class Serving(StandIn):
    def answered(self, path, body):
        path = urllib.parse.unquote(path)
        if path == "/me":
            return 200, {"id": "u1"}
        if path == "/state":
            return 200, {"notes": notes, "made": made[0]}
        if path == "/set":
            mind.update(body)
            return 200, {}
        if path == "/notes" and self.command == "GET":
            return 200, {"items": [] if mind["hidden"] else notes}
        if self.command in ("POST", "PUT"):
            return self.make(body, path.removeprefix("/notes/") if self.command == "PUT" else body.get("id"))
        id = path.removeprefix("/notes/")
        place = next((place for place, note in enumerate(notes) if self.kept(id) == note["id"]), None)
        if place is None:
            return 404, {"error": "NotFound"}
        if self.command == "DELETE":
            return 200, notes.pop(place)
        if self.command == "GET" and id in mind["confused"]:
            return 200, {**notes[place], "id": "another"}
        if self.command == "PATCH":
            notes[place].update(body, id=notes[place]["id"])
        return 200, notes[place]

    def kept(self, id):
        return id.lower() if mind["identity"] == "lower" else id

    def make(self, body, id):
        made[0] += 1
        id = f"s{made[0]}" if mind["identity"] == "own" else self.kept(id)
        if any(note["id"] == id for note in notes):
            return 400, {"error": mind["words"]}
        notes.append({**body, "id": id})
        if mind["lose"] is True or body.get("title") in mind["lose"]:
            return None
        return mind["status"], {"ok": True} if mind["bare"] else notes[-1]


serve(Serving)
