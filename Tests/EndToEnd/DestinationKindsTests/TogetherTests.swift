import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Creates, changes and removals that go many in one request, which is one transaction.
struct TogetherTests {
  private static let known: [OutgoingBatch.Item] = [
    .number(1, serverID: "local-1"), .number(2, serverID: "local-2"),
    .number(3, serverID: "local-3"),
  ]

  /// An interface whose batches have PocketBase's form.
  private static func api(limit: Int = 50) throws -> Api {
    try Sample.api(
      """
      entities:
        Hero: { identity: { attribute: id }, fields: { id: id, name: name } }
      api:
        kind: rest
        credentials: [email, password]
        basic: { user: "{email}", password: "{password}" }
        entities:
          Hero:
            replay: id
            list: { request: GET /heroes, items: items, limit: { name: size, value: 100 } }
            version: updated
            read:
              request: GET /heroes/{id}
              many: { name: filter, each: "id='{id}'", between: "||" }
            create:
              request: POST /heroes
              exists: { status: 400, words: ": id: Value must be unique" }
              batch:
                request: POST /batch
                requests: requests
                names: { path: url }
                responses: ""
                in-order: true
                transaction: true
                failed: data.requests
                reason: response
                limit: \(limit)
                probe: true
            update: { request: "PATCH /heroes/{id}", batch: true }
            delete: { request: "DELETE /heroes/{id}", batch: true }
            body: { id: id, name: name }
      """
    )
  }

  private static func made(_ id: String) -> JSONValue {
    ["status": 200, "body": ["id": .string(id), "name": "Ada", "updated": "2026-01-01 00:00:00Z"]]
  }

  /// A refused transaction, with what the requests of these numbers were answered.
  private static func refusal(_ failed: [(Int, JSONValue)]) -> ScriptedServer.Reply {
    var requests = JSONObject()
    for (number, response) in failed {
      requests["\(number)"] = ["code": "batch_request_failed", "response": response]
    }
    return .json(
      [
        "status": 400, "message": "Batch transaction failed.",
        "data": ["requests": .object(requests)],
      ],
      status: 400
    )
  }

  private static let tooLong: JSONValue = [
    "status": 400, "message": "Failed to create record.",
    "data": ["name": ["code": "validation_max_text_constraint", "message": "Too long."]],
  ]
  private static let taken: JSONValue = [
    "status": 400, "message": "Failed to create record.",
    "data": ["id": ["code": "validation_not_unique", "message": "Value must be unique."]],
  ]

  /// The last parts of the addresses that a batch is about, or the identities that it creates.
  private static func ids(_ request: ScriptedServer.Request) -> [String] {
    (request.json["requests"]?.array ?? []).map { inner in
      inner["body"]?["id"]?.text
        ?? inner["url"]?.text?.split(separator: "/").last.map(String.init) ?? ""
    }
  }

  /// Answers a batch in which the server refuses the requests about these records, one at a time.
  private static func answer(
    _ request: ScriptedServer.Request,
    refusing refused: [String: JSONValue]
  ) -> ScriptedServer.Reply {
    let ids = ids(request)
    if let place = ids.firstIndex(where: { refused[$0] != nil }), let reason = refused[ids[place]] {
      return refusal([(place, reason)])
    }
    let isRemoval = request.json["requests"]?[0]?["method"] == "DELETE"
    let empty: JSONValue = ["status": 204, "body": .null]
    return .json(.array(ids.map { isRemoval ? empty : made($0) }))
  }

  private func send(
    _ verb: OutgoingBatch.Verb,
    _ items: [OutgoingBatch.Item],
    api: Api? = nil,
    refusing refused: [String: JSONValue] = [:],
    check: (BatchAnswer, ScriptedServer) throws -> Void
  ) async throws {
    try await withScript(
      api: try api ?? Self.api(),
      { request in
        if request.line == "POST /batch" { return Self.answer(request, refusing: refused) }
        if request.method == "GET" { return .json(["items": []]) }
        let id = request.json["id"]?.text ?? ""
        return refused[id].map { .json($0, status: 400) } ?? .json(Self.made(id)["body"] ?? .null)
      }
    ) { destination, server in
      try check(await destination.send(.heroes(verb, items)), server)
    }
  }

  private func item(_ number: Int64) -> OutgoingBatch.Item {
    .number(number, body: ["id": .string("local-\(number)"), "name": "Ada"])
  }

  private var items: [OutgoingBatch.Item] { [item(1), item(2), item(3)] }

  @Test func `records are created by one request, whose parts have the profile's names`()
    async throws
  {
    try await send(.create, items) { answer, server in
      #expect((1...3).map { answer.word($0) } == ["stored", "stored", "stored"])
      #expect(server.lines == ["POST /batch"])
      let first = server.requests.first?.json["requests"]?[0]
      #expect(first?["method"] == "POST" && first?["url"] == "/heroes" && first?["path"] == nil)
      #expect(first?["body"] == ["id": "local-1", "name": "Ada"])
    }
  }

