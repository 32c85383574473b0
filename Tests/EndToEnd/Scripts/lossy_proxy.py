#!/usr/bin/env python3
"""Sits in front of a server and keeps back every Nth answer to a request that may change something.

    lossy_proxy.py PORT ORIGIN N

The server has done what it was asked; the client hears nothing, and its connection is closed. How
many answers were kept back is reported at /__lost, with the numbers of such requests and of the sign-ins among them.
"""

import http.client
import http.server
import json
import sys
import threading
import urllib.parse

port, origin, every = int(sys.argv[1]), urllib.parse.urlsplit(sys.argv[2]), int(sys.argv[3])
lock = threading.Lock()
counts = {"writes": 0, "signins": 0, "lost": 0}


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        if self.path == "/__lost":
            return self.answer(200, [("Content-Type", "application/json")], json.dumps(counts).encode())
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        upstream = http.client.HTTPConnection(origin.hostname, origin.port, timeout=60)
        headers = {k: v for k, v in self.headers.items() if k.lower() != "connection"}
        upstream.request(self.command, self.path, body or None, headers)
        answer = upstream.getresponse()
        content = answer.read()
        upstream.close()
        if self.command not in ("GET", "HEAD"):
            with lock:
                counts["writes"] += 1
                counts["signins"] += self.path.endswith("/auth-with-password")
                is_lost = counts["writes"] % every == 0
                counts["lost"] += is_lost
            if is_lost:
                self.close_connection = True
                return
        kept = [
            (k, v) for k, v in answer.getheaders()
            if k.lower() not in ("transfer-encoding", "content-length", "connection")
        ]
        self.answer(answer.status, kept, content)

    def answer(self, status, headers, content):
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_any

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Proxy).serve_forever()
