#!/usr/bin/env python3
"""Sits in front of a service and answers some requests itself.

    refusing_proxy.py PORT ORIGIN PATTERN STATUS BODY
    refusing_proxy.py PORT ORIGIN PATTERN hold FILE

PATTERN is searched for in “METHOD /path?query”. With “hold”, that request is not answered as long
as FILE is there, and never arrives; once FILE is gone, requests are let through. Everything else
goes on unchanged, with the host that the client signed.
"""

import os
import re
import sys
import time

from forwarding import Forwarder, serve

port, origin, pattern, status, text = sys.argv[1:]


class Proxy(Forwarder):
    def do_any(self):
        body = self.body()
        is_meant = re.search(pattern, f"{self.command} {self.path}")
        if is_meant and status == "hold" and os.path.exists(text):
            while os.path.exists(text):
                time.sleep(0.05)
            self.close_connection = True
            return
        if is_meant and status != "hold":
            return self.answer(int(status), [("Content-Type", "application/xml")], text.encode())
        self.answer(*self.forwarded(body))


serve(Proxy, port, origin)