  @Test func `records are changed by one request, and keep the revision that it answers`()
    async throws
  {
    try await send(.update, Self.known) { answer, server in
      let stored = ItemOutcome.stored(serverID: "local-2", version: "2026-01-01 00:00:00Z")
      #expect(answer.outcomes[2] == stored)
      #expect(server.lines == ["POST /batch"])
      let second = server.requests.first?.json["requests"]?[1]
      #expect(second?["method"] == "PATCH" && second?["url"] == "/heroes/local-2")
    }
  }

  @Test func `records are removed by one request without bodies`() async throws {
    try await send(.delete, Self.known) { answer, server in
      #expect((1...3).map { answer.word($0) } == ["removed", "removed", "removed"])
      #expect(server.lines == ["POST /batch"])
      #expect(server.requests.first?.json["requests"]?[0]?["body"] == nil)
    }
  }

  @Test func `a refused record is named with its own reason, and the others are created`()
    async throws
  {
    try await send(.create, items, refusing: ["local-2": Self.tooLong]) { answer, server in
      #expect((1...3).map { answer.word($0) } == ["stored", "rejected", "stored"])
      #expect(answer.reason(2).contains("name: Too long."))
      #expect(
        server.requests.map(Self.ids) == [
          ["local-1", "local-2", "local-3"], ["local-1", "local-3"],
        ]
      )
    }
  }

  @Test func `a record that is there is reported so, and the others are created`() async throws {
    try await send(.create, items, refusing: ["local-1": Self.taken]) { answer, server in
      #expect((1...3).map { answer.word($0) } == ["exists", "stored", "stored"])
      // One look for all others of the batch, which a lost answer may have left there.
      #expect(server.lines.filter { $0.hasPrefix("GET") }.count == 1)
    }
  }

  @Test func `after a lost answer, all records that are there are found by one look`()
    async throws
  {
    try await withScript(
      api: try Self.api(),
      { request in
        guard request.method == "GET" else { return Self.refusal([(0, Self.taken)]) }
        let rows = ["local-2", "local-3"].map { id -> JSONValue in
          ["id": .string(id), "name": "Ada", "updated": "2026-01-01 00:00:00Z"]
        }
        return .json(["items": .array(rows)])
      }
    ) { destination, server in
      let answer = await destination.send(.heroes(.create, items))
      #expect((1...3).map { answer.word($0) } == ["exists", "exists", "exists"])
      #expect(
        server.lines == [
          "POST /batch",
          "GET /heroes?size=100&filter=id%3D%27local-2%27%7C%7Cid%3D%27local-3%27",
        ]
      )
    }
  }

  @Test func `a record that is gone is missing, and the others are changed`() async throws {
    let gone: JSONValue = ["status": 404, "message": "Not found.", "data": [:]]
    try await send(.update, Self.known, refusing: ["local-3": gone]) { answer, server in
      #expect((1...3).map { answer.word($0) } == ["stored", "stored", "missing"])
      #expect(server.lines == ["POST /batch", "POST /batch"])
    }
  }

  @Test func `a refused batch that names no request goes again in halves`() async throws {
    let refusal = ScriptedServer.Reply.json(
      ["status": 400, "data": ["requests": ["code": "validation_length_too_long"]]],
      status: 400
    )
    try await withScript(api: try Self.api(), { _ in refusal }) { destination, _ in
      #expect(await destination.send(.heroes(.create, items)).word(2) == "splittable")
    }
  }

  @Test(arguments: [ScriptedServer.Reply.cut, .json(["message": "boom"], status: 500)])
  func `a batch whose answer is lost is unknown for each of its records`(
    reply: ScriptedServer.Reply
  ) async throws {
    try await withScript(api: try Self.api(), { _ in reply }) { destination, _ in
      let answer = await destination.send(.heroes(.create, items))
      #expect((1...3).map { answer.word($0) } == ["unknown", "unknown", "unknown"])
    }
  }

  @Test(arguments: [
    [Self.made("local-2"), Self.made("local-1"), Self.made("local-3")],
    [Self.made("local-1"), Self.made("local-2")],
    [Self.made("local-1"), ["body": ["id": "local-2"]], Self.made("local-3")],
  ])
  func `answers in another order, too few, or without a status count for no record`(
    answers: [JSONValue]
  ) async throws {
    try await withScript(api: try Self.api(), { _ in .json(.array(answers)) }) { destination, _ in
      let answer = await destination.send(.heroes(.create, items))
      #expect((1...3).map { answer.word($0) } == ["unknown", "unknown", "unknown"])
    }
  }

  @Test func `a destination that refuses batches is sent one record a request from then on`()
    async throws
  {
    try await withScript(
      api: try Self.api(),
      { request in
        guard request.line != "POST /batch" else {
          return .json(["status": 403, "message": "Batch requests are not allowed."], status: 403)
        }
        return .json(Self.made(request.json["id"]?.text ?? "")["body"] ?? .null)
      }
    ) { destination, server in
      let first = await destination.send(.heroes(.create, items))
      let second = await destination.send(.heroes(.create, [item(4), item(5)]))
      #expect((1...3).map { first.word($0) } == ["stored", "stored", "stored"])
      #expect((4...5).map { second.word($0) } == ["stored", "stored"])
      #expect(server.lines == ["POST /batch"] + Array(repeating: "POST /heroes", count: 5))
    }
  }

  @Test func `one record alone is sent by its own route`() async throws {
    try await send(.create, [item(1)]) { answer, server in
      #expect(answer.word(1) == "stored")
      #expect(server.lines == ["POST /heroes"])
    }
  }

  @Test func `a profile with a limit of one sends no batch`() async throws {
    let destination = try Self.api(limit: 1)
    try await withScript(api: destination, { _ in .cut }) { destination, _ in
      #expect(!destination.traits.sendsTogether(.create, of: "Hero"))
      #expect(!destination.traits.sendsTogether(.update, of: "Hero"))
    }
  }

  // MARK: - Before anything is sent

  private func check(_ reply: ScriptedServer.Reply) async throws -> DestinationCheck? {
    var check: DestinationCheck?
    try await withScript(api: try Self.api(), { _ in reply }) { destination, server in
      check = await destination.preflight().first { $0.name == "batches" }
      #expect(server.requests.first?.json == ["requests": []])
    }
    return check
  }

  @Test func `preflight reports a destination that refuses batches`() async throws {
    let refused = try await check(.json(["message": "Not allowed."], status: 403))
    #expect(refused?.verdict == .fits)
    #expect(refused?.detail.contains("records go one by one") == true)
    #expect(refused?.cure?.contains("up to 50 records") == true)
  }

  @Test func `preflight reports a destination that takes batches`() async throws {
    let taken = try await check(.json(["message": "Invalid batch request data."], status: 400))
    #expect(taken?.verdict == .fits)
    #expect(taken?.detail == "up to 50 records go in one request")
  }

  // MARK: - Several records by one request

  @Test func `a filter that is not heeded does not make records absent`() async throws {
    let other: JSONValue = ["items": [["id": "h9", "name": "Eve"]]]
    try await withScript(api: try Self.api(), { _ in .json(other) }) { destination, _ in
      await #expect(throws: DestinationError.self) {
        _ = try await destination.records(of: "Hero", serverIDs: ["h1", "h2"])
      }
    }
  }

  @Test func `an identity that could mean something in a filter is asked for alone`() async throws {
    try await withScript(
      api: try Self.api(),
      { request in
        let row: JSONValue = ["id": "h'1", "name": "Eve"]
        return request.target.contains("filter") ? .json(["items": []]) : .json(row)
      }
    ) { destination, server in
      let found = try await destination.records(of: "Hero", serverIDs: ["h'1", "h2"])
      #expect(found.all.map(\.serverID) == ["h'1"])
      #expect(server.lines.first?.hasPrefix("GET /heroes/h%271") == true)
    }
  }
}

