#!/usr/bin/env python3
"""Sits in front of a server and keeps back every Nth answer to a request that may change something.

    lossy_proxy.py PORT ORIGIN N

The server has done what it was asked; the client hears nothing, and its connection is closed. How
many answers were kept back is reported at /__lost, with the numbers of such requests and of the sign-ins among them.
"""

import json
import sys
import threading

from forwarding import JSON, Forwarder, serve

every = int(sys.argv[3])
lock = threading.Lock()
counts = {"writes": 0, "signins": 0, "lost": 0}


class Proxy(Forwarder):
    def do_any(self):
        if self.path == "/__lost":
            return self.answer(200, JSON, json.dumps(counts).encode())
        answer = self.forwarded(self.body())
        if self.command not in ("GET", "HEAD"):
            with lock:
                counts["writes"] += 1
                counts["signins"] += self.path.endswith("/auth-with-password")
                is_lost = counts["writes"] % every == 0
                counts["lost"] += is_lost
            if is_lost:
                self.close_connection = True
                return
        self.answer(*answer)


serve(Proxy, sys.argv[1], sys.argv[2])
