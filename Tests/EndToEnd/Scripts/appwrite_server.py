#!/usr/bin/env python3
"""A stand-in for Appwrite 1.8, written from its documentation.

    appwrite_server.py FOLDER PORT

It keeps documents in FOLDER/appwrite.sqlite, so that another program can count them. What it does is written down at

    https://appwrite.io/docs/apis/rest                     headers, queries, permissions, files of at most 5 MB in one piece
    https://appwrite.io/docs/references/1.8.x/server-rest/databases   documents, one or many; 201 for PUT
    https://appwrite.io/docs/products/databases/legacy/bulk-operations   many at once, for API keys alone, all or none;
        a DELETE without queries deletes all; none for collections with relationships
    https://appwrite.io/docs/products/databases/queries    {"method", "attribute", "values"}
    https://appwrite.io/docs/products/databases/pagination 25 documents, limit, cursorAfter
    https://appwrite.io/docs/products/databases/permissions
    https://appwrite.io/docs/products/databases/documents  IDs of at most 36 letters, that begin with no special one
    https://appwrite.io/docs/references/1.8.x/server-rest/storage     POST, GET and DELETE of files in a bucket
    https://appwrite.io/docs/advanced/platform/response-codes         types of errors and their status
    https://appwrite.io/docs/advanced/platform/rate-limits            429 for clients, none for API keys
    https://appwrite.io/docs/advanced/platform/api-keys    scopes

Read in Appwrite's source, and not written down: 100 documents a request, an upsert keeps what it does not name of attributes
that are not required and refuses one that lacks a required one, it answers with those documents alone that it
changed, an unknown API key is a guest, and the words of refusals.

Its API keys are admin-key, which may do anything, reader-key, without documents.write, and any other is a guest's. Its users
are ada and bob. Relationships have no values here. Transactions, operators, teams, functions and TablesDB are left out.

The faults of /__set: {"busy": N} answers the next N writes by 503, {"most": N} takes no more documents of one
request.
"""

import datetime
import email
import json
import re
import sqlite3
import sys
import urllib.parse

import stand_in
from stand_in import StandIn, count, faults, is_due, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
PROJECT, DATABASE, BUCKET = "p1", "main", "files"
SCOPES = {
    "admin-key": {"documents.read", "documents.write", "collections.read", "files.read", "files.write"},
    "reader-key": {"documents.read", "collections.read"},
}
LARGEST_PIECE = 5_000_000
OWN = ("$id", "$permissions", "$createdAt", "$updatedAt", "$databaseId", "$collectionId", "$sequence")


def attribute(kind, **more):
    return {"type": kind, "status": "available", "required": False, "array": False, "default": None} | more


COLLECTIONS = {
    "folders": {"name": attribute("string", required=True, size=255)},
    "notes": {
        "title": attribute("string", required=True, size=255),
        "stars": attribute("integer", min=-2**63, max=2**63 - 1), "score": attribute("double"),
        "made": attribute("datetime"), "done": attribute("boolean"),
        "picture": attribute("string", size=65_535), "folder": attribute("string", size=36),
        "kept": attribute("string", size=64, default="theirs"),
    },
    "pictures": {"name": attribute("string", required=True, size=255), "photo": attribute("string", size=36)},
}
COLLECTIONS["linked"] = COLLECTIONS["notes"] | {
    "folder": attribute("relationship", relatedCollection="folders", relationType="manyToOne")
}

faults.update({"busy": 0, "most": 100})
store = sqlite3.connect(f"{FOLDER}/appwrite.sqlite", check_same_thread=False, isolation_level=None)
store.execute("PRAGMA journal_mode = WAL")
store.execute(
    "CREATE TABLE IF NOT EXISTS item(number INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, id TEXT NOT NULL,"
    " body TEXT NOT NULL, UNIQUE(collection, id))"
)


class Refusal(stand_in.Refusal):
    def __init__(self, status, kind, message):
        super().__init__(status, {"message": message, "code": status, "type": kind, "version": "1.8.0"})


def structure(message):
    return Refusal(400, "document_invalid_structure", f"Invalid document structure: {message}")


def argument(name, message):
    return Refusal(400, "general_argument_invalid", f"Invalid `{name}` param: {message}")


def missing():
    return Refusal(404, "document_not_found", "Document with the requested ID could not be found.")


