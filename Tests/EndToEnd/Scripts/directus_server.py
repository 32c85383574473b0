#!/usr/bin/env python3
"""A stand-in for Directus 11, written from its documentation.

    directus_server.py FOLDER PORT

It keeps items in FOLDER/directus.sqlite, so that another program can count them. What it does is written down at

    https://directus.io/docs/api/authentication          POST /auth/login: access_token, expires in milliseconds
    https://directus.io/docs/guides/auth/tokens-cookies  temporary tokens are JSON Web Tokens; static tokens of users
    https://directus.io/docs/api/items                   items: one or an array for create, change and delete
    https://directus.io/docs/api/fields                  GET /fields
    https://directus.io/docs/api/users                   GET /users/me
    https://directus.io/docs/api/files                   POST /files as a form, whose file comes last; GET and DELETE
    https://directus.io/docs/guides/connect/query-parameters   fields, filter, sort, limit (100), offset
    https://directus.io/docs/guides/connect/filter-rules       _eq, _in, _gte, _and, _or
    https://directus.io/docs/guides/connect/errors       codes and their status; 403 for an item that is not there
    https://directus.io/docs/configuration/general       MAX_PAYLOAD_SIZE: 1mb, then 413
    https://directus.io/docs/configuration/security-limits     MAX_BATCH_MUTATION, ACCESS_TOKEN_TTL

Its users are ada@example.com (correct-horse), who may do anything with the items of her own, bob@example.com
(battery-staple), the same with his, eve@example.com (stranger), who may read but not write, and the administrator
with the static token admin-token, who sees all.

Not written down, and so a guess: an array is one transaction, as the source of Directus has it. Relations to many,
singletons, folders of files, revisions, flows and GraphQL are left out. A timestamp comes back with milliseconds and Z.

The faults of /__set: {"busy": N} answers the next N writes by 429, {"expiring": N} makes all tokens expire that were
given before N more requests, and {"most": N} takes no more items of one request.
"""

import base64
import datetime
import email
import json
import re
import sqlite3
import sys
import time
import urllib.parse
import uuid

import stand_in
from stand_in import StandIn, count, faults, is_due, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
USERS = {
    "ada@example.com": ("correct-horse", "0d1c7f2a-0000-4000-8000-0000000000ad"),
    "bob@example.com": ("battery-staple", "0d1c7f2a-0000-4000-8000-0000000000b0"),
    "eve@example.com": ("stranger", "0d1c7f2a-0000-4000-8000-0000000000ee"),
}
READER = USERS["eve@example.com"][1]
ADMIN = "admin"
LARGEST_PAYLOAD = 1 << 20

# field: (type, is required, longest, collection that it names, what Directus fills it with)
OWN = {"user_created": ("uuid", False, None, "directus_users", "user-created"),
       "date_created": ("timestamp", False, None, None, "date-created"),
       "date_updated": ("timestamp", False, None, None, "date-updated")}
COLLECTIONS = {
    "folders": {"id": ("uuid", True, None, None, None), "name": ("string", True, 255, None, None)} | OWN,
    "notes": {
        "id": ("uuid", True, None, None, None), "title": ("string", True, 255, None, None),
        "stars": ("integer", False, None, None, None), "score": ("float", False, None, None, None),
        "made": ("timestamp", False, None, None, None), "done": ("boolean", False, None, None, None),
        "picture": ("text", False, None, None, None), "folder": ("uuid", False, None, "folders", None),
    } | OWN,
    "pictures": {
        "id": ("uuid", True, None, None, None), "name": ("string", True, 255, None, None),
        "photo": ("uuid", False, None, "directus_files", None),
    } | OWN,
}
FILE = ("id", "title", "description", "filename_download", "type", "filesize", "uploaded_by")

faults.update({"busy": 0, "most": 1 << 30, "expiring": 0})
expired_before = 0.0
store = sqlite3.connect(f"{FOLDER}/directus.sqlite", check_same_thread=False, isolation_level=None)
store.execute("PRAGMA journal_mode = WAL")
store.execute(
    "CREATE TABLE IF NOT EXISTS item(collection TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, body TEXT NOT NULL,"
    " PRIMARY KEY(collection, id))"
)


class Refusal(stand_in.Refusal):
    def __init__(self, status, code, message, **more):
        super().__init__(status, {"errors": [{"message": message, "extensions": {"code": code} | more}]})


