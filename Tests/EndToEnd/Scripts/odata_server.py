#!/usr/bin/env python3
"""A stand-in for a service of OData 4, written from the standard.

    odata_server.py FOLDER PORT

Its root is /odata. It keeps entities in FOLDER/odata.sqlite, so that another program can count them. What it does is written
down at

    https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html
        8.1.5 OData-Version, 8.2.6 OData-MaxVersion; 8.2.4 If-Match; 8.2.8 Prefer: return, maxpagesize, continue-on-error
        11.2.5 system query options, 11.2.6.7 server-driven paging: a next link, which a client does not take apart
        11.4.1.1 use of ETags: 412, and 428 where one is demanded
        11.4.2 create: 201 with Location, 204 with OData-EntityId; 11.4.3 update: PATCH, 200 or 204; 11.4.4 upsert
        11.4.5 delete: 204; 11.7 batch requests; 9.4 error bodies
    https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part2-url-conventions.html
        4.3.1 keys: text in quotes, in which a quote is doubled, and other keys without; 5.1.1 $filter: eq, ge, and, or, in
    https://docs.oasis-open.org/odata/odata-json-format/v4.01/odata-json-format-v4.01.html
        4.5 control information (@odata.etag, @odata.nextLink), 7.1 values of primitive types, 19 batches in JSON
    https://docs.oasis-open.org/odata/odata-csdl-xml/v4.01/odata-csdl-xml-v4.01.html
        3 Edmx, DataServices, Reference and Include; 5 Schema; 6 EntityType, Key; 7 Property; 8 NavigationProperty,
        ReferentialConstraint; 13 EntityContainer, EntitySet, NavigationPropertyBinding; 14 Annotations

Entity sets: “folders” and “notes”, whose keys are an Edm.Guid, and “textfolders” and “textnotes”, whose keys are an Edm.String.
The token ada-token opens what is Ada's, bob-token what is Bob's, and eve-token may only read.

Not written down, and so a guess: 409 for a key that is there, and 400 for a property that a type lacks, for a text that is too
long, and for a key that another entity names. A page has 100 entities unless fewer are preferred. $expand, $select, $apply, deltas, multipart batches, atomicity groups and upserts by PUT are left out, and are answered by 501.

The faults of /__set: {"busy": N} answers the next N requests by 503, {"batches": 0} has no $batch, {"most": N} takes
no more requests in a batch, {"quiet": 1} takes no notice of Prefer, {"lenient": 1} demands no ETag and has none.
{"metadata": KIND} shows no sound $metadata: it is forbidden, missing or empty, has entities, is large or deep, or its
types are a cycle.
"""

import base64
import datetime
import hashlib
import json
import re
import sqlite3
import sys
import urllib.parse

import stand_in
from stand_in import StandIn, count, faults, is_due, serve

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
ROOT = "/odata"
USERS = {"ada-token": "ada", "bob-token": "bob", "eve-token": "eve"}

# property: (type, whether it may be null, its greatest length, the set that it refers to)
def types(key, folders):
    return (
        {"id": (key, False, None, None), "name": ("Edm.String", False, 200, None)},
        {"id": (key, False, None, None), "title": ("Edm.String", False, 200, None), "stars": ("Edm.Int64", True, None, None),
         "score": ("Edm.Double", True, None, None), "made": ("Edm.DateTimeOffset", True, None, None),
         "done": ("Edm.Boolean", True, None, None), "picture": ("Edm.Binary", True, None, None),
         "folder": (key, True, None, folders), "changed": ("Edm.DateTimeOffset", True, None, None)},
    )


SETS = {}
SETS["folders"], SETS["notes"] = types("Edm.Guid", "folders")
SETS["textfolders"], SETS["textnotes"] = types("Edm.String", "textfolders")

store = sqlite3.connect(f"{FOLDER}/odata.sqlite", isolation_level=None, check_same_thread=False)
store.execute("PRAGMA journal_mode = WAL")
store.execute("CREATE TABLE IF NOT EXISTS item(collection TEXT, id TEXT, owner TEXT, body TEXT, PRIMARY KEY(collection, id))")
faults.update({"busy": 0, "batches": 1, "most": 1000, "quiet": 0, "lenient": 0, "metadata": ""})
OPTIONS = {"$filter", "$orderby", "$top", "$skip", "$count", "$skiptoken"}
GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Refusal(stand_in.Refusal):
    def __init__(self, status, code, message, target=None):
        error = {"code": code, "message": message}
        if target:
            error["target"] = target
        super().__init__(status, {"error": error})


