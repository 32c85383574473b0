#!/usr/bin/env python3
"""Gives pictures at addresses of many kinds, good and bad, and writes down what it was asked.

    media_server.py PORT LOG

A line of LOG is a request: its path, and the names of the headers that came with it. `/digest/NAME`
answers with the SHA-256 of the picture NAME.
"""

import hashlib
import http.server
import json
import sys
import threading
import time

port, log = int(sys.argv[1]), sys.argv[2]
open(log, "w").close()
lock = threading.Lock()
busy = set()


def picture(name):
    return b"\x89PNG\r\n\x1a\n" + name.encode() * 4_000


class Pictures(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/ready":
            return self.answer(200, b"{}", "application/json")
        kind, _, name = self.path.split("?")[0].lstrip("/").partition("/")
        if kind == "digest":
            digest = hashlib.sha256(picture(name)).hexdigest()
            return self.answer(200, json.dumps({"sha256": digest}).encode(), "application/json")
        with lock, open(log, "a") as record:
            record.write(f"{self.path} {' '.join(sorted(self.headers.keys()))}\n")
        getattr(self, "give_" + kind, self.give_missing)(name)

    def give_pictures(self, name):
        self.answer(200, picture(name), "image/png")

    def give_unnamed(self, name):
        self.answer(200, picture(name), None)

    def give_slow(self, name):
        time.sleep(1)
        self.answer(200, picture(name), "image/png")

    def give_busy(self, name):
        with lock:
            isFirst = name not in busy
            busy.add(name)
        if isFirst:
            return self.answer(503, b"later", "text/plain")
        self.answer(200, picture(name), "image/png")

    def give_missing(self, _):
        self.answer(404, b"no such picture", "text/plain")

    def give_moved(self, name):
        self.send("/pictures/" + name)

    def give_loop(self, name):
        self.send("/loop/" + name)

    def give_file(self, _):
        self.send("file:///etc/passwd")

    def give_page(self, _):
        self.answer(200, b"<html>Sign in to the network</html>", "text/html; charset=utf-8")

    def give_packed(self, name):
        self.answer(200, picture(name), "image/png", [("Content-Encoding", "gzip")])

    def give_large(self, _):
        self.answer(200, bytes(3 << 20), "image/png")

    def give_endless(self, _):
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"10000\r\n" + bytes(1 << 16) + b"\r\n")
        except OSError:
            self.close_connection = True

    def give_cut(self, name):
        content = picture(name)
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.close_connection = True

    def give_silent(self, _):
        time.sleep(5)
        self.close_connection = True

    def send(self, place):
        self.answer(302, b"elsewhere", "text/plain", [("Location", place)])

    def answer(self, status, content, kind, headers=()):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Pictures).serve_forever()
