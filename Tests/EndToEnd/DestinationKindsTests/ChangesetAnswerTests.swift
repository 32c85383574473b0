import Changeset
import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Synchronization
import Testing
import UploadPlanning

/// Answers that a backend whose rows travel together may give, byte for byte.
struct ChangesetAnswerTests {
  private static func api(_ settings: String = "") throws -> Api {
    try Sample.api(
      """
      entities:
        Note: { fields: { text: text, mood: mood } }
      api:
        kind: changeset
        account: { request: GET /me, member: id }
        sync: { pull: GET /sync, push: POST /sync, changes-cursor: server_time }
        entities:
          Note:
            rows: notes
            deleted: deleted_at
            version: version
            body: { text: text, mood: mood }\(settings)
      """
    )
  }

  private static let final = "\n      removal: final"

  private func withScript(
    _ script: @escaping ScriptedServer.Script,
    body: (ChangesetDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.runChangeset(Self.api(), script, body: body)
  }

  @Test(
    arguments: [
      [:], ["server_time": "1"], ["error": "down"], ["error": ["message": "down"], "notes": []],
      ["server_time": "1", "notes": .null, "error": "x"], ["server_time": "1", "notes": "none"],
    ] as [JSONValue]
  )
  func `an answer that does not mention the rows is not an empty account`(answer: JSONValue)
    async throws
  {
    try await withScript { _ in
      .json(answer)
    } body: { destination, server in
      for since in [nil, "1"] {
        await #expect(throws: DestinationError.self) {
          _ = try await destination.page(of: "Note", after: nil, since: since)
        }
      }
      let item = OutgoingBatch.Item.number(1, id: "n1", body: ["text": "a"])
      #expect(await destination.send(.notes(.create, [item])).word(1) == "refused")
      #expect(!server.lines.contains("POST /sync"))
    }
  }

  @Test func `two rows whose identities look alike and are spelled differently are two`()
    async throws
  {
    let rows: [(id: String, text: JSONValue)] = [("caf\u{E9}", "a"), ("cafe\u{301}", "b")]
    let notes = rows.map { row -> JSONValue in
      ["id": .string(row.id), "version": 1, "text": row.text]
    }
    try await withScript { _ in
      .json(["server_time": "1", "notes": .array(notes)])
    } body: { destination, _ in
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      #expect(page.records.count == 2)
      for row in rows {
        let record = try await destination.record(of: "Note", serverID: row.id)
        #expect(try JSONValue(parsing: record?.body ?? [])["text"] == row.text)
      }
    }
  }

  @Test func `a UUID that the server returns in lower case is kept in that form`()
    async throws
  {
    let ours = "6A1E6C1B-0000-4000-8000-00000000000A"
    let isPushed = Mutex(false)
    try await withScript { request in
      if request.method == "POST" { isPushed.withLock { $0 = true } }
      let row: JSONValue = ["id": .string(ours.lowercased()), "version": 1, "text": "a"]
      return .json(["server_time": "1", "notes": isPushed.withLock { $0 } ? [row] : []])
    } body: { destination, _ in
      let item = OutgoingBatch.Item.number(1, id: ours, body: ["text": "a"])
      let answer = await destination.send(.notes(.create, [item]))
      #expect(answer.outcomes[1] == .stored(serverID: ours.lowercased(), version: "1"))
      let record = try await destination.record(of: "Note", serverID: ours)
      #expect(record?.serverID == ours.lowercased())
    }
  }

  @Test func `a row that the destination removed for good is rejected and not pushed`()
    async throws
  {
    let removed: JSONValue = ["id": "n1", "version": 2, "deleted_at": "2026-01-02T03:04:05Z"]
    try await ScriptedServer.runChangeset(
      Self.api(Self.final),
      { _ in .json(["server_time": "1", "notes": [removed]]) },
      body: { destination, server in
        let item = OutgoingBatch.Item.number(1, id: "n1", body: ["text": "a"])
        let answer = await destination.send(.notes(.create, [item]))
        guard case .rejected("sync.removed-for-good", let reason)? = answer.outcomes[1] else {
          Issue.record("\(answer)")
          return
        }
        #expect(reason.contains("delete it there"))
        #expect(!server.lines.contains("POST /sync"))
      }
    )
  }

  @Test func `a new row is pushed where removals are final`() async throws {
    let isPushed = Mutex(false)
    try await ScriptedServer.runChangeset(
      Self.api(Self.final),
      { request in
        if request.method == "POST" { isPushed.withLock { $0 = true } }
        let row: JSONValue = ["id": "n1", "version": 1, "text": "a"]
        return .json(["server_time": "1", "notes": isPushed.withLock { $0 } ? [row] : []])
      },
      body: { destination, _ in
        let item = OutgoingBatch.Item.number(1, id: "n1", body: ["text": "a"])
        let answer = await destination.send(.notes(.create, [item]))
        #expect(answer.outcomes[1] == .stored(serverID: "n1", version: "1"))
      }
    )
  }

