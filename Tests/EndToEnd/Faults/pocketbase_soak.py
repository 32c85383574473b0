#!/usr/bin/env python3
"""Kills migrations to a real PocketBase, and what rolls them back, at any moment, while answers are lost.

    pocketbase_soak.py FERRY POCKETBASE KILLS [SEED] [--store STORE]

FERRY and POCKETBASE name the programs; `.ci/servers.sh` installs the second. The sample of InfiniteStories goes there,
or, with --store, the MetaCocktails store of that path; each with `replay: id` and with `replay: look-up`. A proxy
keeps back answers to writes. After some kills of a line the same line is typed until it ends: then each record has to
be there once, and after the rollback none. The last line gives the figures; the status is 0 when nothing was violated.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

root = pathlib.Path(__file__).resolve().parents[3]
kills, violations = collections.Counter(), []


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ask(method, address, body=None, token=None):
    headers = {"Content-Type": "application/json", **({"Authorization": token} if token else {})}
    request = urllib.request.Request(address, body and json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


def start(words, folder, path):
    """Starts a server with a port in place of `{port}`; gives its address and its process."""
    port = free_port()
    log = open(f"{folder}/{pathlib.Path(words[0]).name}.log", "a")
    process = subprocess.Popen([word.replace("{port}", str(port)) for word in words], stdout=log, stderr=log)
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5).close()
            return f"http://127.0.0.1:{port}", process
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"{words[0]} did not come up")


class Place:
    """A PocketBase with the collections of one profile, and the proxy before it."""

    def __init__(self, ferry, pocketbase, profile, replay, losing, folder):
        self.folder = folder
        python = pathlib.Path(pocketbase).parent / "python"
        subprocess.run(
            [python, root / "Tests/EndToEnd/Scripts/pocketbase.py", ferry, profile, replay, folder],
            check=True)
        data = ["--dir", f"{folder}/data"]
        subprocess.run(
            [pocketbase, "superuser", "upsert", "admin@example.com", "secret12345", *data], check=True,
            stdout=subprocess.DEVNULL)
        self.origin, self.server = start(
            [pocketbase, "serve", "--http", "127.0.0.1:{port}", *data], folder, "/api/health")
        sign_in = {"identity": "admin@example.com", "password": "secret12345"}
        self.token = ask("POST", f"{self.origin}/api/collections/_superusers/auth-with-password", sign_in)["token"]
        user = {"email": "dev@example.com", "password": "password1", "passwordConfirm": "password1"}
        ask("POST", f"{self.origin}/api/collections/users/records", user, self.token)
        wanted = json.loads(pathlib.Path(f"{folder}/collections.json").read_text())
        ask("PUT", f"{self.origin}/api/collections/import", wanted, self.token)
        self.names = [collection["name"] for collection in wanted["collections"]]
        self.proxy_origin, self.proxy = start(
            ["python3", str(root / "Tests/EndToEnd/Scripts/lossy_proxy.py"), "{port}", self.origin, str(losing)],
            folder, "/__lost")

    def count(self):
        return sum(
            ask("GET", f"{self.origin}/api/collections/{name}/records?perPage=1", None, self.token)["totalItems"]
            for name in self.names)

    def lost(self):
        return ask("GET", f"{self.proxy_origin}/__lost")["lost"]

    def close(self):
        for process in (self.proxy, self.server):
            process.kill()
            process.wait()


def run(ferry, words, place, state, after=None):
    """Runs a line, and kills it after a while; gives its status, its results and how long it took."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": place.folder, "E": "dev@example.com", "P": "password1",
        "SWIFT_BACKTRACE": "enable=no",
    }
    flags = [
        "--profile", f"{place.folder}/profile.yaml", "--to", place.proxy_origin, "--state-dir", state,
        "--credential", "email=env:E", "--credential", "password=env:P", "--format", "ndjson", "--progress", "none",
    ]
    began = time.monotonic()
    process = subprocess.Popen(
        [ferry, *words, *flags], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=after or 600)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills[words[0]] += 1
        return None, "", time.monotonic() - began
    return process.returncode, out + err, time.monotonic() - began


def to_the_end(ferry, words, place, state, dice, times, takes):
    """Kills a line some times, and types it until it ends with 0; gives what it said."""
    for _ in range(times):
        status, said, _ = run(ferry, words, place, state, dice.uniform(0.01, takes))
        if status == 0:
            return said
    for _ in range(12):
        status, said, _ = run(ferry, words, place, state)
        if status == 0:
            return said
        if status != 5:
            break
    violations.append(f"{' '.join(words)} ended with {status}: {said[-2000:]}")
    return said


def cycle(ferry, place, store, expected, dice, takes):
    state = tempfile.mkdtemp(dir=place.folder)
    said = to_the_end(ferry, ["migrate", store], place, state, dice, dice.randint(3, 8), takes)
    if place.count() != expected:
        violations.append(f"{place.count()} records are there, and {expected} were to be: {said[-2000:]}")
    results = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    run_id = next((result["run"] for result in results if result.get("type") == "upload"), None)
    if run_id is None:
        violations.append(f"no run in: {said[-2000:]}")
        return
    # A line that was killed when all was sent is followed by a run that sends nothing.
    name, number = run_id.rsplit("-", 1)
    for number in range(int(number), 0, -1):
        if place.count() != 0:
            to_the_end(ferry, ["rollback", f"{name}-{number}"], place, state, dice, dice.randint(1, 4), takes / 2)
    if place.count() != 0:
        violations.append(f"{place.count()} records are left")
    shutil.rmtree(state)


def main():
    parser = argparse.ArgumentParser()
    for name in ("ferry", "pocketbase"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("kills", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--store", type=os.path.abspath)
    choice = parser.parse_args()
    dice, lost, cycles = random.Random(choice.seed), 0, 0
    profile = root / ("Samples/collections/cocktails.profile.yaml" if choice.store else "Samples/kinto/profile.yaml")
    store = choice.store or str(root / "Samples/infinite-stories/default.store")
    for replay, losing in (("id", 9), ("look-up", 70)):
        with tempfile.TemporaryDirectory() as folder:
            place = Place(choice.ferry, choice.pocketbase, profile, replay, losing, folder)
            try:
                state = tempfile.mkdtemp(dir=folder)
                status, said, takes = run(choice.ferry, ["migrate", store], place, state)
                expected = place.count()
                if status != 0 or expected == 0:
                    violations.append(f"an unhurried run ended with {status}: {said[-2000:]}")
                run_id = next(
                    json.loads(line)["run"] for line in said.splitlines() if '"type":"upload"' in line)
                to_the_end(choice.ferry, ["rollback", run_id], place, state, dice, 0, takes)
                wanted = sum(kills.values()) + choice.kills // 2
                while sum(kills.values()) < wanted and len(violations) < 5:
                    cycle(choice.ferry, place, store, expected, dice, takes)
                    cycles += 1
                lost += place.lost()
            finally:
                place.close()
    for violation in violations:
        print(f"VIOLATION {violation}")
    print(f"soak: {dict(kills)} kills in {cycles} migrations and rollbacks, {lost} answers lost, "
          f"{len(violations)} violations")
    sys.exit(1 if violations else 0)


main()
