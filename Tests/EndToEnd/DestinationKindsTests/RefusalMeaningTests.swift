import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import Synchronization
import Testing
import UploadPlanning

/// What a refusal means where its status alone does not state.
struct RefusalMeaningTests {
  private static let item = OutgoingBatch.Item.number(1, serverID: "n1", version: "3")

  private func answer(
    _ batch: OutgoingBatch,
    _ body: JSONValue,
    status: Int = 409,
    meanings: String? = nil,
    headers: [(String, String)] = [],
    record: ScriptedServer.Reply = .json(["error": "NotFound"], status: 404)
  ) async throws -> BatchAnswer {
    var answer = BatchAnswer()
    let api = try Sample.api(settings: meanings.map { "meanings: \($0)" } ?? "")
    try await withScript(
      api: api,
      { request in
        request.method == "GET" ? record : .json(body, status: status, headers: headers)
      }
    ) { destination, _ in answer = await destination.send(batch) }
    return answer
  }

  @Test(
    arguments: [
      ["code": "IdempotencyInProgress", "message": "wait"], ["error": "in_progress"],
      ["error": "in_flight", "message": "x"], ["code": "please_retry", "message": "x"],
      ["code": "retry", "message": "x"], ["message": "this key is still being processed"],
      ["message": "Integrity constraint violated, please retry"],
    ] as [JSONValue]
  )
  func `a 409 that asks for the same request again is passing`(body: JSONValue) async throws {
    let answer = try await answer(.events([Self.item]), body)
    #expect(answer.word(1) == "deferred")
    #expect(answer.pause == .seconds(1))
  }

  @Test func `the first fault that a schema found is reported with its place`() async throws {
    let issue: JSONValue = ["path": ["createdAt"], "message": "Value too far in the past."]
    let body: JSONValue = [
      "code": "BAD_REQUEST", "message": "Input validation failed", "data": ["issues": [issue]],
    ]
    let answer = try await answer(.events([Self.item]), body, status: 400)
    let reason =
      "400 BAD_REQUEST: Input validation failed: createdAt: Value too far in the past."
    #expect(answer.outcomes[1] == .rejected(code: "http.400", reason: reason))
  }

  // https://docs.python-eve.org/en/stable/features.html#data-validation
  @Test func `what is wrong with each member is reported beside the sentence`() async throws {
    let body: JSONValue = [
      "_status": "ERR", "_issues": ["date": "must be of datetime type", "size": ["too large"]],
      "_error": ["code": 422, "message": "Insertion failure"],
    ]
    let answer = try await answer(.events([Self.item]), body, status: 422)
    let reason = "status 422: Insertion failure: date: must be of datetime type; size: too large"
    #expect(answer.reason(1) == reason)
  }

  // https://hl7.org/fhir/R4/operationoutcome.html
  @Test(
    arguments: [
      ["diagnostics": "a task has a status"], ["details": ["text": "a task has a status"]],
    ] as [JSONValue]
  )
  func `the first issue of an operation outcome is reported with its code`(words: JSONValue)
    async throws
  {
    var issue = words.object ?? JSONObject()
    issue["code"] = "required"
    let body: JSONValue = [
      "resourceType": "OperationOutcome", "issue": .array([.object(issue)]),
    ]
    let answer = try await answer(.events([Self.item]), body, status: 422)
    let reason = "422 required: a task has a status"
    #expect(answer.outcomes[1] == .rejected(code: "http.422", reason: reason))
  }

  @Test func `a 409 of another kind refuses the record`() async throws {
    let body: JSONValue = ["code": "missing_parent", "message": "no such hero"]
    #expect(try await answer(.events([Self.item]), body).word(1) == "rejected")
  }

  @Test func `a 409 to a client-chosen identity is a refusal if the record does not exist`()
    async throws
  {
    let batch = OutgoingBatch.notes(.create, [Self.item])
    let body: JSONValue = ["message": "unique title"]
    #expect(try await answer(batch, body).word(1) == "rejected")
    let row: JSONValue = ["id": "local-1", "version": 1, "data": ["text": "t"]]
    #expect(try await answer(batch, body, record: .json(row)).word(1) == "exists")
    #expect(try await answer(batch, body, record: .cut).word(1) == "exists")
  }

  @Test(arguments: [
    ("exists", "exists", "rejected"), ("conflict", "rejected", "conflicted"),
    ("later", "deferred", "deferred"), ("unknown", "unknown", "unknown"),
    ("rejected", "rejected", "rejected"), ("missing", "rejected", "missing"),
  ])
  func `a refusal has the meaning that the profile gives it`(
    means: String,
    create: String,
    update: String
  ) async throws {
    let meanings = "[{ status: 409, words: special, means: \(means) }]"
    let body: JSONValue = ["code": "special", "message": "x"]
    let made = try await answer(.events([Self.item]), body, meanings: meanings)
    #expect(made.word(1) == create)
    let changed = try await answer(.notes(.update, [Self.item]), body, meanings: meanings)
    #expect(changed.word(1) == update)
    let other = try await answer(.events([Self.item]), ["code": "other"], meanings: meanings)
    #expect(other.word(1) == "rejected")
  }