def stamp(moment):
    utc = moment.astimezone(datetime.timezone.utc)
    return utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03}+00:00"


def now():
    return stamp(datetime.datetime.now(datetime.timezone.utc))


def allow(key, scope):
    if scope in SCOPES.get(key, ()):
        return
    role = "applications" if key in SCOPES else "guests"
    who = "app.p1@service.cloud.appwrite.io" if key in SCOPES else "User"
    raise Refusal(401, "general_unauthorized_scope", f'{who} (role: {role}) missing scopes (["{scope}"])')


def identity(given):
    if not isinstance(given, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,35}", given):
        raise argument("documentId", "Parameter must contain at most 36 chars. Valid chars are a-z, A-Z, 0-9, period, "
                       "hyphen, and underscore. Can't start with a special char")
    return given


def value(name, kind, given):
    """A value as the attribute keeps it."""
    if given is None:
        return None
    plain = {"string": (str, "a valid string"), "boolean": (bool, "a valid boolean"), "datetime": (str, "a valid date"),
             "integer": (int, "a valid integer"), "double": ((int, float), "a valid float")}.get(kind["type"])
    if plain is None:
        return given
    words = f'Attribute "{name}" has invalid type. Value must be {plain[1]}'
    if not isinstance(given, plain[0]) or kind["type"] in ("integer", "double") and isinstance(given, bool):
        raise structure(words)
    if kind["type"] == "string" and len(given) > kind["size"]:
        raise structure(f"{words} and no longer than {kind['size']} chars")
    if kind["type"] == "integer" and not kind["min"] <= given <= kind["max"]:
        raise structure(f'Attribute "{name}" has invalid format. Value must be a valid range')
    if kind["type"] == "datetime":
        try:
            return stamp(datetime.datetime.fromisoformat(given.replace("Z", "+00:00")))
        except ValueError:
            raise structure(words) from None
    return given


def permissions(given):
    for text in given or []:
        if not re.fullmatch(r'(read|create|update|delete|write)\("[a-z]+(:[\w.-]+)?(/\w+)?"\)', str(text)):
            raise argument("permissions", "Permissions must be one of: (create, read, update, delete, write) and a role")
    return given


def checked(collection, given):
    attributes = COLLECTIONS[collection]
    body = {}
    for name, content in given.items():
        if name in OWN:
            continue
        if name not in attributes:
            raise structure(f'Unknown attribute: "{name}"')
        body[name] = value(name, attributes[name], content)
    return body


def whole(collection, body):
    for name, kind in COLLECTIONS[collection].items():
        if kind["required"] and body.get(name) is None:
            raise structure(f'Missing required attribute "{name}"')
    return body


def row(collection, given):
    found = store.execute("SELECT number, body FROM item WHERE collection = ? AND id = ?", (collection, given)).fetchone()
    return (found[0], json.loads(found[1])) if found else None


def shown(collection, given):
    number, body = row(collection, given)
    return body | {"$sequence": number, "$databaseId": DATABASE, "$collectionId": collection}


def save(collection, given, body):
    store.execute(
        "INSERT INTO item(collection, id, body) VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
        (collection, given, json.dumps(body, sort_keys=True, ensure_ascii=False)),
    )
    return shown(collection, given)


def create(collection, given, granted):
    document = identity(given.get("$id"))
    if row(collection, document):
        raise Refusal(409, "document_already_exists", "Document with the requested ID already exists. Try again with a "
                      "different ID or use ID.unique() to generate a unique ID.")
    body = {name: kind["default"] for name, kind in COLLECTIONS[collection].items()} | checked(collection, given)
    moment = now()
    own = {"$id": document, "$permissions": permissions(granted) or [], "$createdAt": moment, "$updatedAt": moment}
    return save(collection, document, whole(collection, body) | own)


def upsert(collection, given):
    document = identity(given.get("$id"))
    found = row(collection, document)
    if not found:
        return create(collection, given, given.get("$permissions"))
    old, body = found[1], checked(collection, given)
    for name, kind in COLLECTIONS[collection].items():
        if name not in body and not kind["required"]:
            body[name] = old.get(name)
    if all(old.get(name) == content for name, content in body.items()):
        return None
    granted = permissions(given["$permissions"]) if "$permissions" in given else old["$permissions"]
    own = {"$id": document, "$permissions": granted, "$createdAt": old["$createdAt"], "$updatedAt": now()}
    return save(collection, document, whole(collection, body) | own)