# MARK: values


def stamp(moment):
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def value(collection, name, given):
    """A value as the property keeps it."""
    kind, may_be_null, longest, target = SETS[collection][name]
    if given is None:
        if not may_be_null:
            raise Refusal(400, "BadRequest", f"The property {name} of {collection} may not be null.", name)
        return None
    wrong = Refusal(400, "BadRequest", f"The value of {name} is no {kind}.", name)
    try:
        if kind == "Edm.Boolean":
            kept = given if isinstance(given, bool) else None
        elif kind in ("Edm.Int64", "Edm.Double"):
            fits = isinstance(given, int if kind == "Edm.Int64" else (int, float)) and not isinstance(given, bool)
            kept = (float(given) if kind == "Edm.Double" else given) if fits else None
            if kind == "Edm.Int64" and fits and not -2**63 <= given < 2**63:
                kept = None
        elif not isinstance(given, str):
            kept = None
        elif kind == "Edm.Guid":
            kept = given.lower() if GUID.fullmatch(given) else None
        elif kind == "Edm.DateTimeOffset":
            kept = stamp(datetime.datetime.fromisoformat(given.replace("Z", "+00:00"))) if re.search(r"(Z|[+-]\d\d:\d\d)$", given) else None
        elif kind == "Edm.Binary":
            bare = given.rstrip("=")
            if not re.fullmatch(r"[A-Za-z0-9_-]*", bare):
                raise ValueError
            kept = base64.urlsafe_b64encode(base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))).decode().rstrip("=")
        else:
            kept = given
    except ValueError:
        raise wrong from None
    if kept is None:
        raise wrong
    if longest and len(kept) > longest:
        raise Refusal(400, "BadRequest", f"The value of {name} has more than {longest} characters.", name)
    if target and not row(target, kept):
        raise Refusal(400, "BadRequest", f"There is no {kept} in {target}.", name)
    return kept


def row(collection, key):
    return store.execute("SELECT owner, body FROM item WHERE collection = ? AND id = ?", (collection, key)).fetchone()


def tag(body):
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
    return f'W/"{digest}"'


def shown(body):
    return body if faults["lenient"] else {"@odata.etag": tag(body)} | body


def checked(collection, given):
    if not isinstance(given, dict):
        raise Refusal(400, "BadRequest", "The body is no entity.")
    names = [name for name in given if "@" not in name]
    for name in names:
        if name not in SETS[collection]:
            raise Refusal(400, "BadRequest", f"The property '{name}' does not exist on type 'Notes.{collection}'.", name)
    return {name: value(collection, name, given[name]) for name in names}


# MARK: filters

TOKEN = re.compile(r"\s*(?:(?P<guid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})|(?P<moment>\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:\d\d))"
                   r"|(?P<number>-?\d+(?:\.\d+)?)|'(?P<text>(?:[^']|'')*)'|(?P<word>[A-Za-z_]\w*)|(?P<mark>[(),]))")


