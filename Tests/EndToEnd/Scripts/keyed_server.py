#!/usr/bin/env python3
"""Notes, at a server that remembers idempotency keys and what it answered to them, failures included.

    keyed_server.py PORT

`GET /state` gives the notes, the requests that asked for one, and the keys that are remembered.
`POST /set` takes what goes wrong: `fail-once` (names whose first key is answered 500 for ever),
`fail` and `put-off` (names that are always answered 500 and 503), `lose` (names whose next answer is
lost), `stall` (names that are kept, and answered after a minute) and `forget` (every key is forgotten).
"""

import time

from stand_in import StandIn, serve

notes = []
answers = {}
failed = set()
requests = []
faults = {"fail-once": [], "fail": [], "put-off": [], "lose": [], "stall": []}


class Serving(StandIn):
    def answered(self, path, body):
        self.name = body.get("name") if self.command == "POST" and isinstance(body, dict) else None
        if path == "/me":
            return 200, {"id": "u1"}
        if path == "/state":
            return 200, {"notes": notes, "requests": requests, "keys": len(answers)}
        if path == "/set":
            if body.pop("forget", False):
                answers.clear()
            faults.update(body)
            return 200, {}
        if path == "/notes" and self.command == "GET":
            return 200, {"items": notes}
        if path == "/notes":
            return self.made(body, self.headers["Idempotency-Key"])
        note = next((note for note in notes if path == f"/notes/{note['id']}"), None)
        if note is None:
            return 404, {"error": "NotFound"}
        if self.command == "PATCH":
            requests.append(["PATCH", body["name"]])
            if body["name"] in faults["fail"]:
                return 500, {"error": "no"}
            note.update(body)
        if self.command == "DELETE":
            notes.remove(note)
        return 200, note

    def send(self, answer):
        if self.name in faults["stall"]:
            time.sleep(60)
        super().send(answer)

    def made(self, body, key):
        name = body["name"]
        requests.append([key, name])
        if name in faults["put-off"]:
            return 503, {"error": "later"}
        if key not in answers:
            if name in faults["fail"] or name in faults["fail-once"] and name not in failed:
                failed.add(name)
                answers[key] = 500, {"error": "broken"}
            else:
                note = {"id": f"s{len(requests)}", **body}
                notes.append(note)
                answers[key] = 201, note
        is_lost = name in faults["lose"]
        if is_lost:
            faults["lose"].remove(name)
        return None if is_lost else answers[key]


serve(Serving)
