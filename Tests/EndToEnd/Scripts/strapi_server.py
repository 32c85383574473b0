#!/usr/bin/env python3
"""A stand-in for Strapi 5, written from its documentation.

    strapi_server.py FOLDER PORT

It keeps documents in FOLDER/strapi.sqlite, so that another program can count them. What it does is written down at

    https://docs.strapi.io/cms/api/rest                     routes, {"data": …, "meta": …}, 24 letters of a documentId
    https://docs.strapi.io/cms/api/rest/populate-select     relations and media are shown for populate=* alone
    https://docs.strapi.io/cms/api/rest/filters             $eq, $in, $gt, $gte
    https://docs.strapi.io/cms/api/rest/sort-pagination     pagination[page|pageSize] or [start|limit], 25 rows
    https://docs.strapi.io/cms/configurations/api           maxLimit: 100 rows
    https://docs.strapi.io/cms/api/rest/relations           a documentId, {"documentId": …}, or {"set": […]}
    https://docs.strapi.io/cms/api/rest/status              a document with drafts is published by POST and PUT
    https://docs.strapi.io/cms/api/rest/upload              POST /api/upload, files and fileInfo; GET, DELETE …/files/:id
    https://docs.strapi.io/cms/features/users-permissions   POST /api/auth/local; 5 sign-ins in 5 minutes; roles
    https://docs.strapi.io/cms/features/api-tokens          API tokens
    https://docs.strapi.io/cms/error-handling               {"data": null, "error": {status, name, message, details}}
    https://docs.strapi.io/cms/backend-customization/models required, maxLength, unique, relations, types
    https://docs.strapi.io/cms/configurations/middlewares   the body of a request has at most 1 MB, else 413

Read in Strapi's source, and not written down: 201 for what was made, 204 for each deletion, 400 for “id” and “documentId”
in data, the words of refusals, GET /api/content-type-builder/content-types, 404 for a change of what is not there, and a
number at the beginning of a documentId that is not in an object is taken for an id.

A field that a content type does not have is passed over in silence. A text without maxLength that the column cannot
hold is answered by 500, as PostgreSQL's refusal is.

Its users are ada (correct-horse) and bob (battery-staple), whose role may do anything with the documents of everybody,
as roles of Strapi may, and eve (stranger), whose role may find but not write. The API token admin-token may read the content
types.

Drafts beside published documents, locales, components, dynamic zones and GraphQL are left out.

The faults of /__set: {"busy": N} answers the next N writes by 429, as a proxy does, {"expiring": N} makes all tokens
expire that were given before N more requests, {"logins": N} takes N sign-ins more and then none for a second.
"""

import base64
import datetime
import email
import json
import random
import re
import sqlite3
import sys
import time
import urllib.parse

import stand_in
from stand_in import StandIn, count, faults, is_due, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
USERS = {"ada": ("correct-horse", 1), "bob": ("battery-staple", 2), "eve": ("stranger", 3)}
READER, ADMIN = 3, -1
LARGEST_PAYLOAD = 1 << 20
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def attribute(kind, **more):
    return {"type": kind} | more


KEY = {"localId": attribute("string", required=True, unique=True)}
FILE = "plugin::upload.file"
USER = "plugin::users-permissions.user"
TYPES = {
    "folders": {
        "uid": "api::folder.folder", "drafts": False,
        "attributes": KEY | {
            "name": attribute("string", required=True),
            "notes": attribute("relation", relation="oneToMany", target="api::note.note", mappedBy="folder"),
        },
    },
    "notes": {
        "uid": "api::note.note", "drafts": True,
        "attributes": KEY | {
            "title": attribute("string", required=True, maxLength=255), "stars": attribute("integer"),
            "score": attribute("float"), "made": attribute("datetime"), "done": attribute("boolean"),
            "picture": attribute("text"),
            "folder": attribute("relation", relation="manyToOne", target="api::folder.folder", inversedBy="notes"),
            "author": attribute("relation", relation="manyToOne", target=USER),
        },
    },
    "pictures": {
        "uid": "api::picture.picture", "drafts": False,
        "attributes": KEY | {
            "name": attribute("string", required=True), "photo": attribute("media", multiple=False),
        },
    },
}
UIDS = {kind["uid"]: name for name, kind in TYPES.items()} | {FILE: "files"}

