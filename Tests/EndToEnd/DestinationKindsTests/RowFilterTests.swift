import DestinationModel
import JSONText
import Profiles
import Records
import REST
import Testing
import UploadPlanning

/// A destination that has no address for a record, and finds it by a filter: PostgREST, for one.
///
/// What it does not have is an empty list there.
struct RowFilterTests {
  private static func api(_ settings: String = "") throws -> Api {
    try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, text: text } } }
      api:
        kind: rest
        credentials: [key]
        headers: { apikey: "{key}", Prefer: return=representation }
        \(settings)
        entities:
          Note:
            replay: id
            list: { request: "GET /notes?order=id", limit: { name: limit, value: 2 }, offset: offset, deleted: deleted_at }
            read: { request: "GET /notes?id=eq.{id}", item: "0" }
            create: { request: POST /notes, item: "0" }
            update: { request: "PATCH /notes?id=eq.{id}", item: "0" }
            delete: { request: "DELETE /notes?id=eq.{id}" }
            body: { id: id, text: text }
      """
    )
  }

  /// Lends a destination whose every answer is `reply`.
  private func with(
    _ reply: ScriptedServer.Reply,
    _ settings: String = "",
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await with(script: { _ in reply }, settings, body)
  }

  private func with(
    script: @escaping ScriptedServer.Script,
    _ settings: String = "",
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.run(script) { server in
      try await withDestination(
        at: server.address,
        api: try Self.api(settings),
        credentials: GivenCredentials(["key": Secret("anon-key")])
      ) { destination in
        try await body(destination, server)
      }
    }
  }

  private static let update = OutgoingBatch.notes(.update, [.number(1, serverID: "n1")])
  private static let delete = OutgoingBatch.notes(.delete, [.number(1, serverID: "n1")])

  @Test func `a record that its filtered list does not show does not exist`() async throws {
    try await with(.json([])) { destination, server in
      let found = try await destination.record(of: "Note", serverID: "n1")
      #expect(found == nil)
      #expect(server.lines == ["GET /notes?id=eq.n1"])
      #expect(await destination.send(Self.update).word(1) == "missing")
    }
    try await with(.json([["id": "n1", "text": "t"]])) { destination, _ in
      let found = try await destination.record(of: "Note", serverID: "n1")
      #expect(found?.serverID == "n1")
      #expect(await destination.send(Self.update).word(1) == "stored")
    }
  }

  @Test(arguments: ["2026-11-20T08:00:00Z", true, 1_800_000_000] as [JSONValue])
  func `a record with a removal date counts as deleted`(moment: JSONValue) async throws {
    try await with(.json([["id": "n1", "deleted_at": moment]])) { destination, _ in
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      #expect(page.removed == ["n1"] && page.records.isEmpty)
      let found = try await destination.record(of: "Note", serverID: "n1")
      #expect(found == nil)
    }
  }

  @Test(arguments: [.null, false, 0, ""] as [JSONValue])
  func `a record without a removal date exists`(moment: JSONValue) async throws {
    try await with(.json([["id": "n1", "deleted_at": moment]])) { destination, _ in
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      #expect(page.removed.isEmpty && page.records.map { $0.serverID } == ["n1"])
      let found = try await destination.record(of: "Note", serverID: "n1")
      #expect(found != nil)
    }
  }

  @Test(arguments: ["{}", "[[]]", "null", "\"\""])
  func `another answer without the record leaves its state unknown`(answer: String) async throws {
    try await with(.text(answer, type: "application/json")) { destination, _ in
      await #expect(throws: DestinationError.self) {
        try await destination.record(of: "Note", serverID: "n1")
      }
      #expect(await destination.send(Self.update).word(1) == "unknown")
    }
  }

  @Test(arguments: [
    ("0-0/*", "stored"), ("*/1", "stored"), ("*/*", "missing"), ("*/0", "missing"),
  ])
  func `a 204 to a change is decided by the row count`(
    rows: String,
    word: String
  ) async throws {
    let reply = ScriptedServer.Reply.text("", status: 204, headers: [("Content-Range", rows)])
    try await with(reply) { destination, _ in
      #expect(await destination.send(Self.update).word(1) == word)
    }
  }

  @Test(arguments: [204, 200])
  func `an answer without row counts leaves open whether the filter passed one`(
    status: Int
  ) async throws {
    try await with(.text("", status: status)) { destination, _ in
      #expect(await destination.send(Self.update).word(1) == "unknown")
      let answer = await destination.send(Self.delete)
      #expect(answer.word(1) == "unknown")
      #expect(answer.reason(1).contains("return=representation"))
    }
  }

  // An account that may read and not remove would be asked for the same without end.
  @Test(arguments: [204, 200])
  func `a removal listed without its row is looked up, and an existing row stays`(
    status: Int
  ) async throws {
    let looks: [(rows: JSONValue, word: String)] = [
      ([], "removed"), ([["id": "n1", "text": "t"]], "rejected"),
      ([["id": "n1", "deleted_at": "2026-11-20T08:00:00Z"]], "removed"),
    ]
    for look in looks {
      let script: ScriptedServer.Script = { request in
        request.method == "GET" ? .json(look.rows) : .text("", status: status)
      }
      try await with(script: script) { destination, server in
        let answer = await destination.send(Self.delete)
        #expect(answer.word(1) == look.word)
        #expect(server.lines == ["DELETE /notes?id=eq.n1", "GET /notes?id=eq.n1"])
      }
    }
  }

  @Test func `a removal that removed no row is refused`() async throws {
    try await with(.json([])) { destination, _ in
      #expect(await destination.send(Self.delete).word(1) == "rejected")
    }
    try await with(.json([["id": "n1", "text": "t"]])) { destination, _ in
      #expect(await destination.send(Self.delete).word(1) == "removed")
    }
  }

  @Test func `a profile can describe a destination that answers 403 for missing records`()
    async throws
  {
    let refusal = ScriptedServer.Reply.json(
      ["errors": [["message": "no permission", "extensions": ["code": "FORBIDDEN"]]]],
      status: 403
    )
    let settings = "meanings: [{ status: 403, words: FORBIDDEN, means: missing }]"
    try await with(refusal, settings) { destination, _ in
      let found = try await destination.record(of: "Note", serverID: "n1")
      #expect(found == nil)
      #expect(await destination.send(Self.update).word(1) == "missing")
      // It was read a moment ago: the same is said to an account that may not remove it.
      let removal = await destination.send(Self.delete)
      #expect(removal.word(1) == "rejected")
      #expect(removal.reason(1).contains("403"))
    }
    try await with(refusal) { destination, _ in
      await #expect(throws: DestinationError.self) {
        try await destination.record(of: "Note", serverID: "n1")
      }
      #expect(await destination.send(Self.update).word(1) == "refused")
    }
  }
}
