#!/usr/bin/env python3
"""A stand-in for Parse Server, written from its documentation.

    parse_server.py FOLDER PORT

It keeps objects in FOLDER/parse.sqlite, so that another program can count them. What it does is written down at

    https://docs.parseplatform.org/rest/guide/#objects            objects: createdAt, updatedAt, objectId are its own
    https://docs.parseplatform.org/rest/guide/#batch-operations   /batch: a success or an error for each request, in order
    https://docs.parseplatform.org/rest/guide/#data-types         Date, Pointer, Bytes, File, GeoPoint
    https://docs.parseplatform.org/rest/guide/#queries            where, order, limit (100), skip
    https://docs.parseplatform.org/rest/guide/#users              /login, /users/me, code 209
    https://docs.parseplatform.org/rest/guide/#access-control-lists
    https://docs.parseplatform.org/rest/guide/#schema             /schemas, with the master key alone
    https://docs.parseplatform.org/rest/guide/#error-codes
    https://docs.parseplatform.org/parse-server/guide/#keys       X-Parse-Application-Id and the keys
    https://parseplatform.org/parse-server/api/master/ParseServerOptions.html    allowCustomObjectId, allowClientClassCreation

It is mounted at /parse and takes object IDs of the client. Its application is notes-app, its REST key rest-key, its master
key master-key, its users are ada (correct-horse) and bob (battery-staple). Clients create no classes, and a class
gets a field by the first object that has it.

By the source of Parse Server, and not by its guide: an error is answered by 400, but 404 for code 101; an object that is there
already is code 137; the requests of a batch run side by side; a number is a double. Relations, files, roles, queries
about other classes, triggers and class permissions are left out.

The faults of /__set: {"most": N} takes no more requests in one, {"expiring": N} ends all sessions that began before N
more requests, and {"fixed": true} takes no object IDs of the client.
"""

import json
import re
import sqlite3
import sys
import time
import urllib.parse

import stand_in
from stand_in import StandIn, count, faults, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
USERS = {"ada": ("correct-horse", "adaAda1234"), "bob": ("battery-staple", "bobBob1234")}
OWN = {"objectId": {"type": "String"}, "createdAt": {"type": "Date"}, "updatedAt": {"type": "Date"}, "ACL": {"type": "ACL"}}
CLASSES = {
    "Folder": {"name": {"type": "String", "required": True}},
    "Note": {
        "title": {"type": "String"}, "stars": {"type": "Number"}, "score": {"type": "Number"}, "made": {"type": "Date"},
        "done": {"type": "Boolean"}, "picture": {"type": "Bytes"}, "folder": {"type": "Pointer", "targetClass": "Folder"},
    },
}
LARGEST = 20 << 20

faults.update({"most": 1 << 30, "fixed": False, "expiring": 0})
sessions = {}
last_time = 0
store = sqlite3.connect(f"{FOLDER}/parse.sqlite", check_same_thread=False, isolation_level=None)
store.execute("PRAGMA journal_mode = WAL")
store.execute(
    "CREATE TABLE IF NOT EXISTS object(class TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, acl TEXT,"
    " created TEXT NOT NULL, updated TEXT NOT NULL, PRIMARY KEY(class, id))"
)


class Refusal(stand_in.Refusal):
    def __init__(self, code, error, status=None):
        body = {"code": code, "error": error} if code else {"error": error}
        super().__init__(status or (404 if code == 101 else 400), body)


