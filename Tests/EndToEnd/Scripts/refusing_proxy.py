#!/usr/bin/env python3
"""Sits in front of a service and answers some requests itself.

    refusing_proxy.py PORT ORIGIN PATTERN STATUS BODY
    refusing_proxy.py PORT ORIGIN PATTERN hold FILE

PATTERN is searched for in “METHOD /path?query”. With “hold”, that request is not answered as long
as FILE is there, and never arrives; once FILE is gone, requests are let through. Everything else
goes on unchanged, with the host that the client signed.
"""

import http.client
import http.server
import os
import re
import sys
import time
import urllib.parse

port, origin, pattern, status, text = sys.argv[1:]
upstream = urllib.parse.urlsplit(origin).netloc


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_meant = re.search(pattern, f"{self.command} {self.path}")
        if is_meant and status == "hold" and os.path.exists(text):
            while os.path.exists(text):
                time.sleep(0.05)
            self.close_connection = True
            return
        if is_meant and status != "hold":
            return self.answer(int(status), [("Content-Type", "application/xml")], text.encode())
        connection = http.client.HTTPConnection(upstream, timeout=60)
        connection.request(self.command, self.path, body or None, dict(self.headers.items()))
        answer = connection.getresponse()
        content = answer.read()
        left_out = ("transfer-encoding", "connection", "content-length")
        headers = [(k, v) for k, v in answer.getheaders() if k.lower() not in left_out]
        # A HEAD states the size of what it does not carry.
        size = answer.getheader("Content-Length") if self.command == "HEAD" else None
        self.answer(answer.status, headers, content, size)
        connection.close()

    def answer(self, status, headers, content, size=None):
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", size or str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_any

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Proxy).serve_forever()