  @Test func `an unknown meaning is a fault of the profile`() throws {
    for text in ["[{ status: 409 }]", "[{ status: 409, means: maybe }]", "later"] {
      #expect(throws: ProfileError.self) { try Sample.api(settings: "meanings: \(text)") }
    }
  }

  @Test(arguments: [500, 502, 504])
  func `a Retry-After is kept, even if the outcome is unknown`(
    status: Int
  ) async throws {
    let headers = [("Retry-After", "3")]
    for batch in [
      OutgoingBatch.events([Self.item]), .heroes(.create, [Self.item]),
      .notes(.update, [Self.item]), .heroes(.delete, [Self.item]),
    ] {
      let answer = try await answer(batch, ["error": "x"], status: status, headers: headers)
      #expect(answer.word(1) == "unknown")
      #expect(answer.pause == .seconds(3))
    }
    let limit = [("X-RateLimit-Reset", "30")]
    let plain = try await answer(
      .events([Self.item]),
      ["error": "x"],
      status: status,
      headers: limit
    )
    #expect(plain.word(1) == "unknown" && plain.pause == nil)
    try await withScript({ _ in .json(["error": "x"], status: status, headers: headers) }) {
      destination,
      _ in
      await #expect(
        throws: DestinationError.busy(retryAfter: .seconds(3), reason: "status \(status): x")
      ) {
        try await destination.page(of: "Hero", after: nil, since: nil)
      }
    }
  }

  /// An entity with conditions, whose version is in a header of an answer or a member of a row.
  private static func tagged(_ version: String) throws -> Api {
    try Sample.api(
      of: "Event",
      """
      replay: id
      version: \(version)
      read: { request: "GET /events/{id}" }
      create: { request: "PUT /events/{id}" }
      update: { request: "PATCH /events/{id}", if-match: true }
      delete: { request: "DELETE /events/{id}", if-match: true }
      body: { name: name }
      """
    )
  }

  @Test(arguments: [("{ header: etag }", "*"), ("tag", "W/\"3\"")])
  func `a weak entity tag is a condition only where a row has it`(
    version: String,
    weak: String
  ) async throws {
    try await withScript(
      api: Self.tagged(version),
      { _ in .json(["id": "n1", "tag": "4"]) }
    ) { destination, server in
      for version in ["W/\"3\"", "\"3\"", "3"] {
        let item = OutgoingBatch.Item.number(1, serverID: "n1", version: version)
        _ = await destination.send(OutgoingBatch(entity: "Event", verb: .update, items: [item]))
        _ = await destination.send(OutgoingBatch(entity: "Event", verb: .delete, items: [item]))
      }
      let sent = server.requests.compactMap { $0.header("If-Match") }
      #expect(sent == [weak, weak, "\"3\"", "\"3\"", "\"3\"", "\"3\""])
    }
  }

  /// An entity with a key in quotes and the version as a member.
  private static func quoting() throws -> Api {
    try Sample.api(
      of: "Event",
      """
      replay: key
      version: rev
      create: { request: POST /events, key-header: { name: Idempotency-Key, quoted: true } }
      update: { request: "PATCH /events/{id}", wrap: event, version: baseVersion }
      body: { name: name }
      """
    )
  }

  @Test func `a key is quoted, and a revision is sent in the body, if the profile says so`()
    async throws
  {
    try await withScript(
      api: Self.quoting(),
      { _ in .json(["id": "n1", "rev": 4]) }
    ) { destination, server in
      _ = await destination.send(.events([Self.item]))
      #expect(server.requests.last?.header("Idempotency-Key") == "\"key-1\"")
      for (version, written) in [("3", 3), ("r3", "r3"), ("03", "03")] as [(String, JSONValue)] {
        let item = OutgoingBatch.Item.number(1, serverID: "n1", version: version)
        _ = await destination.send(OutgoingBatch(entity: "Event", verb: .update, items: [item]))
        let sent: JSONValue = ["event": ["baseVersion": written, "name": "Ada"]]
        #expect(server.requests.last?.json == sent)
      }
      let unknown = OutgoingBatch.Item.number(1, serverID: "n1")
      _ = await destination.send(OutgoingBatch(entity: "Event", verb: .update, items: [unknown]))
      #expect(server.requests.last?.json == ["event": ["name": "Ada"]])
    }
  }
}
