#!/usr/bin/env python3
"""A server that keeps records of any size, each as the bytes that came.

    large_server.py PORT FOLDER

`PUT /photos/ID` makes a record or replaces it, `GET /photos` and `GET /photos/ID` give what came with the ID,
`DELETE` removes it. No record is ever held whole, so that the server takes nothing from who is measured.

`GET /sync` gives all of them as rows, and `POST /sync` takes rows, which are held whole.
"""

import http.server
import itertools
import json
import os
import shutil
import sys
import threading

folder = sys.argv[2]
os.makedirs(folder, exist_ok=True)
lock = threading.Lock()
versions = itertools.count(1)


def kept():
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


class Serving(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def path_of(self, name):
        return os.path.join(folder, os.path.basename(name))

    def take(self, path):
        left = int(self.headers.get("Content-Length") or 0)
        part = f"{folder}/.{threading.get_ident()}"
        with open(part, "wb") as file:
            while left:
                block = self.rfile.read(min(left, 1 << 18))
                if not block:
                    return False
                file.write(block)
                left -= len(block)
        with lock:
            os.replace(part, path)
        return True

    def give(self, status, parts):
        sizes = [len(part) if isinstance(part, bytes) else os.path.getsize(part[0]) for part in parts]
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(sum(sizes)))
        self.end_headers()
        for part in parts:
            if isinstance(part, bytes):
                self.wfile.write(part)
            else:
                with open(part[0], "rb") as file:
                    shutil.copyfileobj(file, self.wfile, 1 << 18)

    def words(self, status, value):
        self.give(status, [json.dumps(value).encode()])

    def do_PUT(self):
        path = self.path_of(self.path)
        is_new = not os.path.exists(path)
        if self.take(path):
            self.give(201 if is_new else 200, [(path,)])

    do_PATCH = do_PUT

    def do_POST(self):
        rows = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["photos"]
        with lock:
            for row in rows:
                row["version"] = str(next(versions))
                with open(f"{folder}/.row", "w") as file:
                    json.dump(row, file)
                os.replace(f"{folder}/.row", self.path_of(row["id"]))
        self.words(200, {"success": True})

    def do_GET(self):
        if self.path == "/me":
            return self.words(200, {"id": "u1"})
        if self.path.startswith("/photos/"):
            path = self.path_of(self.path)
            if not os.path.exists(path):
                return self.words(404, {"error": "NotFound"})
            return self.give(200, [(path,)])
        is_changeset = self.path.startswith("/sync")
        parts = [b'{"server_time":"1","photos":[' if is_changeset else b'{"items":[']
        for name in kept():
            parts += [(self.path_of(name),), b","]
        self.give(200, (parts[:-1] if len(parts) > 1 else parts) + [b"]}"])

    def do_DELETE(self):
        path = self.path_of(self.path)
        if not os.path.exists(path):
            return self.words(404, {"error": "NotFound"})
        os.remove(path)
        self.words(200, {})

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Serving)
server.serve_forever()
