#!/usr/bin/env python3
"""Teams and people, who name each other, as a server has them that checks every reference.

    people_server.py PORT

No row is taken that names one which is not there, and none is removed that another one names.
A person called `nobody` is refused. `GET /rows` gives everything, and the number of requests that
asked for a change; `POST /lose/N` has every N-th answer to one of them lost from then on.
"""

from stand_in import StandIn, serve

rows = {"teams": {}, "people": {}}
versions = {}
state = {"writes": 0, "lose": 0, "wait": 0, "number": 0}
# Where each member leads.
links = {"lead": "people", "boss": "people", "team": "teams"}


class Serving(StandIn):
    def answered(self, path, body):
        path = path.strip("/").split("/")
        answer = self.carried_out(path, body)
        if self.command == "GET" or path[0] not in rows:
            return answer
        state["writes"] += 1
        return None if state["lose"] and state["writes"] % state["lose"] == 0 else answer

    def carried_out(self, path, body):
        if path == ["me"]:
            return 200, {"id": "u1"}
        if path == ["rows"]:
            return 200, {**rows, "writes": state["writes"]}
        if path[0] == "lose":
            state["lose"] = int(path[1])
            return 200, {}
        table = rows[path[0]]
        if self.command in ("POST", "PUT", "PATCH"):
            for member, target in links.items():
                if body.get(member) is not None and body[member] not in rows[target]:
                    return 409, {"error": f"{member} {body[member]} is not there"}
            if body.get("name") == "nobody":
                return 422, {"error": "nobody is no name"}
        if len(path) == 1:
            if self.command == "GET":
                return 200, {"items": [self.row(path[0], id) for id in table]}
            state["number"] += 1
            return 201, self.store(path[0], f"s{state['number']}", body)
        id = path[1]
        if self.command == "PUT":
            return (412, {"error": "it is there"}) if id in table else (201, self.store(path[0], id, body))
        if id not in table:
            return 404, {"error": "NotFound"}
        if self.command == "GET":
            return 200, self.row(path[0], id)
        if self.headers.get("If-Match", "*").strip('"') not in ("*", str(versions[id])):
            return 412, {"error": "it was changed"}
        if self.command == "PATCH":
            return 200, self.store(path[0], id, {**table[id], **body})
        for other in rows.values():
            for key, row in other.items():
                if key != id and id in [row.get(member) for member in links]:
                    return 409, {"error": f"{key} names it"}
        del table[id]
        return 200, {}

    def store(self, table, id, body):
        rows[table][id] = body
        versions[id] = versions.get(id, 0) + 1
        return self.row(table, id)

    def row(self, table, id):
        return {"id": id, **rows[table][id], "v": versions[id]}


serve(Serving)