def now():
    """The time with milliseconds, never twice the same."""
    global last_time
    last_time = max(last_time + 1, time.time_ns() // 1_000_000)
    seconds, rest = divmod(last_time, 1_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03}Z"


def kind_of(value, place):
    """The type of a value in the schema of a class; None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return {"type": "Boolean"}
    if isinstance(value, (int, float)):
        return {"type": "Number"}
    if isinstance(value, str):
        return {"type": "String"}
    if isinstance(value, list):
        return {"type": "Array"}
    kind = value.get("__type")
    if kind is None:
        return {"type": "Object"}
    if kind == "Date" and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", str(value.get("iso"))):
        return {"type": "Date"}
    if kind == "Pointer" and value.get("className") and value.get("objectId"):
        return {"type": "Pointer", "targetClass": value["className"]}
    if kind == "Bytes" and isinstance(value.get("base64"), str):
        return {"type": "Bytes"}
    if kind in ("File", "GeoPoint"):
        return {"type": kind}
    raise Refusal(111, f"This is not a valid {kind} at {place}")


def named(kind):
    return f"{kind['type']}<{kind['targetClass']}>" if "targetClass" in kind else kind["type"]


def kept(value):
    """A value as a database of doubles and milliseconds keeps it."""
    if isinstance(value, int) and not isinstance(value, bool):
        return int(float(value))
    if isinstance(value, dict) and value.get("__type") == "Date":
        whole, _, rest = value["iso"][:-1].partition(".")
        return {"__type": "Date", "iso": f"{whole}.{rest[:3]:0<3}Z"}
    if isinstance(value, dict):
        return {name: kept(inner) for name, inner in value.items()}
    return [kept(inner) for inner in value] if isinstance(value, list) else value


def checked(name, body):
    """The fields that a request sets, and the ACL."""
    if name not in CLASSES:
        raise Refusal(119, f"This user is not allowed to access non-existent class: {name}")
    fields, acl = {}, None
    for field, value in body.items():
        if field in ("createdAt", "updatedAt"):
            raise Refusal(105, f"{field} is an invalid field name.")
        if field == "objectId":
            continue
        if field == "ACL":
            acl = value
            continue
        if not re.fullmatch(r"[A-Za-z]\w*", field):
            raise Refusal(105, f"Invalid field name: {field}.")
        kind = kind_of(value, f"{name}.{field}")
        known = CLASSES[name].get(field)
        if kind and known and named(kind) != named(known):
            raise Refusal(111, f"schema mismatch for {name}.{field}; expected {named(known)} but got {named(kind)}")
        if kind and not known:
            CLASSES[name][field] = kind
        fields[field] = kept(value)
    return fields, acl


def allows(acl, user, right):
    if user == "master" or acl is None:
        return True
    rules = json.loads(acl)
    return any(rules.get(who, {}).get(right) for who in ("*", user) if who)


def find(name, object_id):
    return store.execute(
        "SELECT body, acl, created, updated FROM object WHERE class = ? AND id = ?", (name, object_id)
    ).fetchone()


def shown(object_id, found):
    body, acl, created, updated = found
    return json.loads(body) | {"objectId": object_id, "createdAt": created, "updatedAt": updated} \
        | ({"ACL": json.loads(acl)} if acl else {})


def create(name, user, body):
    fields, acl = checked(name, body)
    if "objectId" in body and faults["fixed"]:
        raise Refusal(105, "objectId is an invalid field name.")
    object_id = body.get("objectId") or f"id{time.time_ns() % 10 ** 8:08}"
    for field, kind in CLASSES[name].items():
        if kind.get("required") and fields.get(field) is None:
            raise Refusal(142, f"{field} is required")
    if find(name, object_id):
        raise Refusal(137, "A duplicate value for a field with unique values was provided")
    moment = now()
    store.execute(
        "INSERT INTO object VALUES(?, ?, ?, ?, ?, ?)",
        (name, object_id, json.dumps(fields, sort_keys=True), json.dumps(acl) if acl else None, moment, moment),
    )
    return 201, {"objectId": object_id, "createdAt": moment}


def update(name, user, object_id, body):
    found = find(name, object_id)
    if not found or not allows(found[1], user, "write"):
        raise Refusal(101, "Object not found.")
    fields, acl = checked(name, body)
    moment = now()
    store.execute(
        "UPDATE object SET body = ?, acl = ?, updated = ? WHERE class = ? AND id = ?",
        (json.dumps(json.loads(found[0]) | fields, sort_keys=True), json.dumps(acl) if acl else found[1], moment, name,
         object_id),
    )
    return 200, {"updatedAt": moment}


def delete(name, user, object_id):
    found = find(name, object_id)
    if not found or not allows(found[1], user, "write"):
        raise Refusal(101, "Object not found.")
    store.execute("DELETE FROM object WHERE class = ? AND id = ?", (name, object_id))
    return 200, {}


def passes(body, where):
    for field, test in where.items():
        value = body.get(field)
        if not isinstance(test, dict) or "__type" in test:
            if value != test:
                return False
            continue
        for operator, wanted in test.items():
            if operator == "$in" and value not in wanted:
                return False
            if operator in ("$gte", "$gt"):
                bound = wanted.get("iso", wanted) if isinstance(wanted, dict) else wanted
                value = value["iso"] if isinstance(value, dict) else value
                if value is None or value < bound or operator == "$gt" and value == bound:
                    return False
    return True


def query(name, user, given):
    count("queries")
    if name not in CLASSES:
        raise Refusal(119, f"This user is not allowed to access non-existent class: {name}")
    try:
        where = json.loads(given.get("where", "{}"))
    except ValueError:
        raise Refusal(107, "Invalid parameter for query: where") from None
    rows = store.execute(
        "SELECT id, body, acl, created, updated FROM object WHERE class = ? ORDER BY id", (name,)
    ).fetchall()
    found = [shown(row[0], row[1:]) for row in rows if allows(row[2], user, "read")]
    found = [body for body in found if passes(body, where)]
    start, limit = int(given.get("skip", 0)), int(given.get("limit", 100))
    return 200, {"results": found[start:start + limit]}


def route(method, path, given, user, body):
    match = re.fullmatch(r"/classes/(\w+)(?:/([^/]+))?", path)
    if match and method == "GET" and not match[2]:
        return query(match[1], user, given)
    if match and method == "GET":
        count("gets")
        found = find(match[1], match[2])
        if not found or not allows(found[1], user, "read"):
            raise Refusal(101, "Object not found.")
        return 200, shown(match[2], found)
    if match and method == "POST" and not match[2]:
        return create(match[1], user, body)
    if match and method == "PUT" and match[2]:
        return update(match[1], user, match[2], body)
    if match and method == "DELETE" and match[2]:
        return delete(match[1], user, match[2])
    if path == "/users/me" and method == "GET":
        name = next((name for name, known in USERS.items() if known[1] == user), None)
        if name is None:
            raise Refusal(209, "Invalid session token")
        return 200, {"objectId": user, "username": name}
    if path == "/schemas" and method == "GET":
        if user != "master":
            raise Refusal(None, "unauthorized: master key is required", 403)
        classes = [{"className": name, "fields": fields | OWN} for name, fields in CLASSES.items()]
        return 200, {"results": classes + [{"className": "_User", "fields": OWN | {"username": {"type": "String"}}}]}
    raise Refusal(None, "not found", 404)


def batch(user, body):
    count("batches")
    requests = body.get("requests")
    if not isinstance(requests, list):
        raise Refusal(107, "requests must be an array")
    if len(requests) > faults["most"]:
        raise Refusal(107, f"Batch request contains {len(requests)} sub-requests, which exceeds the limit of {faults['most']}.")
    if not all(str(request.get("path", "")).startswith("/parse/") for request in requests):
        raise Refusal(107, "cannot route batch path")
    results = []
    for request in requests:
        try:
            answer = route(request["method"], request["path"][len("/parse"):], {}, user, request.get("body") or {})[1]
            results.append({"success": answer})
        except Refusal as refusal:
            results.append({"error": refusal.body})
    return 200, results


def log_in(body):
    count("logins")
    password, user = USERS.get(body.get("username"), (None, None))
    if password is None or body.get("password") != password:
        raise Refusal(101, "Invalid username/password.")
    token = f"r:session-{len(sessions)}-{user}"
    sessions[token] = user
    return 200, {"objectId": user, "username": body["username"], "sessionToken": token}


class Server(StandIn):
    kind = "application/json; charset=utf-8"

    def outcome(self, content):
        address = urllib.parse.urlsplit(self.path)
        given = {name: values[0] for name, values in urllib.parse.parse_qs(address.query).items()}
        if len(content) > LARGEST:
            raise Refusal(None, "request entity too large", 413)
        try:
            body = json.loads(content) if content else {}
        except ValueError:
            raise Refusal(107, "Invalid JSON") from None
        if not address.path.startswith("/parse/"):
            raise Refusal(None, "not found", 404)
        path = urllib.parse.unquote(address.path[len("/parse"):])
        if self.headers.get("X-Parse-Application-Id") != "notes-app":
            raise Refusal(None, "unauthorized", 403)
        user = None
        if self.headers.get("X-Parse-Master-Key") == "master-key":
            user = "master"
        elif self.headers.get("X-Parse-REST-API-Key") != "rest-key":
            raise Refusal(None, "unauthorized", 403)
        token = self.headers.get("X-Parse-Session-Token")
        if token and faults["expiring"] > 0:
            faults["expiring"] -= 1
            if faults["expiring"] == 0:
                sessions.clear()
        if token and user is None:
            if token not in sessions:
                raise Refusal(209, "Invalid session token")
            user = sessions[token]
        if path == "/login" and self.command in ("GET", "POST"):
            return log_in(body or given)
        if path == "/batch" and self.command == "POST":
            return batch(user, body)
        return route(self.command, path, given, user, body)


serve(Server, PORT)
