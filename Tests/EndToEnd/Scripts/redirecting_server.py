#!/usr/bin/env python3
"""Signs everybody in and answers everything else with a redirect to another host.

    redirecting_server.py PORT OTHER TOKEN LOG

It also plays the other host, on the port OTHER: there it only writes down what it is sent, into LOG.
"""

import http.server
import sys
import threading

port, other, token, log = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
# Only Linux has more than one address of its own from the start.
host = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
open(log, "w").close()


class Answering(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.server_address[1] == other:
            with open(log, "ab") as record:
                record.write(f"{self.command} {self.path}\n{self.headers}\n".encode() + body)
            return self.answer(200, [])
        if self.path == "/ready":
            return self.answer(200, [])
        if "sign-in" in self.path:
            return self.answer(200, [("set-auth-token", token)])
        place = f"http://{host}:{other}{self.path}"
        # The words of a server are not to be trusted: these repeat what they were sent.
        echo = str(self.headers.get("Authorization"))
        self.answer(307, [("Location", place), ("X-Echo", echo)])

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_any

    def answer(self, status, headers):
        content = ("{\"error\": \"%s\"}" % self.headers.get("Authorization")).encode()
        self.send_response(status)
        for name, value in headers + [("Content-Type", "application/json"), ("Content-Length", str(len(content)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


elsewhere = http.server.ThreadingHTTPServer((host, other), Answering)
threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
http.server.ThreadingHTTPServer(("127.0.0.1", port), Answering).serve_forever()
