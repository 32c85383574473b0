import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Requests wrapped up in one, rows all at once, lists that go on at an address: other dialects than
/// the first app's.
struct DialectTests {
  private static func api() throws -> Api {
    try Sample.api(
      """
      entities:
        Hero: { fields: { name: name } }
        Note: { fields: { text: text } }
      api:
        kind: rest
        credentials: [email, password]
        basic: { user: "{email}", password: "{password}" }
        timeout: 5s
        entities:
          Hero:
            replay: id
            list:
              request: GET /heroes
              items: data
              next: { header: Next-Page }
              since: _since
              changes-cursor: { header: ETag }
              deleted: deleted
            version: last_modified
            create:
              request: "PUT /heroes/{id}"
              if-none-match: true
              wrap: data
              item: data
              batch: { request: POST /batch, requests: requests, limit: 3 }
            update: { request: "PATCH /heroes/{id}", wrap: data, item: data }
            body: { name: name }
          Note:
            replay: id
            create:
              request: POST /notes/-/insert
              exists: { status: 400, words: UNIQUE constraint failed }
              batch: { rows: rows, limit: 3 }
            update: { request: "POST /notes/{id}/-/update", wrap: update }
            body: { text: text }
      """
    )
  }

  private static let three: [OutgoingBatch.Item] = [.number(1), .number(2), .number(3)]

  private func response(_ number: Int, _ status: Int, _ body: JSONValue) -> JSONValue {
    [
      "status": .number(JSONNumber(Int64(status))),
      "path": .string("/heroes/local-\(number)"), "body": body,
    ]
  }

  private func made(_ number: Int) -> JSONValue {
    response(number, 201, ["data": ["id": .string("local-\(number)"), "last_modified": 7]])
  }

  /// What becomes of three heroes when the batch is answered like this.
  private func words(_ responses: [JSONValue], status: Int = 200) async throws -> [String] {
    var words: [String] = []
    try await withScript(
      api: Self.api(),
      { _ in .json(["responses": .array(responses)], status: status) }
    ) { destination, _ in
      let answer = await destination.send(.heroes(.create, Self.three))
      words = [1, 2, 3].map { answer.word($0) }
    }
    return words
  }

  @Test func `each request of a batch has its own method, path, headers and body`() async throws {
    try await withScript(
      api: Self.api(),
      { [made = made(1)] _ in .json(["responses": [made]]) }
    ) { destination, server in
      let answer = await destination.send(.heroes(.create, [.number(1)]))
      #expect(answer.outcomes[1] == .stored(serverID: "local-1", version: "7"))
      let request = server.requests.last?.json["requests"]?.array?.first
      #expect(server.requests.last?.line == "POST /batch")
      #expect(request?["method"] == "PUT")
      #expect(request?["path"] == "/heroes/local-1")
      #expect(request?["headers"]?["if-none-match"] == "*")
      #expect(request?["body"] == ["data": ["name": "Ada"]])
    }
  }

  @Test func `an answer to each request counts for its own record`() async throws {
    let refused = response(2, 400, ["message": "no name"])
    #expect(try await words([made(1), refused, made(3)]) == ["stored", "rejected", "stored"])
    let there = response(2, 412, ["details": ["existing": [:]]])
    #expect(try await words([made(1), there, made(3)]) == ["stored", "exists", "stored"])
    let busy = response(2, 503, ["message": "later"])
    #expect(try await words([made(1), busy, made(3)]) == ["stored", "deferred", "stored"])
  }

  @Test func `answers inside a 207 count like answers inside a 200`() async throws {
    let refused = response(2, 422, ["message": "no name"])
    let found = try await words([made(3), refused, made(1)], status: 207)
    #expect(found == ["stored", "rejected", "stored"])
    let tooFew = try await words([made(1), made(3)], status: 207)
    #expect(tooFew == ["unknown", "unknown", "unknown"])
  }