  @Test func `a failure is reported in the words of the server`() async throws {
    try await withScript { _ in
      .json(["error": ["message": "the replica is down"], "notes": []])
    } body: { destination, _ in
      let error = await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Note", after: nil, since: nil)
      }
      #expect(error?.description.contains("the replica is down") == true)
    }
  }

  @Test func `an account larger than the limit of an answer is a permanent fault`() async throws {
    try await withScript { _ in
      .raw(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n"
      )
    } body: { destination, _ in
      let error = await #expect(throws: DestinationError.self) {
        _ = try await destination.page(of: "Note", after: nil, since: nil)
      }
      #expect(error?.isPassing == false)
      #expect(error?.description.contains("GET /sync") == true)
      #expect(error?.description.contains("64 MiB") == true)
    }
  }

  @Test func `an array that is null is empty`() async throws {
    try await withScript { _ in
      .json(["server_time": "1", "notes": .null, "error": .null])
    } body: { destination, _ in
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      #expect(page.records.isEmpty)
      #expect(page.mark == "1")
    }
  }

  @Test func `a cursor that the server has forgotten makes it list everything`() async throws {
    try await withScript { request in
      request.target.contains("since=")
        ? .json(["error": "too old"], status: 410)
        : .json(["server_time": "9", "notes": [["id": "n1", "version": 1, "text": "a"]]])
    } body: { destination, server in
      let page = try await destination.page(of: "Note", after: nil, since: "3")
      #expect(page.isFromTheStart)
      #expect(page.records.map(\.serverID) == ["n1"])
      #expect(page.mark == "9")
      #expect(server.lines == ["GET /sync?since=3", "GET /sync"])
      let found = try await destination.record(of: "Note", serverID: "n1")
      #expect(found?.version == "1")
    }
  }

  @Test func `a new row with other content is not another device's until it was looked up`()
    async throws
  {
    let isPushed = Mutex(false)
    try await withScript { request in
      if request.method == "POST" { isPushed.withLock { $0 = true } }
      let rows: JSONValue = [["id": "n1", "version": 1, "text": "A"]]
      let isThere = request.method == "GET" && isPushed.withLock { $0 }
      return .json(["server_time": "1", "notes": isThere ? rows : []])
    } body: { destination, _ in
      let item = OutgoingBatch.Item.number(1, id: "n1", body: ["text": "a"])
      let answer = await destination.send(.notes(.create, [item]))
      #expect(answer.word(1) == "unknown")
    }
  }

  /// What becomes of a change of both members of a row, at a server that has this row after it.
  private func word(after row: JSONValue) async throws -> String {
    let isPushed = Mutex(false)
    let before: JSONValue = ["id": "n1", "version": 1, "text": "a", "mood": "sad"]
    let word = Mutex("")
    try await withScript { request in
      if request.method == "POST" { isPushed.withLock { $0 = true } }
      let now = isPushed.withLock { $0 } ? row : before
      return .json(["server_time": "1", "notes": [now]])
    } body: { destination, _ in
      let item = OutgoingBatch.Item.number(
        1,
        serverID: "n1",
        version: "1",
        body: ["text": "b", "mood": "glad"]
      )
      let answer = await destination.send(.notes(.update, [item]))
      word.withLock { $0 = answer.word(1) }
    }
    return word.withLock { $0 }
  }

  @Test func `a change that the server holds is stored, even if no revision shows it`() async throws
  {
    let row: JSONValue = ["id": "n1", "version": 1, "text": "b", "mood": "glad"]
    #expect(try await word(after: row) == "stored")
  }

  @Test func `a change of which the server stored one field counts as stored`() async throws {
    let row: JSONValue = ["id": "n1", "version": 2, "text": "b", "mood": "sad"]
    #expect(try await word(after: row) == "stored")
  }

  @Test(arguments: [("c", "glad"), ("a", "sad")])
  func `a moved row without the change, or with another device's, is a conflict`(
    text: String,
    mood: String
  ) async throws {
    let row: JSONValue = [
      "id": "n1", "version": 2, "text": .string(text), "mood": .string(mood),
    ]
    #expect(try await word(after: row) == "conflicted")
  }

  @Test func `a push that is answered by an error is a refusal with the server's reason`()
    async throws
  {
    try await withScript { request in
      request.method == "POST"
        ? .json(["error": ["message": "the notebook is full"]])
        : .json(["server_time": "1", "notes": []])
    } body: { destination, _ in
      let item = OutgoingBatch.Item.number(1, id: "n1", body: ["text": "a"])
      let answer = await destination.send(.notes(.create, [item]))
      guard case .rejected("sync.refused", "the notebook is full")? = answer.outcomes[1] else {
        Issue.record("\(answer)")
        return
      }
    }
  }

  @Test func `new rows are unknown if a push is answered by 503 without a reason`()
    async throws
  {
    try await withScript { request in
      request.method == "POST"
        ? .text("<html></html>", status: 503)
        : .json(["server_time": "1", "notes": []])
    } body: { destination, _ in
      let items = [1, 2].map { OutgoingBatch.Item.number($0, id: "n\($0)", body: ["text": "a"]) }
      let answer = await destination.send(.notes(.create, items))
      #expect([1, 2].map { answer.word($0) } == ["unknown", "unknown"])
    }
  }
}
