#!/usr/bin/env python3
"""A stand-in for an API that is written with Laravel: resource controllers, API resources and Sanctum.

    laravel_server.py FOLDER PORT

It keeps folders and notes in tables of FOLDER/laravel.sqlite, so that another program can count them. What it does is
written down at

    https://laravel.com/docs/controllers#api-resource-routes      GET, POST, PUT, PATCH and DELETE below /api
    https://laravel.com/docs/eloquent-resources#pagination        {"data": […], "links": {…}, "meta": {…}}, 15 rows a page
    https://laravel.com/docs/eloquent-resources#data-wrapping     {"data": {…}}, and 201 for a model that was just made
    https://laravel.com/docs/validation#validation-error-response-format  422 {"message": …, "errors": {…}}
    https://laravel.com/docs/validation#rule-unique               “The local id has already been taken.”
    https://laravel.com/docs/validation#rule-exists               a number of a row that is there
    https://laravel.com/docs/requests#input-trimming-and-normalization  trimmed texts, and null for an empty one
    https://laravel.com/docs/eloquent-mutators#date-casting       dates are kept in seconds, and shown with microseconds
    https://laravel.com/docs/sanctum#issuing-api-tokens           Authorization: Bearer, GET /api/user
    https://laravel.com/docs/routing#rate-limiting                429 with Retry-After
    https://laravel.com/docs/errors                               404 and 401 in JSON for Accept: application/json, else HTML

A field without a rule is passed over in silence, as validated() does. A client that does not accept JSON is sent to the page
that signs in, and gets a page for each error. Each user sees the rows of the user alone.

Its users have the tokens 1|ada-token and 2|bob-token.

The faults of /__set: {"busy": N} answers the next N requests by 429.
"""

import datetime
import json
import sqlite3
import sys
import urllib.parse

from stand_in import Refusal, StandIn, count, faults, is_due, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
USERS = {
    "1|ada-token": {"id": 1, "name": "Ada", "email": "ada@example.com"},
    "2|bob-token": {"id": 2, "name": "Bob", "email": "bob@example.com"},
}
PER_PAGE = 15
# The cast of each column, and its further rules.
COLUMNS = {
    "folders": {"local_id": ("string", "required"), "name": ("string", "required")},
    "notes": {
        "local_id": ("string", "required"), "title": ("string", "required"), "stars": ("integer", ""),
        "score": ("float", ""), "made": ("datetime", ""), "done": ("boolean", ""), "picture": ("string", ""),
        "keywords": ("array", ""), "folder_id": ("integer", "exists"),
    },
}
store = sqlite3.connect(f"{FOLDER}/laravel.sqlite", check_same_thread=False, isolation_level=None)
store.row_factory = sqlite3.Row
for table, columns in COLUMNS.items():
    names = ", ".join(name + (" TEXT UNIQUE" if name == "local_id" else "") for name in columns)
    store.execute(
        f"CREATE TABLE {table}(id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER, {names}, created_at, updated_at)"
    )
faults["busy"] = 0


def text_of(moment):
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def shown(table, row):
    """A row as its resource shows it."""
    answer = {"id": row["id"]}
    for name, (cast, _) in COLUMNS[table].items():
        value = row[name]
        if value is not None:
            value = {"boolean": bool, "array": json.loads}.get(cast, lambda value: value)(value)
            value = value.replace(" ", "T") + ".000000Z" if cast == "datetime" else value
        answer[name] = value
    return answer | {name: row[name].replace(" ", "T") + ".000000Z" for name in ("created_at", "updated_at")}


