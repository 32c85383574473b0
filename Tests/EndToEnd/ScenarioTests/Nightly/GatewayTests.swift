import Foundation
import JSONText
import TestSupport
import Testing

/// A gateway that passes a request on, and answers 503 in its own words before the server has answered.
@Suite(.timeLimit(.minutes(3))) struct GatewayTests {
  @Test(arguments: [("/api/batch", "page"), ("/api/batch/stories", "page"), ("/api/batch", "json")])
  func `records that were created behind a gateway error are found, and not created again`(
    path: String,
    form: String
  ) async throws {
    try await withScenario { scenario in
      let gateway = try RealServer(
        "/usr/bin/env",
        ["python3", "-c", Self.gateway, "{port}", scenario.backend.origin, path, form],
        in: scenario.folder,
        answersAt: "/impatient"
      )
      var through = scenario
      through.origin = gateway.origin
      let moved = try await through.migrate()
      #expect(try RealServer.get("\(gateway.origin)/impatient") == 1)
      #expect(moved.status == 0, "\(moved)")
      #expect(moved.value("verification")?["clean"] == true)
      for (table, entity) in [("heroes", "Hero"), ("stories", "Story")] {
        let rows = try scenario.backend.rows(table)
        #expect(rows.count == Int(moved.count("created", of: entity)), "\(table)")
      }
      withExtendedLifetime(gateway) {}
    }
  }

  /// Loses patience with the first POST to a path, and says so in a page or in JSON; how often it did is
  /// reported at `/impatient`.
  private static let gateway = """
    import http.client, http.server, sys, urllib.parse
    port, origin, path = int(sys.argv[1]), urllib.parse.urlsplit(sys.argv[2]), sys.argv[3]
    lost = []
    words = {
        "page": ("text/html", b"<html><h1>503 Service Temporarily Unavailable</h1></html>"),
        "json": (
            "application/json",
            b'{"code":503,"message":"upstream connect error or disconnect/reset before headers"}',
        ),
    }[sys.argv[4]]

    class Gateway(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_any(self):
            if self.path == "/impatient":
                return self.answer(200, [("Content-Type", "application/json")], str(len(lost)).encode())
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server = http.client.HTTPConnection(origin.hostname, origin.port, timeout=60)
            headers = {k: v for k, v in self.headers.items() if k.lower() != "connection"}
            server.request(self.command, self.path, body or None, headers)
            answer = server.getresponse()
            content = answer.read()
            server.close()
            if self.command == "POST" and self.path == path and not lost:
                lost.append(path)
                return self.answer(503, [("Content-Type", words[0])], words[1])
            left_out = ("transfer-encoding", "content-length", "connection")
            kept = [(k, v) for k, v in answer.getheaders() if k.lower() not in left_out]
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

        def log_message(self, *_):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Gateway).serve_forever()
    """
}
