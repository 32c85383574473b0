import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Writes of one request that are each answered by themselves, and a feed that has records and removals.
struct WriteResultTests {
  /// The forms are those of CouchDB.
  private static func api(
    results: String = "results: \"\", id: id, version: rev, error: error"
  ) throws -> Api {
    try Sample.api(
      """
      entities:
        Hero: { identity: { attribute: id }, fields: { id: id, name: name } }
      api:
        kind: rest
        meanings: [{ status: 400, words: stale, means: conflict }]
        entities:
          Hero:
            replay: id
            id: id
            content: doc
            version: doc._rev
            list:
              request: GET /heroes/_changes
              items: results
              limit: { name: limit, value: 2 }
              cursor: { name: since, member: last_seq }
              more: pending
              since: since
              changes-cursor: last_seq
              deleted: deleted
              except: [_design/]
            read:
              request: GET /heroes/{id}
              many:
                request: POST /heroes/_all_docs
                names: keys
                results: rows
                missing: [error, value.deleted]
            create:
              request: POST /heroes
              batch: { writes: "", write: { "...": "{body}", _id: "{id}" }, \(results) }
            update:
              request: POST /heroes
              sends: row
              write: { "...": "{body}", _id: "{id}", _rev: "{version}" }
            delete: { request: DELETE /heroes, write: "{id}" }
            body: { name: name }
            unmapped: [id]
      """
    )
  }

  private func with(
    api: Api,
    _ script: @escaping ScriptedServer.Script,
    body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.run(script) { server in
      try await withDestination(at: server.address, api: api) { try await body($0, server) }
    }
  }

  private static let items: [OutgoingBatch.Item] = (1...3).map {
    .number($0, serverID: "local-\($0)", version: "1-a", body: ["name": "Ada", "_id": "old"])
  }

  private static let refusal: JSONValue = ["id": "local-2", "error": "stale", "reason": "no"]

  /// The results come in another order than the writes.
  private static func results(_ second: JSONValue) -> ScriptedServer.Script {
    { request in
      request.method == "GET"
        ? .json(["error": "not_found"], status: 404)
        : .json([
          ["id": "local-3", "rev": "2-c"], second, ["id": "local-1", "rev": "2-a"],
        ])
    }
  }

  @Test func `a result belongs to the record that it names`() async throws {
    let second: JSONValue = ["id": "local-2", "rev": "2-b"]
    try await with(api: try Self.api(), Self.results(second)) { destination, server in
      let answer = await destination.send(.heroes(.update, Self.items))
      #expect(answer.outcomes[2] == .stored(serverID: "local-2", version: "2-b"))
      #expect(answer.outcomes[3] == .stored(serverID: "local-3", version: "2-c"))
      #expect(
        server.requests[0].json[0] == ["_id": "local-1", "_rev": "1-a", "name": "Ada"]
      )
    }
  }

  @Test(arguments: [
    (OutgoingBatch.Verb.create, "stale", "exists"), (.update, "stale", "missing"),
    (.create, "forbidden", "rejected"), (.update, "forbidden", "rejected"),
  ])
  func `a refused write is about its record alone`(
    verb: OutgoingBatch.Verb,
    error: String,
    word: String
  ) async throws {
    let second: JSONValue = ["id": "local-2", "error": .string(error), "reason": "no"]
    try await with(api: try Self.api(), Self.results(second)) { destination, _ in
      let answer = await destination.send(.heroes(verb, Self.items))
      #expect((1...3).map { answer.word($0) } == ["stored", word, "stored"])
    }
  }

  @Test func `a write of another revision is a conflict while the record is there`() async throws {
    let row: JSONValue = ["id": "local-2", "doc": ["_rev": "9-z", "name": "Eve"]]
    try await with(
      api: try Self.api(),
      { request in
        request.method == "GET" ? .json(row) : Self.results(Self.refusal)(request)
      }
    ) { destination, _ in
      let answer = await destination.send(.heroes(.update, Self.items))
      #expect(answer.word(2) == "conflicted")
      #expect(answer.word(1) == "stored")
    }
  }

  @Test func `a result that names another record leaves all of them unknown`() async throws {
    let second: JSONValue = ["id": "other", "rev": "2-b"]
    try await with(api: try Self.api(), Self.results(second)) { destination, _ in
      #expect(await destination.send(.heroes(.create, Self.items)).word(1) == "unknown")
    }
  }

  @Test func `a success without a body means all writes where none is answered by itself`()
    async throws
  {
    try await with(api: try Self.api(results: "limit: 3"), { _ in .text("", status: 204) }) {
      destination,
      server in
      let answer = await destination.send(.heroes(.delete, Self.items))
      #expect((1...3).map { answer.word($0) } == ["removed", "removed", "removed"])
      #expect(server.lines == ["DELETE /heroes"])
      #expect(server.requests[0].json == ["local-1", "local-2", "local-3"])
    }
  }

  @Test func `a feed is read from its last cursor, without what the server keeps for itself`()
    async throws
  {
    let first: JSONValue = [
      "results": [
        ["id": "_design/app", "doc": ["_rev": "1-a"]],
        ["id": "a", "doc": ["_rev": "2-b", "name": "Ada"]],
      ],
      "last_seq": "7-x", "pending": 1,
    ]
    let second: JSONValue = [
      "results": [["id": "b", "deleted": true, "doc": ["_rev": "3-c"]]],
      "last_seq": "8-y", "pending": 0,
    ]
    try await with(
      api: try Self.api(),
      { request in .json(request.line.contains("since=7-x") ? second : first) }
    ) { destination, server in
      let page = try await destination.page(of: "Hero", after: nil, since: "5-w")
      #expect(page.records.map(\.serverID) == ["a"])
      #expect(page.records.map(\.version) == ["2-b"])
      let last = try await destination.page(of: "Hero", after: page.next, since: "5-w")
      #expect(last.removed == ["b"])
      #expect(last.next == nil)
      #expect(last.mark == "8-y")
      #expect(!last.hasMarkOfItsOwn)
      #expect(
        server.lines == [
          "GET /heroes/_changes?limit=2&since=5-w", "GET /heroes/_changes?limit=2&since=7-x",
        ]
      )
    }
  }

  @Test func `a record is missing by any of the signs for it`() async throws {
    let rows: JSONValue = [
      "rows": [
        ["key": "a", "error": "not_found"], ["id": "b", "value": ["deleted": true], "doc": nil],
        ["id": "c", "doc": ["_rev": "1-a", "name": "Ada"]],
      ]
    ]
    try await with(api: try Self.api(), { _ in .json(rows) }) { destination, server in
      let found = try await destination.records(of: "Hero", serverIDs: ["a", "b", "c"])
      #expect(found["a"] == nil && found["b"] == nil)
      #expect(found["c"]?.version == "1-a")
      #expect(server.requests[0].json == ["keys": ["a", "b", "c"]])
    }
  }
}
