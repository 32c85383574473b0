#!/usr/bin/env python3
"""Measures the first load of a PostgreSQL table: `ferry migrate`, and beside it psql's \\copy and, if there, pgloader.

    postgresql.py FERRY POSTGRES [--rows 1000000] [--rounds 1]

FERRY names the program, POSTGRES the folder of PostgreSQL's programs: /usr/lib/postgresql/15/bin. All load the same rows
of one SQLite file into an empty table of the same server. \\copy is given a CSV file that sqlite3 writes, whose writing
counts. Of ferry, the whole line is measured, which verifies what it sent, and its upload alone, as its own metrics have
it. The server and all that talk to it share the machine's processors.
"""

import argparse
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

PROFILE = """
ferry-profile: 1
app: bench
entities:
  note:
    identity: { attribute: key }
    fields: { key: key, title: title, body: body, rating: rating }
api:
  kind: postgresql
  credentials: [user]
  client-id: as-is
  entities:
    note:
      table: note
      id: key
      body: { key: key, title: title, body: body, rating: rating }
"""


def rows(count):
    return ((f"n{number:08}", f"note {number}", f"some words of note {number}. " * 4, number % 6)
            for number in range(count))


def make_store(path, count):
    with sqlite3.connect(path) as store:
        store.execute("CREATE TABLE note(key TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL,"
                      " rating INTEGER NOT NULL)")
        store.executemany("INSERT INTO note VALUES(?, ?, ?, ?)", rows(count))
    store.close()


class Server:
    def __init__(self, programs, folder):
        self.programs = programs
        data = f"{folder}/pg"
        os.makedirs(data)
        prefix = []
        if os.getuid() == 0:
            # PostgreSQL does not run as root.
            prefix = ["runuser", "-u", "postgres", "--"]
            shutil.chown(data, "postgres")
            os.chmod(folder, 0o711)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        subprocess.run(prefix + [f"{programs}/initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
                                 "--locale=C.UTF-8"], check=True, stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen(
            prefix + [f"{programs}/postgres", "-D", data, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
                      "-k", data], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.address = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        while subprocess.run([f"{programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
            time.sleep(0.05)

    def sql(self, statement):
        line = [f"{self.programs}/psql", "-qAt", "-d", self.address, "-c", statement]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout.strip()

    def empty(self):
        self.sql("DROP TABLE IF EXISTS note; DROP TABLE IF EXISTS ferry_operation; CREATE TABLE note(key text PRIMARY KEY,"
                 " title text NOT NULL, body text NOT NULL, rating bigint NOT NULL)")


def copied(server, options):
    server.empty()
    begun = time.monotonic()
    with open(f"{options.folder}/note.csv", "wb") as file:
        subprocess.run(["sqlite3", "-csv", f"{options.folder}/notes.sqlite", "SELECT * FROM note"], stdout=file, check=True)
    server.sql(f"\\copy note FROM '{options.folder}/note.csv' WITH (FORMAT csv)")
    return time.monotonic() - begun


def loaded(server, options):
    server.empty()
    script = f"""LOAD DATABASE FROM sqlite://{options.folder}/notes.sqlite INTO
      postgresql://postgres@127.0.0.1:{server.port}/postgres WITH data only, include no drop, create no tables;"""
    pathlib.Path(f"{options.folder}/note.load").write_text(script)
    begun = time.monotonic()
    subprocess.run(["pgloader", f"{options.folder}/note.load"], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begun


def ferry(server, options, number):
    server.empty()
    line = [options.ferry, "migrate", f"{options.folder}/notes.sqlite", "--profile", f"{options.folder}/profile.yaml",
            "--to", f"postgresql://127.0.0.1:{server.port}/postgres", "--credential", "user=env:U", "--format", "ndjson",
            "--progress", "none", "--metrics", f"{options.folder}/metrics"]
    environment = {**os.environ, "FERRY_STATE_DIR": f"{options.folder}/state-{number}", "U": "postgres"}
    begun = time.monotonic()
    ended = subprocess.run(line, env=environment, capture_output=True, text=True)
    taken = time.monotonic() - begun
    assert ended.returncode == 0, ended.stdout + ended.stderr
    metrics = pathlib.Path(f"{options.folder}/metrics").read_text()
    stages = re.findall(r'ferry_stage_seconds\{stage="(\w+)"\} ([\d.]+)', metrics)
    print("  ferry's stages: " + ", ".join(f"{name} {float(taken):.1f} s" for name, taken in stages), flush=True)
    return taken, float(dict(stages)["upload"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ferry", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("postgres")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    options.folder = tempfile.mkdtemp()
    server = None
    try:
        make_store(f"{options.folder}/notes.sqlite", options.rows)
        pathlib.Path(f"{options.folder}/profile.yaml").write_text(PROFILE)
        server = Server(options.postgres, options.folder)
        times = {}

        def measure(name, taken):
            assert int(server.sql("SELECT count(*) FROM note")) == options.rows
            times.setdefault(name, []).append(taken)

        for number in range(options.rounds):
            measure("\\copy", copied(server, options))
            if shutil.which("pgloader"):
                measure("pgloader", loaded(server, options))
            whole, upload = ferry(server, options, number)
            measure("ferry's upload", upload)
            measure("ferry migrate", whole)
        print(f"{options.rows} rows, median of {options.rounds}")
        for name, taken in times.items():
            middle = statistics.median(taken)
            print(f"{name:15} {middle:6.2f} s  {options.rows / middle:8.0f} rows/s")
        ratio = statistics.median(times["ferry's upload"]) / statistics.median(times["\\copy"])
        print(f"ferry's upload takes {ratio:.2f} times as long as \\copy")
    finally:
        if server:
            server.process.terminate()
            server.process.wait()
        shutil.rmtree(options.folder)


main()
