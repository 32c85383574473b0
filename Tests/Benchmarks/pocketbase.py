#!/usr/bin/env python3
"""Measures the upload of rows to a real PocketBase: `ferry migrate`, and beside it a bare script with the same batches.

    pocketbase.py FERRY POCKETBASE [--rows 3000] [--rounds 3] [--batch 50] [--connections 4]

FERRY and POCKETBASE name the programs; `.ci/servers.sh` installs the second. Both send the same rows to empty collections
of the same server, by POST /api/batch, with so many requests of a batch and so many connections. The bare script writes
nothing down and looks at nothing but the status. Of ferry, the whole line is measured, which verifies what it sent,
and its upload alone, as its own metrics have it. The medians of the rounds are printed side by side.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

ADMIN = {"identity": "admin@example.com", "password": "secret12345"}
USER = {"identity": "dev@example.com", "password": "password1"}
RULE = "@request.auth.id != ''"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ask(method, address, body=None, token=None):
    headers = {"Content-Type": "application/json", **({"Authorization": token} if token else {})}
    request = urllib.request.Request(address, body and json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def collection(name):
    text = [{"name": field, "type": "text"} for field in ("title", "body")]
    updated = {"name": "updated", "type": "autodate", "onCreate": True, "onUpdate": True}
    return {"name": name, "type": "base", "fields": text + [{"name": "rating", "type": "number"}, updated],
            **{f"{verb}Rule": RULE for verb in ("list", "view", "create", "update", "delete")}}


class Server:
    def __init__(self, program, folder, batch):
        self.folder = f"{folder}/pocketbase"
        subprocess.run([program, "superuser", "upsert", ADMIN["identity"], ADMIN["password"], "--dir", self.folder],
                       check=True, stdout=subprocess.DEVNULL)
        self.host = f"127.0.0.1:{free_port()}"
        self.origin = f"http://{self.host}"
        self.process = subprocess.Popen([program, "serve", "--http", self.host, "--dir", self.folder],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                ask("GET", f"{self.origin}/api/health")
                break
            except OSError:
                time.sleep(0.05)
        self.admin = self.sign_in("_superusers", ADMIN)
        user = {"email": USER["identity"], "password": USER["password"], "passwordConfirm": USER["password"]}
        ask("POST", f"{self.origin}/api/collections/users/records", user, self.admin)
        limits = {"batch": {"enabled": True, "maxRequests": batch, "timeout": 30}}
        ask("PATCH", f"{self.origin}/api/settings", limits, self.admin)

    def sign_in(self, users, account):
        return ask("POST", f"{self.origin}/api/collections/{users}/auth-with-password", account)["token"]

    def empty(self, name):
        made = {"collections": [collection(name)], "deleteMissing": False}
        ask("PUT", f"{self.origin}/api/collections/import", made, self.admin)
        ask("DELETE", f"{self.origin}/api/collections/{name}/truncate", token=self.admin)

    def count(self, name):
        page = ask("GET", f"{self.origin}/api/collections/{name}/records?perPage=1", token=self.admin)
        return page["totalItems"]


def rows(count):
    return [(f"n{number:06}", f"note {number}", f"some words of note {number}. " * 8, number % 6)
            for number in range(count)]


def make_store(path, count):
    with sqlite3.connect(path) as store:
        store.execute("CREATE TABLE Note(key TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL,"
                      " rating INTEGER NOT NULL)")
        store.executemany("INSERT INTO Note VALUES(?, ?, ?, ?)", rows(count))
    store.close()


def bare(server, options):
    """Sends the rows of the store, read from it, and looks at the status alone."""
    server.empty("notes")
    begun = time.monotonic()
    token = server.sign_in("users", USER)
    with sqlite3.connect(f"{options.folder}/notes.sqlite") as store:
        found = store.execute("SELECT key, title, body, rating FROM Note").fetchall()
    batches = [found[start:start + options.batch] for start in range(0, len(found), options.batch)]

    def send(share):
        connection = http.client.HTTPConnection(server.host, timeout=60)
        for batch in share:
            requests = [
                {"method": "POST", "url": "/api/collections/notes/records",
                 "body": {"id": f"{key:0>15}", "title": title, "body": body, "rating": rating}}
                for key, title, body, rating in batch
            ]
            connection.request("POST", "/api/batch", json.dumps({"requests": requests}),
                               {"Content-Type": "application/json", "Authorization": token})
            answer = connection.getresponse()
            content = answer.read()
            assert answer.status == 200, content
        connection.close()

    with concurrent.futures.ThreadPoolExecutor(options.connections) as pool:
        list(pool.map(send, [batches[start::options.connections] for start in range(options.connections)]))
    taken = time.monotonic() - begun
    assert server.count("notes") == options.rows
    return taken


def ferry(server, options, number):
    server.empty("notes")
    state = f"{options.folder}/state-{number}"
    environment = {**os.environ, "FERRY_STATE_DIR": state, "U": USER["identity"], "P": USER["password"]}
    line = [options.ferry, "migrate", f"{options.folder}/notes.sqlite", "--profile", f"{options.folder}/draft/profile.yaml",
            "--to", server.origin, "--credential", "user=env:U", "--credential", "password=env:P",
            "--concurrency", str(options.connections), "--batch-size", str(options.batch), "--format", "ndjson",
            "--progress", "none", "--metrics", f"{options.folder}/metrics"]
    begun = time.monotonic()
    ended = subprocess.run(line, env=environment, capture_output=True, text=True)
    taken = time.monotonic() - begun
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert server.count("notes") == options.rows
    metrics = pathlib.Path(f"{options.folder}/metrics").read_text()
    upload = re.search(r'ferry_stage_seconds\{stage="upload"\} ([\d.]+)', metrics)
    return taken, float(upload[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ferry", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("pocketbase", type=lambda path: str(pathlib.Path(path).resolve()))
    for name, value in (("rows", 3000), ("rounds", 3), ("batch", 50), ("connections", 4)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    options.folder = tempfile.mkdtemp()
    server = None
    try:
        make_store(f"{options.folder}/notes.sqlite", options.rows)
        server = Server(options.pocketbase, options.folder, options.batch)
        subprocess.run([options.ferry, "init", f"{options.folder}/notes.sqlite", "--preset", "pocketbase",
                        "-o", f"{options.folder}/draft", "--quiet"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "FERRY_STATE_DIR": f"{options.folder}/state"})
        bare_times, ferry_times, upload_times = [], [], []
        for number in range(options.rounds):
            bare_times.append(bare(server, options))
            for times, taken in zip((ferry_times, upload_times), ferry(server, options, number)):
                times.append(taken)
        print(f"{options.rows} rows, {options.batch} a request, {options.connections} connections,"
              f" median of {options.rounds}")
        measured = (("bare script", bare_times), ("ferry's upload", upload_times), ("ferry migrate", ferry_times))
        for name, times in measured:
            middle = statistics.median(times)
            print(f"{name:15} {middle:6.2f} s  {options.rows / middle:7.0f} rows/s")
        print(f"ferry's upload takes {statistics.median(upload_times) / statistics.median(bare_times):.2f} times as long")
    finally:
        if server:
            server.process.kill()
            server.process.wait()
        shutil.rmtree(options.folder)


main()
