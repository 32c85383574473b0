#!/usr/bin/env python3
"""A stand-in for Cloud Firestore and the sign-in of Firebase Authentication, written from their documentation.

    firestore_server.py FOLDER PORT

It keeps documents in FOLDER/firestore.sqlite, so that another program can count them. What it does is written down at

    https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents (get, list, commit, batchGet)
    https://firebase.google.com/docs/firestore/reference/rest/v1/Value             values, and their JSON
    https://firebase.google.com/docs/firestore/reference/rest/v1/Write             writes, masks
    https://firebase.google.com/docs/firestore/reference/rest/v1/Precondition      exists, updateTime
    https://firebase.google.com/docs/firestore/quotas                              limits
    https://cloud.google.com/firestore/docs/understand-error-codes                 codes, and which to repeat
    https://google.aip.dev/193                                                     the form of errors
    https://protobuf.dev/programming-guides/json                                   int64 as text, NaN, Infinity, timestamps
    https://firebase.google.com/docs/reference/rest/auth                           accounts:signInWithPassword
    https://developers.google.com/identity/protocols/oauth2/service-account        tokens of service accounts
    https://firebase.google.com/docs/emulator-suite/connect_auth                   the same below the address of an emulator
    https://firebase.google.com/docs/rules/emulator-setup                          “Bearer owner” passes the rules

It has one project, demo-notes, one web API key, key-of-the-project, and the users below. The rules let a user write
below users/UID and in any collection of the root but “closed”, which no one may read, and “sealed”, which no one
may write.

A service account has the key whose modulus is in FOLDER/modulus, in hexadecimal digits; its token passes the rules.

Not written down, and so a guess: a stale updateTime is FAILED_PRECONDITION (as the emulator has it), and the same
for a document that is not there. Indexes, transactions, transforms, queries and listen are left out.

The faults of /__set: {"busy": N} answers the next N commits by 429 RESOURCE_EXHAUSTED, {"aborted": N} by 409 ABORTED.
"""

import base64
import calendar
import datetime
import hashlib
import json
import math
import re
import sqlite3
import sys
import time
import urllib.parse

import stand_in
from stand_in import StandIn, count, faults, seen, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
PROJECT, DATABASE = "demo-notes", "(default)"
KEY = "key-of-the-project"
USERS = {"ada@example.com": ("correct-horse", "uid-ada"), "bob@example.com": ("battery-staple", "uid-bob")}
ROOT = f"projects/{PROJECT}/databases/{DATABASE}/documents"

# https://firebase.google.com/docs/firestore/quotas
MOST_WRITES = 500
LARGEST_REQUEST = 10 << 20
LARGEST_DOCUMENT = (1 << 20) - 4
LONGEST_NAME = 1_500
DEEPEST_MAP = 20

seen.update({"commits": 0, "writes": 0, "signins": 0, "lists": 0, "gets": 0, "batchGets": 0})
faults.update({"busy": 0, "aborted": 0})
tokens = {}
store = sqlite3.connect(f"{FOLDER}/firestore.sqlite", check_same_thread=False, isolation_level=None)
store.execute("PRAGMA journal_mode = WAL")
store.execute(
    "CREATE TABLE IF NOT EXISTS document(name TEXT PRIMARY KEY, collection TEXT NOT NULL, fields TEXT NOT NULL,"
    " created TEXT NOT NULL, updated TEXT NOT NULL)"
)
last_time = 0

# The status of each code in HTTP: https://cloud.google.com/apis/design/errors#handling_errors
STATUSES = {
    "INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404, "ALREADY_EXISTS": 409, "ABORTED": 409, "RESOURCE_EXHAUSTED": 429, "UNAVAILABLE": 503,
}


class Refusal(stand_in.Refusal):
    def __init__(self, code, message):
        status = STATUSES[code]
        super().__init__(status, {"error": {"code": status, "message": message, "status": code}})


