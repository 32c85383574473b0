import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

struct BatchTests {
  private static let three: [OutgoingBatch.Item] = [.number(1), .number(2), .number(3)]

  /// What becomes of three heroes when the batch is answered like this.
  private func words(_ reply: ScriptedServer.Reply) async throws -> [String] {
    var words: [String] = []
    try await withScript({ _ in reply }) { destination, _ in
      let answer = await destination.send(.heroes(.create, Self.three))
      words = [1, 2, 3].map { answer.word($0) }
    }
    return words
  }

  @Test func `items carry their client identity`() async throws {
    try await withScript({ _ in batchReply(created: [("local-1", "s1")]) }) { destination, server in
      _ = await destination.send(.heroes(.create, [.number(1)]))
      #expect(server.requests.last?.line == "POST /api/batch")
      #expect(
        server.requests.last?.json == ["heroes": [["name": "Ada", "id": "local-1"]]]
      )
    }
  }

  @Test func `an answer names our identity as the items do, where it has no other name`()
    async throws
  {
    let api = try Sample.api(
      of: "Hero",
      by: .signIn,
      """
      replay: look-up
      list: { request: GET /heroes, items: data }
      create:
        request: POST /heroes/batch
        batch: { items: heroes, local-id: local, created: made, failed: failed }
      body: { name: name }
      natural-key: [name]
      """
    )
    let reply: JSONValue = [
      "made": [["local": "local-1", "id": "s1"]], "failed": [["local": "local-2", "error": "no"]],
    ]
    try await withScript(api: api, { _ in .json(reply) }) { destination, _ in
      let answer = await destination.send(.heroes(.create, Self.three))
      #expect(answer.outcomes[1] == .stored(serverID: "s1", version: nil))
      #expect(answer.outcomes[2] == .rejected(code: "batch.failed", reason: "no"))
      #expect(answer.word(3) == "unknown")
    }
  }

  // 000-69.
  @Test func `results are matched by identity and not by place`() async throws {
    let reply = batchReply(
      created: [("local-3", "s3"), ("local-1", "s1")],
      failed: [("local-2", "too \u{1B}old")]
    )
    try await withScript({ _ in reply }) { destination, _ in
      let answer = await destination.send(.heroes(.create, Self.three))
      #expect(answer.outcomes[1] == .stored(serverID: "s1", version: nil))
      #expect(answer.outcomes[2] == .rejected(code: "batch.failed", reason: "too \\u{1B}old"))
      #expect(answer.outcomes[3] == .stored(serverID: "s3", version: nil))
    }
  }

  @Test func `an item the answer leaves out is unknown`() async throws {
    let reply = batchReply(created: [("local-1", "s1"), ("local-2", "s2")])
    #expect(try await words(reply) == ["stored", "stored", "unknown"])
  }

  @Test func `an item that is named twice is unknown`() async throws {
    let twice = batchReply(created: [("local-1", "s1"), ("local-1", "s2"), ("local-2", "s3")])
    #expect(try await words(twice) == ["unknown", "stored", "unknown"])
    let both = batchReply(created: [("local-1", "s1")], failed: [("local-1", "no")])
    #expect(try await words(both) == ["unknown", "unknown", "unknown"])
  }

  @Test func `two items with one identity at the destination are both unknown`() async throws {
    let reply = batchReply(created: [("local-1", "s1"), ("local-2", "s1"), ("local-3", "s3")])
    #expect(try await words(reply) == ["unknown", "unknown", "stored"])
  }

  @Test func `two items with look-alike identities have each their own result`() async throws {
    let ids = ["caf\u{E9}", "cafe\u{301}"]
    let reply = batchReply(created: [(ids[0], "s1")], failed: [(ids[1], "no")])
    try await withScript({ _ in reply }) { destination, _ in
      let items = [OutgoingBatch.Item.number(1, id: ids[0]), .number(2, id: ids[1])]
      let answer = await destination.send(.heroes(.create, items))
      #expect(answer.outcomes[1] == .stored(serverID: "s1", version: nil))
      #expect(answer.outcomes[2] == .rejected(code: "batch.failed", reason: "no"))
    }
  }

  @Test func `two items with identities at the destination that look alike are both stored`()
    async throws
  {
    let made = [("local-1", "caf\u{E9}"), ("local-2", "cafe\u{301}"), ("local-3", "s3")]
    #expect(try await words(batchReply(created: made)) == ["stored", "stored", "stored"])
  }

  @Test func `batch results about other items are ignored`() async throws {
    let reply = batchReply(
      created: [("alien", "s9"), ("local-2", "s2")],
      failed: [("stranger", "no")]
    )
    #expect(try await words(reply) == ["unknown", "stored", "unknown"])
  }

  @Test func `a batch result without an identity leaves its item unknown`() async throws {
    let reply = ScriptedServer.Reply.json([
      "results": ["created": [["localId": "local-1"], ["localId": "local-2", "serverId": ""], 7]]
    ])
    #expect(try await words(reply) == ["unknown", "unknown", "unknown"])
  }

  @Test(arguments: [
    ScriptedServer.Reply.cut, .text("<html>Welcome</html>"), .json(["error": "no"]), .json([]),
    .json(.null), .text("{\"results\":", type: "application/json"),
    .text("<html>Bad Gateway</html>", status: 502), .json(["error": "x"], status: 500),
    .json(["error": "x"], status: 504), .text("", status: 200),
  ])
  func `an answer that says nothing about the items leaves them unknown`(
    reply: ScriptedServer.Reply
  ) async throws {
    #expect(try await words(reply) == ["unknown", "unknown", "unknown"])
  }

  @Test(arguments: [400, 409, 413, 415, 422])
  func `a batch refused as a whole can be split, and one item alone is rejected`(
    status: Int
  ) async throws {
    try await withScript({ _ in .json(["error": "Batch refused"], status: status) }) {
      destination,
      _ in
      let many = await destination.send(.heroes(.create, Self.three))
      #expect(many.word(2) == "splittable")
      let one = await destination.send(.heroes(.create, [.number(1)]))
      #expect(
        one.outcomes[1]
          == .rejected(code: "http.\(status)", reason: "status \(status): Batch refused")
      )
    }
  }

  @Test func `a batch that is too large is not sent`() async throws {
    try await withScript({ _ in .cut }) { destination, server in
      let answer = await destination.send(.heroes(.create, Self.three + [.number(4)]))
      #expect(answer.word(4) == "splittable")
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `a missing batch route ends the run`() async throws {
    #expect(
      try await words(.json(["error": "NotFound"], status: 404)) == [
        "refused", "refused", "refused",
      ]
    )
  }

  // The key of many records is another one as soon as one of them is missing.
  @Test func `records with a key are looked up after a lost batch, or go one by one`() async throws
  {
    try await withScript(api: try Self.keyed(isListed: true), { _ in .cut }) { destination, _ in
      #expect(destination.traits.replay["Hero"] == .lookUp(settle: .seconds(60)))
      #expect(destination.traits.batchLimit["Hero"] == 25)
    }
    try await withScript(api: try Self.keyed(isListed: false), { _ in .cut }) { destination, _ in
      #expect(destination.traits.replay["Hero"] == .key(life: .seconds(86_400), settle: nil))
      #expect(destination.traits.batchLimit["Hero"] == 1)
    }
  }

  // A change is read before it is sent, and again after its answer was lost: nothing remembers a key of it.
  @Test func `a change and a removal carry no key`() async throws {
    let api = try Sample.api(
      of: "Hero",
      """
      replay: key
      create: { request: POST /heroes, key-header: Idempotency-Key }
      update: { request: "PATCH /heroes/{id}" }
      delete: { request: "DELETE /heroes/{id}" }
      body: { name: name }
      """
    )
    try await withScript(api: api, { _ in .json(["id": "h1", "name": "Ada"]) }) {
      destination,
      server in
      let item = OutgoingBatch.Item.number(1, serverID: "h1")
      #expect(await destination.send(.heroes(.create, [.number(1)])).word(1) == "stored")
      #expect(await destination.send(.heroes(.update, [item])).word(1) == "stored")
      #expect(await destination.send(.heroes(.delete, [item])).word(1) == "removed")
      let keys = server.requests.map { $0.header("Idempotency-Key") }
      #expect(keys == ["key-1", nil, nil])
    }
  }

  private static func keyed(isListed: Bool) throws -> Api {
    try Sample.api(
      of: "Hero",
      by: .signIn,
      """
      replay: key
      \(isListed ? "list: { request: GET /heroes, items: data }" : "version: version")
      create:
        request: POST /heroes/batch
        key-header: Idempotency-Key
        batch: { items: heroes, limit: 25, local-id: localId, created: created, failed: failed, id: id }
      body: { name: name }
      natural-key: [name]
      """
    )
  }

  @Test(arguments: [ScriptedServer.Reply.cut, .json(["error": "boom"], status: 500)])
  func `the answer to a lost batch says that one record may be the cause`(
    reply: ScriptedServer.Reply
  ) async throws {
    try await withScript({ _ in reply }) { destination, _ in
      let answer = await destination.send(.heroes(.create, Self.three))
      #expect(answer.word(1) == "unknown")
      #expect(answer.mayLieInOne)
    }
  }
}