faults.update({"busy": 0, "expiring": 0, "logins": 1 << 30})
expired_before = 0.0
logins_from = 0.0
store = sqlite3.connect(f"{FOLDER}/strapi.sqlite", check_same_thread=False, isolation_level=None)
store.execute("PRAGMA journal_mode = WAL")
store.execute(
    "CREATE TABLE IF NOT EXISTS item(number INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL,"
    " id TEXT NOT NULL UNIQUE, body TEXT NOT NULL)"
)


class Refusal(stand_in.Refusal):
    def __init__(self, status, name, message, details=None):
        error = {"status": status, "name": name, "message": message, "details": details or {}}
        super().__init__(status, {"data": None, "error": error})


def invalid(faults):
    """What validation found, as a sentence of its own where it is one thing."""
    errors = [{"path": [name], "message": message, "name": "ValidationError"} for name, message in faults]
    message = errors[0]["message"] if len(errors) == 1 else f"{len(errors)} errors occurred"
    return Refusal(400, "ValidationError", message, {"errors": errors})


def invalid_key(name):
    return Refusal(400, "ValidationError", f"Invalid key {name}", {"key": name, "path": name})


def missing():
    return Refusal(404, "NotFoundError", "Not Found")


def forbidden():
    return Refusal(403, "ForbiddenError", "Forbidden")


def now():
    return stamp(datetime.datetime.now(datetime.timezone.utc))


def stamp(moment):
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def person(user):
    name = next(name for name, known in USERS.items() if known[1] == user)
    return {"id": user, "documentId": f"user{name}0000000000000000"[:24], "username": name, "email": f"{name}@example.com",
            "provider": "local", "confirmed": True, "blocked": False}


def log_in(body):
    global logins_from
    count("logins")
    if faults["logins"] <= 0:
        logins_from = logins_from or time.time() + 1
        if time.time() < logins_from:
            raise Refusal(429, "RateLimitError", "Too many requests, please try again later.")
    faults["logins"] -= 1
    identifier = str(body.get("identifier", "")).removesuffix("@example.com")
    password, user = USERS.get(identifier, (None, None))
    if password is None or body.get("password") != password:
        raise Refusal(400, "ValidationError", "Invalid identifier or password")
    issued = time.time()
    claims = {"id": user, "iat": issued, "exp": int(issued) + 604_800}
    token = f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.c2lnbmF0dXJl"
    return 200, {"jwt": token, "user": person(user)}


def user_of(headers):
    global expired_before
    scheme, _, token = (headers.get("Authorization") or "").partition(" ")
    if not token:
        return None
    if token == "admin-token":
        return ADMIN
    if faults["expiring"] > 0:
        faults["expiring"] -= 1
        if faults["expiring"] == 0:
            expired_before = time.time()
    try:
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        if scheme == "Bearer" and claims["exp"] >= time.time() and claims["iat"] >= expired_before:
            return claims["id"]
    except (IndexError, ValueError):
        pass
    raise Refusal(401, "UnauthorizedError", "Missing or invalid credentials")


def content_types():
    def described(uid, name, attributes):
        singular = uid.split(".")[-1]
        schema = {"displayName": singular.title(), "singularName": singular, "pluralName": name, "kind": "collectionType",
                  "collectionName": name, "attributes": attributes, "visible": True}
        return {"uid": uid, "apiID": singular, "schema": schema}
    own = [described(kind["uid"], name, kind["attributes"]) for name, kind in TYPES.items()]
    user = described(USER, "users", {"username": attribute("string", required=True)})
    return 200, {"data": [*own, user, described(FILE, "files", {"caption": attribute("text")})]}


def row(collection, identity):
    return store.execute(
        "SELECT number, id, body FROM item WHERE collection = ? AND id = ?", (collection, identity)
    ).fetchone()


