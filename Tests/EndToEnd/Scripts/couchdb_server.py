#!/usr/bin/env python3
"""A stand-in for CouchDB 3, written from its documentation.

    couchdb_server.py FOLDER PORT

It keeps documents in FOLDER/couchdb.sqlite, so that another program can count them. What it does is written down at

    https://docs.couchdb.org/en/stable/api/database/common.html         databases, their names, 404, 412
    https://docs.couchdb.org/en/stable/api/database/bulk-api.html       _all_docs, _bulk_docs: not atomic, an error a document
    https://docs.couchdb.org/en/stable/api/database/changes.html        _changes: since, limit, pending, tombstones
    https://docs.couchdb.org/en/stable/api/database/security.html       members: 403 for anybody else
    https://docs.couchdb.org/en/stable/api/document/common.html         documents, their special members, 409
    https://docs.couchdb.org/en/stable/api/server/authn.html            Basic authentication, _session
    https://docs.couchdb.org/en/stable/config/couchdb.html              max_document_size: 413, and 8,000,000 bytes
    https://docs.couchdb.org/en/stable/json-structure.html              the forms of answers
    https://docs.couchdb.org/en/stable/ddocs/ddocs.html#validate-document-update-functions

Its administrator is admin (relax). Members of every database are ada (correct-horse) and bob (battery-staple); eve
(stranger) is none.

In place of JavaScript it has one rule: while a database has _design/rules, a document whose title begins with “forbidden”
is refused by {"forbidden": "no such title"}.

Not written down, and so a guess: a database that was made anew answers an update sequence of the old one with everything.
The size of a document is that of its JSON. Attachments are kept as stubs only. Views, filters, replication, conflicts
of replication, purging and partitions are left out.

The answers of _bulk_docs come in another order than its documents, as nothing promises one.
"""

import base64
import hashlib
import json
import re
import sqlite3
import sys
import urllib.parse

import stand_in
from stand_in import StandIn, count, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
USERS = {"admin": "relax", "ada": "correct-horse", "bob": "battery-staple", "eve": "stranger"}
MEMBERS = {"admin", "ada", "bob"}
LARGEST_DOCUMENT = 8_000_000
SPECIAL = {"_id", "_rev", "_deleted", "_attachments", "_revisions"}

store = sqlite3.connect(f"{FOLDER}/couchdb.sqlite", check_same_thread=False, isolation_level=None)
store.execute("PRAGMA journal_mode = WAL")
store.executescript("""
    CREATE TABLE IF NOT EXISTS db(name TEXT PRIMARY KEY, seq INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS doc(db TEXT NOT NULL, id TEXT NOT NULL, rev TEXT NOT NULL, deleted INTEGER NOT NULL,
        seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY(db, id));
""")


class Refusal(stand_in.Refusal):
    def __init__(self, status, error, reason):
        super().__init__(status, {"error": error, "reason": reason})


CONFLICT = {"error": "conflict", "reason": "Document update conflict."}


def update_sequence(number):
    """An opaque text that begins with a number."""
    return f"{number}-g1AAAA{hashlib.sha256(str(number).encode()).hexdigest()}"


def number_of(since):
    if since in ("", "0"):
        return 0
    match = re.fullmatch(r"(\d+)(-\w+)?", since)
    if not match:
        raise Refusal(400, "bad_request", "Malformed sequence supplied in 'since' parameter.")
    return int(match[1])


def find(db, doc_id):
    return store.execute("SELECT rev, deleted, seq, body FROM doc WHERE db = ? AND id = ?", (db, doc_id)).fetchone()


def shown(doc_id, found):
    return {"_id": doc_id, "_rev": found[0]} | json.loads(found[3])


def check(doc):
    """What refuses a whole request."""
    if not isinstance(doc, dict):
        raise Refusal(400, "bad_request", "Document must be a JSON object")
    for name in doc:
        if name.startswith("_") and name not in SPECIAL:
            raise Refusal(400, "doc_validation", f"Bad special document member: {name}")
    doc_id = doc.get("_id")
    if not isinstance(doc_id, str) or not doc_id:
        raise Refusal(400, "illegal_docid", "Document id must be a non-empty string")
    if doc_id.startswith("_") and not doc_id.startswith(("_design/", "_local/")):
        raise Refusal(400, "illegal_docid", "Only reserved document ids may start with underscore.")
    if "_rev" in doc and not re.fullmatch(r"\d+-[0-9a-f]{32}", str(doc["_rev"])):
        raise Refusal(400, "bad_request", "Invalid rev format")
    if len(json.dumps(doc, ensure_ascii=False).encode()) > LARGEST_DOCUMENT:
        raise Refusal(413, "document_too_large", doc_id)


