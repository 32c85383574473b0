#!/usr/bin/env python3
"""Notes, at a server whose list tells less of each, and tells it otherwise, than a reading of one.

    sparse_server.py PORT

A row of the list has no `text`, `mood` is trimmed, and `picture` is signed anew whenever it is read. What is
read or written alone comes with its version as `ETag`. `GET /state` gives the notes as they are.
"""

import http.server
import json
import sys
import threading

notes = {}
lock = threading.Lock()
counts = {"version": 0, "signature": 0}


class Serving(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        with lock:
            status, answer = self.answered(self.path.split("?")[0], body)
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if status == 200 and "v" in answer:
            self.send_header("ETag", f'"{answer["v"]}"')
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_PATCH = do_DELETE = do_any

    def answered(self, path, body):
        if path == "/me":
            return 200, {"id": "u1"}
        if path == "/state":
            return 200, notes
        if path == "/notes":
            rows = [self.shown(note) for note in notes.values()]
            return 200, {"items": [{k: v for k, v in row.items() if k != "text"} for row in rows]}
        id = path.removeprefix("/notes/")
        note = notes.get(id)
        if self.command == "PUT":
            if note:
                return 412, {"error": "PreconditionFailed"}
        elif not note:
            return 404, {"error": "NotFound"}
        if self.command == "DELETE":
            return 200, self.shown(notes.pop(id))
        if self.command != "GET":
            counts["version"] += 1
            if body.get("mood"):
                body["mood"] = body["mood"].strip()
            notes[id] = {**(note or {}), **body, "id": id, "v": f"{counts['version']}"}
        return 200, self.shown(notes[id])

    def shown(self, note):
        counts["signature"] += 1
        return {**note, "picture": f"{note['picture']}?signature={counts['signature']}"}

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Serving).serve_forever()