def by_number(collection, number):
    return store.execute(
        "SELECT number, id, body FROM item WHERE collection = ? AND number = ?", (collection, number)
    ).fetchone()


def related(name, target, given):
    """The documentId of what a relation to one is given, or the number of a file."""
    if isinstance(given, dict) and "set" in given:
        given = given["set"]
    if isinstance(given, list):
        given = given[-1] if given else None
    if given is None:
        return None
    if isinstance(given, dict):
        found = row(UIDS[target], given["documentId"]) if "documentId" in given else by_number(UIDS[target], given["id"])
    else:
        number = re.match(r"\s*[+-]?\d+", str(given))
        found = by_number(UIDS[target], int(number[0])) if number else row(UIDS[target], given)
    if not found:
        raise Refusal(400, "ValidationError", f"1 relation(s) of type {target} associated with this entity do not exist")
    return found[0] if target == FILE else found[1]


def value(collection, name, given):
    """A value as the column keeps it."""
    kind = TYPES[collection]["attributes"][name]
    if given is None and not kind.get("required"):
        return None
    if kind["type"] == "media":
        return related(name, FILE, given)
    if kind["type"] == "relation":
        if kind["target"] == USER:
            if given not in [person(known[1])["documentId"] for known in USERS.values()]:
                raise Refusal(400, "ValidationError", f"1 relation(s) of type {USER} associated with this entity do not exist")
            return given
        if kind["relation"] == "oneToMany":
            raise invalid_key(name)
        return related(name, kind["target"], given)
    wanted = {"string": "string", "text": "string", "integer": "number", "float": "number", "boolean": "boolean"}
    types = {"string": str, "number": (int, float), "boolean": bool}
    if given is None or kind.get("required") and given == "":
        raise invalid([(name, f"{name} must be defined.")])
    if kind["type"] == "datetime":
        try:
            return stamp(datetime.datetime.fromisoformat(str(given).replace("Z", "+00:00")))
        except ValueError:
            raise Refusal(400, "ValidationError", "Invalid format, expected a timestamp or an ISO date") from None
    plain = wanted[kind["type"]]
    if not isinstance(given, types[plain]) or plain == "number" and isinstance(given, bool):
        words = f"{name} must be a `{plain}` type, but the final value was: `{json.dumps(given)}`."
        raise invalid([(name, words)])
    if kind["type"] == "string" and len(given) > kind.get("maxLength", 1 << 30):
        raise invalid([(name, f"{name} must be at most {kind['maxLength']} characters")])
    if kind["type"] == "string" and len(given) > 255:
        raise Refusal(500, "InternalServerError", "Internal Server Error")
    if kind["type"] == "integer" and (given != int(given) or not -2_147_483_648 <= given <= 2_147_483_647):
        raise Refusal(500, "InternalServerError", "Internal Server Error")
    return given


def checked(collection, given, identity=None):
    if not isinstance(given, dict):
        raise Refusal(400, "ValidationError", 'Missing "data" payload in the request body')
    for name in ("id", "documentId"):
        if name in given:
            raise invalid_key(name)
    attributes = TYPES[collection]["attributes"]
    body = {name: value(collection, name, content) for name, content in given.items() if name in attributes}
    for name in body:
        if attributes[name].get("unique") and store.execute(
            f"SELECT 1 FROM item WHERE collection = ? AND body ->> '$.{name}' = ? AND id IS NOT ?",
            (collection, body[name], identity),
        ).fetchone():
            raise invalid([(name, "This attribute must be unique")])
    return body


def create(collection, given):
    body = checked(collection, given)
    attributes = TYPES[collection]["attributes"]
    lacking = [name for name, kind in attributes.items() if kind.get("required") and name not in body]
    if lacking:
        raise invalid([(name, f"{name} must be defined.") for name in lacking])
    whole = {name: kind.get("default") for name, kind in attributes.items() if kind["type"] != "relation"} | body
    moment = now()
    whole |= {"createdAt": moment, "updatedAt": moment, "publishedAt": moment, "locale": None}
    identity = random.choice(LETTERS) + "".join(random.choices(LETTERS + "0123456789", k=23))
    store.execute(
        "INSERT INTO item(collection, id, body) VALUES(?, ?, ?)", (collection, identity, json.dumps(whole, sort_keys=True))
    )
    return row(collection, identity)


