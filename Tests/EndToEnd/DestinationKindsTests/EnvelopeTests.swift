import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Answers of 200 that report a failure inside.
struct EnvelopeTests {
  private static let failures: [JSONValue] = [
    ["error": ["code": "DB", "message": "replica is down"]], ["error": "replica is down"],
    ["errors": ["replica is down"]], ["success": false, "message": "replica is down"],
    ["ok": false, "error": "replica is down"],
  ]

  private static func merged(_ one: JSONValue, _ other: JSONValue) -> JSONValue {
    var members = one.object ?? [:]
    for member in other.object?.members ?? [] { members[member.name] = member.value }
    return .object(members)
  }

  private func answer(
    _ batch: OutgoingBatch,
    _ body: JSONValue,
    api: Api? = nil
  ) async throws -> BatchAnswer {
    var answer = BatchAnswer()
    try await withScript(api: api, { _ in .json(body) }) { destination, _ in
      answer = await destination.send(batch)
    }
    return answer
  }

  @Test(arguments: failures)
  func `a list with an error in it is a failed reading, not an empty account`(
    failure: JSONValue
  ) async throws {
    let empty = Self.merged(["data": ["heroes": []]], failure)
    try await withScript({ _ in .json(empty) }) { destination, _ in
      let error = await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Hero", after: nil, since: nil)
      }
      #expect(error?.description.contains("replica is down") == true)
    }
  }

  @Test(
    arguments: [
      ["error": .null], ["error": false, "errors": []], ["error": "", "success": true],
      ["ok": true, "errors": [:]],
    ] as [JSONValue]
  )
  func `a list whose error field is empty is read`(success: JSONValue) async throws {
    let rows: JSONValue = ["data": ["heroes": [["id": "h1"]]]]
    try await withScript({ _ in .json(Self.merged(rows, success)) }) { destination, _ in
      let page = try await destination.page(of: "Hero", after: nil, since: nil)
      #expect(page.records.map(\.serverID) == ["h1"])
    }
  }

  @Test(arguments: failures)
  func `an error in place of a row is a refusal with the server's reason`(
    failure: JSONValue
  ) async throws {
    let empty = Self.merged(["data": .null], failure)
    for batch in [
      OutgoingBatch.events([.number(1)]), .heroes(.update, [.number(1, serverID: "s1")]),
      .heroes(.delete, [.number(1, serverID: "s1")]),
    ] {
      let answer = try await answer(batch, empty)
      #expect(answer.word(1) == "rejected")
      #expect(answer.reason(1).contains("replica is down"))
    }
  }

  @Test(arguments: failures)
  func `an error beside a row leaves a new record unknown`(failure: JSONValue) async throws {
    let row = Self.merged(["data": ["id": "e1"]], failure)
    #expect(try await answer(.events([.number(1)]), row).word(1) == "unknown")
    let bare = Self.merged(["id": "local-1", "version": 1], failure)
    #expect(try await answer(.notes(.create, [.number(1)]), bare).word(1) == "unknown")
  }

  @Test func `a missing record is absent, even if a success says so`() async throws {
    let absent: JSONValue = ["data": .null, "error": ["code": "NOT_FOUND", "message": "no hero"]]
    try await withScript({ _ in .json(absent) }) { destination, _ in
      let record = try await destination.record(of: "Hero", serverID: "h1")
      #expect(record == nil)
    }
    let item = OutgoingBatch.Item.number(1, serverID: "h1")
    #expect(try await answer(.heroes(.update, [item]), absent).word(1) == "missing")
    #expect(try await answer(.heroes(.delete, [item]), absent).word(1) == "missing")
  }

  @Test func `a record that failed to be read is not absent`() async throws {
    let failure: JSONValue = ["data": .null, "error": ["code": "DB", "message": "down"]]
    try await withScript({ _ in .json(failure) }) { destination, _ in
      await #expect(throws: DestinationError.self) {
        try await destination.record(of: "Hero", serverID: "h1")
      }
    }
  }

  /// An entity whose routes say little, and whose own members have the names of an envelope.
  private static func terse(_ create: String, sendsAll: Bool = false) throws -> Api {
    try Sample.api(
      of: "Note",
      fields: ["name", "error", "ok"],
      """
      replay: id
      create: \(create)
      read: { request: "GET /notes/{id}" }
      body: { name: name\(sendsAll ? ", error: error, ok: ok" : "") }
      unmapped: \(sendsAll ? "[]" : "[error, ok]")
      """
    )
  }

  @Test func `a silent route whose answer reports an error has stored nothing`() async throws {
    let api = try Self.terse(#"{ request: "PUT /notes/{id}", silent: true }"#)
    for failure in Self.failures {
      let answer = try await answer(.notes(.create, [.number(1)]), failure, api: api)
      #expect(answer.word(1) == "rejected")
    }
    let done = try await answer(.notes(.create, [.number(1)]), ["ok": true], api: api)
    #expect(done.word(1) == "stored")
  }

  @Test func `rows that are refused inside a success are split, and one alone is rejected`()
    async throws
  {
    let api = try Self.terse("{ request: POST /insert, batch: { rows: rows, limit: 10 } }")
    for failure in Self.failures {
      let two = OutgoingBatch.notes(.create, [.number(1), .number(2)])
      #expect(try await answer(two, failure, api: api).word(2) == "splittable")
      let one = try await answer(.notes(.create, [.number(1)]), failure, api: api)
      #expect(one.word(1) == "rejected")
      #expect(one.reason(1).contains("replica is down"))
    }
  }

  @Test func `a record's own fields are not taken for an envelope`() async throws {
    let api = try Self.terse(#"{ request: "PUT /notes/{id}" }"#, sendsAll: true)
    let row: JSONValue = ["id": "local-1", "name": "Ada", "error": "typed", "ok": false]
    let stored = try await answer(.notes(.create, [.number(1)]), row, api: api)
    #expect(stored.word(1) == "stored")
    try await withScript(api: api, { _ in .json(row) }) { destination, _ in
      let record = try await destination.record(of: "Note", serverID: "local-1")
      #expect(record != nil)
    }
  }

  @Test func `an item of a batch that has an error and an identity is unknown`() async throws {
    let entry: JSONValue = ["localId": "local-1", "serverId": "s1", "error": "quota"]
    let answer = try await answer(
      .heroes(.create, [.number(1)]),
      ["results": ["created": [entry], "failed": []]]
    )
    #expect(answer.word(1) == "unknown")
  }
}
