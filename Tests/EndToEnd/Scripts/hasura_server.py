#!/usr/bin/env python3
"""A stand-in for Hasura GraphQL Engine 2 over PostgreSQL, written from its documentation.

    hasura_server.py FOLDER PORT

It keeps rows in FOLDER/hasura.sqlite, so that another program can count them. Queries are parsed, validated and carried out by
graphql-core against a schema for each role. What it does is written down at

    https://hasura.io/docs/2.0/api-reference/graphql-api/index/      POST /v1/graphql, 200 for each answer, arrays of operations
    https://hasura.io/docs/2.0/api-reference/graphql-api/query/      where, order_by, limit, offset, _by_pk
    https://hasura.io/docs/2.0/api-reference/graphql-api/mutation/   insert, insert_one, update, update_many, delete, _by_pk
    https://hasura.io/docs/2.0/mutations/postgres/insert/            on_conflict is not offered to a role that may not update
    https://hasura.io/docs/2.0/mutations/postgres/update/            null for a key that no row has
    https://hasura.io/docs/2.0/mutations/postgres/delete/
    https://hasura.io/docs/2.0/auth/authorization/permissions/       rows of the user, column presets, roles
    https://hasura.io/docs/2.0/auth/authentication/admin-secret-access/   the admin secret, with a role and session variables
    https://hasura.io/docs/2.0/auth/authentication/jwt/              HS256, the claims of https://hasura.io/jwt/claims
    https://hasura.io/docs/2.0/queries/postgres/filters/             operators
    https://hasura.io/docs/2.0/security/disable-graphql-introspection/   introspection by role

Its admin secret is admin-secret, and its tokens are signed with JWT_KEY. The role “user” may do anything with rows whose
“user_id” is the session's, and “reader” may read those. Each new row gets “user_id” from the session.

Not written down, and so a guess, from answers that people quote: the words of a fault of PostgreSQL, and that the operations of
an array are carried out one after the other, each in a transaction of its own; and the words for a role to which introspection is
not open. Aggregates, relationships, subscriptions and nested inserts are left out. A validation fault has the words of
graphql-core behind Hasura's code.

The faults of /__set: {"busy": N} answers the next N requests by 503, {"introspection": 0} opens introspection to no
role.
"""

import base64
import datetime
import hashlib
import hmac
import json
import sqlite3
import sys
import time
import uuid

import graphql
from stand_in import StandIn, count, faults, is_due, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
ADMIN_SECRET = "admin-secret"
JWT_KEY = b"a key of thirty-two bytes or more"
CLAIMS = "https://hasura.io/jwt/claims"

# column: (type of PostgreSQL, whether it may be null, its default, the table that it refers to)
OWN = {"user_id": ("text", False, None, None), "created_at": ("timestamptz", False, "now", None),
       "updated_at": ("timestamptz", False, "now", None)}
TABLES = {
    "folders": {"id": ("uuid", False, "uuid", None), "local_id": ("text", True, None, None),
                "name": ("varchar(200)", False, None, None)} | OWN,
    "notes": {"id": ("uuid", False, "uuid", None), "local_id": ("text", True, None, None),
              "title": ("varchar(200)", False, None, None), "stars": ("int4", True, None, None),
              "score": ("float8", True, None, None), "made": ("timestamptz", True, None, None),
              "done": ("bool", True, None, None), "picture": ("text", True, None, None),
              "folder": ("uuid", True, None, "folders")} | OWN,
}
SCALARS = {"uuid": "uuid", "text": "String", "varchar(200)": "String", "int4": "Int", "float8": "float8",
           "timestamptz": "timestamptz", "bool": "Boolean"}

store = sqlite3.connect(f"{FOLDER}/hasura.sqlite", isolation_level=None, check_same_thread=False)
store.execute("PRAGMA journal_mode = WAL")
store.execute("CREATE TABLE IF NOT EXISTS item(collection TEXT, id TEXT, owner TEXT, body TEXT, PRIMARY KEY(collection, id))")
faults.update({"busy": 0, "introspection": 1})