def update(collection, identity, given):
    body = checked(collection, given, identity)
    found = row(collection, identity)
    if not found:
        raise missing()
    whole = json.loads(found[2]) | body | {"updatedAt": now()}
    if TYPES[collection]["drafts"]:
        whole["publishedAt"] = whole["updatedAt"]
    store.execute("UPDATE item SET body = ? WHERE id = ?", (json.dumps(whole, sort_keys=True), identity))
    return row(collection, identity)


def delete(collection, identity):
    """What referred to the document refers to none then."""
    uid = TYPES[collection]["uid"]
    for other, kind in TYPES.items():
        for name, content in kind["attributes"].items():
            if content.get("target") == uid and content["relation"] != "oneToMany":
                store.execute(
                    f"UPDATE item SET body = json_set(body, '$.{name}', NULL) WHERE collection = ? AND body ->> '$.{name}' = ?",
                    (other, identity),
                )
    store.execute("DELETE FROM item WHERE collection = ? AND id = ?", (collection, identity))


def shown(collection, found, populates):
    number, identity, text = found
    body = json.loads(text)
    for name, kind in TYPES.get(collection, {"attributes": {}})["attributes"].items():
        if kind["type"] not in ("relation", "media"):
            continue
        content = body.pop(name, None)
        if not populates or kind.get("target", FILE) not in UIDS:
            continue
        if kind["type"] == "media":
            body[name] = shown("files", by_number("files", content), False) if content else None
        elif kind["relation"] == "oneToMany":
            others = store.execute(
                f"SELECT number, id, body FROM item WHERE collection = ? AND body ->> '$.{kind['mappedBy']}' = ?",
                (UIDS[kind["target"]], identity),
            ).fetchall()
            body[name] = [shown(UIDS[kind["target"]], other, False) for other in others]
        else:
            target = UIDS[kind["target"]]
            body[name] = shown(target, row(target, content), False) if content else None
    return {"id": number, "documentId": identity} | body


def passes(body, filters):
    for name, operator, wanted in filters:
        found = str(body.get(name))
        if operator == "$eq" and found != wanted[0] or operator == "$in" and found not in wanted:
            return False
        if operator == "$gt" and not found > wanted[0] or operator == "$gte" and not found >= wanted[0]:
            return False
    return True


def filters_of(query, names):
    """The filters of a query, in which the elements of $in are numbered or repeated; no comma parts them."""
    filters = {}
    for name, content in query:
        match = re.fullmatch(r"filters\[(\w+)\]\[(\$\w+)\](?:\[\d*\])?", name)
        if not match:
            continue
        if match[1] not in names:
            raise invalid_key(match[1])
        filters.setdefault((match[1], match[2]), []).append(content)
    return [(*place, wanted) for place, wanted in filters.items()]


def find(collection, query):
    count("reads")
    own = ("id", "documentId", "createdAt", "updatedAt", "publishedAt", "caption", "name")
    names = {*own, *TYPES.get(collection, {"attributes": {}})["attributes"]}
    filters, given = filters_of(query, names), dict(query)
    rows = store.execute("SELECT number, id, body FROM item WHERE collection = ?", (collection,)).fetchall()
    bodies = [shown(collection, found, given.get("populate") == "*") for found in rows]
    bodies = [body for body in bodies if passes(body, filters)]
    if "sort" in given:
        name, _, order = given["sort"].partition(":")
        if name not in names:
            raise invalid_key(name)
        bodies.sort(key=lambda body: str(body.get(name)), reverse=order == "desc")
    size = min(int(given.get("pagination[pageSize]", given.get("pagination[limit]", 25))), 100)
    page = int(given.get("pagination[page]", 1))
    start = int(given.get("pagination[start]", (page - 1) * size))
    pages = -(-len(bodies) // size)
    return bodies[start:start + size], {"page": page, "pageSize": size, "pageCount": pages, "total": len(bodies)}


def upload(kind, content):
    count("files")
    whole = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + content)
    info, made = {}, []
    for piece in whole.get_payload() if whole.is_multipart() else []:
        name = piece.get_param("name", header="Content-Disposition")
        given = piece.get_payload(decode=True)
        if name == "fileInfo":
            info = json.loads(given)
        elif name == "files" and given:
            identity = random.choice(LETTERS) + "".join(random.choices(LETTERS + "0123456789", k=23))
            body = {"name": info.get("name", piece.get_filename()), "caption": info.get("caption"),
                    "alternativeText": info.get("alternativeText"), "mime": piece.get_content_type(),
                    "size": len(given) / 1000, "url": f"/uploads/{identity}", "provider": "local", "createdAt": now()}
            store.execute("INSERT INTO item(collection, id, body) VALUES('files', ?, ?)", (identity, json.dumps(body)))
            made.append(shown("files", row("files", identity), False))
    if not made:
        raise Refusal(400, "ValidationError", "Files are empty")
    return 201, made