def save(db, user, doc):
    """The answer for one document: its new revision, or why it was not saved."""
    doc_id, found = doc["_id"], find(db, doc["_id"])
    wanted = doc.get("_rev")
    if found and not found[1] and wanted != found[0] or (not found or found[1]) and wanted not in (None, found and found[0]):
        return {"id": doc_id} | CONFLICT
    if doc_id.startswith("_design/") and user != "admin":
        return {"id": doc_id, "error": "unauthorized", "reason": "You are not a db or server admin."}
    if find(db, "_design/rules") and str(doc.get("title", "")).startswith("forbidden"):
        return {"id": doc_id, "error": "forbidden", "reason": "no such title"}
    deleted = doc.get("_deleted") is True
    body = {name: value for name, value in doc.items() if name not in ("_id", "_rev", "_deleted", "_revisions")}
    if "_attachments" in body and not all(stub.get("stub") for stub in body["_attachments"].values()):
        return {"id": doc_id, "error": "missing_stub", "reason": "the stand-in takes stubs only"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    generation = int(found[0].split("-")[0]) + 1 if found else 1
    digest = hashlib.md5(f"{found and found[0]} {deleted} {text}".encode()).hexdigest()
    rev = f"{generation}-{digest}"
    store.execute("UPDATE db SET seq = seq + 1 WHERE name = ?", (db,))
    store.execute(
        "INSERT OR REPLACE INTO doc SELECT ?, ?, ?, ?, seq, ? FROM db WHERE name = ?",
        (db, doc_id, rev, deleted, text, db),
    )
    return {"ok": True, "id": doc_id, "rev": rev}


def bulk_docs(db, user, body):
    count("_bulk_docs")
    docs = body.get("docs") if isinstance(body, dict) else None
    if not isinstance(docs, list):
        raise Refusal(400, "bad_request", "POST body must include `docs` parameter.")
    for doc in docs:
        check(doc)
    # Not atomic: each document is saved, or not, by itself.
    return 201, [save(db, user, doc) for doc in docs][::-1]


def all_docs(db, query, body):
    count("_all_docs")
    with_docs = query.get("include_docs") == "true"
    keys = (body or {}).get("keys")
    if "key" in query:
        keys = [json.loads(query["key"])]
        found = find(db, keys[0])
        if not found or found[1]:
            keys = []
    if keys is None:
        rows = store.execute("SELECT id FROM doc WHERE db = ? AND NOT deleted ORDER BY id", (db,)).fetchall()
        start, limit = int(query.get("skip", 0)), int(query.get("limit", 1 << 40))
        keys = [row[0] for row in rows][start:start + limit]
    rows = []
    for key in keys:
        found = find(db, key)
        if not found:
            rows.append({"key": key, "error": "not_found"})
        elif found[1]:
            rows.append({"id": key, "key": key, "value": {"rev": found[0], "deleted": True}}
                        | ({"doc": None} if with_docs else {}))
        else:
            rows.append({"id": key, "key": key, "value": {"rev": found[0]}}
                        | ({"doc": shown(key, found)} if with_docs else {}))
    total = store.execute("SELECT count(*) FROM doc WHERE db = ? AND NOT deleted", (db,)).fetchone()[0]
    return 200, {"total_rows": total, "offset": 0, "rows": rows}


def changes(db, query):
    count("_changes")
    last = store.execute("SELECT seq FROM db WHERE name = ?", (db,)).fetchone()[0]
    since = number_of(query.get("since", "0"))
    since = 0 if since > last else since
    rows = store.execute(
        "SELECT id, rev, deleted, seq, body FROM doc WHERE db = ? AND seq > ? ORDER BY seq", (db, since)
    ).fetchall()
    given = rows[:max(int(query.get("limit", 1 << 40)), 1)]
    count("rows", len(given))
    results = []
    for doc_id, rev, deleted, seq, body in given:
        result = {"seq": update_sequence(seq), "id": doc_id, "changes": [{"rev": rev}]}
        if deleted:
            result["deleted"] = True
        if query.get("include_docs") == "true":
            doc = {"_id": doc_id, "_rev": rev} | json.loads(body)
            result["doc"] = doc | ({"_deleted": True} if deleted else {})
        results.append(result)
    end = given[-1][3] if given else max(since, last)
    return 200, {"results": results, "last_seq": update_sequence(end), "pending": len(rows) - len(given)}


def user_of(headers):
    scheme, _, text = (headers.get("Authorization") or "").partition(" ")
    if scheme != "Basic":
        return None
    user, _, password = base64.b64decode(text).decode().partition(":")
    if USERS.get(user) != password:
        raise Refusal(401, "unauthorized", "Name or password is incorrect.")
    return user


def route(method, path, query, user, body):
    if path == ["_session"] and method == "GET":
        roles = ["_admin"] if user == "admin" else []
        return 200, {"ok": True, "userCtx": {"name": user, "roles": roles},
                     "info": {"authentication_handlers": ["cookie", "default"]}}
    if not path:
        return 200, {"couchdb": "Welcome", "version": "3.3.3", "vendor": {"name": "The Apache Software Foundation"}}
    db = path[0]
    exists = store.execute("SELECT 1 FROM db WHERE name = ?", (db,)).fetchone()
    if method in ("PUT", "DELETE") and len(path) == 1:
        if user != "admin":
            raise Refusal(401, "unauthorized", "You are not a server admin.")
        if not re.fullmatch(r"[a-z][a-z0-9_$()+/-]*", db):
            raise Refusal(400, "illegal_database_name", f"Name: '{db}'. Only lowercase characters (a-z), digits (0-9), "
                          "and any of the characters _, $, (, ), +, -, and / are allowed. Must begin with a letter.")
        if method == "DELETE":
            store.execute("DELETE FROM doc WHERE db = ?", (db,))
            store.execute("DELETE FROM db WHERE name = ?", (db,))
            return 200, {"ok": True}
        if exists:
            raise Refusal(412, "file_exists", "The database could not be created, the file already exists.")
        store.execute("INSERT INTO db VALUES(?, 0)", (db,))
        return 201, {"ok": True}
    if not exists:
        raise Refusal(404, "not_found", "Database does not exist.")
    if user is None:
        raise Refusal(401, "unauthorized", "You are not authorized to access this db.")
    if user not in MEMBERS:
        raise Refusal(403, "forbidden", "You are not allowed to access this db.")
    if path[1:] == ["_bulk_docs"] and method == "POST":
        return bulk_docs(db, user, body)
    if path[1:] == ["_all_docs"] and method in ("GET", "POST"):
        return all_docs(db, query, body)
    if path[1:] == ["_changes"] and method == "GET":
        return changes(db, query)
    doc_id = "/".join(path[1:])
    if method == "GET":
        count("doc")
        found = find(db, doc_id)
        if not found or found[1]:
            raise Refusal(404, "not_found", "deleted" if found else "missing")
        return 200, shown(doc_id, found)
    doc = (body or {}) | {"_id": doc_id}
    if "rev" in query:
        doc["_rev"] = query["rev"]
    if method == "DELETE":
        doc["_deleted"] = True
    check(doc)
    result = save(db, user, doc)
    if "error" in result:
        status = {"conflict": 409, "forbidden": 403, "unauthorized": 401}.get(result["error"], 412)
        raise Refusal(status, result["error"], result["reason"])
    return 201, result


class Server(StandIn):
    def outcome(self, content):
        address = urllib.parse.urlsplit(self.path)
        query = {name: values[0] for name, values in urllib.parse.parse_qs(address.query).items()}
        path = [urllib.parse.unquote(part) for part in address.path.split("/") if part]
        user = user_of(self.headers)
        try:
            body = json.loads(content) if content else None
        except ValueError:
            raise Refusal(400, "bad_request", "invalid UTF-8 JSON") from None
        return route(self.command, path, query, user, body)


serve(Server, PORT)