def forbidden(what="perform this action"):
    return Refusal(403, "FORBIDDEN", f"You don't have permission to {what}.")


def stamp(moment):
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def log_in(body):
    count("logins")
    password, user = USERS.get(body.get("email"), (None, None))
    if password is None or body.get("password") != password:
        raise Refusal(401, "INVALID_CREDENTIALS", "Invalid user credentials.")
    issued = time.time()
    claims = {"id": user, "role": "r1", "app_access": False, "iat": issued, "exp": int(issued) + 900, "iss": "directus"}
    token = f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.c2lnbmF0dXJl"
    return 200, {"data": {"access_token": token, "expires": 900_000, "refresh_token": "r-" + user}}


def user_of(headers):
    scheme, _, token = (headers.get("Authorization") or "").partition(" ")
    if scheme != "Bearer":
        return None
    if token == "admin-token":
        return ADMIN
    global expired_before
    if faults["expiring"] > 0:
        faults["expiring"] -= 1
        if faults["expiring"] == 0:
            expired_before = time.time()
    try:
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    except (IndexError, ValueError):
        raise Refusal(401, "INVALID_CREDENTIALS", "Invalid user credentials.") from None
    if claims["exp"] < time.time() or claims["iat"] < expired_before:
        raise Refusal(401, "TOKEN_EXPIRED", "Token expired.")
    return claims["id"]


def fields():
    rows = []
    for collection, columns in COLLECTIONS.items():
        for name, (kind, required, longest, target, special) in columns.items():
            rows.append({
                "collection": collection, "field": name, "type": kind,
                "meta": {"collection": collection, "field": name, "special": [special] if special else None,
                         "required": required and name != "id"},
                "schema": {"name": name, "table": collection, "data_type": kind, "default_value": None,
                           "max_length": longest, "is_nullable": not required, "is_primary_key": name == "id",
                           "has_auto_increment": False, "foreign_key_table": target,
                           "foreign_key_column": "id" if target else None},
            })
    rows.append({"collection": "folders", "field": "notes", "type": "alias", "schema": None,
                 "meta": {"collection": "folders", "field": "notes", "special": ["o2m"]}})
    rows.append({"collection": "directus_users", "field": "id", "type": "uuid", "meta": None,
                 "schema": {"name": "id", "table": "directus_users", "is_primary_key": True, "is_nullable": False}})
    return 200, {"data": rows}


def row(collection, item_id):
    return store.execute("SELECT owner, body FROM item WHERE collection = ? AND id = ?", (collection, item_id)).fetchone()


def value(collection, name, given):
    """A value as the column keeps it."""
    kind, required, longest, target, _ = COLLECTIONS[collection][name]
    place = {"collection": collection, "field": name}
    if given is None:
        if required:
            raise Refusal(400, "NOT_NULL_VIOLATION", f'Value for field "{name}" in collection "{collection}" can\'t be null.',
                          **place)
        return None
    if kind in ("string", "text") and not isinstance(given, str) or kind == "boolean" and not isinstance(given, bool):
        raise Refusal(400, "INVALID_PAYLOAD", f'Invalid payload. "{name}" must be a {kind}.')
    if kind in ("integer", "float") and (isinstance(given, bool) or not isinstance(given, (int, float))):
        raise Refusal(400, "INVALID_PAYLOAD", f'Invalid payload. "{name}" must be a number.')
    if kind == "integer" and not -2_147_483_648 <= given <= 2_147_483_647:
        raise Refusal(400, "VALUE_OUT_OF_RANGE", f'Value for field "{name}" in collection "{collection}" is out of range.',
                      **place)
    if kind == "uuid" and not re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", str(given)):
        raise Refusal(400, "INVALID_PAYLOAD", f'Invalid payload. "{name}" must be a valid UUID.')
    if longest and len(given) > longest:
        raise Refusal(400, "VALUE_TOO_LONG", f'Value for field "{name}" in collection "{collection}" is too long.', **place)
    if kind == "timestamp":
        try:
            return stamp(datetime.datetime.fromisoformat(given.replace("Z", "+00:00")))
        except ValueError:
            raise Refusal(400, "INVALID_PAYLOAD", f'Invalid payload. "{name}" has an invalid date.') from None
    if target in (*COLLECTIONS, "directus_files") and not row(target, given):
        raise Refusal(400, "INVALID_FOREIGN_KEY", f'Invalid foreign key for field "{name}" in collection "{collection}".',
                      **place)
    return given.lower() if kind == "uuid" else float(given) if kind == "float" else given