/// Batches whose requests count each by itself, in other forms.
struct BatchFormTests {
  /// Parse's form: answers in order, each a success or an error.
  @Test func `answers by success and error count for the record at their place`() async throws {
    let api = try Sample.api(
      of: "Hero",
      """
      replay: look-up
      id: objectId
      list: { request: GET /classes/Hero, items: results }
      create:
        request: POST /classes/Hero
        batch:
          request: POST /batch
          requests: requests
          responses: ""
          in-order: true
          answers: { success: success, error: error }
      body: { name: name }
      natural-key: [name]
      """
    )
    let reply: JSONValue = [
      ["success": ["objectId": "o1"]], ["error": ["code": 142, "error": "no name"]],
    ]
    try await withScript(api: api, { _ in .json(reply) }) { destination, _ in
      let answer = await destination.send(.heroes(.create, [.number(1), .number(2)]))
      #expect(answer.outcomes[1] == .stored(serverID: "o1", version: nil))
      #expect(answer.word(2) == "rejected")
    }
  }

  /// OData's form: requests and answers have numbers.
  @Test func `answers with the numbers of their requests count for those`() async throws {
    let api = try Sample.api(
      of: "Hero",
      """
      replay: look-up
      list: { request: GET /Heroes, items: value }
      create:
        request: POST /Heroes
        batch:
          request: POST /$batch
          requests: requests
          names: { path: url, id: id }
          answers: { id: id }
      body: { name: name }
      natural-key: [name]
      """
    )
    let reply: JSONValue = [
      "responses": [
        ["id": "1", "status": 201, "body": ["id": "b"]],
        ["id": "0", "status": 201, "body": ["id": "a"]],
      ]
    ]
    try await withScript(api: api, { _ in .json(reply) }) { destination, server in
      let answer = await destination.send(.heroes(.create, [.number(1), .number(2)]))
      #expect(answer.outcomes[1] == .stored(serverID: "a", version: nil))
      #expect(answer.outcomes[2] == .stored(serverID: "b", version: nil))
      #expect(server.requests.last?.json["requests"]?[1]?["id"] == "1")
    }
  }
}
