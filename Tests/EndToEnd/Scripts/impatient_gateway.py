#!/usr/bin/env python3
"""Sits in front of a server, and answers the first POST to a path by 503 although the server carries it out.

    impatient_gateway.py PORT ORIGIN PATH page|json

It says so in a page or in JSON. How often it did is reported at /impatient.
"""

import sys

from forwarding import JSON, Forwarder, serve

port, origin, path, form = sys.argv[1:]
lost = []
words = {
    "page": ([("Content-Type", "text/html")], b"<html><h1>503 Service Temporarily Unavailable</h1></html>"),
    "json": (JSON, b'{"code":503,"message":"upstream connect error or disconnect/reset before headers"}'),
}[form]


class Gateway(Forwarder):
    def do_any(self):
        if self.path == "/impatient":
            return self.answer(200, JSON, str(len(lost)).encode())
        answer = self.forwarded(self.body())
        if self.command == "POST" and self.path == path and not lost:
            lost.append(path)
            return self.answer(503, *words)
        self.answer(*answer)


serve(Gateway, port, origin)
