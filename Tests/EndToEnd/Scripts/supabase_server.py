#!/usr/bin/env python3
"""What Supabase answers, over SQLite: PostgREST's tables behind row level security, GoTrue's sign-in, and a bucket.

    supabase_server.py FOLDER PORT

FOLDER has `tables.json`, and gets the database `supabase.sqlite`. Nothing here is Supabase: each answer is written
from the documentation whose address is beside it. `tables.json` is an object of tables, each an object of columns:

    {"notes": {"title": {"type": "text", "required": true}, "folder_id": {"type": "uuid", "references": "folders"}}}

A column of a foreign key deletes nothing: a row that another one names cannot be deleted. Each table also has
`id uuid primary key` and `user_id uuid not null default auth.uid()`, by which its policies let a user read and
write. A column “updated_at” is set by a trigger. A “user_id” of the file replaces that column.

The users are dev@example.com (password1) and other@example.com (password2), the keys are `anon-key` and
`service-key`. The bucket is called `files`, its objects are rows of `objects`. A member `settings` has `maxRows`, 1000 unless given, and `tokenSeconds`, 3600 unless given.
"""

import base64
import datetime
import hashlib
import hmac
import http.server
import json
import re
import secrets
import sqlite3
import sys
import threading
import time
import urllib.parse
import uuid

folder, port = sys.argv[1], int(sys.argv[2])
with open(f"{folder}/tables.json", encoding="utf-8") as file:
    tables = json.load(file)
