#!/usr/bin/env python3
"""A server whose certificate no one vouches for.

    untrusted_server.py PORT TLS_PORT LOG

It answers 200 in the clear at PORT, and at TLS_PORT behind a certificate that it made for itself;
whatever is asked for there is written to LOG.
"""

import http.server
import ssl
import subprocess
import sys
import tempfile
import threading

port, tls_port, log = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


class Serving(http.server.BaseHTTPRequestHandler):
    def do_any(self):
        if self.server.server_port == tls_port:
            with open(log, "a") as file:
                file.write(f"{self.command} {self.path}\n{self.headers}\n")
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_any

    def log_message(self, *_):
        pass


open(log, "w").close()
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", f"{folder}/key", "-out", f"{folder}/certificate"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/certificate", f"{folder}/key")
tls = http.server.ThreadingHTTPServer(("127.0.0.1", tls_port), Serving)
tls.socket = context.wrap_socket(tls.socket, server_side=True)
threading.Thread(target=tls.serve_forever, daemon=True).start()
http.server.ThreadingHTTPServer(("127.0.0.1", port), Serving).serve_forever()
