"""What the servers that are played beside these tests have in common: they answer in JSON, one after the other.

A server is a `StandIn` with `answered(path, body)`. It gives the status, the value, and the headers of the answer
where it has any; of `None` the client hears nothing, and its connection is closed. A value that is bytes goes as it is, with the
headers' own Content-Type.

A GET of /__seen says how many requests came, by their kind, and begins to count anew with ?reset. A POST of /__set
changes what goes wrong.
"""

import collections
import http.server
import json
import socket
import sys
import threading

lock = threading.Lock()
seen = collections.Counter()
faults = {}


def count(kind, number=1):
    seen[kind] += number


def is_due(fault):
    """Whether a fault that was set comes to the next request; it comes so many times."""
    if faults[fault] > 0:
        faults[fault] -= 1
        return True
    return False


class Refusal(Exception):
    """An answer that is thrown."""

    def __init__(self, status, body):
        super().__init__(status)
        self.status, self.body = status, body


class StandIn(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    kind = "application/json"

    def do_any(self):
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with lock:
            try:
                answer = self.asked(content) or self.outcome(content)
            except Refusal as refusal:
                answer = self.refused(refusal)
        self.send(answer)

    def do_GET(self):
        self.do_any()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def asked(self, content):
        """The answer to a test that asks what was seen, or sets faults."""
        path, _, query = self.path.partition("?")
        if path == "/__seen":
            answer = dict(seen)
            if "reset" in query:
                seen.clear()
            return 200, answer
        if path == "/__set":
            given = json.loads(content)
            if unknown := given.keys() - faults.keys():
                return 400, {"unknown": sorted(unknown)}
            faults.update(given)
            return 200, {}
        return None

    def outcome(self, content):
        return self.answered(self.path.split("?")[0], json.loads(content or b"null"))

    def refused(self, refusal):
        return refusal.status, refusal.body

    def send(self, answer):
        if answer is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status, value, *headers = answer
        if isinstance(value, bytes):
            content = value
        else:
            content = b"" if status == 204 else json.dumps(value, ensure_ascii=False).encode()
            headers += [("Content-Type", self.kind)] if status != 204 else []
        self.send_response(status)
        if status != 204:
            headers += [("Content-Length", str(len(content)))]
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def serve(handler, port=None):
    http.server.ThreadingHTTPServer.request_queue_size = 128
    http.server.ThreadingHTTPServer(("127.0.0.1", int(port or sys.argv[1])), handler).serve_forever()
