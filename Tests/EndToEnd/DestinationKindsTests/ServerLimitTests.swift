import DestinationModel
import JSONText
import Profiles
import REST
import Synchronization
import Testing
import UploadPlanning

/// A server that says how many requests it takes in one.
struct ServerLimitTests {
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
    reporting reported: ScriptedServer.Reply,
    times: Int = 1,
    check: (BatchAnswer, RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await withScript(
      api: try Self.api(),
      { request in
        guard request.method == "POST" else { return reported }
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

  @Test func `batches keep to the server's stated limit, which is asked once`() async throws {
    let reported = ScriptedServer.Reply.json(["settings": ["most": 2]])
    try await send(3, reporting: reported, times: 2) { answer, _, server in
      #expect(answer.whole == .splittable(reason: "3 items, and 2 are the limit"))
      #expect(server.lines == ["GET /"])
    }
    try await send(2, reporting: reported, times: 2) { answer, _, server in
      #expect([1, 2].map { answer.word($0) } == ["stored", "stored"])
      #expect(server.lines == ["GET /", "POST /batch", "POST /batch"])
    }
  }

  @Test func `a limit above the profile's changes nothing`() async throws {
    try await send(5, reporting: .json(["settings": ["most": 100]])) { answer, _, _ in
      #expect(answer.whole == .splittable(reason: "5 items, and 4 are the limit"))
    }
  }

  @Test(arguments: [
    ScriptedServer.Reply.json([:]), .json(["settings": ["most": 0]]), .json([:], status: 404), .cut,
  ])
  func `without a stated limit, the profile's limit counts`(
    reported: ScriptedServer.Reply
  ) async throws {
    try await send(4, reporting: reported) { answer, _, _ in
      #expect(answer.word(4) == "stored")
    }
  }

  @Test func `the server's limits are reported before anything is sent`() async throws {
    try await send(1, reporting: .json(["settings": ["most": 2]])) { _, destination, _ in
      let checks = await destination.preflight()
      #expect(checks.map(\.verdict) == [.fits])
      #expect(checks.first?.detail.contains("no more than 2 go together") == true)
    }
    try await send(1, reporting: .json([:])) { _, destination, _ in
      #expect(await destination.preflight().map(\.verdict) == [.unknown])
    }
  }
}
