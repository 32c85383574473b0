import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Creates, changes and removals that go as writes of one request, which name their records.
struct WriteBatchTests {
  private static func api(
    account: Bool = false,
    missing: String = "missing: missing"
  ) throws -> Api {
    let root = account ? "users/{account}" : "all"
    return try Sample.api(
      """
      entities:
        Hero: { identity: { attribute: id }, fields: { id: id, name: name } }
      api:
        kind: rest
        credentials: [email, password]
        sign-in:
          request: POST /api/auth/sign-in/email
          body: { email: "{email}", password: "{password}", keep: true }
          token: { header: set-auth-token }
          account: uid
        values: { text: S, number: N, boolean: B, list: L, object: M, "null": Z }
        meanings: [{ status: 400, words: STALE, means: conflict }]
        entities:
          Hero:
            replay: id
            id: { member: name, part: last }
            content: fields
            version: updated
            list: { request: "GET /\(root)/heroes", items: rows, whole: true }
            read:
              request: GET /\(root)/heroes/{id}
              many:
                request: POST /read
                names: names
                each: \(root)/heroes/{id}
                found: found
                \(missing)
            create:
              request: POST /commit
              exists: { status: 409, words: TAKEN }
              batch:
                writes: writes
                write: { put: { name: "\(root)/heroes/{id}", fields: "{body}" }, new: true }
                results: results
                version: updated
                limit: 3
            update:
              request: POST /commit
              write: { put: { name: "\(root)/heroes/{id}", fields: "{body}" }, mask: "{fields}", at: "{version}" }
            delete:
              request: POST /commit
              write: { remove: "\(root)/heroes/{id}", at: "{version}" }
            body: { "full name": name }
            unmapped: [id]
      """
    )
  }

  private static func refusal(_ status: Int, _ word: String) -> ScriptedServer.Reply {
    .json(
      [
        "error": [
          "code": .number(JSONNumber(Int64(status))), "message": "no", "status": .string(word),
        ]
      ],
      status: status
    )
  }

  /// As many results as the request has writes.
  private static func results(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
    let writes = request.json["writes"]?.array ?? []
    return .json(["results": .array(writes.map { _ in ["updated": "t2"] })])
  }

  @Test func `a result without a row is a record that is not there`() async throws {
    let api = try Self.api(missing: "")
    let script: ScriptedServer.Script = { request in
      guard request.line == "POST /read" else {
        return .json(["uid": "u1"], headers: [("set-auth-token", Sample.token)])
      }
      return .json([["found": ["name": "all/heroes/b", "fields": [:]]], [:]])
    }
    try await ScriptedServer.run(script) { server in
      try await withDestination(at: server.address, api: api) { destination in
        let found = try await destination.records(of: "Hero", serverIDs: ["a", "b"])
        #expect(found["a"] == nil)
        #expect(found["b"]?.serverID == "b")
      }
    }
  }

  /// Lends the destination, with a sign-in that opens the data of `u1`.
  private func with(
    account: Bool = false,
    _ script: @escaping ScriptedServer.Script,
    body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let whole: ScriptedServer.Script = { request in
      guard request.line == "POST /api/auth/sign-in/email" else { return script(request) }
      return .json(["uid": "u1"], headers: [("set-auth-token", Sample.token)])
    }
    try await ScriptedServer.run(whole) { server in
      try await withDestination(at: server.address, api: try Self.api(account: account)) {
        try await body($0, server)
      }
    }
  }

  private static let items: [OutgoingBatch.Item] = (1...3).map {
    .number($0, serverID: "local-\($0)", version: "t1", body: ["full name": "Ada"])
  }

  private static let fields: JSONValue = ["full name": ["S": "Ada"]]