def normal(value):
    """A value behind the middleware that trims texts and makes null of an empty one."""
    if isinstance(value, dict):
        return {name: normal(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [normal(inner) for inner in value]
    return (value.strip() or None) if isinstance(value, str) else value


def faults_of(table, name, value, own):
    """The sentences of the rules that a value breaks."""
    cast, rule = COLUMNS[table][name]
    words = name.replace("_", " ")
    if value is None:
        return [f"The {words} field is required."] if rule == "required" else []
    fits = {
        "string": isinstance(value, str), "array": isinstance(value, (list, dict)),
        "integer": isinstance(value, int) or isinstance(value, str) and value.lstrip("-").isdigit(),
        "float": isinstance(value, (int, float)), "boolean": value in (True, False, 0, 1, "0", "1"),
    }
    if not fits.get(cast, True):
        kind = {"float": "a number", "integer": "an integer", "boolean": "true or false", "array": "an array"}
        return [f"The {words} field must be {kind.get(cast, 'a string')}."]
    if cast == "datetime":
        try:
            datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
        except (ValueError, AttributeError):
            return [f"The {words} field must be a valid date."]
    if cast == "string" and name != "picture" and len(value) > 255:
        return [f"The {words} field must not be greater than 255 characters."]
    if name == "local_id" and store.execute(
        f"SELECT 1 FROM {table} WHERE local_id = ? AND id IS NOT ?", (value, own)
    ).fetchone():
        return [f"The {words} has already been taken."]
    if rule == "exists" and not store.execute("SELECT 1 FROM folders WHERE id = ?", (value,)).fetchone():
        return [f"The selected {words} is invalid."]
    return []


def validated(table, body, own=None):
    """The fields with rules, as the columns keep them; of a change, those that it names."""
    names = [name for name in COLUMNS[table] if own is None or name in body]
    errors = {name: found for name in names if (found := faults_of(table, name, body.get(name), own))}
    if errors:
        messages = [message for found in errors.values() for message in found]
        more = len(messages) - 1
        rest = f" (and {more} more error{'s' * (more > 1)})" if more else ""
        raise Refusal(422, {"message": messages[0] + rest, "errors": errors})
    fields = {}
    for name in names:
        cast, value = COLUMNS[table][name][0], body.get(name)
        if value is not None and cast == "datetime":
            # The zone is passed over: a model keeps the digits.
            value = text_of(datetime.datetime.fromisoformat(value.replace("Z", "+00:00")))
        elif value is not None and cast == "array":
            value = json.dumps(value)
        elif value is not None and cast in ("integer", "boolean"):
            value = int(value)
        fields[name] = value
    return fields


class Server(StandIn):
    def outcome(self, content):
        address = urllib.parse.urlsplit(self.path)
        body = json.loads(content or b"{}")
        if "json" not in (self.headers.get("Accept") or ""):
            return 302, None, ("Location", "/login")
        path = [urllib.parse.unquote(part) for part in address.path.split("/") if part]
        scheme, _, token = (self.headers.get("Authorization") or "").partition(" ")
        user = USERS.get(token) if scheme == "Bearer" else None
        if user is None:
            raise Refusal(401, {"message": "Unauthenticated."})
        if is_due("busy"):
            return 429, {"message": "Too Many Attempts."}, ("Retry-After", "1")
        if path == ["api", "user"] and self.command == "GET":
            return 200, user
        if len(path) not in (2, 3) or path[0] != "api" or path[1] not in COLUMNS:
            raise Refusal(404, {"message": f"The route {'/'.join(path)} could not be found."})
        kind = {"GET": "reads", "POST": "creates", "PUT": "updates", "PATCH": "updates", "DELETE": "deletes"}[self.command]
        count(kind)
        return self.resource(path[1], path[2:], user["id"], normal(body), dict(urllib.parse.parse_qsl(address.query)))

    def resource(self, table, rest, user, body, query):
        if not rest and self.command == "GET":
            return 200, self.page(table, user, int(query.get("page", 1)))
        if not rest and self.command == "POST":
            now = text_of(datetime.datetime.now(datetime.timezone.utc))
            fields = validated(table, body) | {"user_id": user, "created_at": now, "updated_at": now}
            names, marks = ", ".join(fields), ", ".join("?" * len(fields))
            made = store.execute(f"INSERT INTO {table}({names}) VALUES({marks})", list(fields.values())).lastrowid
            return 201, {"data": shown(table, self.row(table, made, user))}
        if not rest:
            raise Refusal(405, {"message": f"The {self.command} method is not supported for route api/{table}."})
        row = self.row(table, rest[0], user)
        if self.command == "DELETE":
            store.execute(f"DELETE FROM {table} WHERE id = ?", (row["id"],))
            return 204, None
        if self.command in ("PUT", "PATCH"):
            fields = validated(table, body, row["id"])
            fields["updated_at"] = text_of(datetime.datetime.now(datetime.timezone.utc))
            store.execute(
                f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in fields)} WHERE id = ?",
                [*fields.values(), row["id"]],
            )
        return 200, {"data": shown(table, self.row(table, row["id"], user))}

    def row(self, table, number, user):
        row = store.execute(f"SELECT * FROM {table} WHERE id = ? AND user_id = ?", (number, user)).fetchone()
        if row is None:
            model = f"App\\Models\\{table.title()[:-1]}"
            raise Refusal(404, {"message": f"No query results for model [{model}] {number}"})
        return row

    def page(self, table, user, number):
        total = store.execute(f"SELECT count(*) FROM {table} WHERE user_id = ?", (user,)).fetchone()[0]
        start = (number - 1) * PER_PAGE
        rows = store.execute(
            f"SELECT * FROM {table} WHERE user_id = ? ORDER BY id LIMIT ? OFFSET ?", (user, PER_PAGE, start)
        ).fetchall()
        last = max(1, -(-total // PER_PAGE))
        base = f"http://{self.headers.get('Host')}/api/{table}"

        def link(page):
            return f"{base}?page={page}" if 1 <= page <= last else None

        return {
            "data": [shown(table, row) for row in rows],
            "links": {"first": link(1), "last": link(last), "prev": link(number - 1), "next": link(number + 1)},
            "meta": {
                "current_page": number, "from": start + 1 if rows else None, "last_page": last, "path": base,
                "per_page": PER_PAGE, "to": start + len(rows) if rows else None, "total": total,
            },
        }


serve(Server, PORT)
