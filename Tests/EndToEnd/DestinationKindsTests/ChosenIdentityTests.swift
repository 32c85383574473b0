import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// What a destination answers that was sent the identity of a new record, and has its own mind about it.
struct ChosenIdentityTests {
  private static func api(create: String = "{ request: POST /notes }", read: Bool = true) throws
    -> Api
  {
    try Sample.api(
      """
      entities:
        Note: { identity: { attribute: id }, fields: { id: id, text: text } }
      api:
        kind: rest
        credentials: [email, password]
        basic: { user: "{email}", password: "{password}" }
        timeout: 5s
        entities:
          Note:
            replay: id
            \(read ? #"read: { request: "GET /notes/{id}" }"# : "list: { request: GET /notes, items: items }")
            create: \(create)
            body: { id: id, text: text }
      """
    )
  }

  private static let note = OutgoingBatch.notes(
    .create,
    [.number(1, id: "A1", body: ["id": "A1", "text": "one"])]
  )

  /// What comes of a request that is answered so, where the record is at the destination under the
  /// identity that was asked for, or not.
  private func outcome(
    _ answer: JSONValue,
    status: Int,
    isThere: Bool = false,
    _ api: Api? = nil
  ) async throws -> ItemOutcome? {
    let api = try api ?? Self.api()
    var outcome: ItemOutcome?
    try await withScript(
      api: api,
      { request in
        guard request.method == "GET" else { return .json(answer, status: status) }
        return isThere
          ? .json(["id": "A1", "text": "one"]) : .json(["error": "NotFound"], status: 404)
      }
    ) { destination, _ in
      outcome = await destination.send(Self.note).outcomes[1]
    }
    return outcome
  }

  @Test(arguments: [200, 201])
  func
    `a record under another identity counts as created, and the finding names the profile's replay setting`(
      status: Int
    ) async throws
  {
    let answer: JSONValue = ["id": "s1", "text": "one"]
    guard case .displaced("s1"?, nil, let reason)? = try await outcome(answer, status: status)
    else {
      Issue.record("another outcome")
      return
    }
    #expect(reason.contains("“s1”") && reason.contains("“A1”"))
    #expect(reason.contains("“replay: look-up” for Note"))
  }

  @Test func `an answer about another record leaves the outcome unknown until the record is found`()
    async throws
  {
    let answer: JSONValue = ["id": "s1", "text": "one"]
    #expect(try await outcome(answer, status: 201, isThere: true)?.word == "unknown")
  }

  @Test func `another record with other content does not count as created`() async throws {
    let found = try await outcome(["id": "s1", "text": "two"], status: 200)
    guard case .displaced(nil, _, _)? = found else {
      Issue.record("\(found.debugDescription)")
      return
    }
  }

  @Test func `an answer without an identity leaves the new identity unknown`() async throws {
    for answer in [["ok": true], ["id": .null]] as [JSONValue] {
      let found = try await outcome(answer, status: 201)
      guard case .displaced(nil, nil, _)? = found else {
        Issue.record("\(found.debugDescription)")
        return
      }
      #expect(try await outcome(answer, status: 201, isThere: true)?.word == "unknown")
    }
  }

  @Test func `a 200 with another spelling and other content is unknown`() async throws {
    let answer: JSONValue = ["id": "a1", "text": "two"]
    #expect(try await outcome(answer, status: 200)?.word == "exists")
    #expect(
      try await outcome(["id": "a1", "text": "one"], status: 200)
        == .stored(serverID: "a1", version: nil)
    )
  }

  @Test func `a request in a batch whose answer names another identity is reported`() async throws {
    let create = """
      { request: "PUT /notes/{id}", batch: { request: POST /batch, requests: requests, limit: 3 } }
      """
    let answer: JSONValue = [
      "responses": [["status": 201, "body": ["id": "s1", "text": "one"]]]
    ]
    let found = try await outcome(answer, status: 200, try Self.api(create: create))
    guard case .displaced("s1"?, nil, _)? = found else {
      Issue.record("\(found.debugDescription)")
      return
    }
  }

  @Test func `rows that moved are reported, and looked up once`()
    async throws
  {
    let create = "{ request: POST /notes, batch: { rows: rows, limit: 3 } }"
    let found = try await outcome(["ok": true], status: 201, try Self.api(create: create))
    guard case .displaced(nil, nil, _)? = found else {
      Issue.record("\(found.debugDescription)")
      return
    }
    try await withScript(
      api: try Self.api(create: create),
      { request in
        request.method == "GET" ? .json(["id": "A1", "text": "one"]) : .json(["ok": true])
      }
    ) { destination, server in
      for _ in 1...2 {
        let answer = await destination.send(Self.note)
        #expect(answer.outcomes[1] == .stored(serverID: "A1", version: nil))
      }
      #expect(server.requests.map(\.method) == ["POST", "GET", "POST"])
    }
  }

  @Test func `a record is read by its identity in whichever spelling it comes`() async throws {
    try await withScript(api: try Self.api(), { _ in .json(["id": "a1", "text": "one"]) }) {
      destination,
      _ in
      let found = try await destination.record(of: "Note", serverID: "A1")
      #expect(found?.serverID == "a1")
    }
  }

  @Test func `an exact identity in a list ranks before another spelling`() async throws {
    try await withScript(
      api: try Self.api(read: false),
      { _ in .json(["items": [["id": "a1", "text": "two"], ["id": "A1", "text": "one"]]]) }
    ) { destination, _ in
      let found = try await destination.record(of: "Note", serverID: "A1")
      #expect(found?.serverID == "A1")
      let missing = try await destination.record(of: "Note", serverID: "B1")
      #expect(missing == nil)
    }
  }
}