  @Test func `several records are created by one request, with a revision each`() async throws {
    try await with(Self.results) { destination, server in
      let answer = await destination.send(.heroes(.create, Self.items))
      #expect(answer.outcomes[2] == .stored(serverID: "local-2", version: "t2"))
      #expect(server.lines == ["POST /api/auth/sign-in/email", "POST /commit"])
      #expect(
        server.requests[1].json["writes"]?[2]
          == ["put": ["name": "all/heroes/local-3", "fields": Self.fields], "new": true]
      )
      #expect(server.requests[0].json["keep"] == true)
    }
  }

  @Test func `a change names its fields and its revision, and a removal its revision`()
    async throws
  {
    try await with(Self.results) { destination, server in
      let changed = await destination.send(.heroes(.update, Self.items))
      #expect(changed.outcomes[1] == .stored(serverID: "local-1", version: "t2"))
      let removed = await destination.send(.heroes(.delete, Self.items))
      #expect(removed.outcomes[1] == .removed)
      #expect(
        server.requests[1].json["writes"]?[0]
          == [
            "put": ["name": "all/heroes/local-1", "fields": Self.fields],
            "mask": ["`full name`"], "at": "t1",
          ]
      )
      #expect(
        server.requests[2].json["writes"]?[0] == ["remove": "all/heroes/local-1", "at": "t1"]
      )
    }
  }

  @Test func `a change of a record without a revision is not sent`() async throws {
    try await with(Self.results) { destination, server in
      let item = OutgoingBatch.Item.number(1, serverID: "local-1")
      #expect(await destination.send(.heroes(.update, [item])).word(1) == "conflicted")
      #expect(server.lines.isEmpty)
    }
  }

  @Test func `records that are there already are found by one look, and the others are created`()
    async throws
  {
    try await with({ request in
      if request.line == "POST /read" {
        return .json([
          ["missing": "all/heroes/local-3"], ["missing": "all/heroes/local-1"],
          ["found": ["name": "all/heroes/local-2", "fields": Self.fields, "updated": "t1"]],
        ])
      }
      return request.json["writes"]?.array?.count == 3
        ? Self.refusal(409, "TAKEN") : Self.results(request)
    }) { destination, server in
      let answer = await destination.send(.heroes(.create, Self.items))
      #expect((1...3).map { answer.word($0) } == ["stored", "exists", "stored"])
      #expect(
        server.lines.dropFirst() == ["POST /commit", "POST /read", "POST /commit"]
      )
    }
  }

  @Test(arguments: [
    (OutgoingBatch.Verb.create, 400, "INVALID", "rejected"), (.create, 409, "TAKEN", "exists"),
    (.create, 404, "NOT_FOUND", "refused"), (.update, 404, "NOT_FOUND", "missing"),
    (.update, 400, "STALE", "conflicted"), (.delete, 400, "STALE", "conflicted"),
    (.delete, 403, "DENIED", "refused"), (.update, 429, "BUSY", "deferred"),
    (.create, 500, "INTERNAL", "unknown"),
  ])
  func `a refusal of one write is about its record`(
    verb: OutgoingBatch.Verb,
    status: Int,
    code: String,
    word: String
  ) async throws {
    let row: JSONValue = ["name": "all/heroes/local-1", "fields": Self.fields, "updated": "t9"]
    try await with({ request in
      request.method == "GET" ? .json(row) : Self.refusal(status, code)
    }) { destination, _ in
      let answer = await destination.send(.heroes(verb, [Self.items[0]]))
      #expect(answer.word(1) == word)
    }
  }

  @Test(arguments: [OutgoingBatch.Verb.create, .update, .delete])
  func `a refusal of several writes sends them again in halves`(verb: OutgoingBatch.Verb)
    async throws
  {
    try await with({ _ in Self.refusal(404, "NOT_FOUND") }) { destination, _ in
      #expect(await destination.send(.heroes(verb, Self.items)).word(1) == "splittable")
    }
  }

  @Test func `a record of another revision that is gone is missing`() async throws {
    try await with({ request in
      request.method == "GET" ? Self.refusal(404, "NOT_FOUND") : Self.refusal(400, "STALE")
    }) { destination, _ in
      #expect(await destination.send(.heroes(.delete, [Self.items[0]])).word(1) == "missing")
    }
  }

  @Test func `an answer with another number of results leaves all records unknown`() async throws {
    try await with({ _ in .json(["results": [["updated": "t2"]]]) }) { destination, _ in
      #expect(await destination.send(.heroes(.create, Self.items)).word(1) == "unknown")
    }
  }

  @Test func `a look that leaves out a record is refused`() async throws {
    try await with({ _ in .json([["missing": "all/heroes/a"]]) }) { destination, _ in
      await #expect(throws: DestinationError.self) {
        try await destination.records(of: "Hero", serverIDs: ["a", "b"])
      }
    }
  }

  @Test func `the account of the sign-in is a part of addresses and of writes`() async throws {
    let row: JSONValue = ["name": "users/u1/heroes/a", "fields": Self.fields, "updated": "t1"]
    try await with(
      account: true,
      { request in request.method == "GET" ? .json(["rows": [row]]) : Self.results(request) }
    ) { destination, server in
      #expect(try await destination.account() == "u1")
      let page = try await destination.page(of: "Hero", after: nil, since: nil)
      #expect(page.records.map(\.serverID) == ["a"])
      #expect(page.records.map(\.version) == ["t1"])
      #expect(page.records.map(\.body) == [Array(#"{"full name":"Ada"}"#.utf8)])
      _ = await destination.send(.heroes(.create, [Self.items[0]]))
      #expect(server.lines.dropFirst() == ["GET /users/u1/heroes", "POST /commit"])
      #expect(
        server.requests[2].json["writes"]?[0]?["put"]?["name"] == "users/u1/heroes/local-1"
      )
    }
  }

  @Test func `a server of its own for the sign-in gets no header of the destination`()
    async throws
  {
    let entry = """
      entities: { Hero: { fields: { name: name } } }
      api:
        kind: rest
        credentials: [email, password]
        headers: { X-Key: "{password}" }
        sign-in:
          server: ADDRESS
          request: POST /token
          body: { email: "{email}" }
          token: { member: token }
        entities:
          Hero:
            replay: look-up
            natural-key: [name]
            list: { request: GET /heroes, items: rows, whole: true }
            create: { request: POST /heroes }
            body: { name: name }
      """
    try await ScriptedServer.run({ _ in .json(["token": "t"]) }) { other in
      try await ScriptedServer.run({ _ in .json(["rows": []]) }) { server in
        let api = try Sample.api(entry.replacing("ADDRESS", with: other.address))
        try await withDestination(at: server.address, api: api) { destination in
          _ = try await destination.page(of: "Hero", after: nil, since: nil)
          #expect(other.lines == ["POST /token"])
          #expect(other.requests[0].header("X-Key") == nil)
          #expect(server.lines == ["GET /heroes"])
          #expect(server.requests[0].header("Authorization") == "Bearer t")
        }
      }
      let api = try Sample.api(entry.replacing("ADDRESS", with: "http://example.com"))
      try await withDestination(at: other.address, api: api) { destination in
        await #expect(throws: DestinationError.self) {
          try await destination.page(of: "Hero", after: nil, since: nil)
        }
        #expect(other.lines == ["POST /token"])
      }
    }
  }
}