class Filter:
    """Reads `id eq X or id in (Y, Z) and changed ge T`."""

    def __init__(self, collection, text):
        self.collection, self.tokens, place = collection, [], 0
        while text[place:].strip():
            found = TOKEN.match(text, place)
            if not found:
                raise self.wrong(text)
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            place = found.end()
        self.test = self.any()
        if self.tokens:
            raise self.wrong(text)

    def wrong(self, text=""):
        return Refusal(400, "BadRequest", f"The query specified in the URI is not valid. {text}")

    def take(self, kind=None, word=None):
        if not self.tokens or kind and self.tokens[0][0] != kind or word and self.tokens[0][1] != word:
            raise self.wrong()
        return self.tokens.pop(0)

    def next_is(self, word):
        return bool(self.tokens) and self.tokens[0] in (("word", word), ("mark", word))

    def any(self):
        tests = [self.all()]
        while self.next_is("or"):
            self.take()
            tests.append(self.all())
        return lambda body: any(test(body) for test in tests)

    def all(self):
        tests = [self.one()]
        while self.next_is("and"):
            self.take()
            tests.append(self.one())
        return lambda body: all(test(body) for test in tests)

    def one(self):
        if self.next_is("("):
            self.take()
            inner = self.any()
            self.take(word=")")
            return inner
        name, operator = self.take("word")[1], self.take("word")[1]
        if name not in SETS[self.collection]:
            raise Refusal(400, "BadRequest", f"Could not find a property named '{name}' on type 'Notes.{self.collection}'.")
        if operator == "in":
            self.take(word="(")
            wanted = [self.literal(name)]
            while self.next_is(","):
                self.take()
                wanted.append(self.literal(name))
            self.take(word=")")
            return lambda body: body[name] in wanted
        wanted = self.literal(name)
        if operator not in ("eq", "ne", "gt", "ge", "lt", "le"):
            raise self.wrong(operator)
        return lambda body: {
            "eq": lambda: body[name] == wanted, "ne": lambda: body[name] != wanted,
            "gt": lambda: body[name] is not None and body[name] > wanted, "ge": lambda: body[name] is not None and body[name] >= wanted,
            "lt": lambda: body[name] is not None and body[name] < wanted, "le": lambda: body[name] is not None and body[name] <= wanted,
        }[operator]()

    def literal(self, name):
        kind, text = self.take()
        wanted = SETS[self.collection][name][0]
        fits = {"Edm.Guid": "guid", "Edm.DateTimeOffset": "moment", "Edm.Int64": "number", "Edm.Double": "number",
                "Edm.String": "text", "Edm.Boolean": "word"}.get(wanted)
        if kind != fits:
            raise Refusal(400, "BadRequest", f"A binary operator with incompatible types was detected: {wanted} and {text}.")
        if wanted == "Edm.Boolean":
            return text == "true"
        if wanted == "Edm.String":
            return text.replace("''", "'")
        if wanted == "Edm.DateTimeOffset":
            return stamp(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")))
        return text.lower() if wanted == "Edm.Guid" else float(text)


# MARK: $metadata

TYPES = {"folders": "Folder", "notes": "Note", "textfolders": "TextFolder", "textnotes": "TextNote"}


def described(name, property):
    """A property, and the navigation property beside one that holds the key of another entity."""
    kind, may_be_null, longest, target = property
    facets = (' Nullable="false"' if not may_be_null else "") + (f' MaxLength="{longest}"' if longest else "")
    note = '<Annotation Term="Core.Computed" Bool="true"/>' if name == "changed" else ""
    lines = [f'<Property Name="{name}" Type="{kind}"{facets}>{note}</Property>']
    if target:
        lines.append(f'<NavigationProperty Name="{name}Of" Type="Self.{TYPES[target]}">'
                     f'<ReferentialConstraint Property="{name}" ReferencedProperty="id"/></NavigationProperty>')
    return lines


def metadata():
    """The service in CSDL."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">',
        '<edmx:Reference Uri="https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.xml">'
        '<edmx:Include Namespace="Org.OData.Core.V1" Alias="Core"/></edmx:Reference>',
        '<edmx:DataServices><Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Notes" Alias="Self">',
    ]
    for collection, properties in SETS.items():
        lines.append(f'<EntityType Name="{TYPES[collection]}"><Key><PropertyRef Name="id"/></Key>')
        for name, property in properties.items():
            lines += described(name, property)
        lines.append("</EntityType>")
    lines.append('<EntityContainer Name="Container">')
    for collection, properties in SETS.items():
        lines.append(f'<EntitySet Name="{collection}" EntityType="Notes.{TYPES[collection]}">')
        lines += [f'<NavigationPropertyBinding Path="{name}Of" Target="{property[3]}"/>'
                  for name, property in properties.items() if property[3]]
        lines.append("</EntitySet>")
    return "\n".join(lines + ["</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>"])


def spoilt(text):
    """The metadata as a hostile service would give it."""
    kind = faults["metadata"]
    if kind == "empty":
        return ""
    if kind == "entities":
        bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
        return text.replace("<edmx:Edmx", f'<!DOCTYPE Edmx [<!ENTITY e0 "x">{bomb}]><edmx:Edmx', 1).replace(
            'Name="Container"', 'Name="&e9;"')
    if kind == "large":
        return text.replace("</Schema>", "<!--" + "x" * 250_000 + "-->" + "<!---->" * 1_500_000 + "</Schema>")
    if kind == "deep":
        return text.replace("</Schema>", "<a>" * 100_000 + "</a>" * 100_000 + "</Schema>")
    if kind == "cycle":
        return text.replace('<EntityType Name="Folder">', '<EntityType Name="Folder" BaseType="Self.Note">').replace(
            '<EntityType Name="Note">', '<EntityType Name="Note" BaseType="Self.Folder">')
    return text


def metadata_answer(headers):
    count("metadata")
    if faults["metadata"] == "forbidden":
        raise Refusal(403, "Forbidden", "The account may not read the metadata.")
    if faults["metadata"] == "missing":
        raise Refusal(404, "NotFound", "The service shows no metadata.")
    accepted = [part.split(";")[0].strip() for part in headers.get("accept", "*/*").split(",")]
    if not {"application/xml", "application/*", "*/*"} & set(accepted):
        raise Refusal(406, "NotAcceptable", "The metadata are application/xml.")
    return 200, spoilt(metadata()).encode(), ("Content-Type", "application/xml")


# MARK: requests


class Request:
    """One request, alone or in a batch."""

    def __init__(self, method, address, headers, body, origin, user):
        url = urllib.parse.urlsplit(address)
        self.method, self.origin, self.user = method.upper(), origin, user
        self.path = urllib.parse.unquote(url.path)
        self.query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        self.headers = {name.lower(): content for name, content in headers.items()}
        self.body = body

    def prefers(self, name, default=None):
        if faults["quiet"]:
            return default
        for part in self.headers.get("prefer", "").split(","):
            key, _, content = part.strip().partition("=")
            if key.removeprefix("odata.") == name.removeprefix("odata."):
                return content or "true"
        return default

    def answer(self):
        version = self.headers.get("odata-version", "4.0")
        if version not in ("4.0", "4.01"):
            raise Refusal(400, "BadRequest", f"The service does not know OData-Version {version}.")
        if self.path == f"{ROOT}/$metadata" and self.method == "GET":
            return metadata_answer(self.headers)
        found = re.fullmatch(re.escape(ROOT) + r"/(\w+)(?:\((.*)\))?", self.path)
        if not found or found[1] not in SETS:
            raise Refusal(404, "NotFound", f"Resource not found for {self.path}.")
        for name in self.query:
            if name.startswith("$") and name not in OPTIONS:
                raise Refusal(501, "NotImplemented", f"The query option {name} is not supported.")
        collection, key = found[1], found[2]
        if self.user == "eve" and self.method != "GET":
            raise Refusal(403, "Forbidden", "The account may not change anything.")
        if self.body is not None and self.method in ("GET", "DELETE"):
            raise Refusal(400, "BadRequest", f"A {self.method} has no body.")
        if self.method in ("POST", "PATCH", "PUT"):
            kind = self.headers.get("content-type", "").split(";")[0].strip()
            if kind != "application/json":
                raise Refusal(415, "UnsupportedMediaType", f"{kind or 'No media type'} is not supported.")
        if key is None:
            if self.method == "GET":
                return self.read(collection)
            if self.method == "POST":
                return self.create(collection)
            raise Refusal(405, "MethodNotAllowed", f"{self.method} is not allowed for an entity set.")
        key = self.key(collection, key)
        if self.method == "GET":
            count("reads")
            body = self.own(collection, key)[1]
            return 200, self.entity(collection, body), *self.tagged(body)
        if self.method == "PATCH":
            return self.update(collection, key)
        if self.method == "DELETE":
            return self.delete(collection, key)
        raise Refusal(501 if self.method == "PUT" else 405, "NotImplemented", f"{self.method} is not supported for an entity.")

    def key(self, collection, text):
        text = text.removeprefix("id=")
        if SETS[collection]["id"][0] == "Edm.Guid":
            if not GUID.fullmatch(text):
                raise Refusal(400, "BadRequest", f"The key {text} is no Edm.Guid.")
            return text.lower()
        if not re.fullmatch(r"'([^']|'')*'", text):
            raise Refusal(400, "BadRequest", f"The key {text} is no Edm.String.")
        return text[1:-1].replace("''", "'")

    def url(self, collection, key):
        name = key if SETS[collection]["id"][0] == "Edm.Guid" else "'" + urllib.parse.quote(key.replace("'", "''")) + "'"
        return f"{self.origin}{ROOT}/{collection}({name})"

    def entity(self, collection, body):
        return {"@odata.context": f"{self.origin}{ROOT}/$metadata#{collection}/$entity"} | shown(body)

    def tagged(self, body):
        return [] if faults["lenient"] else [("ETag", tag(body))]

    def own(self, collection, key):
        found = row(collection, key)
        if not found or found[0] != self.user and self.user != "eve":
            raise Refusal(404, "NotFound", f"There is no entity with the key {key}.")
        return found[0], json.loads(found[1])

    def read(self, collection):
        count("reads")
        rows = [json.loads(body) for owner, body in store.execute(
            "SELECT owner, body FROM item WHERE collection = ? ORDER BY id", (collection,)) if self.user in (owner, "eve")]
        if "$filter" in self.query:
            rows = list(filter(Filter(collection, self.query["$filter"]).test, rows))
        order = self.query.get("$orderby", "id").split(" ")
        if order[0] not in SETS[collection] or order[1:] not in ([], ["asc"], ["desc"]):
            raise Refusal(400, "BadRequest", f"$orderby={self.query['$orderby']} is not valid.")
        rows.sort(key=lambda body: (body[order[0]] is not None, body[order[0]]), reverse=order[1:] == ["desc"])
        total = len(rows)
        numbers = {}
        for name in ("$top", "$skip", "$skiptoken"):
            if not re.fullmatch(r"\d+", self.query.get(name, "0")):
                raise Refusal(400, "BadRequest", f"Incorrect format for {name} argument '{self.query[name]}'.")
            numbers[name] = int(self.query.get(name, "0"))
        rows = rows[numbers["$skip"]:]
        if "$top" in self.query:
            rows = rows[:numbers["$top"]]
        size, start = min(int(self.prefers("odata.maxpagesize", "100")), 500), numbers["$skiptoken"]
        answer = {"@odata.context": f"{self.origin}{ROOT}/$metadata#{collection}"}
        if self.query.get("$count") == "true":
            answer["@odata.count"] = total
        answer["value"] = [shown(body) for body in rows[start:start + size]]
        if start + size < len(rows):
            query = urllib.parse.urlencode(self.query | {"$skiptoken": str(start + size)}, quote_via=urllib.parse.quote)
            answer["@odata.nextLink"] = f"{self.origin}{ROOT}/{collection}?{query}"
        return 200, answer

    def save(self, collection, key, owner, body):
        body["changed"] = stamp(datetime.datetime.now(datetime.timezone.utc)) if "changed" in SETS[collection] else None
        body = {name: body.get(name) for name in SETS[collection]}
        text = json.dumps(body, sort_keys=True, ensure_ascii=False)
        store.execute("INSERT OR REPLACE INTO item VALUES(?, ?, ?, ?)", (collection, key, owner, text))
        return body

    def create(self, collection):
        count("creates")
        body = checked(collection, self.body)
        for name, (_, may_be_null, _, _) in SETS[collection].items():
            if not may_be_null and name not in body:
                raise Refusal(400, "BadRequest", f"The property {name} is required.", name)
        if row(collection, body["id"]):
            raise Refusal(409, "Conflict", f"An entity with the key {body['id']} exists already.")
        body = self.save(collection, body["id"], self.user, body)
        place = ("Location", self.url(collection, body["id"]))
        if self.prefers("return") == "minimal":
            return 204, None, place, ("OData-EntityId", place[1]), *self.tagged(body)
        return 201, self.entity(collection, body), place, *self.tagged(body)

    def matched(self, body):
        wanted = self.headers.get("if-match")
        if faults["lenient"]:
            return
        if wanted is None:
            raise Refusal(428, "PreconditionRequired", "The request has to have If-Match.")
        if wanted != "*" and tag(body) not in [each.strip() for each in wanted.split(",")]:
            raise Refusal(412, "PreconditionFailed", "The entity was changed since.")

    def update(self, collection, key):
        count("updates")
        owner, body = self.own(collection, key)
        self.matched(body)
        changes = checked(collection, self.body)
        if changes.get("id", key) != key:
            raise Refusal(400, "BadRequest", "A key cannot be changed.", "id")
        body = self.save(collection, key, owner, body | changes)
        if self.prefers("return") == "representation":
            return 200, self.entity(collection, body), ("Preference-Applied", "return=representation"), *self.tagged(body)
        return 204, None, *self.tagged(body)

    def delete(self, collection, key):
        count("deletes")
        self.matched(self.own(collection, key)[1])
        for other, properties in SETS.items():
            for name, property in properties.items():
                if property[3] == collection and store.execute(
                    f"SELECT 1 FROM item WHERE collection = ? AND body ->> '$.{name}' = ?", (other, key)
                ).fetchone():
                    raise Refusal(400, "BadRequest", f"The entity is still named by {name} of {other}.")
        store.execute("DELETE FROM item WHERE collection = ? AND id = ?", (collection, key))
        return 204, None


def settled(request):
    """The answer to a request, which is one transaction."""
    store.execute("BEGIN IMMEDIATE")
    try:
        answer = request.answer()
        store.execute("COMMIT")
        return answer
    except Refusal as refusal:
        store.execute("ROLLBACK")
        return refusal.status, refusal.body


def batch(outer):
    """A batch in JSON: each request by itself, and the answers in whatever order."""
    if not faults["batches"]:
        raise Refusal(501, "NotImplemented", "Batch requests are not supported.")
    count("batches")
    if outer.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise Refusal(415, "UnsupportedMediaType", "A batch is application/json here.")
    requests = outer.body.get("requests") if isinstance(outer.body, dict) else None
    if not isinstance(requests, list):
        raise Refusal(400, "BadRequest", "A batch has requests.")
    if len(requests) > faults["most"]:
        raise Refusal(400, "BadRequest", f"A batch has at most {faults['most']} requests.")
    ids = [request.get("id") for request in requests]
    if not all(isinstance(name, str) for name in ids) or len(set(ids)) != len(ids):
        raise Refusal(400, "BadRequest", "Each request of a batch has an id of its own, which is a text.")
    answers, goes_on = [], outer.prefers("continue-on-error", "true") != "false"
    for request in requests:
        unknown = set(request) - {"id", "method", "url", "headers", "body"}
        headers, url = request.get("headers", {}), request.get("url", "")
        if unknown or request.get("method", "").lower() not in ("get", "post", "patch", "put", "delete"):
            raise Refusal(501 if unknown else 400, "BadRequest", f"The request {request['id']} cannot be read.")
        if any(name != name.lower() for name in headers):
            raise Refusal(400, "BadRequest", "The names of headers in a batch are in lower case.")
        if request.get("body") is not None and "content-type" not in headers:
            raise Refusal(400, "BadRequest", "A request with a body has a content-type.")
        address = url if url.startswith("/") else f"{ROOT}/{url}"
        inner = Request(request["method"], address, headers, request.get("body"), outer.origin, outer.user)
        status, body, *more = settled(inner)
        answer = {"id": request["id"], "status": status, "headers": {name.lower(): text for name, text in more}}
        if body is not None:
            answer["body"] = body
            answer["headers"]["content-type"] = "application/json; odata.metadata=minimal"
        answers.append(answer)
        if status >= 400 and not goes_on:
            break
    return 200, {"responses": answers[::-1]}


class Server(StandIn):
    kind = "application/json; odata.metadata=minimal"

    def outcome(self, content):
        path, _, query = self.path.partition("?")
        count("requests")
        if is_due("busy"):
            return 503, {"error": {"code": "ServiceUnavailable", "message": "The service is overloaded."}}, ("Retry-After", "1")
        scheme, _, token = (self.headers.get("Authorization") or "").partition(" ")
        if scheme != "Bearer" or token not in USERS:
            return 401, {"error": {"code": "Unauthorized", "message": "The token is not valid."}}, ("WWW-Authenticate", "Bearer")
        try:
            body = json.loads(content) if content else None
        except ValueError:
            raise Refusal(400, "BadRequest", "The body is no JSON.") from None
        request = Request(self.command, self.path, dict(self.headers), body, f"http://{self.headers['Host']}", USERS[token])
        if path in (f"{ROOT}/$batch", f"{ROOT}/%24batch") and self.command == "POST":
            return batch(request)
        return settled(request)

    def send(self, answer):
        super().send(answer if answer is None else (*answer[:2], *answer[2:], ("OData-Version", "4.0")))


serve(Server, PORT)