def files(method, path, query, kind, content):
    if method == "POST" and not path:
        return upload(kind, content)
    if path[:1] != ["files"]:
        raise missing()
    if method == "GET" and len(path) == 1:
        return 200, find("files", query)[0]
    found = by_number("files", int(path[1])) if len(path) == 2 and path[1].isdigit() else None
    if not found:
        raise Refusal(404, "NotFoundError", "file.notFound")
    if method == "DELETE":
        count("deletes")
        store.execute("DELETE FROM item WHERE number = ?", (found[0],))
    return 200, shown("files", found, False)


def documents(method, collection, identity, user, query, body):
    if method == "GET":
        populates = dict(query).get("populate") == "*"
        if identity is None:
            bodies, pagination = find(collection, query)
            return 200, {"data": bodies, "meta": {"pagination": pagination}}
        count("reads")
        found = row(collection, identity)
        if not found:
            raise missing()
        return 200, {"data": shown(collection, found, populates), "meta": {}}
    if (method == "POST") != (identity is None):
        raise Refusal(405, "MethodNotAllowedError", "Method Not Allowed")
    count({"POST": "creates", "PUT": "updates", "DELETE": "deletes"}[method])
    if is_due("busy"):
        raise Refusal(429, "RateLimitError", "Too many requests, please try again later.")
    if user == READER:
        raise forbidden()
    if method == "DELETE":
        delete(collection, identity)
        return 204, None
    given = body.get("data") if isinstance(body, dict) else None
    found = create(collection, given) if method == "POST" else update(collection, identity, given)
    answer = {"data": shown(collection, found, dict(query).get("populate") == "*"), "meta": {}}
    return 201 if method == "POST" else 200, answer


class Server(StandIn):
    def outcome(self, content):
        address = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qsl(address.query)
        path = [urllib.parse.unquote(part) for part in address.path.split("/") if part]
        kind = self.headers.get("Content-Type") or ""
        if kind.startswith("application/json"):
            if len(content) > LARGEST_PAYLOAD:
                raise Refusal(413, "PayloadTooLargeError", "Entity too large")
            try:
                body = json.loads(content) if content else {}
            except ValueError:
                raise Refusal(400, "BadRequestError", "Bad Request") from None
        else:
            body = {}
        if path[:1] != ["api"] or len(path) < 2:
            raise missing()
        if path[1:] == ["auth", "local"] and self.command == "POST":
            return log_in(body)
        user = user_of(self.headers)
        if user is None:
            raise forbidden()
        if path[1:] == ["users", "me"] and user != ADMIN:
            return 200, person(user)
        if path[1:] == ["content-type-builder", "content-types"]:
            if user != ADMIN:
                raise forbidden()
            return content_types()
        if path[1] == "upload":
            if user == READER:
                raise forbidden()
            return files(self.command, path[2:], query, kind, content)
        if path[1] not in TYPES or len(path) > 3:
            raise missing()
        return documents(self.command, path[1], path[2] if len(path) == 3 else None, user, query, body)


serve(Server, PORT)