def checked(collection, given):
    if not isinstance(given, dict):
        raise Refusal(400, "INVALID_PAYLOAD", "Invalid payload. An item is an object.")
    for name in given:
        if name not in COLLECTIONS[collection]:
            raise forbidden(f'access field "{name}" in collection "{collection}" or it does not exist')
    return {name: value(collection, name, content) for name, content in given.items()}


def save(collection, item_id, owner, body):
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    store.execute("INSERT OR REPLACE INTO item VALUES(?, ?, ?, ?)", (collection, item_id, owner, text))
    return body


def create(collection, user, given):
    body = checked(collection, given)
    item_id = body.get("id")
    if not item_id:
        raise Refusal(400, "NOT_NULL_VIOLATION", f'Value for field "id" in collection "{collection}" can\'t be null.')
    for name, column in COLLECTIONS[collection].items():
        if column[1] and name not in body:
            raise Refusal(400, "FAILED_VALIDATION", f'Validation failed for field "{name}". Value is required.', field=name)
    if row(collection, item_id):
        raise Refusal(400, "RECORD_NOT_UNIQUE", f'Value for field "id" in collection "{collection}" has to be unique.',
                      collection=collection, field="id")
    whole = {name: None for name in COLLECTIONS[collection]} | body
    whole |= {"user_created": user, "date_created": stamp(datetime.datetime.now(datetime.timezone.utc))}
    return save(collection, item_id, user, whole)


def own(collection, user, item_id):
    found = row(collection, item_id)
    if not found or user not in (ADMIN, found[0]):
        raise forbidden(f'access item "{item_id}" in collection "{collection}" or it does not exist')
    return found[0], json.loads(found[1])


def update(collection, user, given):
    item_id = str(given.get("id", "")).lower()
    owner, body = own(collection, user, item_id)
    body |= checked(collection, given)
    body["date_updated"] = stamp(datetime.datetime.now(datetime.timezone.utc))
    return save(collection, item_id, owner, body)


def delete(collection, user, item_id):
    own(collection, user, str(item_id).lower())
    for other, columns in COLLECTIONS.items():
        for name, column in columns.items():
            if column[3] == collection and store.execute(
                f"SELECT 1 FROM item WHERE collection = ? AND body ->> '$.{name}' = ?", (other, item_id)
            ).fetchone():
                raise Refusal(400, "INVALID_FOREIGN_KEY", f'Invalid foreign key for field "{name}" in collection "{other}".')
    store.execute("DELETE FROM item WHERE collection = ? AND id = ?", (collection, str(item_id).lower()))


def write(method, collection, user, body):
    """An array is one transaction."""
    count({"POST": "creates", "PATCH": "updates", "DELETE": "deletes"}[method])
    if is_due("busy"):
        raise Refusal(429, "REQUESTS_EXCEEDED", "Too many requests, retry after 1000ms.")
    if user == READER:
        raise forbidden(f'"{dict(POST="create", PATCH="update", DELETE="delete")[method]}" in collection "{collection}"')
    given = body if isinstance(body, list) else [body]
    if len(given) > faults["most"]:
        raise Refusal(400, "INVALID_PAYLOAD", f"Invalid payload. Exceeded max batch mutation limit of {faults['most']}.")
    action = {"POST": create, "PATCH": update, "DELETE": delete}[method]
    store.execute("BEGIN IMMEDIATE")
    try:
        results = [action(collection, user, item) for item in given]
        store.execute("COMMIT")
    except BaseException:
        store.execute("ROLLBACK")
        raise
    if method == "DELETE":
        return 204, None
    return 200, {"data": results if isinstance(body, list) else results[0]}


def upload(user, kind, content):
    """A form: what it says of the file comes before the file."""
    count("files")
    whole = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + content)
    if not whole.is_multipart():
        raise Refusal(400, "INVALID_PAYLOAD", "Invalid payload. No file was included in the body.")
    body = {name: None for name in FILE} | {"id": str(uuid.uuid4()), "uploaded_by": user}
    for part in whole.get_payload():
        name = part.get_param("name", header="Content-Disposition")
        given = part.get_payload(decode=True)
        if part.get_filename() is None:
            body[name] = given.decode()
            continue
        body |= {"filename_download": part.get_filename(), "type": part.get_content_type(), "filesize": len(given)}
        return 200, {"data": save("directus_files", body["id"], user, body)}
    raise Refusal(400, "INVALID_PAYLOAD", "Invalid payload. No file was included in the body.")


