"""What the proxies beside these tests have in common: they pass requests on to a server, and its answers back.

A proxy is a `Forwarder` whose `do_any` answers, or not, with what `forwarded(body)` gives.
"""

import http.client
import http.server
import urllib.parse

JSON = [("Content-Type", "application/json")]
HOP = ("transfer-encoding", "content-length", "connection")


class Forwarder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = ""

    def do_GET(self):
        self.do_any()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def forwarded(self, body):
        """The answer of the server to this request, with the host that the client named."""
        connection = http.client.HTTPConnection(self.upstream, timeout=60)
        headers = {name: text for name, text in self.headers.items() if name.lower() != "connection"}
        connection.request(self.command, self.path, body or None, headers)
        answer = connection.getresponse()
        content = answer.read()
        # A HEAD gives the size of what it does not carry.
        size = answer.getheader("Content-Length") if self.command == "HEAD" else None
        connection.close()
        kept = [(name, text) for name, text in answer.getheaders() if name.lower() not in HOP]
        return answer.status, kept, content, size

    def answer(self, status, headers, content, size=None):
        self.send_response_only(status)
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Length", size or str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_):
        pass


def serve(handler, port, origin):
    handler.upstream = urllib.parse.urlsplit(origin).netloc
    http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), handler).serve_forever()
