import DevelopmentBackend
import Foundation
import JSONText
import Testing

struct PersistenceTests {
  @Test func `a restart keeps the rows and the tokens`() async throws {
    try await withFolder { folder in
      var configuration = DevelopmentBackend.Configuration()
      configuration.databasePath = folder.appendingPathComponent("server.sqlite").path
      let (token, dump) = try await withServer(configuration) { client in
        let client = try await client.signedIn()
        _ = try await client.post("/api/v1/heroes", goodHero)
        _ = try await client.put("/collections/c/records/r", ["a": 1])
        return (client.token, try await client.get("/__dev/dump").json)
      }
      try await withServer(configuration) { client in
        let client = TestClient(port: client.port, token: token)
        #expect(try await client.get("/__dev/dump").json == dump)
        #expect(try await client.get("/api/v1/heroes").number("/data/pagination/total") == 1)
        let next = try await client.put("/collections/c/records/s", ["a": 1])
        #expect(next.number("/version") == 2)
      }
    }
  }

  @Test func `the port file appears once the server listens`() async throws {
    try await withFolder { folder in
      var configuration = DevelopmentBackend.Configuration()
      let file = folder.appendingPathComponent("port")
      configuration.portFile = file.path
      try await withServer(configuration) { client in
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == "\(client.port)\n")
      }
    }
  }

  @Test func `the port is printed only when the server accepts connections`() async throws {
    let (statuses, continuation) = AsyncStream.makeStream(of: Int.self)
    let backend = try DevelopmentBackend()
    let server = Task {
      try await backend.run { port in
        let reply = try? await TestClient(port: port).get("/api/v1/ping")
        continuation.yield(reply?.status ?? 0)
      }
    }
    var reported: Int?
    for await status in statuses {
      reported = status
      break
    }
    #expect(reported == 200)
    server.cancel()
    try await server.value
  }

  @Test func `a port file that cannot be written ends the server`() async throws {
    var configuration = DevelopmentBackend.Configuration()
    configuration.portFile = "/nowhere/at/all/port"
    let backend = try DevelopmentBackend(configuration: configuration)
    await #expect(throws: DevelopmentBackendError.self) { try await backend.run() }
  }

  @Test func `a port in use is reported`() async throws {
    try await withServer { client in
      var configuration = DevelopmentBackend.Configuration()
      configuration.port = client.port
      let second = try DevelopmentBackend(configuration: configuration)
      let error = await #expect(throws: DevelopmentBackendError.self) { try await second.run() }
      guard case .listening(_, client.port, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `a database that cannot be opened is reported`() {
    var configuration = DevelopmentBackend.Configuration()
    configuration.databasePath = "/nowhere/at/all/server.sqlite"
    #expect(throws: DevelopmentBackendError.self) {
      try DevelopmentBackend(configuration: configuration)
    }
  }

  @Test func `rows can be seeded, counted and cleared`() async throws {
    try await withSignedInServer { client in
      let seeded = try await client.post(
        "/__dev/rows",
        [
          "account": "demo@example.com",
          "heroes": [
            [
              "id": "h1", "name": "Seed", "age": 99, "traits": [],
              "createdAt": "2020-01-02T03:04:05.678Z",
            ]
          ],
          "stories": [["heroId": "h1", "title": "T", "content": "C", "playCount": 3]],
          "records": [["collection": "c", "id": "r", "data": ["a": 1]]],
        ]
      )
      #expect(seeded.status == 201)
      let hero = try await client.get("/api/v1/heroes/h1")
      #expect(hero.text("/data/createdAt") == "2020-01-02T03:04:05.678Z")
      let state = try await client.state()
      #expect(state.value(at: "/tables/stories") == 1)
      #expect(state["writes"] == 0)
      #expect(state.value(at: "/requests/GET ~1api~1v1~1heroes~1{heroId}") == 1)
      _ = try await client.post("/__dev/reset")
      let dump = try await client.get("/__dev/dump").json
      #expect(dump["heroes"] == [])
      #expect(dump["records"] == [])
      #expect(dump["accounts"]?.array?.count == 1)
    }
  }

  @Test func `many rows are stored by batches`() async throws {
    try await withFolder { folder in
      var configuration = DevelopmentBackend.Configuration()
      configuration.databasePath = folder.appendingPathComponent("server.sqlite").path
      try await withServer(configuration) { client in
        let client = try await client.signedIn()
        let items = JSONValue.array(
          (0..<100).map { ["id": .string("\($0)"), "name": "Ada", "age": 7] }
        )
        for _ in 0..<20 {
          let reply = try await client.post("/api/batch", ["heroes": items])
          #expect(reply.number("/created") == 100)
        }
        #expect(try await client.get("/__dev/state").json.value(at: "/tables/heroes") == 2_000)
      }
    }
  }

  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("backend-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }
}
