#!/usr/bin/env python3
"""Notes with numbers and versions, at a server of which a backup can be restored.

    numbered_server.py PORT

A new note gets the next number and the version 1. `GET /notes` gives them all, `POST /keep` makes a backup, and
`POST /back` brings it back, with what the next number is.
"""

import copy
import http.server
import json
import sys
import threading

state = {"notes": {}, "next": 101}
backup = {}
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
        notes = state["notes"]
        if path == ["me"]:
            return 200, {"id": "u1"}
        if path == ["keep"]:
            backup.update(copy.deepcopy(state))
            return 200, {}
        if path == ["back"]:
            state.update(copy.deepcopy(backup))
            return 200, {}
        if path == ["notes"] and self.command == "GET":
            return 200, {"items": list(notes.values())}
        if path == ["notes"]:
            number = state["next"]
            state["next"] += 1
            notes[number] = {**body, "id": number, "v": 1}
            return 201, notes[number]
        number = int(path[1])
        if number not in notes:
            return 404, {"error": "NotFound"}
        note = notes[number]
        if self.command == "PATCH":
            note.update(body, v=note["v"] + 1)
        if self.command == "DELETE":
            del notes[number]
        return 200, note

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Serving).serve_forever()
