import AsyncHTTPClient
import DevelopmentBackend
import JSONText
import Testing

struct FaultTests {
  private let batch: JSONValue = ["heroes": [["id": "a", "name": "Ada", "age": 7]]]

  private func heroCount(_ client: TestClient) async throws -> JSONValue? {
    try await client.state().value(at: "/tables/heroes")
  }

  @Test func `a lost request stores no row`() async throws {
    try await withSignedInServer { client in
      try await plan("lose:n=2@POST /api/batch", client)
      _ = try await client.post("/api/batch", batch)
      await #expect(throws: (any Error).self) { try await client.post("/api/batch", batch) }
      #expect(try await heroCount(client) == 1)
      #expect(try await client.post("/api/batch", batch).status == 200)
    }
  }

  @Test func `a lost answer leaves the stored row`() async throws {
    try await withSignedInServer { client in
      try await plan("drop-after:1@POST /api/batch", client)
      await #expect(throws: (any Error).self) { try await client.post("/api/batch", batch) }
      #expect(try await heroCount(client) == 1)
    }
  }

  @Test func `a late request is done after its connection is gone`() async throws {
    try await withSignedInServer { client in
      try await plan("late:1:300ms@POST /api/batch", client)
      await #expect(throws: (any Error).self) { try await client.post("/api/batch", batch) }
      #expect(try await heroCount(client) == 0)
      for _ in 0..<50 where try await heroCount(client) == 0 {
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(try await heroCount(client) == 1)
    }
  }

  @Test(arguments: ["drop-before", "drop-after"])
  func `a dropped connection carries not one byte of an answer`(kind: String) async throws {
    try await withSignedInServer { client in
      try await plan("\(kind):1@/api/v1/ping", client)
      let answer = try await rawAnswer("GET /api/v1/ping HTTP/1.1\r\nHost: x\r\n\r\n", client.port)
      #expect(answer.isEmpty)
    }
  }

  @Test func `a truncated answer ends before its announced length`() async throws {
    try await withSignedInServer { client in
      try await plan("truncate:1@/api/v1/ping", client)
      let answer = try await rawAnswer("GET /api/v1/ping HTTP/1.1\r\nHost: x\r\n\r\n", client.port)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
      #expect(answer.lowercased().contains("content-length: 15\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n{\"statu"))
      await #expect(throws: (any Error).self) { try await client.get("/api/v1/ping") }
    }
  }

  @Test func `a fault rule answers with a status in the route's format, and stores no row`()
    async throws
  {
    try await withSignedInServer { client in
      try await plan("status:2:429:retry-after=2@POST, status:n=1:503@/collections", client)
      #expect(try await client.post("/api/batch", batch).status == 200)
      let refused = try await client.post("/api/batch", batch)
      #expect(refused.status == 429)
      #expect(refused.header("retry-after") == "2")
      #expect(refused.json["error"]?.text?.isEmpty == false)
      #expect(try await heroCount(client) == 1)
      let nested = try await client.get("/collections/c/records")
      #expect(nested.status == 503)
      #expect(nested.text("/error/code") == "ServiceUnavailable")
    }
  }

  @Test func `a fault rule answers with an HTML page and 200, and stores no row`() async throws {
    try await withSignedInServer { client in
      try await plan("html:1@POST", client)
      let reply = try await client.post("/api/batch", batch)
      #expect(reply.status == 200)
      #expect(reply.header("content-type") == "text/html")
      #expect(reply.text.contains("<html>"))
      #expect(try await heroCount(client) == 0)
    }
  }

  @Test func `a pretended success is rolled back`() async throws {
    try await withSignedInServer { client in
      try await plan("pretend:1@POST", client)
      let reply = try await client.post("/api/batch", batch)
      #expect(reply.number("/created") == 1)
      #expect(try await heroCount(client) == 0)
      #expect(try await client.state()["writes"] == 0)
    }
  }

  @Test func `a late answer is delayed, and other faults still apply`() async throws {
    try await withSignedInServer { client in
      try await plan("delay:1:300ms, status:1:500", client)
      let clock = ContinuousClock()
      let start = clock.now
      #expect(try await client.get("/api/v1/ping").status == 500)
      #expect(clock.now - start >= .milliseconds(300))
    }
  }

  @Test func `fault rules count their matches and can be changed and cleared`() async throws {
    try await withSignedInServer { client in
      try await plan("status:3:503@GET /api/v1", client)
      var statuses: [Int] = []
      for _ in 1...6 {
        statuses.append(try await client.get("/api/v1/ping").status)
        _ = try await client.get("/collections/c/records")
      }
      #expect(statuses == [200, 200, 503, 200, 200, 503])
      let faults = try await client.state()["faults"]
      #expect(faults == [["rule": "status:3:503@GET /api/v1", "seen": 6, "fired": 2]])
      let wrong = try await client.send("PUT", "/__dev/faults", bytes: Array("no".utf8))
      #expect(wrong.status == 400)
      try await plan("", client)
      #expect(try await client.state()["faults"] == [])
    }
  }

  @Test func `a fault plan can be given at the start`() async throws {
    var configuration = DevelopmentBackend.Configuration()
    configuration.faults = try FaultPlan(parsing: "status:1:401@/api/v1/ping")
    try await withServer(configuration) { client in
      let reply = try await client.get("/api/v1/ping")
      #expect(reply.status == 401)
      #expect(reply.text("/error") == "Unauthorized")
    }
  }

  private func plan(_ text: String, _ client: TestClient) async throws {
    let reply = try await client.send("PUT", "/__dev/faults", bytes: Array(text.utf8))
    #expect(reply.status == 200)
  }
}