def parsed(texts):
    queries = []
    for text in texts:
        if len(text) > 4096:
            raise argument("queries", "Value must be a valid string and at least 1 chars and no longer than 4096 chars")
        try:
            query = json.loads(text)
            queries.append((query["method"], query.get("attribute"), query.get("values", [])))
        except (ValueError, KeyError, TypeError):
            raise Refusal(400, "general_query_invalid", "Invalid query: Syntax error") from None
    return queries


def selected(collection, queries):
    """The IDs that the queries select, in their order, a page of them."""
    names = {*OWN, *COLLECTIONS[collection]}
    limit, cursor, order, tests = 25, None, None, []
    for method, name, values in queries:
        if name is not None and name not in names:
            raise Refusal(400, "general_query_invalid", f"Invalid query: Attribute not found in schema: {name}")
        if method == "limit":
            limit = values[0]
        elif method == "cursorAfter":
            cursor = values[0]
        elif method == "orderAsc":
            order = name
        elif method in ("equal", "greaterThanEqual"):
            if len(values) > 100:
                raise Refusal(400, "general_query_invalid", f"Invalid query: Query on attribute has greater than 100 values: {name}")
            tests.append((method, name, values))
        else:
            raise Refusal(400, "general_query_invalid", f"Invalid query method: {method}")
    rows = store.execute("SELECT number, body FROM item WHERE collection = ? ORDER BY number", (collection,)).fetchall()
    bodies = [json.loads(text) for _, text in rows]
    for method, name, values in tests:
        bodies = [body for body in bodies
                  if (body.get(name) in values if method == "equal" else (body.get(name) or "") >= values[0])]
    if order:
        bodies.sort(key=lambda body: str(body.get(order)))
    total = len(bodies)
    if cursor is not None:
        places = [place for place, body in enumerate(bodies) if body["$id"] == cursor]
        if not places:
            raise Refusal(400, "general_cursor_not_found", f"Document '{cursor}' for the 'cursor' value not found.")
        bodies = bodies[places[0] + 1:]
    return total, [body["$id"] for body in bodies], limit


def texts_of(query):
    return [content for name, content in query if re.fullmatch(r"queries\[\d*\]", name)]


def bulk(method, collection, body):
    """All of them, or none."""
    if any(kind["type"] == "relationship" for kind in COLLECTIONS[collection].values()):
        word = {"POST": "create", "PUT": "upsert", "DELETE": "delete"}[method]
        raise Refusal(400, "general_bad_request", f"Bulk {word} is not supported for databases with relationship attributes")
    if method == "DELETE":
        _, found, _ = selected(collection, parsed(body.get("queries", [])))
        documents = [shown(collection, document) for document in found]
        store.executemany("DELETE FROM item WHERE collection = ? AND id = ?", [(collection, document) for document in found])
        return 200, {"total": len(documents), "documents": documents[:100]}
    given = body["documents"]
    if not isinstance(given, list) or len(given) > faults["most"]:
        raise argument("documents", f"Value must a valid array no longer than {faults['most']} items")
    store.execute("BEGIN IMMEDIATE")
    try:
        if method == "POST":
            documents = [create(collection, document, document.get("$permissions")) for document in given]
        else:
            documents = [made for made in (upsert(collection, document) for document in given) if made]
        store.execute("COMMIT")
    except BaseException:
        store.execute("ROLLBACK")
        raise
    return 201, {"total": len(documents), "documents": documents}


def single(method, collection, document, body):
    if method == "POST":
        return 201, create(collection, body.get("data", {}) | {"$id": body.get("documentId")}, body.get("permissions"))
    if document is None:
        raise argument("documents", "Value must a valid array")
    found = row(collection, document)
    if not found:
        raise missing()
    if method == "DELETE":
        store.execute("DELETE FROM item WHERE collection = ? AND id = ?", (collection, document))
        return 204, None
    changed = found[1] | checked(collection, body.get("data", {})) | {"$updatedAt": now()}
    return 200, save(collection, document, whole(collection, changed))