class Fault(Exception):
    """What PostgreSQL or a permission refuses, with Hasura's code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


# MARK: the schema of a role


def may_see(role, name):
    return role == "admin" or name != "user_id"


def described(role):
    """The schema of a role, in the language of GraphQL."""
    lines = ["scalar uuid", "scalar float8", "scalar timestamptz", "enum order_by { asc asc_nulls_first asc_nulls_last desc desc_nulls_first desc_nulls_last }"]
    for scalar in sorted(set(SCALARS.values())):
        operators = " ".join(f"{name}: {scalar}" for name in ("_eq", "_gt", "_gte", "_lt", "_lte", "_neq"))
        lines.append(f"input {scalar}_comparison_exp {{ {operators} _in: [{scalar}!] _nin: [{scalar}!] _is_null: Boolean }}")
    queries, mutations = [], []
    for table, columns in TABLES.items():
        shown = {name: SCALARS[column[0]] for name, column in columns.items() if may_see(role, name)}
        lines.append(f"type {table} {{ " + " ".join(
            f"{name}: {kind}{'' if columns[name][1] else '!'}" for name, kind in shown.items()) + " }")
        lines.append(f"input {table}_bool_exp {{ _and: [{table}_bool_exp!] _or: [{table}_bool_exp!] _not: {table}_bool_exp "
                     + " ".join(f"{name}: {kind}_comparison_exp" for name, kind in shown.items()) + " }")
        lines.append(f"input {table}_order_by {{ " + " ".join(f"{name}: order_by" for name in shown) + " }")
        queries.append(f"{table}(where: {table}_bool_exp, order_by: [{table}_order_by!], limit: Int, offset: Int): [{table}!]!")
        queries.append(f"{table}_by_pk(id: uuid!): {table}")
        if role == "reader":
            continue
        fields = " ".join(f"{name}: {kind}" for name, kind in shown.items())
        lines += [
            f"input {table}_insert_input {{ {fields} }}", f"input {table}_set_input {{ {fields} }}",
            f"input {table}_pk_columns_input {{ id: uuid! }}", f"enum {table}_constraint {{ {table}_pkey }}",
            f"enum {table}_update_column {{ {' '.join(shown)} }}",
            f"input {table}_on_conflict {{ constraint: {table}_constraint! update_columns: [{table}_update_column!]! = []"
            f" where: {table}_bool_exp }}",
            f"input {table}_updates {{ where: {table}_bool_exp! _set: {table}_set_input }}",
            f"type {table}_mutation_response {{ affected_rows: Int! returning: [{table}!]! }}",
        ]
        mutations += [
            f"insert_{table}(objects: [{table}_insert_input!]!, on_conflict: {table}_on_conflict): {table}_mutation_response",
            f"insert_{table}_one(object: {table}_insert_input!, on_conflict: {table}_on_conflict): {table}",
            f"update_{table}(where: {table}_bool_exp!, _set: {table}_set_input): {table}_mutation_response",
            f"update_{table}_by_pk(pk_columns: {table}_pk_columns_input!, _set: {table}_set_input): {table}",
            f"update_{table}_many(updates: [{table}_updates!]!): [{table}_mutation_response]",
            f"delete_{table}(where: {table}_bool_exp!): {table}_mutation_response",
            f"delete_{table}_by_pk(id: uuid!): {table}",
        ]
    lines.append("type query_root { " + " ".join(queries) + " }")
    roots = "query: query_root"
    if mutations:
        lines.append("type mutation_root { " + " ".join(mutations) + " }")
        roots += " mutation: mutation_root"
    return "\n".join(lines + [f"schema {{ {roots} }}"])


SCHEMAS = {role: graphql.build_schema(described(role)) for role in ("admin", "user", "reader")}


# MARK: rows


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


def value(table, name, given):
    """A value as the column keeps it."""
    kind, may_be_null, _, target = TABLES[table][name]
    if given is None:
        if not may_be_null:
            raise Fault("constraint-violation", f'Not-NULL violation. null value in column "{name}" of relation "{table}" '
                        "violates not-null constraint")
        return None
    if kind == "varchar(200)" and len(given) > 200:
        raise Fault("data-exception", "value too long for type character varying(200)")
    if isinstance(given, str) and "\0" in given:
        raise Fault("data-exception", "unsupported Unicode escape sequence")
    if kind == "uuid":
        try:
            given = str(uuid.UUID(str(given)))
        except ValueError:
            raise Fault("data-exception", f'invalid input syntax for type uuid: "{given}"') from None
    if kind == "float8":
        given = float(given)
    if kind == "timestamptz":
        try:
            moment = datetime.datetime.fromisoformat(str(given).replace("Z", "+00:00"))
        except ValueError:
            raise Fault("data-exception", f'invalid input syntax for type timestamp with time zone: "{given}"') from None
        given = moment.astimezone(datetime.timezone.utc).isoformat()
    if target and not store.execute("SELECT 1 FROM item WHERE collection = ? AND id = ?", (target, given)).fetchone():
        raise Fault("constraint-violation", f'Foreign key violation. insert or update on table "{table}" violates foreign key '
                    f'constraint "{table}_{name}_fkey"')
    return given


def passes(table, row, test):
    for name, rule in (test or {}).items():
        if name == "_and":
            if not all(passes(table, row, inner) for inner in rule):
                return False
        elif name == "_or":
            if not any(passes(table, row, inner) for inner in rule):
                return False
        elif name == "_not":
            if passes(table, row, rule):
                return False
        elif not all(compared(table, name, row[name], operator, wanted) for operator, wanted in (rule or {}).items()):
            return False
    return True


def compared(table, name, found, operator, wanted):
    if wanted is None:
        raise Fault("unexpected", f"unexpected null value for type '{SCALARS[TABLES[table][name][0]]}'")
    if operator == "_is_null":
        return (found is None) == wanted
    if TABLES[table][name][0] in ("uuid", "timestamptz"):
        several = isinstance(wanted, list)
        kept = [comparable(table, name, element) for element in (wanted if several else [wanted])]
        wanted = kept if several else kept[0]
    if found is None:
        return False
    return {"_eq": lambda: found == wanted, "_neq": lambda: found != wanted, "_gt": lambda: found > wanted,
            "_gte": lambda: found >= wanted, "_lt": lambda: found < wanted, "_lte": lambda: found <= wanted,
            "_in": lambda: found in wanted, "_nin": lambda: found not in wanted}[operator]()


def comparable(table, name, given):
    kind, nullable, default, _ = TABLES[table][name]
    TABLES[table]["__compared"] = (kind, nullable, default, None)
    try:
        return value(table, "__compared", given)
    finally:
        del TABLES[table]["__compared"]


class Session:
    def __init__(self, role, user):
        self.role, self.user = role, user

    def rows(self, table, test=None):
        one = ((test or {}).get("id") or {}).get("_eq")
        found = store.execute("SELECT body FROM item WHERE collection = ? AND (? OR id = ?) ORDER BY id",
                              (table, one is None, comparable(table, "id", one) if one else None))
        rows = [json.loads(body) for (body,) in found]
        own = rows if self.role == "admin" else [row for row in rows if row["user_id"] == self.user]
        return [row for row in own if passes(table, row, test)]

    def save(self, table, row):
        text = json.dumps(row, sort_keys=True, ensure_ascii=False)
        store.execute("INSERT OR REPLACE INTO item VALUES(?, ?, ?, ?)", (table, row["id"], row["user_id"], text))
        return row

    def insert(self, table, given, on_conflict=None):
        given = dict(given)
        if self.role != "admin" or (self.user and "user_id" not in given):
            if not self.user:
                raise Fault("not-found", 'missing session variable: "x-hasura-user-id"')
            given["user_id"] = self.user
        for name, column in TABLES[table].items():
            if name not in given and column[2]:
                given[name] = str(uuid.uuid4()) if column[2] == "uuid" else now()
        row = {name: value(table, name, given.get(name)) for name in TABLES[table]}
        if store.execute("SELECT 1 FROM item WHERE collection = ? AND id = ?", (table, row["id"])).fetchone():
            if on_conflict is None:
                raise Fault("constraint-violation",
                            f'Uniqueness violation. duplicate key value violates unique constraint "{table}_pkey"')
            names = on_conflict["update_columns"]
            if not names:
                return None
            there = self.rows(table, {"id": {"_eq": row["id"]}})
            return self.save(table, there[0] | {name: row[name] for name in names}) if there else None
        return self.save(table, row)

    def update(self, table, test, changes):
        changed = []
        for row in self.rows(table, test):
            new = row | {name: value(table, name, content) for name, content in (changes or {}).items()}
            new["updated_at"] = now()
            if new["id"] != row["id"]:
                store.execute("DELETE FROM item WHERE collection = ? AND id = ?", (table, row["id"]))
            changed.append(self.save(table, new))
        return changed

    def delete(self, table, test):
        gone = self.rows(table, test)
        for row in gone:
            for other, columns in TABLES.items():
                for name, column in columns.items():
                    if column[3] == table and store.execute(
                        f"SELECT 1 FROM item WHERE collection = ? AND body ->> '$.{name}' = ?", (other, row["id"])
                    ).fetchone():
                        raise Fault("constraint-violation", f'Foreign key violation. update or delete on table "{table}" violates '
                                    f'foreign key constraint "{other}_{name}_fkey" on table "{other}"')
            store.execute("DELETE FROM item WHERE collection = ? AND id = ?", (table, row["id"]))
        return gone


def answered_rows(rows):
    return {"affected_rows": len(rows), "returning": rows}


def resolve(_, info, **given):
    """A field of the query or of the mutation."""
    session, name = info.context, info.field_name
    for table in TABLES:
        if name == table:
            count("reads")
            rows = session.rows(table, given.get("where"))
            for order in reversed(given.get("order_by") or []):
                for column, direction in order.items():
                    rows.sort(key=lambda row: (row[column] is None, row[column]), reverse=direction.startswith("desc"))
            if given.get("limit", 0) is not None and given.get("limit", 0) < 0 or (given.get("offset") or 0) < 0:
                raise Fault("parse-failed", "unexpected negative value")
            rows = rows[given.get("offset") or 0:]
            return rows if given.get("limit") is None else rows[:given["limit"]]
        if name == f"{table}_by_pk":
            count("reads")
            return next(iter(session.rows(table, {"id": {"_eq": given["id"]}})), None)
        if name == f"insert_{table}":
            count("creates")
            made = [session.insert(table, element, given.get("on_conflict")) for element in given["objects"]]
            return answered_rows([row for row in made if row])
        if name == f"insert_{table}_one":
            count("creates")
            return session.insert(table, given["object"], given.get("on_conflict"))
        if name in (f"update_{table}", f"update_{table}_by_pk", f"update_{table}_many"):
            count("updates")
            if name.endswith("_by_pk"):
                changed = session.update(table, {"id": {"_eq": given["pk_columns"]["id"]}}, given.get("_set"))
                return next(iter(changed), None)
            if name.endswith("_many"):
                return [answered_rows(session.update(table, each["where"], each.get("_set"))) for each in given["updates"]]
            return answered_rows(session.update(table, given["where"], given.get("_set")))
        if name == f"delete_{table}":
            count("deletes")
            return answered_rows(session.delete(table, given["where"]))
        if name == f"delete_{table}_by_pk":
            count("deletes")
            return next(iter(session.delete(table, {"id": {"_eq": given["id"]}})), None)
    raise Fault("unexpected", f"nothing resolves {name}")


for schema in SCHEMAS.values():
    for root in filter(None, (schema.query_type, schema.mutation_type)):
        for field in root.fields.values():
            field.resolve = resolve


# MARK: requests


def fault(code, message, path="$"):
    return {"errors": [{"message": message, "extensions": {"path": path, "code": code}}]}


documents = {}


def checked(role, text):
    """The document of a query, or the answer that refuses it."""
    if (role, text) not in documents:
        documents[role, text] = examined(SCHEMAS[role], text)
    return documents[role, text]


def examined(schema, text):
    try:
        document = graphql.parse(text)
    except graphql.GraphQLError as error:
        return None, fault("validation-failed", f"not a valid graphql query: {error.message}", "$.query")
    if any(part.operation.value == "mutation" for part in document.definitions) and schema.mutation_type is None:
        return None, fault("validation-failed", "no mutations exist")
    errors = graphql.validate(schema, document)
    return (None, fault("validation-failed", errors[0].message, "$.selectionSet")) if errors else (document, None)


def operation(session, given):
    """The answer to one operation, which is one transaction."""
    if not isinstance(given, dict) or not isinstance(given.get("query"), str):
        return fault("parse-failed", "the key 'query' was not present")
    document, refusal = checked(session.role, given["query"])
    if refusal:
        return refusal
    asked = {field.name.value for part in document.definitions for field in part.selection_set.selections if hasattr(field, "name")}
    if asked & {"__schema", "__type"}:
        count("introspections")
        if not faults["introspection"]:
            return fault("validation-failed", "GraphQL introspection is disabled for this role", "$.selectionSet.__schema")
    variables = given.get("variables") or {}
    unexpected = set(variables) - {each.variable.name.value for each in document.definitions[0].variable_definitions}
    if unexpected:
        return fault("validation-failed", f"unexpected variables in variableValues: {', '.join(sorted(unexpected))}")
    store.execute("BEGIN IMMEDIATE")
    result = graphql.execute(SCHEMAS[session.role], document, context_value=session, variable_values=variables)
    if result.errors:
        store.execute("ROLLBACK")
        error = result.errors[0]
        code = getattr(error.original_error, "code", "validation-failed")
        path = "$.selectionSet." + ".".join(str(step) for step in error.path) if error.path else "$"
        return fault(code, error.message, path)
    store.execute("COMMIT")
    return {"data": result.data}


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def session_of(headers):
    """The session that the headers open; or the answer that refuses them."""
    role, user = headers.get("X-Hasura-Role"), headers.get("X-Hasura-User-Id")
    secret = headers.get("X-Hasura-Admin-Secret")
    if secret is not None:
        if secret != ADMIN_SECRET:
            return None, fault("access-denied", "invalid x-hasura-admin-secret/x-hasura-access-key")
        role = role or "admin"
    else:
        scheme, _, token = (headers.get("Authorization") or "").partition(" ")
        if scheme != "Bearer":
            return None, fault("invalid-headers", "Missing 'Authorization' or 'Cookie' header in JWT authentication mode")
        try:
            head, claims, signature = token.split(".")
            digest = hmac.new(JWT_KEY, f"{head}.{claims}".encode(), hashlib.sha256).digest()
            if base64.urlsafe_b64encode(digest).decode().rstrip("=") != signature:
                return None, fault("invalid-jwt", "Could not verify JWT: JWSError JWSInvalidSignature")
            claims = decoded(claims)
        except ValueError:
            return None, fault("invalid-jwt", "Could not verify JWT: JWSError (CompactDecodeError Invalid number of parts)")
        if claims.get("exp", time.time() + 1) <= time.time():
            return None, fault("invalid-jwt", "Could not verify JWT: JWTExpired")
        ours = claims.get(CLAIMS, {})
        role = role or ours.get("x-hasura-default-role")
        if role not in ours.get("x-hasura-allowed-roles", []):
            return None, fault("access-denied", "Your requested role is not in allowed roles")
        user = ours.get("x-hasura-user-id")
    if role not in SCHEMAS:
        # A role without permissions has no fields.
        return None, fault("validation-failed", f"no queries are available to the role {role}")
    return Session(role, user), None


class Server(StandIn):
    kind = "application/json; charset=utf-8"

    def outcome(self, content):
        path, _, query = self.path.partition("?")
        if path != "/v1/graphql":
            return 404, {"path": "$", "error": "resource does not exist", "code": "not-found"}
        if self.command != "POST":
            return 405, {"path": "$", "error": "method not allowed", "code": "not-found"}
        count("requests")
        if is_due("busy"):
            return 503, {"error": "Service Unavailable"}
        session, refusal = session_of(self.headers)
        if refusal:
            return 200, refusal
        try:
            given = json.loads(content)
        except ValueError as error:
            return 200, fault("invalid-json", f"Error in $: {error}")
        if isinstance(given, list):
            return 200, [operation(session, each) for each in given]
        return 200, operation(session, given)


serve(Server, PORT)