settings = tables.pop("settings", {})
max_rows = settings.get("maxRows", 1000)
token_seconds = settings.get("tokenSeconds", 3600)
users = {
    "dev@example.com": ("password1", "11111111-1111-4111-8111-111111111111"),
    "other@example.com": ("password2", "22222222-2222-4222-8222-222222222222"),
}
lock = threading.RLock()
database = sqlite3.connect(f"{folder}/supabase.sqlite", check_same_thread=False, isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
refresh_tokens = {}
requests = {}


class Refusal(Exception):
    """An error as PostgREST writes it: https://docs.postgrest.org/en/stable/references/errors.html"""

    def __init__(self, status, code, message, details=None, hint=None):
        super().__init__(message)
        self.status = status
        self.body = {"code": code, "details": details, "hint": hint, "message": message}


def columns(table):
    own = {"id": {"type": "uuid", "required": True}, "user_id": {"type": "uuid", "required": True, "default": True}}
    return {**own, **tables[table]}


for name in tables:
    listed = ", ".join(f'"{column}"' for column in columns(name))
    database.execute(f'CREATE TABLE IF NOT EXISTS "{name}" ({listed}, PRIMARY KEY ("id"))')


database.execute("CREATE TABLE IF NOT EXISTS objects (name PRIMARY KEY, type, content)")


# Values. https://www.postgresql.org/docs/current/functions-json.html: json_populate_recordset takes the text of a
# value as the input of the column's type.

def cast(value, column):
    if value is None:
        return None
    kind = column["type"]
    if kind == "jsonb":
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        return CASTS[kind](text)
    except ValueError:
        raise Refusal(400, "22P02", f'invalid input syntax for type {kind}: "{text}"') from None


def boolean(text):
    if text.lower() in ("true", "t", "1", "yes", "on"):
        return 1
    if text.lower() in ("false", "f", "0", "no", "off"):
        return 0
    raise ValueError(text)


def moment(text):
    found = datetime.datetime.fromisoformat(text)
    if found.tzinfo is None:
        found = found.replace(tzinfo=datetime.timezone.utc)
    return written(found)


def written(found):
    """A timestamptz in JSON, in UTC, without zeros at the end of its fraction."""
    text = found.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")
    return text.rstrip("0").rstrip(".") + "+00:00"


CASTS = {
    "uuid": lambda text: str(uuid.UUID(text)), "text": str, "bigint": int, "double precision": float,
    "boolean": boolean, "timestamptz": moment,
}


def shown(table, row):
    """A row as it is answered."""
    kinds = columns(table)
    found = {}
    for name, value in zip(kinds, row):
        kind = kinds[name]["type"]
        if value is not None and kind == "boolean":
            value = bool(value)
        if value is not None and kind == "jsonb":
            value = json.loads(value)
        found[name] = value
    return found


# Sign-in. https://supabase.com/docs/reference/auth-api is that of GoTrue; its errors are listed at
# https://supabase.com/docs/guides/auth/debugging/error-codes

def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def signature(text):
    digest = hmac.new(b"for-tests", text.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def session(email):
    end = int(time.time()) + token_seconds
    user = {"id": users[email][1], "aud": "authenticated", "role": "authenticated", "email": email}
    text = f"{encoded({'alg': 'HS256', 'typ': 'JWT'})}.{encoded({**user, 'sub': user['id'], 'exp': end})}"
    refresh = secrets.token_urlsafe(9)
    refresh_tokens[refresh] = email
    return {
        "access_token": f"{text}.{signature(text)}", "token_type": "bearer", "expires_in": token_seconds,
        "expires_at": end, "refresh_token": refresh, "user": user,
    }


def unsigned(status, code, message):
    return status, {"code": status, "error_code": code, "msg": message}


def sign_in(query, body):
    if query.get("grant_type") == "password":
        known = users.get(body.get("email"))
        if known is None or known[0] != body.get("password"):
            return unsigned(400, "invalid_credentials", "Invalid login credentials")
        return 200, session(body["email"])
    if query.get("grant_type") == "refresh_token":
        # A refresh token is good for one use: https://supabase.com/docs/guides/auth/sessions
        if body.get("refresh_token") not in refresh_tokens:
            return unsigned(
                400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
        return 200, session(refresh_tokens.pop(body["refresh_token"]))
    return unsigned(400, "validation_failed", "unsupported_grant_type")


def claims(token):
    """The claims of a token of ours; `None` for any other."""
    parts = token.split(".")
    if len(parts) != 3 or signature(".".join(parts[:2])) != parts[2]:
        return None
    return json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))


# Tables. https://docs.postgrest.org/en/stable/references/api/tables_views.html

class Account:
    """Who asks: a user, or the service, which no policy holds back."""

    def __init__(self, user):
        self.user = user

    def may(self, row):
        return self.user is None or row["user_id"] == self.user


def condition(table, name, text):
    """A filter of one column: https://docs.postgrest.org/en/stable/references/api/tables_views.html#operators"""
    column = columns(table).get(name)
    if column is None:
        raise Refusal(400, "42703", f"column {table}.{name} does not exist")
    operator, _, value = text.partition(".")
    if operator == "in":
        if not (value.startswith("(") and value.endswith(")")):
            raise Refusal(400, "PGRST100", f'"failed to parse filter ({text})"')
        values = [cast(part.strip('"'), column) for part in value[1:-1].split(",")]
        return f'"{name}" IN ({", ".join("?" * len(values))})', values
    signs = {"eq": "=", "neq": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
    if operator not in signs:
        raise Refusal(400, "PGRST100", f'"failed to parse filter ({text})"')
    return f'"{name}" {signs[operator]} ?', [cast(value, column)]


def matching(table, filters, account):
    wheres, values = ["1"], []
    for name, text in filters:
        where, found = condition(table, name, text)
        wheres.append(where)
        values += found
    rows = database.execute(f'SELECT * FROM "{table}" WHERE {" AND ".join(wheres)}', values)
    return [row for row in (shown(table, row) for row in rows) if account.may(row)]


def read(table, filters, query, account):
    rows = matching(table, filters, account)
    for key in reversed([key for key in query.get("order", "").split(",") if key]):
        name = key.split(".")[0]
        rows.sort(key=lambda row: (row[name] is not None, row[name]), reverse=key.endswith(".desc"))
    start = int(query.get("offset", 0))
    limit = min(int(query.get("limit", max_rows)), max_rows)
    page = rows[start:start + limit]
    place = f"{start}-{start + len(page) - 1}" if page else "*"
    return 200, page, {"Content-Range": f"{place}/*"}


def named_columns(table, rows, query):
    """The columns that an insert fills: those of `columns`, else those of the rows, which then have the same."""
    if "columns" in query:
        names = [name.strip('"') for name in re.findall(r'"(?:[^"\\]|\\.)*"|[^,]+', query["columns"])]
    else:
        names = list(rows[0])
        if any(set(row) != set(names) for row in rows):
            raise Refusal(400, "PGRST102", "All object keys must match")
    for name in names:
        if name not in columns(table):
            raise Refusal(
                400, "PGRST204", f"Could not find the '{name}' column of '{table}' in the schema cache")
    return names


def check(table, row, account):
    """The constraints of a row, and then its policies."""
    for name, column in columns(table).items():
        if column.get("required") and row[name] is None:
            raise Refusal(
                400, "23502", f'null value in column "{name}" of relation "{table}" violates not-null constraint',
                "Failing row contains (…).")
        longest = column.get("longest")
        if longest and row[name] is not None and len(row[name]) > longest:
            raise Refusal(400, "22001", f"value too long for type character varying({longest})")
    if not account.may(row):
        # https://www.postgresql.org/docs/current/ddl-rowsecurity.html
        raise Refusal(403, "42501", f'new row violates row-level security policy for table "{table}"')
    for name, column in columns(table).items():
        other = column.get("references")
        if other is None or row[name] is None:
            continue
        if database.execute(f'SELECT 1 FROM "{other}" WHERE "id" = ?', [row[name]]).fetchone() is None:
            raise Refusal(
                409, "23503",
                f'insert or update on table "{table}" violates foreign key constraint "{table}_{name}_fkey"',
                f'Key ({name})=({row[name]}) is not present in table "{other}".')


def stored(table, row):
    """The values of a row as the database keeps them."""
    kinds = columns(table)
    return [
        json.dumps(row[name]) if kinds[name]["type"] == "jsonb" and row[name] is not None else row[name]
        for name in kinds
    ]


def now():
    return written(datetime.datetime.now(datetime.timezone.utc))


def insert(table, query, preferences, body, account):
    """https://docs.postgrest.org/en/stable/references/api/tables_views.html#bulk-insert and #upsert"""
    rows = body if isinstance(body, list) else [body]
    if not rows:
        return 201, [], {}
    names = named_columns(table, rows, query)
    made = []
    for given in rows:
        row = {}
        for name, column in columns(table).items():
            takes_default = name not in names or (
                name not in given and "missing=default" in preferences)
            row[name] = cast(given.get(name), column) if not takes_default else None
            if takes_default and column.get("default"):
                row[name] = account.user
        row["id"] = row["id"] or str(uuid.uuid4())
        if "updated_at" in row:
            row["updated_at"] = now()
        is_there = database.execute(f'SELECT 1 FROM "{table}" WHERE "id" = ?', [row["id"]]).fetchone()
        if is_there and "resolution=ignore-duplicates" in preferences:
            continue
        # What a new row would lack is refused before a conflict is looked for:
        # https://www.postgresql.org/docs/current/sql-insert.html#SQL-ON-CONFLICT
        check(table, row, account)
        if is_there and "resolution=merge-duplicates" in preferences:
            made.append(merge(table, row, names, account))
            continue
        if is_there:
            raise Refusal(
                409, "23505", f'duplicate key value violates unique constraint "{table}_pkey"',
                f'Key (id)=({row["id"]}) already exists.')
        marks = ", ".join("?" * len(row))
        database.execute(f'INSERT INTO "{table}" VALUES ({marks})', stored(table, row))
        made.append(shown(table, stored(table, row)))
    return (201 if made else 200), made, {"Content-Range": "*/*"}


def merge(table, row, names, account):
    """A row of an upsert that is there: it gets the columns that are named, and no others."""
    there = database.execute(f'SELECT * FROM "{table}" WHERE "id" = ?', [row["id"]]).fetchone()
    merged = shown(table, there)
    if not account.may(merged):
        raise Refusal(
            403, "42501", f'new row violates row-level security policy (USING expression) for table "{table}"')
    for name in names + (["updated_at"] if "updated_at" in row else []):
        merged[name] = row[name]
    check(table, merged, account)
    listed = ", ".join(f'"{name}" = ?' for name in columns(table))
    database.execute(
        f'UPDATE "{table}" SET {listed} WHERE "id" = ?', stored(table, merged) + [row["id"]])
    return shown(table, stored(table, merged))


def change(table, filters, body, account):
    changed = []
    for row in matching(table, filters, account):
        for name, value in body.items():
            if name not in columns(table):
                raise Refusal(
                    400, "PGRST204", f"Could not find the '{name}' column of '{table}' in the schema cache")
            row[name] = cast(value, columns(table)[name])
        if "updated_at" in row:
            row["updated_at"] = now()
        check(table, row, account)
        listed = ", ".join(f'"{name}" = ?' for name in columns(table))
        database.execute(
            f'UPDATE "{table}" SET {listed} WHERE "id" = ?', stored(table, row) + [row["id"]])
        changed.append(shown(table, stored(table, row)))
    return 200, changed, {"Content-Range": f"0-{len(changed) - 1}/*" if changed else "*/*"}


def remove(table, filters, account):
    if not filters:
        # Supabase has pg-safeupdate for its API: https://github.com/eradman/pg-safeupdate
        raise Refusal(400, "21000", "DELETE requires a WHERE clause")
    rows = matching(table, filters, account)
    for row in rows:
        for other, kinds in ((other, columns(other)) for other in tables):
            for name, column in kinds.items():
                if column.get("references") != table:
                    continue
                if database.execute(f'SELECT 1 FROM "{other}" WHERE "{name}" = ?', [row["id"]]).fetchone():
                    raise Refusal(
                        409, "23503",
                        f'update or delete on table "{table}" violates foreign key constraint '
                        f'"{other}_{name}_fkey" on table "{other}"',
                        f'Key (id)=({row["id"]}) is still referenced from table "{other}".')
        database.execute(f'DELETE FROM "{table}" WHERE "id" = ?', [row["id"]])
    return 200, rows, {"Content-Range": "*/*"}


def described():
    """https://docs.postgrest.org/en/stable/references/api/openapi.html"""
    formats = {"boolean": "boolean", "bigint": "integer", "double precision": "number"}
    definitions = {}
    for table in tables:
        properties = {}
        for name, column in columns(table).items():
            kind = {"timestamptz": "timestamp with time zone"}.get(column["type"], column["type"])
            member = {"format": kind, "type": formats.get(kind, "string")}
            if name == "id":
                member["description"] = "Note:\nThis is a Primary Key.<pk/>"
                member["default"] = "gen_random_uuid()"
            if column.get("references"):
                member["description"] = (
                    f"Note:\nThis is a Foreign Key to `{column['references']}.id`."
                    f"<fk table='{column['references']}' column='id'/>")
            if column.get("default"):
                member["default"] = "auth.uid()"
            properties[name] = member
        required = [name for name, column in columns(table).items() if column.get("required")]
        definitions[table] = {"required": required, "properties": properties, "type": "object"}
    return {"swagger": "2.0", "info": {"title": "standard public schema"}, "definitions": definitions}


# Storage. https://supabase.github.io/storage/ lists its routes. Its errors have a status of their own in the body.

def unstored(code, error, message):
    return 400, {"statusCode": code, "error": error, "message": message}


def storage(method, path, kind, content, user):
    is_info = path.startswith("info/")
    bucket, _, name = path.removeprefix("info/").partition("/")
    if bucket != "files":
        return unstored("404", "Bucket not found", "Bucket not found")
    found = database.execute("SELECT type, LENGTH(content) FROM objects WHERE name = ?", [name]).fetchone()
    if method == "POST":
        # The usual policy: https://supabase.com/docs/guides/storage/security/access-control
        if name.split("/")[0] != user:
            return unstored("403", "Unauthorized", "new row violates row-level security policy")
        if found:
            return unstored("409", "Duplicate", "The resource already exists")
        database.execute("INSERT INTO objects VALUES (?, ?, ?)", [name, kind, content])
        return 200, {"Key": f"{bucket}/{name}", "Id": str(uuid.uuid4())}
    if found is None or name.split("/")[0] != user:
        return unstored("404", "not_found", "Object not found")
    if method == "DELETE":
        database.execute("DELETE FROM objects WHERE name = ?", [name])
        return 200, {"message": "Successfully deleted"}
    if method == "GET" and is_info:
        return 200, {"name": name, "content_type": found[0], "size": found[1]}
    return unstored("404", "not_found", "Object not found")


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_any(self):
        address = urllib.parse.urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if address.path == "/health":
            return self.answer(200, {})
        if address.path == "/__requests":
            return self.answer(200, requests)
        pairs = urllib.parse.parse_qsl(address.query, keep_blank_values=True)
        with lock:
            self.handle_request(address.path, pairs, content)

    def handle_request(self, path, pairs, content):
        # https://supabase.com/docs/guides/api/api-keys: the gateway asks for a key first.
        key = self.headers.get("apikey")
        if key is None:
            return self.answer(401, {
                "message": "No API key found in request",
                "hint": "No `apikey` request header or url param was found."})
        if key not in ("anon-key", "service-key"):
            return self.answer(401, {
                "message": "Invalid API key",
                "hint": "Double check your Supabase `anon` or `service_role` API key."})
        is_json = content and not path.startswith("/storage/")
        body = json.loads(content) if is_json else None
        if path == "/auth/v1/token" and self.command == "POST":
            status, answer = sign_in(dict(pairs), body)
            return self.answer(status, answer)
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        found = claims(token)
        if path == "/auth/v1/user":
            if found is None or found["exp"] <= time.time():
                return self.answer(*unsigned(403, "bad_jwt", "invalid JWT: token is expired"))
            return self.answer(200, {name: found[name] for name in ("id", "aud", "role", "email")})
        if path.startswith("/storage/v1/object/") and found is not None:
            name = urllib.parse.unquote(path.removeprefix("/storage/v1/object/"))
            kind = self.headers.get("Content-Type")
            return self.answer(*storage(self.command, name, kind, content, found["sub"]))
        if path == "/rest/v1/":
            # https://github.com/supabase/supabase/pull/45462: only a secret key may read it.
            if key != "service-key":
                return self.answer(403, {"message": "Forbidden"})
            return self.answer(200, described(), {"Content-Type": "application/openapi+json"})
        if not path.startswith("/rest/v1/"):
            return self.answer(404, {"message": "no Route matched with those values"})
        requests[self.command] = requests.get(self.command, 0) + 1
        if key == "service-key":
            account = Account(None)
        elif found is None:
            return self.answer(401, Refusal(
                401, "PGRST301", "No suitable key or wrong key type").body)
        elif found["exp"] <= time.time():
            # https://docs.postgrest.org/en/stable/references/errors.html#group-3-jwt
            return self.answer(401, Refusal(401, "PGRST303", "JWT expired").body, {
                "WWW-Authenticate": 'Bearer error="invalid_token", error_description="JWT expired"'})
        else:
            account = Account(found["sub"])
        try:
            database.execute("BEGIN IMMEDIATE")
            status, rows, headers = self.rows(path.removeprefix("/rest/v1/"), pairs, body, account)
            database.execute("COMMIT")
        except Refusal as refusal:
            database.execute("ROLLBACK")
            return self.answer(refusal.status, refusal.body)
        self.answer(status, rows, headers)

    def rows(self, table, pairs, body, account):
        if table not in tables:
            raise Refusal(404, "PGRST205", f"Could not find the table 'public.{table}' in the schema cache")
        own = ("select", "order", "limit", "offset", "columns", "on_conflict")
        query = {name: value for name, value in pairs if name in own}
        filters = [(name, value) for name, value in pairs if name not in own]
        preferences = [part.strip() for part in self.headers.get("Prefer", "").split(",")]
        if self.command == "GET":
            return read(table, filters, query, account)
        if self.command == "POST":
            return insert(table, query, preferences, body, account)
        if self.command == "PATCH":
            return change(table, filters, body, account)
        return remove(table, filters, account)

    def answer(self, status, body, headers=None):
        content = json.dumps(body).encode()
        self.send_response_only(status)
        for name, value in {"Content-Type": "application/json; charset=utf-8", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self._headers_buffer.append(b"\r\n" + content)
        self.flush_headers()

    do_GET = do_POST = do_PATCH = do_DELETE = do_any

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Server).serve_forever()
