#!/usr/bin/env python3
"""Notes, at a server that takes no request without a condition that would change something (428).

    conditions_server.py PORT

`GET /state` gives the notes, and how many requests were refused for want of a condition.
"""

import http.server
import json
import sys
import threading

notes = {}
lock = threading.Lock()
counts = {"version": 0, "refused": 0}


class Serving(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        with lock:
            status, answer, tag = self.answered(self.path.split("?")[0], body)
            counts["refused"] += status == 428
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if tag:
            self.send_header("ETag", f'"{tag}"')
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_PATCH = do_DELETE = do_any

    def answered(self, path, body):
        if path == "/me":
            return 200, {"id": "u1"}, None
        if path == "/state":
            return 200, {"notes": list(notes.values()), "refused": counts["refused"]}, None
        if path == "/notes":
            return 200, {"items": list(notes.values())}, None
        id = path.removeprefix("/notes/")
        note = notes.get(id)
        if self.command == "GET":
            return (200, note, note["v"]) if note else (404, {"error": "NotFound"}, None)
        match, none = self.headers["If-Match"], self.headers["If-None-Match"]
        if match is None and none is None:
            return 428, {"error": "PreconditionRequired"}, None
        if none is not None and note or match is not None and (
            note is None or match != f'"{note["v"]}"'
        ):
            return 412, {"error": "PreconditionFailed"}, None
        if self.command == "DELETE":
            return 200, notes.pop(id), None
        counts["version"] += 1
        notes[id] = {**(note or {}), **body, "id": id, "v": f"{counts['version']}"}
        return 200, notes[id], notes[id]["v"]

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Serving).serve_forever()
