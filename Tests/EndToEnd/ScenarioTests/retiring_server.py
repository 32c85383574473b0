#!/usr/bin/env python3
"""Notes with numbers, at a server that removes none: it retires them.

    retiring_server.py PORT

A note that was removed is in no list any more. `GET /notes/N` still answers of it, and says so: `"retired": true`.
"""

import http.server
import json
import sys
import threading

notes = {}
lock = threading.Lock()


class Serving(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        with lock:
            status, answer = self.answered(self.path.split("?")[0].strip("/").split("/"), body)
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = do_any

    def answered(self, path, body):
        if path == ["me"]:
            return 200, {"id": "u1"}
        if path == ["notes"] and self.command == "GET":
            return 200, {"items": [note for note in notes.values() if not note["retired"]]}
        if path == ["notes"]:
            number = len(notes) + 1
            notes[number] = {**body, "id": number, "v": 1, "retired": False}
            return 201, notes[number]
        note = notes.get(int(path[1]))
        if note is None:
            return 404, {"error": "NotFound"}
        if self.command == "PATCH":
            note.update(body, v=note["v"] + 1)
        if self.command == "DELETE":
            note["retired"] = True
        return 200, note

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Serving).serve_forever()
