#!/usr/bin/env python3
"""Notes, at a server that loses answers, carries requests out late, and has another client.

    unsteady_server.py PORT

`GET /state` gives the notes by their identity, and how many requests asked for a change. `POST /set`
takes what goes wrong, each once and for the next request of a method that names a note:
`late` (`{"PUT": 2}`: the line is cut, and the request carried out so many seconds later), `lose`
(`["PATCH"]`: carried out, and the line is cut), `swallow` (the line is cut, and nothing carried out),
`busy` (429, to be sent again) and `between` (`[2, "1", {"name": "theirs"}]`: right before the second
reading of that note by itself another client gives it these members). `pause` (`["3", 12, "1", {"name":
"theirs"}]`): the next reading of that note by itself is to be asked again so many seconds later (429),
and another client gives the other note these members. With `stamps`, each reading shows a note with
another seal; those in `broken` cannot be read by themselves at all, and after so many `lists` the notes
cannot be listed.
"""

import threading

from stand_in import StandIn, lock, serve

notes = {}
counts = {"version": 0, "reading": 0, "changes": 0}
faults = {"late": {}, "lose": [], "swallow": [], "busy": [], "between": None}
faults |= {"stamps": False, "broken": [], "pause": None, "lists": None}


def write(id, members):
    counts["version"] += 1
    notes[id] = {**notes.get(id, {}), **members, "id": id, "v": str(counts["version"])}
    return notes[id]


def shown(note):
    counts["reading"] += 1
    return {**note, "seal": f"s{counts['reading']}"} if faults["stamps"] else note


def carried_out(method, id, body):
    if method == "DELETE":
        return (200, notes.pop(id)) if id in notes else (404, {"error": "NotFound"})
    if method == "PATCH" and id not in notes:
        return 404, {"error": "NotFound"}
    return 200, shown(write(id, body))


def carry_out_late(method, id, body):
    with lock:
        carried_out(method, id, body)


class Serving(StandIn):
    def answered(self, path, body):
        if path == "/me":
            return 200, {"id": "u1"}
        if path == "/state":
            return 200, {"notes": notes, "changes": counts["changes"]}
        if path == "/set":
            faults.update(body)
            return 200, {}
        if path == "/notes":
            return self.list()
        id = path.removeprefix("/notes/")
        if self.command == "GET":
            return self.read(id)
        counts["changes"] += 1
        if self.command in faults["busy"]:
            faults["busy"].remove(self.command)
            return 429, {"error": "TooManyRequests"}, ("Retry-After", "1")
        if self.command in faults["late"]:
            delay = faults["late"].pop(self.command)
            threading.Timer(delay, carry_out_late, (self.command, id, body)).start()
            return None
        if self.command in faults["swallow"]:
            faults["swallow"].remove(self.command)
            return None
        answer = carried_out(self.command, id, body)
        if self.command in faults["lose"]:
            faults["lose"].remove(self.command)
            return None
        return answer

    def list(self):
        if faults["lists"] is not None:
            faults["lists"] -= 1
            if faults["lists"] < 0:
                return 500, {"error": "InternalServerError"}
        return 200, {"items": [shown(note) for note in notes.values()]}

    def read(self, id):
        if id in faults["broken"]:
            return 500, {"error": "InternalServerError"}
        if faults["pause"] and faults["pause"][0] == id:
            _, seconds, other, members = faults["pause"]
            faults["pause"] = None
            write(other, members)
            return 429, {"error": "TooManyRequests"}, ("Retry-After", str(seconds))
        if faults["between"] and faults["between"][1] == id:
            faults["between"][0] -= 1
            if faults["between"][0] == 0:
                write(id, faults["between"][2])
                faults["between"] = None
        return (200, shown(notes[id])) if id in notes else (404, {"error": "NotFound"})


serve(Serving)
