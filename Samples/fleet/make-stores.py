#!/usr/bin/env python3
"""Makes many small stores, with a list for `ferry fleet`.

    python3 make-stores.py 1000 FOLDER [--records 10] [--backend http://127.0.0.1:8080]

FOLDER gets stores/NNNNN.sqlite, the credentials of each store's account in secrets/, and list.jsonl.
With --backend the accounts are made there too (the development backend lets anybody sign up). The same
numbers give the same stores.
"""

import argparse
import json
import os
import random
import sqlite3
import urllib.request
import uuid


def secret(path, text):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")


def make_store(path, number, count):
    chance = random.Random(number)
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE Note (id TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT)")
    for place in range(count):
        name = uuid.UUID(int=chance.getrandbits(128), version=4)
        row = (str(name), f"Note {place} of store {number}", "word " * chance.randrange(1, 40))
        database.execute("INSERT INTO Note VALUES (?, ?, ?)", row)
    database.commit()
    database.close()


def sign_up(backend, email, password):
    body = json.dumps({"email": email, "password": password, "name": email}).encode()
    request = urllib.request.Request(
        backend + "/api/auth/sign-up/email", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        answer.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("folder")
    parser.add_argument("--records", type=int, default=10)
    parser.add_argument("--backend")
    words = parser.parse_args()
    folder = os.path.abspath(words.folder)
    for name in ["stores", "secrets"]:
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    with open(f"{folder}/list.jsonl", "w") as listing:
        for number in range(1, words.count + 1):
            email, password = f"user{number:05}@example.com", f"correct-horse-{number:05}"
            make_store(f"{folder}/stores/{number:05}.sqlite", number, words.records)
            secret(f"{folder}/secrets/{number:05}.email", email)
            secret(f"{folder}/secrets/{number:05}.password", password)
            if words.backend:
                sign_up(words.backend, email, password)
            line = {
                "store": f"{folder}/stores/{number:05}.sqlite",
                "name": f"{number:05}",
                "credentials": {
                    "email": f"file:{folder}/secrets/{number:05}.email",
                    "password": f"file:{folder}/secrets/{number:05}.password",
                },
                "account": email,
            }
            listing.write(json.dumps(line) + "\n")


main()
