import DestinationModel
import JSONText
import Profiles
import REST
import Synchronization
import Testing
import UploadPlanning

/// A server that takes no change without a condition (428).
struct PreconditionTests {
  private typealias Request = ScriptedServer.Request
  private typealias Reply = ScriptedServer.Reply

  private static func api(_ more: String = "") throws -> Api {
    try Sample.api(
      of: "Hero",
      """
      replay: id
      read: { request: "GET /heroes/{id}" }
      version: v
      create:
        request: PUT /heroes/{id}
        if-none-match: false
      \(more)
      update: { request: "PATCH /heroes/{id}" }
      delete: { request: "DELETE /heroes/{id}" }
      body: { name: name }
      """
    )
  }

  private static let demand = Reply.json(["error": "PreconditionRequired"], status: 428)

  private static func hero(tag: String? = "\"7\"", version: String = "7") -> Reply {
    .json(
      ["id": "h1", "name": "Ada", "v": .string(version)],
      headers: tag.map { [("ETag", $0)] } ?? []
    )
  }

  private func send(
    _ verb: OutgoingBatch.Verb,
    version: String? = "7",
    api: Api? = nil,
    _ script: @escaping @Sendable (Request) -> Reply,
    check: (BatchAnswer, ScriptedServer) throws -> Void
  ) async throws {
    try await withScript(api: try api ?? Self.api(), script) { destination, server in
      let item = OutgoingBatch.Item.number(
        1,
        id: "h1",
        serverID: verb == .create ? nil : "h1",
        version: version
      )
      try check(await destination.send(.heroes(verb, [item])), server)
    }
  }

  @Test(arguments: [OutgoingBatch.Verb.update, .delete], [428, 412])
  func `a change without its condition is sent again with the current tag`(
    verb: OutgoingBatch.Verb,
    status: Int
  ) async throws {
    let demand = Reply.json(["error": "PreconditionRequired"], status: status)
    try await send(verb) { request in
      if request.method == "GET" { return Self.hero() }
      return request.header("If-Match") == "\"7\"" ? Self.hero() : demand
    } check: { answer, server in
      #expect(answer.word(1) == (verb == .update ? "stored" : "removed"))
      let method = verb == .update ? "PATCH" : "DELETE"
      #expect(server.requests.map(\.method) == [method, "GET", method])
    }
  }

  @Test func `a repeated demand is refused by name, and not sent a third time`() async throws {
    try await send(.update) { request in
      request.method == "GET" ? Self.hero() : Self.demand
    } check: { answer, server in
      #expect(answer.word(1) == "rejected")
      #expect(answer.reason(1).contains("PreconditionRequired"))
      #expect(server.requests.count == 3)
    }
  }

  // 000-34.
  @Test func `a change by another device meanwhile is a conflict, and is not overwritten`()
    async throws
  {
    try await send(.update, version: "6") { request in
      request.method == "GET" ? Self.hero() : Self.demand
    } check: { answer, server in
      #expect(answer.word(1) == "conflicted")
      #expect(server.requests.count == 2)
    }
  }

  @Test func `an outdated entity tag is a conflict`() async throws {
    try await send(.update) { request in
      if request.method == "GET" { return Self.hero() }
      return request.header("If-Match") == nil
        ? Self.demand : .json(["error": "PreconditionFailed"], status: 412)
    } check: { answer, _ in
      #expect(answer.word(1) == "conflicted")
    }
  }

  @Test(arguments: ["W/\"7\"", nil])
  func `without a tag that matches, the record is refused`(tag: String?) async throws {
    try await send(.update) { request in
      request.method == "GET" ? Self.hero(tag: tag) : Self.demand
    } check: { answer, server in
      #expect(answer.word(1) == "rejected")
      #expect(server.requests.count == 2)
    }
  }

  @Test func `a change whose tag cannot be read is deferred`()
    async throws
  {
    for reply in [Reply.cut, .json([:], status: 503, headers: [("Retry-After", "2")])] {
      try await send(.update) { request in
        request.method == "GET" ? reply : Self.demand
      } check: { answer, _ in
        #expect(answer.word(1) == "deferred")
      }
    }
    try await send(.update) { request in
      request.method == "GET" ? .json([:], status: 404) : Self.demand
    } check: { answer, _ in
      #expect(answer.word(1) == "missing")
    }
  }

  @Test func `a record under a client identity is created with If-None-Match`()
    async throws
  {
    try await send(.create) { request in
      request.header("If-None-Match") == "*" ? Self.hero() : Self.demand
    } check: { answer, server in
      #expect(answer.word(1) == "stored")
      #expect(server.requests.map(\.method) == ["PUT", "PUT"])
    }
    try await send(.create) { request in
      request.header("If-None-Match") == "*" ? .json([:], status: 412) : Self.demand
    } check: { answer, _ in
      #expect(answer.word(1) == "exists")
    }
  }

  @Test func `requests of a batch that lacked a condition are sent again with it`()
    async throws
  {
    let batch = "  batch: { request: POST /batch, requests: requests }"
    let api = try Self.api(batch)
    try await withScript(
      api: api,
      { request in
        let answers = (request.json["requests"]?.array ?? []).map { inner -> JSONValue in
          let path = inner["path"]?.text ?? ""
          let isGuarded = inner["headers"]?["if-none-match"] == "*"
          let id = path.split(separator: "/").last.map(String.init) ?? ""
          guard isGuarded || id == "a" else {
            return ["status": 428, "path": .string(path), "body": ["error": "condition"]]
          }
          return ["status": 201, "path": .string(path), "body": ["id": .string(id), "v": "1"]]
        }
        return .json(["responses": .array(answers)])
      }
    ) { destination, server in
      let items = ["a", "b", "c"].enumerated().map {
        OutgoingBatch.Item.number(Int64($0.offset), id: $0.element)
      }
      let answer = await destination.send(.heroes(.create, items))
      #expect([0, 1, 2].map { answer.word($0) } == ["stored", "stored", "stored"])
      #expect(server.requests.count == 2)
      #expect(server.requests.last?.json["requests"]?.array?.count == 2)
    }
  }
}