def documents(method, collection, path, key, query, body):
    if collection not in COLLECTIONS:
        raise Refusal(404, "collection_not_found", "Collection with the requested ID could not be found.")
    if method == "GET":
        allow(key, "documents.read")
        count("reads")
        if path:
            if not row(collection, path[0]):
                raise missing()
            return 200, shown(collection, path[0])
        total, found, limit = selected(collection, parsed(texts_of(query)))
        return 200, {"total": total, "documents": [shown(collection, document) for document in found[:limit]]}
    allow(key, "documents.write")
    count({"POST": "creates", "PUT": "updates", "PATCH": "updates", "DELETE": "deletes"}[method])
    if is_due("busy"):
        raise Refusal(503, "general_service_unavailable", "The service is currently unavailable.")
    if not path and (method in ("PUT", "DELETE") or "documents" in body):
        return bulk(method, collection, body)
    return single(method, collection, path[0] if path else None, body)


def upload(kind, content):
    count("files")
    whole = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + content)
    fields, file = {}, None
    for piece in whole.get_payload() if whole.is_multipart() else []:
        name = piece.get_param("name", header="Content-Disposition")
        if piece.get_filename() is None:
            fields.setdefault(name, []).append(piece.get_payload(decode=True).decode())
        elif name == "file":
            file = piece
    if file is None:
        raise Refusal(400, "storage_file_empty", "Empty file passed to the endpoint.")
    if len(content) > LARGEST_PIECE:
        raise Refusal(413, "general_bad_request", "Payload too large")
    document = identity((fields.get("fileId") or [None])[0])
    if row("$files", document):
        raise Refusal(409, "storage_file_already_exists", "A storage file with the requested ID already exists.")
    given = file.get_payload(decode=True)
    body = {"$id": document, "bucketId": BUCKET, "name": file.get_filename(), "mimeType": file.get_content_type(),
            "sizeOriginal": len(given), "$permissions": permissions(fields.get("permissions[]")), "$createdAt": now()}
    store.execute("INSERT INTO item(collection, id, body) VALUES('$files', ?, ?)", (document, json.dumps(body)))
    return 201, body


def files(method, path, key, kind, content):
    if path[:1] != [BUCKET]:
        raise Refusal(404, "storage_bucket_not_found", "Storage bucket with the requested ID could not be found.")
    allow(key, "files.read" if method == "GET" else "files.write")
    if method == "POST" and len(path) == 2:
        return upload(kind, content)
    found = row("$files", path[2]) if len(path) == 3 else None
    if not found:
        raise Refusal(404, "storage_file_not_found", "The requested file could not be found.")
    if method == "DELETE":
        count("deletes")
        store.execute("DELETE FROM item WHERE number = ?", (found[0],))
        return 204, None
    return 200, found[1]


class Server(StandIn):
    def outcome(self, content):
        address = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qsl(address.query)
        path = [urllib.parse.unquote(part) for part in address.path.split("/") if part]
        kind = self.headers.get("Content-Type") or ""
        try:
            body = json.loads(content) if content and kind.startswith("application/json") else {}
        except ValueError:
            raise Refusal(400, "general_argument_invalid", "Invalid JSON") from None
        if path[:1] != ["v1"]:
            raise Refusal(404, "general_route_not_found", "Not Found")
        if self.headers.get("X-Appwrite-Project") != PROJECT:
            raise Refusal(404, "project_not_found", "Project with the requested ID could not be found. Please check the "
                          "value of the X-Appwrite-Project header to ensure the correct project ID is being used.")
        key, path = self.headers.get("X-Appwrite-Key"), path[1:]
        if path[:2] == ["storage", "buckets"]:
            return files(self.command, path[2:], key, kind, content)
        if path[:1] != ["databases"] or len(path) < 3 or path[2] != "collections":
            raise Refusal(404, "general_route_not_found", "Not Found")
        if path[1] != DATABASE:
            raise Refusal(404, "database_not_found", "Database not found")
        if len(path) == 3 and self.command == "GET":
            allow(key, "collections.read")
            collections = [
                {"$id": name, "databaseId": DATABASE, "name": name, "enabled": True, "documentSecurity": True,
                 "attributes": [{"key": key} | kind for key, kind in attributes.items()]}
                for name, attributes in COLLECTIONS.items()
            ]
            return 200, {"total": len(collections), "collections": collections}
        if len(path) in (5, 6) and path[4] == "documents":
            return documents(self.command, path[3], path[5:], key, query, body)
        raise Refusal(404, "general_route_not_found", "Not Found")


serve(Server, PORT)
