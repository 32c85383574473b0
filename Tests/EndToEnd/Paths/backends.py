#!/usr/bin/env python3
"""A store and a backend by name: a new user's path, kills, lost answers, an edit, a deletion, and back to nothing.

    backends.py PRESET STORE [KILLS] [--seed N] [--keep]

STORE is a store of an app, or a number: a table of so many notes is made then, of which up to 120 are changed, and as
many deleted. The programs are named by variables: FERRY, and those that `.ci/servers.sh` prints. The backend gets what
`ferry schema emit` makes of the store, or what a team would make of the fields that the draft sends.

What is there is counted without Ferry, by SQL or by the server's own interface, and of notes that were made the titles
are compared with those of the table. One line of a table is printed, and below it what is not as it must be; the exit
status is 1 then. LOST answers are those that a proxy kept back. A kill HITS A WRITE where one arrived in the run; these
runs send five records a request. Of PostgreSQL, the commits that may change something are counted, and of a folder the
files that are written or go.
"""

import argparse
import base64
import collections
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = pathlib.Path(os.environ.get("BACKEND_SCRIPTS", HERE.parent / "Scripts"))
KINDS = {"GET": "reads", "HEAD": "reads", "POST": "creates", "PUT": "creates", "PATCH": "updates", "DELETE": "deletes"}


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def ask(address, method="GET", body=None, headers=()):
    """The answer to a request, as JSON where it is JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **dict(headers)}
    request = urllib.request.Request(address, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read()
        answer_headers = answer.headers
    return (json.loads(text) if text[:1] in (b"{", b"[") else text), answer_headers


class Proxy:
    """Counts requests, and keeps back the answer to each write of a number."""

    def __init__(self, origin):
        self.origin, self.lose, self.counts, self.lock = urllib.parse.urlsplit(origin), 0, collections.Counter(), \
            threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                is_lost = proxy.is_lost(self.command, self.path, self.headers.get("X-Amz-Target", ""))
                upstream = http.client.HTTPConnection(proxy.origin.hostname, proxy.origin.port, timeout=60)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
                try:
                    upstream.request(self.command, self.path, body or None, headers)
                    answer = upstream.getresponse()
                    content = answer.read()
                except OSError:
                    self.close_connection = True
                    return
                finally:
                    upstream.close()
                if is_lost:
                    self.close_connection = True
                    return
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    with contextlib.suppress(OSError):
                        self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_any

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *arguments):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}{self.origin.path}"

    def start_losing(self, number):
        self.lose = number

    def is_lost(self, method, path, target):
        is_read = re.search("auth-with|/auth/v1/|:batchGet", path) or re.search("Get|Scan", target)
        is_write = method not in ("GET", "HEAD") and not is_read
        with self.lock:
            self.counts["writes" if is_write else "reads"] += 1
            if not is_write or not self.lose or self.counts["writes"] % self.lose:
                return False
            self.counts["lost"] += 1
            return True

    def take(self):
        """How many writes and reads came since the last call."""
        with self.lock:
            counts = dict(self.counts)
            self.counts.update(writes=-counts.get("writes", 0), reads=-counts.get("reads", 0))
        return counts.get("writes", 0), counts.get("reads", 0)


class CommitProxy:
    """The same before PostgreSQL, where a commit that may change something is a write."""

    def __init__(self, port):
        self.place, self.seen = free_port(), 0
        self.process = subprocess.Popen([sys.executable, SCRIPTS / "commit_proxy.py", str(self.place), str(port),
                                         str(1 << 60)])
        self.address = f"postgresql://127.0.0.1:{self.place}/test"
        while True:
            with contextlib.suppress(OSError):
                self.counts
                return
            time.sleep(0.1)

    @property
    def counts(self):
        return self.ask()

    def ask(self, query=""):
        return json.loads(urllib.request.urlopen(f"http://127.0.0.1:{self.place}/__lost{query}", timeout=10).read())

    def start_losing(self, number):
        self.ask(f"?{number}")

    def take(self):
        count = self.counts["writes"]
        writes, self.seen = count - self.seen, count
        return writes, "–"


class FolderWatch:
    """The same of a folder, where each file that is written or goes is a write. It has no answers to lose."""

    def __init__(self, folder):
        self.address, self.folder, self.writes, self.taken, self.seen = f"file:{folder}", folder, 0, 0, {}

    @property
    def counts(self):
        found = {}
        for file in self.folder.rglob("[!.]*.json"):
            with contextlib.suppress(FileNotFoundError):
                status = file.stat()
                found[file] = status.st_ino, status.st_mtime_ns
        self.writes += len({file for file, _ in found.items() ^ self.seen.items()})
        self.seen = found
        return {"writes": self.writes, "lost": "–"}

    def start_losing(self, number):
        pass

    def take(self):
        count = self.counts["writes"]
        writes, self.taken = count - self.taken, count
        return writes, "–"


class Backend:
    """A backend of one preset. `needs` are the variables that name its programs."""

    preset, needs, credentials, form, path, wait_for = "", (), {}, None, "", "/"
    # What is typed into the drafted profile: a text, and what is in its place then.
    typed = ()

    def proxy(self):
        return Proxy(self.address)

    def __init__(self, folder):
        self.folder, self.processes = folder, []

    def describe(self, world):
        """Makes what the backend has to know of the records before `ferry init` reads it."""

    def place(self, world):
        """Makes the collections of the drafted profile."""

    def records(self):
        """All that is there, read without Ferry."""

    def count(self):
        return sum(1 for _ in self.records())

    def start(self, *command, env=None, wait=None, cwd=None):
        log = open(self.folder / "server.log", "ab")
        self.processes.append(subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=cwd,
            env={**os.environ, **(env or {})}))
        for _ in range(600):
            try:
                urllib.request.urlopen(self.origin + (wait or self.wait_for), timeout=5)
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                if self.processes[-1].poll() is not None:
                    break
                time.sleep(0.1)
        raise SystemExit(f"{self.preset}: the server did not start; see {self.folder}/server.log")

    def listen(self):
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"

    @property
    def address(self):
        return self.origin + self.path

    def stop(self):
        for process in self.processes:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)


class PocketBase(Backend):
    preset, needs, form = "pocketbase", ["FERRY_POCKETBASE"], "pocketbase"
    credentials = {"user": "dev@example.com", "password": "password1", "admin": ""}

    def describe(self, world):
        self.listen()
        program, data = os.environ["FERRY_POCKETBASE"], self.folder / "pb"
        subprocess.run([program, "superuser", "upsert", "admin@example.com", "secret12345", "--dir", data], check=True,
                       stdout=subprocess.DEVNULL)
        self.start(program, "serve", "--http", f"127.0.0.1:{self.port}", "--dir", data, wait="/api/health")
        self.token = self.send("POST", "collections/_superusers/auth-with-password",
                               {"identity": "admin@example.com", "password": "secret12345"})["token"]
        self.credentials = {**self.credentials, "admin": self.token}
        self.send("POST", "collections/users/records",
                  {"email": "dev@example.com", "password": "password1", "passwordConfirm": "password1"})
        document = json.loads(world.emit(self.form))
        self.collections = [collection["name"] for collection in document["collections"]]
        self.send("PUT", "collections/import", document)
        self.send("PATCH", "settings", {"batch": {"enabled": True, "maxRequests": 50, "timeout": 10}})

    def send(self, method, path, body=None):
        headers = {"Authorization": self.token} if hasattr(self, "token") else {}
        return ask(f"{self.origin}/api/{path}", method, body, headers)[0]

    def records(self):
        for name in self.collections:
            number, pages = 1, 1
            while number <= pages:
                page = self.send("GET", f"collections/{name}/records?perPage=500&page={number}&sort=id")
                number, pages = number + 1, page["totalPages"]
                yield from page["items"]

    def count(self):
        return sum(self.send("GET", f"collections/{name}/records?perPage=1")["totalItems"] for name in self.collections)


class Kinto(Backend):
    preset, needs, path = "kinto", ["FERRY_KINTO"], "/v1"
    credentials = {"user": "dev", "password": "secret"}
    settings = """[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = {port}
threads = 4
[app:main]
use = egg:kinto
kinto.userid_hmac_secret = for-tests
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
multiauth.policies = account
multiauth.policy.account.use = kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy
kinto.account_create_principals = system.Everyone
kinto.bucket_create_principals = system.Authenticated
kinto.includes = kinto.plugins.default_bucket kinto.plugins.accounts
[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = generic
[logger_root]
level = WARNING
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = generic
[formatter_generic]
format = %(message)s
"""

    def describe(self, world):
        self.listen()
        file = self.folder / "kinto.ini"
        file.write_text(self.settings.format(port=self.port))
        self.start(os.environ["FERRY_KINTO"], "start", "--ini", file, "--port", self.port, wait="/v1/__heartbeat__")
        ask(f"{self.address}/accounts/dev", "PUT", {"data": {"password": "secret"}})

    def place(self, world):
        self.collections = [entity["collection"] for entity in world.entities]

    def records(self):
        headers = {"Authorization": "Basic " + base64.b64encode(b"dev:secret").decode()}
        for name in self.collections:
            yield from ask(f"{self.address}/buckets/default/collections/{name}/records", headers=headers)[0]["data"]


class Datasette(Backend):
    preset, needs, form, path = "datasette", ["FERRY_DATASETTE"], "sqlite", "/records"
    credentials = {"token": ""}

    def describe(self, world):
        self.listen()
        self.database = self.folder / "records.db"
        with contextlib.closing(sqlite3.connect(self.database)) as base:
            base.executescript(world.emit(self.form))
        settings = {"permissions": {f"{verb}-row": {"id": "root"} for verb in ("insert", "update", "delete")}}
        (self.folder / "settings.json").write_text(json.dumps(settings))
        program = os.environ["FERRY_DATASETTE"]
        token = subprocess.run([program, "create-token", "root", "--secret", "S"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.strip()
        self.credentials = {"token": token}
        self.start(program, "serve", self.database, "--config", self.folder / "settings.json", "--secret", "S",
                   "--port", self.port, wait="/-/versions.json")

    def records(self):
        return rows_of(self.database)


class PostgreSQL(Backend):
    preset, needs, form = "postgresql", ["FERRY_POSTGRES"], "postgresql"
    credentials = {"user": "postgres", "password": "unused"}

    def describe(self, world):
        self.port, data = free_port(), self.folder / "pg"
        data.mkdir()
        self.prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.prefix:
            shutil.chown(data, "postgres")
            for folder in (self.folder, self.folder.parent):
                folder.chmod(0o711)
        self.run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        log = open(self.folder / "server.log", "ab")
        self.processes.append(subprocess.Popen(
            [*self.prefix, f"{os.environ['FERRY_POSTGRES']}/postgres", "-D", data, "-p", str(self.port), "-c",
             "listen_addresses=127.0.0.1", "-k", data, "-c", "fsync=off"], stdin=subprocess.DEVNULL, stdout=log,
            stderr=log))
        for _ in range(300):
            if self.run("pg_isready", "-h", "127.0.0.1", "-p", self.port, check=False).returncode == 0:
                break
            time.sleep(0.1)
        self.run("createdb", "-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "test")
        self.sql(world.emit(self.form))

    @property
    def address(self):
        return f"postgresql://127.0.0.1:{self.port}/test"

    def proxy(self):
        found = CommitProxy(self.port)
        self.processes.append(found.process)
        return found

    def run(self, program, *arguments, check=True, text=None):
        return subprocess.run([*self.prefix, f"{os.environ['FERRY_POSTGRES']}/{program}", *map(str, arguments)],
                              check=check, input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd="/")

    def sql(self, script):
        return self.run("psql", "-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-d", "test", "-qAt", "-v",
                        "ON_ERROR_STOP=1", "-f", "-", text=script).stdout.strip()

    def records(self):
        tables = self.sql("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'"
                          " AND tablename <> 'ferry_operation'").split("\n")
        for table in filter(None, tables):
            texts = self.sql(f"SELECT to_json(t) FROM {table} t").split("\n")
            yield from map(json.loads, filter(None, texts))

    def stop(self):
        self.run("pg_ctl", "-D", self.folder / "pg", "-m", "immediate", "stop", check=False)
        super().stop()


class DynamoDB(Backend):
    preset, needs = "dynamodb", ["FERRY_MOTO"]
    credentials = {"access-key": "AKIAFERRY", "secret-key": "secret+key/of=ferry"}
    typed = [("region:   # to be given", "region: eu-central-1")]

    def describe(self, world):
        self.listen()
        self.start(os.environ["FERRY_MOTO"], SCRIPTS / "moto_server.py", self.folder, self.port, wait="/__seen")
        while "ready" not in ask(f"{self.origin}/__seen")[0]:
            time.sleep(0.1)

    def call(self, target, body):
        return ask(f"{self.origin}/", "POST", body, {
            "X-Amz-Target": f"DynamoDB_20120810.{target}", "X-Test": "1",
            "Content-Type": "application/x-amz-json-1.0"})[0]

    def place(self, world):
        self.collections = [entity["collection"] for entity in world.entities]
        for name in set(self.collections) - {"folders", "notes"}:
            self.call("CreateTable", {
                "TableName": name, "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST"})

    def records(self):
        for name in self.collections:
            start = {}
            while True:
                page = self.call("Scan", {"TableName": name, **start})
                yield from page["Items"]
                if "LastEvaluatedKey" not in page:
                    break
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


class Django(Backend):
    preset, needs, credentials = "django-rest-framework", ["FERRY_DJANGO"], {"token": "drf-token"}

    def describe(self, world):
        self.listen()

    def place(self, world):
        (self.folder / "collections.json").write_text(json.dumps(world.entities))
        self.start(os.environ["FERRY_DJANGO"], __file__, "--django", self.folder, str(self.port), self.preset,
                   wait="/health")

    def records(self):
        return rows_of(self.folder / "django.sqlite", "records_")


class JSONAPI(Django):
    preset, path = "json-api", "/api"


class Rails(Backend):
    preset, needs, credentials = "rails", ["FERRY_RAILS"], {"token": "rails-token"}
    typed = [("preset: rails", "preset: rails\n  settle: 1s")]
    kinds = {"integer": "bigint", "number": "float", "boolean": "boolean", "date-time": "datetime"}

    def describe(self, world):
        self.listen()

    def place(self, world):
        ruby, tables = os.environ["FERRY_RAILS"], []
        for entity in world.entities:
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", entity["name"]).lower()
            fields = [f"{field['name']}:{self.kinds.get(field['kind'], 'text')}" for field in entity["fields"]
                      if field["name"] not in ("local_id", "id", "created_at", "updated_at")]
            fields = [field.replace(":text", ":bigint") if field[:field.index(":")] in entity["references"] else field
                      for field in fields]
            tables.append(" ".join([name, *fields]))
            plural = subprocess.run([ruby, "-e", 'require "active_support/all"; print ARGV[0].pluralize', name],
                                    check=True, text=True, stdout=subprocess.PIPE).stdout
            if plural != entity["collection"]:
                world.type(f"collection: {entity['collection']}\n", f"collection: {plural}\n")
        self.start(ruby, SCRIPTS / "rails_server.rb", self.folder, self.port, "number", *tables, wait="/__seen")

    def records(self):
        return rows_of(self.folder / "rails.sqlite", besides=("schema_migrations", "ar_internal_metadata"))


class Firestore(Backend):
    preset, credentials = "firestore", {"email": "ada@example.com", "password": "correct-horse"}

    def describe(self, world):
        self.listen()
        self.start(sys.executable, SCRIPTS / "firestore_server.py", self.folder, self.port, wait="/__seen")

    @property
    def typed(self):
        server = f"{self.origin}/identitytoolkit.googleapis.com"
        return [("    project:   # to be given", "    project: demo-notes"),
                ("    key:   # to be given", f'    key: key-of-the-project\n  sign-in: {{ server: "{server}" }}')]

    def records(self):
        return rows_of(self.folder / "firestore.sqlite")


class Supabase(Backend):
    preset = "supabase"
    credentials = {"anon": "anon-key", "email": "dev@example.com", "password": "password1"}
    kinds = {"integer": "bigint", "number": "double precision", "boolean": "boolean", "date-time": "timestamptz",
             "string": "text", "link": "uuid"}

    def describe(self, world):
        self.listen()

    def place(self, world):
        (self.folder / "tables.json").write_text(json.dumps({
            entity["collection"]: {field["name"]: {"type": self.kinds.get(field["kind"], "jsonb")}
                                   for field in entity["fields"] if field["name"] not in ("id", "user_id")}
            for entity in world.entities}))
        self.start(sys.executable, SCRIPTS / "supabase_server.py", self.folder, self.port)

    def records(self):
        return rows_of(self.folder / "supabase.sqlite", besides=("objects",))


class Folder(Backend):
    preset = "folder"

    def describe(self, world):
        self.kept = self.folder / "kept"

    @property
    def address(self):
        return f"file:{self.kept}"

    def proxy(self):
        return FolderWatch(self.kept)

    def records(self):
        if self.kept.exists():
            yield from (json.loads(file.read_text()) for file in self.kept.rglob("[!.]*.json"))


BACKENDS = {kind.preset: kind for kind in (PocketBase, Django, JSONAPI, Kinto, Datasette, DynamoDB, Rails, PostgreSQL,
                                         Firestore, Supabase, Folder)}


def rows_of(database, prefix="", besides=()):
    """The rows of the tables of a database, which a server may have open."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as base:
        names = [name for name, in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [row for name in names
                if name.startswith(prefix) and not name.startswith("sqlite_") and name not in besides
                and "_m2m_" not in name for row in base.execute(f'SELECT * FROM "{name}"')]


class Store:
    """A copy of a store, changed as its app changes it: by SQL."""

    def __init__(self, name, folder):
        self.notes = int(name) if name.isdigit() else 0
        self.part = max(1, min(120, self.notes // 5))
        if self.notes:
            self.path = folder / "notes.sqlite"
            with contextlib.closing(sqlite3.connect(self.path)) as base, base:
                base.execute("CREATE TABLE Note(id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, stars INTEGER)")
                base.executemany("INSERT INTO Note VALUES(?, ?, ?)",
                                 [(f"n{n:06}", f"note {n}", n % 5) for n in range(self.notes)])
            return
        source = pathlib.Path(name)
        self.path = folder / source.name
        for ending in ("", "-wal"):
            if (file := source.with_name(source.name + ending)).exists():
                shutil.copyfile(file, self.path.with_name(self.path.name + ending))

    def tables(self, entities):
        """The table of each entity, with the condition that its rows meet; `None` where it has none of its own."""
        with contextlib.closing(sqlite3.connect(self.path)) as base:
            names = {name for name, in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            core = {}
            if "Z_PRIMARYKEY" in names:
                rows = base.execute("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY").fetchall()
                by_number = {number: (name, above) for number, name, above in rows}
                for number, name, above in rows:
                    root = name
                    while above:
                        root, above = by_number[above]
                    core[name] = (f"Z{root.upper()}", f"Z_ENT = {number}")
            return {entity: core.get(entity) or ((entity, "1") if entity in names else None) for entity in entities}

    def count(self, entities):
        """How many rows the entities have; `None` where that is not known of one."""
        found = 0
        with contextlib.closing(sqlite3.connect(self.path)) as base:
            for entity, place in self.tables(entities).items():
                if place is None:
                    return None
                found += base.execute(f'SELECT count(*) FROM "{place[0]}" WHERE {place[1]}').fetchone()[0]
        return found

    def titles(self):
        """The title of each note, of a store that was made for this."""
        with contextlib.closing(sqlite3.connect(self.path)) as base:
            return sorted(title for title, in base.execute("SELECT title FROM Note"))

    def edit(self, world, count):
        """Changes a text of so many rows; gives how many were changed."""
        with contextlib.closing(sqlite3.connect(self.path)) as base, base:
            for entity in reversed(world.entities):
                place = self.tables([entity["name"]])[entity["name"]]
                if place is None:
                    continue
                columns = {row[1].lower(): row[1] for row in base.execute(f'PRAGMA table_info("{place[0]}")')}
                for field in entity["fields"]:
                    column = columns.get("z" + field["member"].lower()) if place[1] != "1" \
                        else columns.get(field["member"].lower())
                    if field["kind"] != "string" or field["is_key"] or column is None:
                        continue
                    rows = f"SELECT rowid FROM \"{place[0]}\" WHERE {place[1]} AND typeof(\"{column}\") = 'text'" \
                        f" ORDER BY rowid LIMIT {count}"
                    done = base.execute(f'UPDATE "{place[0]}" SET "{column}" = "{column}" || ? WHERE rowid IN ({rows})',
                                        (" – neu",)).rowcount
                    if done:
                        return done
        return 0

    def delete(self, world, count):
        """Deletes the last rows of an entity that no other names; gives how many."""
        with contextlib.closing(sqlite3.connect(self.path)) as base, base:
            named = {target for entity in world.entities for target in entity["targets"]}
            for entity in reversed(world.entities):
                place = self.tables([entity["name"]])[entity["name"]]
                if place is None or entity["name"] in named:
                    continue
                rows = f'SELECT rowid FROM "{place[0]}" WHERE {place[1]} ORDER BY rowid DESC LIMIT {count}'
                done = base.execute(f'DELETE FROM "{place[0]}" WHERE rowid IN ({rows})').rowcount
                if done:
                    return done
        return 0


class World:
    """A store, a backend and the program."""

    def __init__(self, options, folder):
        self.options, self.folder, self.lines, self.wrong = options, folder, [], []
        (folder / "app").mkdir()
        (folder / "server").mkdir()
        self.store = Store(options.store, folder / "app")
        self.backend = BACKENDS[options.preset](folder / "server")
        self.draft, self.seconds = folder / "my", 0.0
        self.answer, self.words, self.entities = {}, "", []

    @property
    def environment(self):
        """What the program is given: of the settings of Ferry, the state folder alone."""
        given = {name: value for name, value in os.environ.items() if not name.startswith("FERRY_")}
        given["FERRY_STATE_DIR"] = str(self.folder / "state")
        for name, value in self.backend.credentials.items():
            given["B_" + name.upper().replace("-", "_")] = value
        return given

    def ferry(self, *arguments, kill_when=lambda: False, is_typed=False):
        """Runs the program; gives its status and keeps its results by type."""
        if is_typed:
            self.lines.append("ferry " + " ".join(map(str, arguments)))
        begun = time.monotonic()
        process = subprocess.Popen(
            [os.environ["FERRY"], *map(str, arguments), "--format", "ndjson", "--progress", "none"],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while True:
            try:
                out, err = process.communicate(timeout=0.01)
                break
            except subprocess.TimeoutExpired:
                if kill_when():
                    process.kill()
        self.seconds += (time.monotonic() - begun) * is_typed
        self.values = [json.loads(line) for line in out.splitlines(True)
                       if line.startswith("{") and line.endswith("}\n")]
        self.answer, self.words = {value.get("type", ""): value for value in self.values}, err
        return process.returncode

    def flags(self, *names):
        return [part for name in names for part in ("--credential", f"{name}=env:B_{name.upper().replace('-', '_')}")]

    def emit(self, form):
        """What the backend needs for the store, as Ferry says it."""
        file = self.folder / f"described.{form}"
        self.must("schema", "emit", "--for", form, self.store.path, "-o", file)
        return file.read_text()

    def must(self, *arguments, statuses=(0,), **more):
        status = self.ferry(*arguments, **more)
        if status not in statuses:
            raise Fault(f"ferry {arguments[0]}: status {status}: {self.words.strip()[-900:]} {self.unfit()}")
        return status

    def unfit(self):
        checks = [check for check in self.answer.get("preflight", {}).get("checks", []) if check["verdict"] == "unfit"]
        return "; ".join(f"{check['name']}: {check['detail']}" for check in checks)

    def type(self, old, new):
        """Types something into the profile."""
        text = (self.draft / "profile.yaml").read_text()
        if old not in text:
            old, new = re.sub(r": (\w+)\n", r': "\1"\n', old), re.sub(r": (\w+)\n", r': "\1"\n', new)
        if old not in text:
            raise Fault(f"the draft has no {old!r}")
        (self.draft / "profile.yaml").write_text(text.replace(old, new))
        self.lines.append(f"{old.strip()} → {new.strip()}")

    def read_draft(self):
        """What the drafted profile sends: the fields of each entity, each with the kind of its values."""
        self.must("profile", "show", self.draft / "profile.yaml")
        profile = next(value for value in self.answer.values() if "entities" in value)
        self.entities = []
        for name, api in profile["api"]["entities"].items():
            described = profile["entities"][name]
            schema = json.loads((self.draft / described["schema"]).read_text()) if described.get("schema") else {}
            known, key = schema.get("properties", {}), described.get("identity")
            key = key.get("attribute") if isinstance(key, dict) else "$id"
            fields, references, targets = [], [], []
            for field, rule in api.get("body", {}).items():
                rule = {"field": rule} if isinstance(rule, str) else rule
                member = rule.get("field") or rule.get("reference") or rule.get("references") or field
                is_link = "reference" in rule or "references" in rule
                if is_link:
                    references.append(field)
                shape = known.get(member, {})
                kinds = shape.get("type", "any")
                kinds = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
                kind = shape.get("format") if shape.get("format") == "date-time" else kinds[0] if kinds else "any"
                target = described.get("fields", {}).get(member, {})
                target = target.get("names") or target.get("reference") if isinstance(target, dict) else None
                fields.append({"name": field, "member": member, "kind": "link" if is_link else kind,
                               "is_key": member in (key, "$id"), "is_many": "references" in rule, "as": rule.get("as")})
            self.entities.append({
                "name": name, "collection": self.collection(name, api), "fields": fields, "references": references,
                "targets": targets})

    def collection(self, name, api):
        if self.backend.preset == "dynamodb":
            return re.search(r'"TableName":\s*"([^"]+)"', json.dumps(api["list"])).group(1)
        if self.backend.preset in ("postgresql", "folder"):
            return api.get("table", name)
        path = api["list"]["request"].split(" ", 1)[1].split("?")[0]
        parts = [part for part in path.split("/") if part not in ("", "records", "api")]
        return parts[-1].removesuffix(".json")

    # MARK: The path

    def begin(self):
        self.backend.describe(self)
        place = self.backend.address
        admin = [name for name in self.backend.credentials if name in ("admin", "token")]
        reads = self.backend.preset in ("pocketbase", "datasette")
        self.must("init", self.store.path, "--preset", self.backend.preset, "--to", place, "-o", self.draft,
                  *(self.flags(*admin) if reads else []), is_typed=True)
        for old, new in self.backend.typed:
            self.type(old, new)
        self.read_draft()
        self.backend.place(self)
        if self.lines[-1:] and "collection" in self.lines[-1]:
            self.read_draft()
        self.proxy = self.backend.proxy()
        self.to = ["--profile", self.draft / "profile.yaml", "--to", self.proxy.address,
                   *self.flags(*self.backend.credentials)]

    def migrate(self, *more, **how):
        return self.ferry("migrate", self.store.path, *self.to, *more, **how)

    def bucket(self, name, part="upload"):
        return sum(record.get(name, 0) for record in self.answer.get(part, {}).get("records", []))

    def expect(self, what, found, wanted):
        if found != wanted:
            self.wrong.append(f"{what}: {found}, and {wanted} must be")

    def expect_rows(self, what, wanted):
        """So many records are there, and of notes the titles are those of the store: none twice, none as it was."""
        records = list(self.backend.records())
        self.expect(f"rows {what}", len(records), wanted)
        if self.store.notes and wanted:
            texts = (json.dumps(record, ensure_ascii=False, default=str) for record in records)
            texts = (re.sub(r"\\+u2013", "–", text) for text in texts)
            found = collections.Counter(
                title for text in texts for title in set(re.findall(r"note \d+(?: – neu)?", text)))
            stored = collections.Counter(self.store.titles())
            self.expect(f"titles {what}, that differ", list((found - stored) + (stored - found))[:5], [])

    def changed(self, what, count):
        """The number of rows that were changed in the store, where some have to be."""
        if not count:
            self.wrong.append(f"no row of the store was {what}")
        return count

    def note_end(self, what, status, statuses=(0,)):
        self.statuses.append(status)
        if status not in statuses:
            said = [line for line in self.words.splitlines() if line.strip()][-6:]
            self.wrong.append(f"{what}: status {status}: " + " / ".join(said)[-700:])

    def runs(self):
        """The runs that are not rolled back, the newest first."""
        self.must("history")
        names = [value["run"] for value in self.values
                 if value.get("kind") in (None, "upload", "run") and "run" in value]
        return list(dict.fromkeys(reversed(names)))

    def roll_back(self, *more):
        """Rolls every run back; gives the statuses."""
        statuses = []
        for run in self.runs():
            if self.backend.count() == 0:
                break
            for _ in range(12):
                status = self.ferry("rollback", run, *self.to, *more)
                if status != 5:
                    break
            statuses.append(status)
        return statuses

    def kill_point(self, draw, longest):
        """Says when a run is killed: shortly after one of its writes arrived, or at any time."""
        number, late, begun = draw.randint(0, 9), draw.uniform(0, 0.05), time.monotonic()
        if not number:
            end = begun + draw.uniform(0.05, longest)
            return lambda: time.monotonic() > end
        before, arrived = self.proxy.counts["writes"], []

        def is_due():
            if not arrived and self.proxy.counts["writes"] - before >= number:
                arrived.append(time.monotonic())
            return bool(arrived) and time.monotonic() - arrived[0] >= late
        return is_due

    def cross(self):
        """The whole path; gives the cells of the table's line."""
        self.statuses, killed, hits = [], 0, 0
        self.must("preflight", *self.to, is_typed=True)
        self.lines.append("")
        self.must("migrate", self.store.path, *self.to, "-n", statuses=(0, 3, 6), is_typed=True)
        self.expect("after the dry run", self.backend.count(), 0)
        self.take()
        begun = time.monotonic()
        self.note_end("migrate", self.migrate(is_typed=True), (0, 3))
        whole = time.monotonic() - begun
        created, rejected = self.bucket("created"), self.bucket("rejected")
        first = self.take()
        rows = self.store.count([entity["name"] for entity in self.entities])
        if rows is None:
            rows = created + rejected
        self.expect_rows("there", rows - rejected)
        self.expect("read back", self.answer.get("verification", {}).get("clean"), True)
        changed = self.changed("edited", self.store.edit(self, self.store.part))
        self.take()
        self.note_end("migrate an edit", self.migrate(), (0, 3))
        self.expect("updated", self.bucket("updated"), changed)
        self.expect_rows("there, after the edit", rows - rejected)
        second = self.take()
        deleted = self.changed("deleted", self.store.delete(self, self.store.part))
        self.note_end("migrate a deletion", self.migrate("--delete"), (0, 3))
        self.expect("deleted", self.bucket("deleted"), deleted)
        third = self.take()
        self.expect_rows("there, after the deletion", rows - rejected - deleted)
        self.note_end("migrate again", self.migrate(), (0, 3))
        self.expect("sent again", self.bucket("created") + self.bucket("updated") + self.bucket("deleted"), 0)
        back = self.roll_back()
        self.expect("rows after the rollback", self.backend.count(), 0)
        wanted = rows - rejected - deleted
        self.proxy.start_losing(7)
        draw, done = random.Random(self.options.seed), 0
        for number in range(self.options.kills):
            self.take()
            status = self.migrate("--retries", "2", "--batch-size", "5",
                                  kill_when=self.kill_point(draw, max(0.4, whole * 1.2)))
            if status == -signal.SIGKILL:
                killed += 1
                hits += self.take()[0] not in (0, "–")
            elif status not in (0, 3, 5):
                self.note_end(f"killed {number}", status)
            elif status != 5:
                done += 1
                self.expect_rows(f"after {number} kills", wanted)
                self.roll_back("--retries", "20")
                self.expect(f"rows rolled back after {number} kills", self.backend.count(), 0)
        if self.options.kills:
            for _ in range(12):
                status = self.migrate("--retries", "20")
                if status != 5:
                    break
            self.note_end("migrate after the kills", status, (0, 3))
            self.expect_rows("after the kills", wanted)
            self.note_end("the next run", self.migrate(), (0, 3))
            self.expect("sent by the next run",
                        self.bucket("created") + self.bucket("updated") + self.bucket("deleted"), 0)
            self.roll_back("--retries", "20")
            self.expect("rows in the end", self.backend.count(), 0)
        lines = len((self.draft / "profile.yaml").read_text().splitlines())
        lost = self.proxy.counts["lost"]
        typed = len([line for line in self.lines if line])
        return [self.options.preset, pathlib.Path(self.options.store).name, len(self.entities), rows, rejected, typed,
                lines, f"{self.seconds:.1f}", *first, f"{changed}: {second[0]}", f"{deleted}: {third[0]}",
                f"{killed}/{self.options.kills}", hits, done, lost, ", ".join(map(str, self.statuses + back)), len(self.wrong)]

    def take(self):
        return self.proxy.take()


class Fault(Exception):
    """What ends the path."""


HEAD = ["preset", "store", "entities", "rows", "rejected", "lines typed", "lines of profile", "seconds of Ferry",
        "writes for all creates", "reads", "edits: writes", "deletes: writes", "killed", "hit a write", "ends between", "answers lost",
        "statuses", "wrong"]


def serve_django(folder, port, preset):
    """A server of the collections that FOLDER/collections.json describes, with Django REST framework."""
    import uuid

    import django
    from django.conf import settings

    is_json_api = preset == "json-api"
    kind = "rest_framework_json_api" if is_json_api else "rest_framework"
    settings.configure(
        SECRET_KEY="for-tests", ALLOWED_HOSTS=["*"], ROOT_URLCONF="served", USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/django.sqlite",
                               "OPTIONS": {"timeout": 30}}},
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "rest_framework",
                        "rest_framework.authtoken", *[kind] * is_json_api],
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
            "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
            "DEFAULT_RENDERER_CLASSES": [f"{kind}.renderers.JSONRenderer"],
            "DEFAULT_PARSER_CLASSES": [f"{kind}.parsers.JSONParser"],
            "DEFAULT_PAGINATION_CLASS": f"{kind}.pagination." + (
                "JsonApiPageNumberPagination" if is_json_api else "PageNumberPagination"),
            "EXCEPTION_HANDLER": f"{kind}." + ("exceptions" if is_json_api else "views") + ".exception_handler",
            "PAGE_SIZE": 50})
    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection, models
    from django.http import JsonResponse
    from django.urls import include, path
    from rest_framework import routers, serializers, viewsets
    from rest_framework.authentication import TokenAuthentication
    from rest_framework.authtoken.models import Token
    base, view = serializers.ModelSerializer, viewsets.ModelViewSet
    if is_json_api:
        from rest_framework_json_api.serializers import ModelSerializer as base
        from rest_framework_json_api.views import ModelViewSet as view

    class BearerAuthentication(TokenAuthentication):
        keyword = "Bearer"

    entities = json.loads((pathlib.Path(folder) / "collections.json").read_text())
    kinds = {
        "string": lambda: models.TextField(blank=True, null=True), "date-time": lambda: models.DateTimeField(null=True),
        "integer": lambda: models.BigIntegerField(null=True), "number": lambda: models.FloatField(null=True),
        "boolean": lambda: models.BooleanField(null=True)}
    tables, router = {}, routers.DefaultRouter(trailing_slash=not is_json_api)
    for entity in entities:
        columns = {
            field["name"]: models.UUIDField(null=True) if field["kind"] == "link" and not field["is_many"]
            else kinds.get(field["kind"], lambda: models.JSONField(null=True))()
            for field in entity["fields"] if field["name"] != "id"}
        meta = type("Meta", (), {"app_label": "records", "db_table": f"records_{entity['collection']}"})
        tables[entity["collection"]] = model = type(str(entity["name"]), (models.Model,), {
            "__module__": __name__, "Meta": meta, **columns,
            "id": models.UUIDField(primary_key=True, default=uuid.uuid4),
            "JSONAPIMeta": type("JSONAPIMeta", (), {"resource_name": entity["collection"]})})

        class Serializer(base):
            class Meta:
                fields = "__all__"

            def build_standard_field(self, name, field):
                made, keywords = super().build_standard_field(name, field)
                return made, {**keywords, "trim_whitespace": False} if made is serializers.CharField else keywords

        Serializer.Meta.model = model
        routes = type("Routes", (view,), {
            "queryset": model.objects.order_by("id"), "serializer_class": Serializer,
            "resource_name": entity["collection"],
            "authentication_classes": [BearerAuthentication if is_json_api else TokenAuthentication]})
        router.register(entity["collection"], routes, basename=entity["collection"])
    served = type(sys)("served")
    served.urlpatterns = [path("api/", include(router.urls)), path("health", lambda request: JsonResponse({}))]
    sys.modules["served"] = served
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for table in tables.values():
            editor.create_model(table)
    Token.objects.create(user=User.objects.create_user("drf"), key="drf-token")
    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)


def main():
    if sys.argv[1:2] == ["--django"]:
        return serve_django(*sys.argv[2:5])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset", choices=sorted(BACKENDS))
    parser.add_argument("store")
    parser.add_argument("kills", nargs="?", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="leave the folder, and say where it is")
    parser.add_argument("--head", action="store_true", help="print the table's head")
    options = parser.parse_args()
    missing = [name for name in ["FERRY", *BACKENDS[options.preset].needs] if not os.environ.get(name)]
    if missing:
        raise SystemExit(f"not set: {', '.join(missing)}")
    if options.head:
        print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="backends-"))
    world = World(options, folder)
    try:
        world.begin()
        print("| " + " | ".join(map(str, world.cross())) + " |", flush=True)
    except Fault as fault:
        world.wrong.append(str(fault))
        print(f"| {options.preset} | {pathlib.Path(options.store).name} | stopped |", flush=True)
    finally:
        world.backend.stop()
        if options.keep:
            print(f"  {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for what in world.wrong:
        print(f"  {what}")
    return 1 if world.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
