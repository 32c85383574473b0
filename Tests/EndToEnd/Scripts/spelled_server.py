#!/usr/bin/env python3
"""Tags, at a server that calls each by its name, as that is spelled.

    spelled_server.py PORT

A row of the list has no version; what is read or written alone comes with it as `ETag`. `GET /state` gives
the tags in the order in which they were made. `POST /set` takes what goes wrong: `lose` (names whose next
tag is made, and the line is cut) and `broken` (names of tags that cannot be read alone).
"""

import urllib.parse

from stand_in import StandIn, serve

tags = []
counts = {"version": 0}
faults = {"lose": [], "broken": []}


def versioned(members):
    counts["version"] += 1
    return {**members, "v": f"{counts['version']}"}


class Serving(StandIn):
    def outcome(self, content):
        answer = super().outcome(content)
        if answer is None or "v" not in answer[1]:
            return answer
        return *answer, ("ETag", f'"{answer[1]["v"]}"')

    def answered(self, path, body):
        if path == "/me":
            return 200, {"id": "u1"}
        if path == "/state":
            return 200, {"tags": tags}
        if path == "/set":
            faults.update(body)
            return 200, {}
        if path == "/tags" and self.command == "GET":
            rows = [{name: tag[name] for name in tag if name != "v"} for tag in tags]
            return 200, {"items": rows}
        if path == "/tags":
            return self.made(body)
        id = urllib.parse.unquote(path.removeprefix("/tags/"))
        if self.command == "GET" and id in faults["broken"]:
            return 500, {"error": "InternalServerError"}
        place = next((place for place, tag in enumerate(tags) if tag["id"] == id), None)
        if place is None:
            return 404, {"error": "NotFound"}
        if self.command == "DELETE":
            return 200, tags.pop(place)
        if self.command == "PATCH":
            tags[place] = versioned({**tags[place], **body})
        return 200, tags[place]

    def made(self, body):
        tags.append(versioned({**body, "id": body["name"]}))
        if body["name"] in faults["lose"]:
            faults["lose"].remove(body["name"])
            return None
        return 201, tags[-1]


serve(Serving)