  @Test func `one conflict in a batch makes all of it unknown`() async throws {
    let conflict = response(2, 409, ["message": "Integrity constraint violated, please retry"])
    #expect(try await words([made(1), conflict, made(3)]) == ["unknown", "unknown", "unknown"])
  }

  @Test func `a batch answer with other paths or too few answers counts for no item`() async throws
  {
    #expect(try await words([made(1), made(4), made(2)]) == ["unknown", "unknown", "unknown"])
    #expect(try await words([made(1), made(2)]) == ["unknown", "unknown", "unknown"])
    #expect(try await words([made(1), made(1), made(2)]) == ["unknown", "stored", "unknown"])
  }

  @Test func `answers without a path are matched by the exact spelling of their identities`()
    async throws
  {
    let ids = ["caf\u{E9}", "cafe\u{301}"]
    let responses = ids.reversed().map { id -> JSONValue in
      ["status": 201, "body": ["data": ["id": .string(id), "last_modified": 7]]]
    }
    try await withScript(
      api: Self.api(),
      { _ in .json(["responses": .array(responses)]) }
    ) { destination, _ in
      let items = [OutgoingBatch.Item.number(1, id: ids[0]), .number(2, id: ids[1])]
      let answer = await destination.send(.heroes(.create, items))
      #expect(answer.word(1) == "stored")
      #expect(answer.word(2) == "stored")
    }
  }

  @Test func `answers are matched by their path and not by their order`() async throws {
    let refused = response(2, 400, ["message": "no name"])
    #expect(try await words([refused, made(3), made(1)]) == ["stored", "rejected", "stored"])
  }

  /// An answer that names no path.
  private func bare(_ status: Int, _ body: JSONValue) -> JSONValue {
    ["status": .number(JSONNumber(Int64(status))), "body": body]
  }

  @Test func `answers without a path are matched by the identity in them`() async throws {
    let third = bare(201, ["data": ["id": "local-3", "last_modified": 7]])
    let first = bare(201, ["data": ["id": "local-1", "last_modified": 7]])
    let second = bare(400, ["id": "local-2", "message": "no name"])
    #expect(try await words([third, second, first]) == ["stored", "rejected", "stored"])
    // The last one is reported by what is left.
    let nameless = bare(400, ["message": "no name"])
    #expect(try await words([third, nameless, first]) == ["stored", "rejected", "stored"])
    let unrelated = bare(201, ["data": ["id": "local-9"]])
    #expect(try await words([third, unrelated, first]) == ["unknown", "unknown", "unknown"])
  }

  @Test func `answers that cannot be distinguished are not matched by their order`() async throws {
    let first = bare(201, ["data": ["id": "local-1"]])
    let refused = bare(400, ["message": "no name"])
    let there = bare(412, ["message": "there"])
    #expect(try await words([first, refused, there]) == ["stored", "unknown", "unknown"])
    #expect(try await words([there, there, first]) == ["stored", "exists", "exists"])
  }

  @Test func `a status may be written as text`() async throws {
    let row: JSONValue = ["data": ["id": "local-2"]]
    let second: JSONValue = ["status": "201", "path": "/heroes/local-2", "body": row]
    #expect(try await words([made(1), second, made(3)]) == ["stored", "stored", "stored"])
  }

  @Test
  func `a batched request that a conflict spoiled is sent alone the next time, and is settled`()
    async throws
  {
    try await withScript(
      api: Self.api(),
      { [made, response] request in
        guard let requests = request.json["requests"]?.array else {
          return .json(["data": []])
        }
        let answers = requests.map { inner -> JSONValue in
          let number = Int(inner["path"]?.text?.split(separator: "-").last ?? "") ?? 0
          return number == 2 ? response(2, 409, ["message": "unique title"]) : made(number)
        }
        return .json(["responses": .array(answers)])
      }
    ) { destination, server in
      let spoiled = await destination.send(.heroes(.create, Self.three))
      #expect([1, 2, 3].map { spoiled.word($0) } == ["unknown", "unknown", "unknown"])
      let settled = await destination.send(.heroes(.create, Self.three))
      #expect([1, 2, 3].map { settled.word($0) } == ["stored", "exists", "stored"])
      let counts = server.requests.compactMap { $0.json["requests"]?.array?.count }
      #expect(counts == [3, 1, 1, 1])
    }
  }

