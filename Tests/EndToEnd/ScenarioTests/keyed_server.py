#!/usr/bin/env python3
"""Notes, at a server that remembers idempotency keys and what it answered to them, failures included.

    keyed_server.py PORT

`GET /state` gives the notes, the requests that asked for one, and the keys that are remembered.
`POST /set` takes what goes wrong: `fail-once` (names whose first key is answered 500 for ever),
`fail` and `put-off` (names that are always answered 500 and 503), `lose` (names whose next answer is
lost), `stall` (names that are kept, and answered after a minute) and `forget` (every key is forgotten).
"""

import http.server
import json
import socket
import sys
import threading
import time

notes = []
answers = {}
failed = set()
requests = []
faults = {"fail-once": [], "fail": [], "put-off": [], "lose": [], "stall": []}
lock = threading.Lock()


class Serving(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        with lock:
            status, answer, is_lost = self.answered(self.path.split("?")[0], body)
        if isinstance(body, dict) and self.command == "POST" and body.get("name") in faults["stall"]:
            time.sleep(60)
        if is_lost:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = do_any

    def answered(self, path, body):
        if path == "/me":
            return 200, {"id": "u1"}, False
        if path == "/state":
            return 200, {"notes": notes, "requests": requests, "keys": len(answers)}, False
        if path == "/set":
            if body.pop("forget", False):
                answers.clear()
            faults.update(body)
            return 200, {}, False
        if path == "/notes" and self.command == "GET":
            return 200, {"items": notes}, False
        if path == "/notes":
            return self.made(body, self.headers["Idempotency-Key"])
        note = next((note for note in notes if path == f"/notes/{note['id']}"), None)
        if note is None:
            return 404, {"error": "NotFound"}, False
        if self.command == "PATCH":
            requests.append(["PATCH", body["name"]])
            if body["name"] in faults["fail"]:
                return 500, {"error": "no"}, False
            note.update(body)
        if self.command == "DELETE":
            notes.remove(note)
        return 200, note, False

    def made(self, body, key):
        name = body["name"]
        requests.append([key, name])
        if name in faults["put-off"]:
            return 503, {"error": "later"}, False
        if key not in answers:
            if name in faults["fail"] or name in faults["fail-once"] and name not in failed:
                failed.add(name)
                answers[key] = 500, {"error": "broken"}
            else:
                note = {"id": f"s{len(requests)}", **body}
                notes.append(note)
                answers[key] = 201, note
        is_lost = name in faults["lose"]
        if is_lost:
            faults["lose"].remove(name)
        return *answers[key], is_lost

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Serving).serve_forever()