def now():
    """The time in microseconds, never twice the same."""
    global last_time
    last_time = max(last_time + 1, time.time_ns() // 1_000)
    return last_time


def stamp(micros):
    """RFC 3339 with 0, 3 or 6 digits of a second, as protobuf writes it."""
    seconds, rest = divmod(micros, 1_000_000)
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    if rest == 0:
        return text + "Z"
    digits = f"{rest:06}"
    return f"{text}.{digits[:3] if digits.endswith('000') else digits}Z"


# --- Values

TIMESTAMP = re.compile(r"^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$")


def timestamp(text):
    """A timestamp as it is given back: in UTC, cut to microseconds."""
    match = TIMESTAMP.match(text) if isinstance(text, str) else None
    if not match:
        raise Refusal("INVALID_ARGUMENT", f"Invalid value at 'writes' (type.googleapis.com/google.protobuf.Timestamp), {text!r}")
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    seconds = calendar.timegm((year, month, day, hour, minute, second))
    if match[8] != "Z":
        sign = 1 if match[8][0] == "+" else -1
        seconds -= sign * (int(match[8][1:3]) * 3600 + int(match[8][4:6]) * 60)
    micros = int(((match[7] or "") + "000000")[:6])
    return stamp_wide(seconds, micros)


def stamp_wide(seconds, micros):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    if micros == 0:
        return text + "Z"
    digits = f"{micros:06}"
    return f"{text}.{digits[:3] if digits.endswith('000') else digits}Z"


def refuse(field, message):
    raise Refusal("INVALID_ARGUMENT", f"Invalid value at '{field}': {message}")


def value(given, field, depth=0, inside_array=False):
    """A value as it is kept; refuses what is none."""
    if not isinstance(given, dict) or len(given) != 1:
        refuse(field, "expected an object with one value")
    (kind, content), = given.items()
    if kind == "nullValue":
        if content not in (None, "NULL_VALUE"):
            refuse(field, "nullValue")
        return {kind: None}
    if kind == "booleanValue":
        if not isinstance(content, bool):
            refuse(field, "booleanValue")
        return given
    if kind == "integerValue":
        number = int(content) if isinstance(content, str) and re.fullmatch(r"-?\d+", content) else content
        if isinstance(number, bool) or not isinstance(number, int) or not -(1 << 63) <= number < 1 << 63:
            refuse(field, f"integerValue (TYPE_INT64), {content!r}")
        return {kind: str(number)}
    if kind == "doubleValue":
        if content in ("NaN", "Infinity", "-Infinity"):
            return given
        if isinstance(content, bool) or not isinstance(content, (int, float)) or math.isinf(float(content)):
            refuse(field, f"doubleValue (TYPE_DOUBLE), {content!r}")
        number = float(content)
        return {kind: int(number) if number.is_integer() and abs(number) < 1e15 else number}
    if kind == "timestampValue":
        return {kind: timestamp(content)}
    if kind == "stringValue":
        if not isinstance(content, str):
            refuse(field, "stringValue")
        return given
    if kind == "bytesValue":
        try:
            return {kind: base64.b64encode(base64.b64decode(content, validate=True)).decode()}
        except (ValueError, TypeError):
            refuse(field, "bytesValue (TYPE_BYTES), Base64 decoding failed")
    if kind == "referenceValue":
        if not isinstance(content, str) or not document_path(content):
            refuse(field, f"Document name \"{content}\" is not of the form projects/…/documents/…")
        return given
    if kind == "geoPointValue":
        if not isinstance(content, dict) or not -90 <= content.get("latitude", 0) <= 90 \
                or not -180 <= content.get("longitude", 0) <= 180:
            refuse(field, "geoPointValue")
        return given
    if kind == "arrayValue":
        if inside_array:
            refuse(field, "Cannot convert an array value in an array value.")
        elements = [value(element, field, depth, True) for element in content.get("values", [])]
        return {kind: {"values": elements} if elements else {}}
    if kind == "mapValue":
        if depth >= DEEPEST_MAP:
            refuse(field, f"nested deeper than {DEEPEST_MAP} levels")
        inner = fields(content.get("fields", {}), field, depth + 1)
        return {kind: {"fields": inner} if inner else {}}
    refuse(field, f"Unknown name \"{kind}\": Cannot find field.")


def fields(given, place, depth=0):
    if not isinstance(given, dict):
        refuse(place, "fields")
    for name in given:
        if not name or len(name.encode()) > LONGEST_NAME or re.fullmatch(r"__.*__", name):
            refuse(place, f"field name \"{name}\" is reserved or too long")
    return {name: value(content, f"{place}.{name}", depth) for name, content in given.items()}


# --- Documents

def document_path(name):
    """Collection and ID of a document's name; None for another name."""
    if not name.startswith(ROOT + "/"):
        return None
    parts = name[len(ROOT) + 1:].split("/")
    if len(parts) % 2 or any(not part or part in (".", "..") or re.fullmatch(r"__.*__", part) for part in parts):
        return None
    if any(len(part.encode()) > LONGEST_NAME for part in parts):
        return None
    return "/".join(parts[:-1]), parts[-1]


def path_of(name):
    found = document_path(name) if isinstance(name, str) else None
    if not found:
        raise Refusal("INVALID_ARGUMENT", f"Document name \"{name}\" has an invalid form.")
    return found


def allow(user, collection, verb):
    """The rules; the owner of an emulator passes them."""
    first = collection.split("/")
    is_denied = first[0] == "closed" or first[0] == "sealed" and verb == "write"
    if user != "owner" and (is_denied or first[0] == "users" and (len(first) < 2 or first[1] != user)):
        raise Refusal("PERMISSION_DENIED", "Missing or insufficient permissions.")


def row(name):
    found = store.execute("SELECT fields, created, updated FROM document WHERE name = ?", (name,)).fetchone()
    return found


def shown(name, found):
    shown = {"name": name, "createTime": found[1], "updateTime": found[2]}
    kept = json.loads(found[0])
    return shown | ({"fields": kept} if kept else {})


def mask_names(paths):
    """The names of a mask's paths; only those of whole fields are needed here."""
    names = []
    for path in paths:
        quoted = re.fullmatch(r"`((?:[^`\\]|\\.)*)`", path)
        if quoted:
            names.append(re.sub(r"\\(.)", r"\1", quoted[1]))
        elif re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", path):
            names.append(path)
        else:
            raise Refusal("INVALID_ARGUMENT", f"Invalid property path \"{path}\".")
    return names


def check(name, condition, found):
    if not condition:
        return
    if len(condition) != 1:
        raise Refusal("INVALID_ARGUMENT", "a precondition has one condition")
    if condition.get("exists") is False and found:
        raise Refusal("ALREADY_EXISTS", f"Document already exists: {name}")
    if condition.get("exists") is True and not found:
        raise Refusal("NOT_FOUND", f"No document to update: {name}")
    if "updateTime" in condition:
        wanted = timestamp(condition["updateTime"])
        if not found or found[2] != wanted:
            there = found[2] if found else 0
            raise Refusal(
                "FAILED_PRECONDITION",
                f"the stored version ({there}) does not match the required base version ({wanted})",
            )


def write(user, given, moment):
    known = {"update", "delete", "updateMask", "currentDocument"}
    if not isinstance(given, dict) or set(given) - known or ("update" in given) == ("delete" in given):
        raise Refusal("INVALID_ARGUMENT", "Invalid JSON payload received. A write has one operation.")
    name = given["delete"] if "delete" in given else given["update"].get("name")
    collection, _ = path_of(name)
    allow(user, collection, "write")
    found = row(name)
    check(name, given.get("currentDocument"), found)
    if "delete" in given:
        store.execute("DELETE FROM document WHERE name = ?", (name,))
        return {}
    new = fields(given["update"].get("fields", {}), "writes.update.fields")
    if "updateMask" in given:
        kept = json.loads(found[0]) if found else {}
        names = mask_names(given["updateMask"].get("fieldPaths", []))
        if set(new) - set(names):
            raise Refusal("INVALID_ARGUMENT", "a field is not in the mask")
        for field in names:
            kept.pop(field, None)
        new = kept | new
    text = json.dumps(new, sort_keys=True, ensure_ascii=False)
    if len(text.encode()) > LARGEST_DOCUMENT:
        raise Refusal(
            "INVALID_ARGUMENT",
            f"Document \"{name}\" cannot be written because its size ({len(text.encode()):,} bytes) exceeds the"
            " maximum allowed size of 1,048,576 bytes.",
        )
    if found and found[0] == text:
        # “If the write did not actually change the document, this will be the previous updateTime.”
        return {"updateTime": found[2]}
    store.execute(
        "INSERT INTO document VALUES(?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET fields = excluded.fields,"
        " updated = excluded.updated",
        (name, collection, text, found[1] if found else moment, moment),
    )
    return {"updateTime": moment}


def commit(user, body):
    writes = body.get("writes", [])
    count("commits")
    count("writes", len(writes))
    for fault, code, words in (
        ("busy", "RESOURCE_EXHAUSTED", "Quota exceeded."),
        ("aborted", "ABORTED", "Too much contention on these documents. Please try again."),
    ):
        if faults[fault] > 0:
            faults[fault] -= 1
            raise Refusal(code, words)
    if len(writes) > MOST_WRITES:
        raise Refusal("INVALID_ARGUMENT", f"maximum {MOST_WRITES} writes allowed per request")
    moment = stamp(now())
    store.execute("BEGIN IMMEDIATE")
    try:
        results = [write(user, given, moment) for given in writes]
        store.execute("COMMIT")
    except BaseException:
        store.execute("ROLLBACK")
        raise
    return {"writeResults": results, "commitTime": moment}


def batch_get(user, body):
    count("batchGets")
    moment = stamp(now())
    answers = []
    for name in body.get("documents", []):
        collection, _ = path_of(name)
        allow(user, collection, "read")
        found = row(name)
        answer = {"found": shown(name, found)} if found else {"missing": name}
        answers.append(answer | {"readTime": moment})
    # “Documents returned by this method are not guaranteed to be returned in the same order.”
    return answers[::-1]


def list_documents(user, collection, query):
    count("lists")
    allow(user, collection, "read")
    size = min(int(query.get("pageSize", ["100"])[0]), 300)
    after = query.get("pageToken", [""])[0]
    after = base64.urlsafe_b64decode(after).decode() if after else ""
    rows = store.execute(
        "SELECT name, fields, created, updated FROM document WHERE collection = ? AND name > ? ORDER BY name LIMIT ?",
        (collection, after, size + 1),
    ).fetchall()
    answer = {"documents": [shown(found[0], found[1:]) for found in rows[:size]]} if rows else {}
    if len(rows) > size:
        answer["nextPageToken"] = base64.urlsafe_b64encode(rows[size - 1][0].encode()).decode()
    return answer


# --- Signing in

def sign_in(body, query):
    count("signins")
    if query.get("key", [""])[0] != KEY:
        raise Refusal("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
    password, uid = USERS.get(body.get("email"), (None, None))
    if password is None or body.get("password") != password:
        # https://cloud.google.com/identity-platform/docs/admin/email-enumeration-protection
        error = {"code": 400, "message": "INVALID_LOGIN_CREDENTIALS",
                 "errors": [{"message": "INVALID_LOGIN_CREDENTIALS", "domain": "global", "reason": "invalid"}]}
        return 400, {"error": error}
    if body.get("returnSecureToken") is not True:
        raise Refusal("INVALID_ARGUMENT", "returnSecureToken is not true")
    token = f"id-token-{len(tokens)}-{uid}"
    tokens[token] = (uid, time.time() + 3_600)
    return 200, {"idToken": token, "email": body["email"], "refreshToken": "r-" + token, "expiresIn": "3600",
                 "localId": uid, "registered": True}


def unpacked(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def service_token(content):
    """Takes a signed assertion: https://www.rfc-editor.org/rfc/rfc8017#section-9.2 is how the signature is filled up."""
    count("signins")
    form = urllib.parse.parse_qs(content.decode())
    try:
        if form["grant_type"] != ["urn:ietf:params:oauth:grant-type:jwt-bearer"]:
            return 400, {"error": "unsupported_grant_type", "error_description": "Invalid grant_type"}
        head, claims, signature = form["assertion"][0].split(".")
        with open(f"{FOLDER}/modulus") as file:
            modulus = int(file.read(), 16)
        size = (modulus.bit_length() + 7) // 8
        digest = bytes.fromhex("3031300d060960864801650304020105000420")
        digest += hashlib.sha256(f"{head}.{claims}".encode()).digest()
        wanted = b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest
        found = pow(int.from_bytes(unpacked(signature), "big"), 65537, modulus).to_bytes(size, "big")
        said = json.loads(unpacked(claims))
        fits = found == wanted and json.loads(unpacked(head))["alg"] == "RS256"
        fits = fits and abs(said["iat"] - time.time()) < 300 and 0 < said["exp"] - said["iat"] <= 3_600
        fits = fits and said["scope"] == "https://www.googleapis.com/auth/datastore"
    except (KeyError, ValueError, OSError):
        fits = False
    if not fits:
        return 400, {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}
    token = f"ya29.service-{len(tokens)}"
    tokens[token] = ("owner", time.time() + 3_599)
    return 200, {"access_token": token, "expires_in": 3599, "token_type": "Bearer"}


def user_of(headers):
    scheme, _, token = (headers.get("Authorization") or "").partition(" ")
    if scheme != "Bearer" or not token:
        return None
    if token == "owner":
        return "owner"
    uid, end = tokens.get(token, (None, 0))
    if uid is None or end < time.time():
        raise Refusal(
            "UNAUTHENTICATED",
            "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other"
            " valid authentication credential.",
        )
    return uid


class Server(StandIn):
    kind = "application/json; charset=UTF-8"

    def refused(self, refusal):
        return refusal.status, [refusal.body] if ":batchGet" in self.path else refusal.body

    def outcome(self, content):
        address = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(address.query)
        # “The server-side does the reverse decoding, except %2F is left unchanged”:
        # https://cloud.google.com/endpoints/docs/grpc/transcoding
        path = "/".join(
            urllib.parse.unquote(part.replace("%2F", "%252F").replace("%2f", "%252f"))
            for part in address.path.split("/")
        )
        if len(content) > LARGEST_REQUEST:
            raise Refusal(
                "INVALID_ARGUMENT", f"Request payload size exceeds the limit: {LARGEST_REQUEST} bytes."
            )
        if self.command == "POST" and path == "/oauth2.googleapis.com/token":
            return service_token(content)
        try:
            body = json.loads(content) if content else {}
        except ValueError:
            raise Refusal("INVALID_ARGUMENT", "Invalid JSON payload received.") from None
        if self.command == "POST" and path == "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword":
            return sign_in(body, query)
        user = user_of(self.headers)
        match = re.fullmatch(r"/v1/projects/([^/]+)/databases/([^/]+)/documents(?:(:\w+)|/(.+))", path)
        if not match:
            return 404, {"error": {"code": 404, "message": "Method not found.", "status": "NOT_FOUND"}}
        if match[1] != PROJECT or match[2] != DATABASE:
            raise Refusal("NOT_FOUND", f"The database {match[2]} does not exist for project {match[1]}")
        if user is None:
            raise Refusal("PERMISSION_DENIED", "Missing or insufficient permissions.")
        if self.command == "POST" and match[3] == ":commit":
            return 200, commit(user, body)
        if self.command == "POST" and match[3] == ":batchGet":
            return 200, batch_get(user, body)
        parts = (match[4] or "").split("/")
        if self.command == "GET" and match[4] and len(parts) % 2:
            return 200, list_documents(user, match[4], query)
        if self.command == "GET" and match[4]:
            count("gets")
            name = f"{ROOT}/{match[4]}"
            collection, _ = path_of(name)
            allow(user, collection, "read")
            found = row(name)
            if not found:
                raise Refusal("NOT_FOUND", f"Document \"{name}\" not found.")
            return 200, shown(name, found)
        return 404, {"error": {"code": 404, "message": "Method not found.", "status": "NOT_FOUND"}}


serve(Server, PORT)