def files(method, path, user, query, kind, content):
    if method == "POST":
        return upload(user, kind, content)
    if method == "GET" and not path:
        return read("directus_files", user, query)
    own("directus_files", user, path[0])
    if method == "GET":
        return 200, {"data": own("directus_files", user, path[0])[1]}
    count("deletes")
    store.execute("DELETE FROM item WHERE collection = 'directus_files' AND id = ?", (path[0],))
    return 204, None


def passes(body, rule):
    for name, test in rule.items():
        if name in ("_and", "_or"):
            if not (all if name == "_and" else any)(passes(body, inner) for inner in test):
                return False
            continue
        for operator, wanted in test.items():
            found = body.get(name)
            if operator == "_eq" and str(found) != str(wanted):
                return False
            if operator == "_in" and str(found) not in (wanted.split(",") if isinstance(wanted, str) else wanted):
                return False
            if operator == "_gte" and (found is None or found < wanted):
                return False
    return True


def read(collection, user, query):
    count("reads")
    rule = json.loads(query["filter"]) if "filter" in query else {}
    for name, content in query.items():
        match = re.fullmatch(r"filter\[(\w+)\]\[(\w+)\]", name)
        if match:
            rule.setdefault(match[1], {})[match[2]] = content
    for name in rule:
        if name not in COLLECTIONS.get(collection, FILE) and not name.startswith("_"):
            raise forbidden(f'access field "{name}" in collection "{collection}" or it does not exist')
    rows = store.execute("SELECT owner, body FROM item WHERE collection = ? ORDER BY id", (collection,)).fetchall()
    found = [json.loads(body) for owner, body in rows if user in (ADMIN, READER, owner)]
    found = [body for body in found if passes(body, rule)]
    start, limit = int(query.get("offset", 0)), int(query.get("limit", 100))
    return 200, {"data": found[start:] if limit < 0 else found[start:start + limit]}


class Server(StandIn):
    kind = "application/json; charset=utf-8"

    def outcome(self, content):
        address = urllib.parse.urlsplit(self.path)
        query = {name: values[0] for name, values in urllib.parse.parse_qs(address.query).items()}
        path = [urllib.parse.unquote(part) for part in address.path.split("/") if part]
        if len(content) > LARGEST_PAYLOAD:
            raise Refusal(413, "CONTENT_TOO_LARGE", "Uploaded content is too large.")
        if path[:1] == ["files"]:
            user = user_of(self.headers)
            if user in (None, READER):
                raise forbidden()
            return files(self.command, path[1:], user, query, self.headers.get("Content-Type") or "", content)
        try:
            body = json.loads(content) if content else {}
        except ValueError:
            raise Refusal(400, "INVALID_PAYLOAD", "Invalid payload. Unexpected token in JSON.") from None
        if path == ["auth", "login"] and self.command == "POST":
            return log_in(body)
        user = user_of(self.headers)
        if path == ["users", "me"] and self.command == "GET":
            if user is None:
                raise Refusal(401, "INVALID_CREDENTIALS", "Invalid user credentials.")
            address = next((address for address, known in USERS.items() if known[1] == user), "admin@example.com")
            return 200, {"data": {"id": user, "email": address}}
        if path == ["fields"] and self.command == "GET":
            if user != ADMIN:
                raise forbidden()
            return fields()
        if len(path) >= 2 and path[0] == "items":
            if path[1] not in COLLECTIONS or user is None:
                raise forbidden(f'access collection "{path[1]}" or it does not exist')
            if self.command == "GET" and len(path) == 2:
                return read(path[1], user, query)
            if self.command == "GET":
                return 200, {"data": own(path[1], user, path[2].lower())[1]}
            if len(path) == 3:
                body = path[2] if self.command == "DELETE" else body | {"id": path[2]}
            if self.command in ("POST", "PATCH", "DELETE"):
                return write(self.command, path[1], user, body)
        raise Refusal(404, "ROUTE_NOT_FOUND", f"Route {address.path} doesn't exist.")


serve(Server, PORT)
