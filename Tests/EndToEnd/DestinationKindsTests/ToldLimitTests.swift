import DestinationModel
import JSONText
import Profiles
import REST
import Synchronization
import Testing
import UploadPlanning

/// A server that tells how many requests it takes in one.
struct ToldLimitTests {
  private static func api() throws -> Api {
    try Sample.api(
      of: "Hero",
      """
      replay: id
      create:
        request: PUT /heroes/{id}
        if-none-match: true
        batch:
          request: POST /batch
          requests: requests
          limit: 4
          limit-from: { request: GET /, member: settings.most }
      body: { name: name }
      """
    )
  }

  private func send(
    _ count: Int64,
    telling told: ScriptedServer.Reply,
    times: Int = 1,
    check: (BatchAnswer, RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await withScript(
      api: try Self.api(),
      { request in
        guard request.method == "POST" else { return told }
        let answers = (request.json["requests"]?.array ?? []).map { inner -> JSONValue in
          let path = inner["path"]?.text ?? ""
          let id = path.split(separator: "/").last.map(String.init) ?? ""
          return ["status": 201, "path": .string(path), "body": ["id": .string(id)]]
        }
        return .json(["responses": .array(answers)])
      }
    ) { destination, server in
      let items = (1...count).map { OutgoingBatch.Item.number($0, id: "h\($0)") }
      var answer = BatchAnswer()
      for _ in 0..<times { answer = await destination.send(.heroes(.create, items)) }
      try await check(answer, destination, server)
    }
  }

  @Test func `more than it tells are not sent together, and it is asked once`() async throws {
    let told = ScriptedServer.Reply.json(["settings": ["most": 2]])
    try await send(3, telling: told, times: 2) { answer, _, server in
      #expect(answer.whole == .splittable(reason: "3 items, and 2 are the most"))
      #expect(server.lines == ["GET /"])
    }
    try await send(2, telling: told, times: 2) { answer, _, server in
      #expect([1, 2].map { answer.word($0) } == ["stored", "stored"])
      #expect(server.lines == ["GET /", "POST /batch", "POST /batch"])
    }
  }

  @Test func `what it tells beyond the profile's limit changes nothing`() async throws {
    try await send(5, telling: .json(["settings": ["most": 100]])) { answer, _, _ in
      #expect(answer.whole == .splittable(reason: "5 items, and 4 are the most"))
    }
  }

  @Test(arguments: [
    ScriptedServer.Reply.json([:]), .json(["settings": ["most": 0]]), .json([:], status: 404), .cut,
  ])
  func `where it tells nothing, the profile's limit counts`(
    told: ScriptedServer.Reply
  ) async throws {
    try await send(4, telling: told) { answer, _, _ in
      #expect(answer.word(4) == "stored")
    }
  }

  @Test func `what it tells is said before anything is sent`() async throws {
    try await send(1, telling: .json(["settings": ["most": 2]])) { _, destination, _ in
      let checks = await destination.preflight()
      #expect(checks.map(\.verdict) == [.fits])
      #expect(checks.first?.detail.contains("no more than 2 go together") == true)
    }
    try await send(1, telling: .json([:])) { _, destination, _ in
      #expect(await destination.preflight().map(\.verdict) == [.unknown])
    }
  }
}
