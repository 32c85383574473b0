#!/usr/bin/env python3
"""Servers behind certificates of one authority.

    certified_server.py PORT FOLDER KIND=TLS_PORT...

KIND is `fitting`, `expired`, `early` (not valid for years) or `elsewhere` (another server's). FOLDER gets
`authority.pem`, and for each KIND a file of its name, in which is whatever is asked for at its TLS_PORT.
At PORT it answers in the clear once all of them listen.
"""

import http.server
import os
import ssl
import subprocess
import sys
import tempfile
import threading

port, folder = int(sys.argv[1]), sys.argv[2]
ports = dict(word.split("=") for word in sys.argv[3:])
# The first moment, the last, and whose certificate it is.
certificates = {
    "fitting": ("20200101000000Z", "20491231235959Z", "IP:127.0.0.1"),
    "expired": ("20200101000000Z", "20210101000000Z", "IP:127.0.0.1"),
    "early": ("20450101000000Z", "20491231235959Z", "IP:127.0.0.1"),
    "elsewhere": ("20200101000000Z", "20491231235959Z", "DNS:example.org,IP:192.0.2.1"),
}
settings = """
[ca]
default_ca = authority
[authority]
database = index
new_certs_dir = .
certificate = authority.pem
private_key = authority.key
default_md = sha256
rand_serial = yes
unique_subject = no
policy = anybody
[anybody]
commonName = supplied
"""


class Serving(http.server.BaseHTTPRequestHandler):
    def do_any(self):
        if self.server.log:
            with open(self.server.log, "a") as file:
                file.write(f"{self.command} {self.path}\n{self.headers}\n")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_any

    def log_message(self, *_):
        pass


def serve(port, log=None, context=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Serving)
    server.log = log
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever).start()


def run(place, *words):
    subprocess.run(["openssl", *words], cwd=place, check=True, stdout=subprocess.DEVNULL)


with tempfile.TemporaryDirectory() as place:
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    run(place, "req", "-x509", *key, "-days", "3650", "-subj", "/CN=Authority", "-keyout", "authority.key",
        "-out", "authority.pem")
    run(place, "req", *key, "-subj", "/CN=Server", "-keyout", "key", "-out", "asked")
    for name, text in [("index", ""), ("settings", settings)]:
        with open(os.path.join(place, name), "w") as file:
            file.write(text)
    for kind, tls_port in ports.items():
        begin, end, names = certificates[kind]
        with open(os.path.join(place, "names"), "w") as file:
            file.write(f"subjectAltName = {names}\n")
        run(place, "ca", "-batch", "-notext", "-config", "settings", "-startdate", begin, "-enddate", end,
            "-extfile", "names", "-in", "asked", "-out", kind)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(place, kind), os.path.join(place, "key"))
        log = os.path.join(folder, kind)
        open(log, "w").close()
        serve(int(tls_port), log, context)
    with open(os.path.join(place, "authority.pem")) as source:
        with open(os.path.join(folder, "authority.pem"), "w") as target:
            target.write(source.read())
serve(port)