  @Test func `rows are sent together, each under its own identity`() async throws {
    try await withScript(api: Self.api(), { _ in .json(["ok": true]) }) { destination, server in
      let answer = await destination.send(.notes(.create, Self.three))
      #expect([1, 2, 3].map { answer.word($0) } == ["stored", "stored", "stored"])
      #expect(
        server.requests.last?.json["rows"]?.array?.map { $0["id"] }
          == ["local-1", "local-2", "local-3"]
      )
    }
  }

  @Test func `rows refused together are split, and the last one shows why`() async throws {
    let reply = ScriptedServer.Reply.json(
      ["ok": false, "error": "UNIQUE constraint failed: notes.id"],
      status: 400
    )
    try await withScript(api: Self.api(), { _ in reply }) { destination, _ in
      let all = await destination.send(.notes(.create, Self.three))
      guard case .splittable = all.whole else {
        Issue.record("\(all.whole)")
        return
      }
      let one = await destination.send(.notes(.create, [.number(1)]))
      #expect(one.word(1) == "exists")
    }
  }

  @Test func `a change that the server confirms without a row is done`() async throws {
    try await withScript(api: Self.api(), { _ in .json(["ok": true]) }) { destination, server in
      let answer = await destination.send(.notes(.update, [.number(1, serverID: "a")]))
      #expect(answer.outcomes[1] == .stored(serverID: "a", version: nil))
      #expect(server.requests.last?.json == ["update": ["name": "Ada"]])
    }
  }

  @Test func `a list goes on at the address in a header, and lists deleted records`() async throws {
    try await withScript(
      api: Self.api(),
      { request in
        guard request.target.contains("_token=x") else {
          let origin = request.header("Host") ?? ""
          return .json(
            ["data": [["id": "a", "last_modified": 1]]],
            headers: [("Next-Page", "http://\(origin)/heroes?_token=x"), ("ETag", "\"5\"")]
          )
        }
        return .json(
          ["data": [["id": "b", "last_modified": 2, "deleted": true]]],
          headers: [("ETag", "\"5\"")]
        )
      }
    ) { destination, server in
      let first = try await destination.page(of: "Hero", after: nil, since: "\"4\"")
      #expect(first.records.map(\.serverID) == ["a"])
      let last = try await destination.page(of: "Hero", after: first.next, since: "\"4\"")
      #expect(last.records.isEmpty && last.removed == ["b"])
      #expect(last.next == nil && last.mark == "\"5\"")
      #expect(server.lines == ["GET /heroes?_since=%224%22", "GET /heroes?_token=x"])
    }
  }

  @Test(arguments: ["http://elsewhere.invalid/heroes", "//elsewhere.invalid/heroes"])
  func `a next page at another server is not requested`(address: String) async throws {
    try await withScript(
      api: Self.api(),
      { _ in .json(["data": [["id": "a"]]], headers: [("Next-Page", address)]) }
    ) { destination, server in
      await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Hero", after: nil, since: nil)
      }
      #expect(server.lines.count == 1)
    }
  }

  @Test func `a user and a password are sent as Basic`() async throws {
    try await withScript(api: Self.api(), { _ in .json(["data": []]) }) { destination, server in
      _ = try await destination.page(of: "Hero", after: nil, since: nil)
      #expect(
        server.requests.last?.header("Authorization")
          == "Basic ZGVtb0BleGFtcGxlLmNvbTpjb3JyZWN0LWhvcnNl"
      )
    }
  }
}
