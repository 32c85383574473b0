import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import Records
import REST
import Testing
import UploadPlanning

/// Rows that are made by one request and answered by their identities, and rows that are removed by a filter.
struct RowAnswerTests {
  private static func api(rows: String, read: String, exists: String) throws -> Api {
    try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, text: text } } }
      api:
        kind: rest
        entities:
          Note:
            replay: id
            version: updated_at
            list:
              request: GET /notes?order=id
              limit: { name: limit, value: 10 }
              offset: offset
              since: { name: updated_at, value: "gte.{since}" }
            read: { request: "GET /notes?id=eq.{id}", item: "0"\(read) }
            create:
              request: POST /notes
              \(exists)
              batch: { rows: "", made: "", columns: columns, limit: 10\(rows) }
            update:
              request: PATCH /notes?id=eq.{id}
              item: "0"
              match: { name: updated_at, value: "eq.{version}" }
            delete:
              request: DELETE /notes?id=eq.{id}
              many: { request: DELETE /notes, name: id, value: "in.({ids})", limit: 3 }
            body: { id: id, text: text }
      """
    )
  }

  private func with(
    rows: String = ", keeps-existing: true",
    read: String = "",
    exists: String = "",
    _ script: @escaping ScriptedServer.Script,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try Self.api(rows: rows, read: read, exists: exists)
    try await ScriptedServer.run(script) { server in
      try await withDestination(at: server.address, api: api, credentials: GivenCredentials([:])) {
        destination in
        try await body(destination, server)
      }
    }
  }

  private static func item(_ number: Int64, _ body: JSONValue) -> OutgoingBatch.Item {
    .number(number, id: "n\(number)", body: body)
  }

  private static let two = OutgoingBatch.notes(
    .create,
    [item(1, ["text": "one"]), item(2, ["text": "two", "a, b": 1])]
  )

  @Test func `rows travel as a bare array, with the names of all fields`() async throws {
    try await with({ _ in .json([], status: 201) }) { destination, server in
      _ = await destination.send(Self.two)
      #expect(server.lines == ["POST /notes?columns=%22a%2C%20b%22%2Cid%2Ctext"])
      let sent = try JSONValue(parsing: server.requests[0].body)
      #expect(
        sent == [["id": "n1", "text": "one"], ["id": "n2", "text": "two", "a, b": 1]]
      )
    }
  }

  @Test func `a row that the answer has was made, and one that it lacks was there`() async throws {
    try await with({ _ in .json([["id": "N2", "updated_at": "v1"]], status: 201) }) {
      destination,
      _ in
      let answer = await destination.send(Self.two)
      #expect(answer.outcomes[1] == .exists)
      #expect(answer.outcomes[2] == .stored(serverID: "n2", version: "v1"))
    }
  }

  @Test func `a row that the answer lacks is unknown where none is passed over`() async throws {
    try await with(rows: "", { _ in .json([["id": "n2"]], status: 201) }) { destination, _ in
      let answer = await destination.send(Self.two)
      #expect(answer.word(1) == "unknown")
      #expect(answer.word(2) == "stored")
    }
  }

  @Test(arguments: [["id": "n9"], ["text": "one"]] as [JSONValue])
  func `an answer with another row leaves all of them unknown`(row: JSONValue) async throws {
    try await with({ _ in .json([row], status: 201) }) { destination, _ in
      guard case .unknown = await destination.send(Self.two).whole else {
        Issue.record("it is known")
        return
      }
    }
  }

  @Test func `rows of a refused request are split, and one alone is rejected`() async throws {
    let refusal = ScriptedServer.Reply.json(
      ["code": "23502", "message": "null value in column \"text\""],
      status: 400
    )
    try await with({ _ in refusal }) { destination, _ in
      #expect(await destination.send(Self.two).word(2) == "splittable")
      let one = await destination.send(.notes(.create, [Self.item(1, ["text": "one"])]))
      #expect(one.word(1) == "rejected")
      #expect(one.reason(1).contains("23502: null value in column"))
    }
  }

  @Test func `of rows that are refused because some are there, only the others go again`()
    async throws
  {
    let script: ScriptedServer.Script = { request in
      if request.method == "GET" { return .json([["id": "n1", "text": "one"]]) }
      let sent = try? JSONValue(parsing: request.body)
      let isWhole = sent?.array?.count == 2
      return isWhole
        ? .json(["message": "a conflict"], status: 409) : .json([["id": "n2"]], status: 201)
    }
    try await with(
      rows: "",
      read: #", many: { name: id, value: "in.({ids})" }"#,
      exists: "exists: { status: 409, words: conflict }",
      script
    ) { destination, server in
      let answer = await destination.send(Self.two)
      #expect([1, 2].map { answer.word($0) } == ["exists", "stored"])
      #expect(server.lines.count == 3)
    }
  }

  @Test func `records are removed by one request, and each that its answer lacks is looked up`()
    async throws
  {
    let script: ScriptedServer.Script = { request in
      if request.method == "DELETE" { return .json([["id": "n1"]]) }
      return .json(request.target.contains("n2") ? [] : [["id": "n3", "text": "t"]])
    }
    try await with(script) { destination, server in
      let items = (1...3).map { OutgoingBatch.Item.number(Int64($0), serverID: "n\($0)") }
      let answer = await destination.send(.notes(.delete, items))
      #expect(["removed", "missing", "rejected"] == [1, 2, 3].map { answer.word($0) })
      #expect(server.lines[0] == "DELETE /notes?id=in.%28n1%2Cn2%2Cn3%29")
      #expect(server.lines.count == 3)
    }
  }

  @Test func `more records than a filter takes are split`() async throws {
    try await with({ _ in .json([]) }) { destination, server in
      let items = (1...4).map { OutgoingBatch.Item.number(Int64($0), serverID: "n\($0)") }
      #expect(await destination.send(.notes(.delete, items)).word(4) == "splittable")
      #expect(server.lines.isEmpty)
    }
  }

  @Test func `a change is sent for the revision that was read, and a newer one is a conflict`()
    async throws
  {
    let script: ScriptedServer.Script = { request in
      request.method == "GET" ? .json([["id": "n1", "updated_at": "v2", "text": "t"]]) : .json([])
    }
    try await with(script) { destination, server in
      let item = OutgoingBatch.Item.number(1, serverID: "n1", version: "v1", body: ["text": "u"])
      #expect(await destination.send(.notes(.update, [item])).word(1) == "conflicted")
      #expect(server.lines == ["PATCH /notes?id=eq.n1&updated_at=eq.v1", "GET /notes?id=eq.n1"])
    }
    try await with({ _ in .json([]) }) { destination, _ in
      let item = OutgoingBatch.Item.number(1, serverID: "n1", version: "v1", body: ["text": "u"])
      #expect(await destination.send(.notes(.update, [item])).word(1) == "missing")
    }
  }

  @Test func `changes since a cursor are asked for in the form of the profile`() async throws {
    try await with({ _ in .json([]) }) { destination, server in
      _ = try await destination.page(of: "Note", after: nil, since: "2026-11-20T08:00:00+00:00")
      #expect(
        server.lines == [
          "GET /notes?order=id&limit=10&offset=0&updated_at=gte.2026-11-20T08%3A00%3A00%2B00%3A00"
        ]
      )
    }
  }
}

/// Records whose fields, identity and references have places of their own: JSON:API.
struct RecordShapeTests {
  private static func api(
    identifier: String = #"{ type: "{type}", id: "{id}" }"#
  ) throws -> Api {
    try Sample.api(
      """
      entities:
        Folder: { identity: { attribute: id }, fields: { id: id } }
        Note:
          identity: { attribute: id }
          fields:
            id: id
            text: text
            folder: { attribute: folder, names: Folder }
      api:
        kind: rest
        entities:
          Folder:
            replay: id
            list: { request: GET /folders }
            create: { request: "PUT /folders/{id}" }
            body: { id: id }
          Note:
            replay: id
            shape:
              constants: { type: notes }
              fields: attributes
              references: relationships
              linkage: data
              identifier: \(identifier)
            list: { request: GET /notes, items: data, next: links.next }
            read: { request: "GET /notes/{id}", item: data }
            create: { request: POST /notes, wrap: data, item: data }
            update: { request: "PATCH /notes/{id}", wrap: data, item: data }
            body: { id: id, text: text, folder: { reference: folder, type: folders } }
      """
    )
  }

  private static let row: JSONValue = [
    "type": "notes", "id": "n1", "attributes": ["text": "one", "rating": .null],
    "relationships": [
      "folder": ["links": ["self": "/x"], "data": ["type": "folders", "id": "f1"]],
      "tags": ["data": []],
    ],
  ]

  private func with(
    _ reply: JSONValue,
    api: Api? = nil,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try api ?? Self.api()
    try await ScriptedServer.run({ _ in .json(reply, status: 201) }) { server in
      try await withDestination(at: server.address, api: api, credentials: GivenCredentials([:])) {
        destination in
        try await body(destination, server)
      }
    }
  }

  @Test func `a new record has its identity, fields and references in their places`() async throws {
    try await with(["data": Self.row]) { destination, server in
      let item = OutgoingBatch.Item.number(
        1,
        id: "n1",
        body: ["id": "n1", "text": "one", "folder": "f1"]
      )
      #expect(await destination.send(.notes(.create, [item])).word(1) == "stored")
      #expect(
        server.requests[0].json == [
          "data": [
            "type": "notes", "id": "n1", "attributes": ["text": "one"],
            "relationships": ["folder": ["data": ["type": "folders", "id": "f1"]]],
          ]
        ]
      )
    }
  }

  @Test func `a change names its record, and clears a reference by null`() async throws {
    try await with(["data": Self.row]) { destination, server in
      let item = OutgoingBatch.Item.number(1, serverID: "n1", body: ["folder": .null])
      #expect(await destination.send(.notes(.update, [item])).word(1) == "stored")
      #expect(
        server.requests[0].json == [
          "data": ["type": "notes", "id": "n1", "relationships": ["folder": ["data": .null]]]
        ]
      )
    }
  }

  @Test(arguments: ["/api/folders/f1/", "https://example.com/api/folders/f1/"])
  func `a reference may be a path around the identity`(shown: String) async throws {
    let api = try Self.api(identifier: #""/api/{type}/{id}/""#)
    let row: JSONValue = [
      "type": "notes", "id": "n1", "attributes": ["text": "one"],
      "relationships": ["folder": ["data": .string(shown)]],
    ]
    try await with(["data": row], api: api) { destination, server in
      let item = OutgoingBatch.Item.number(1, serverID: "n1", body: ["folder": "f1"])
      #expect(await destination.send(.notes(.update, [item])).word(1) == "stored")
      let sent = server.requests[0].json["data"]?["relationships"]?["folder"]?["data"]
      #expect(sent == "/api/folders/f1/")
      let found = try #require(await destination.record(of: "Note", serverID: "n1"))
      #expect(try JSONValue(parsing: found.body)["folder"] == "f1")
    }
  }

  @Test func `a row is read with its fields side by side`() async throws {
    try await with(["data": [Self.row], "links": ["next": .null]]) { destination, _ in
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      let content = try JSONValue(parsing: page.records[0].body)
      #expect(
        content == [
          "id": "n1", "text": "one", "rating": .null, "folder": "f1",
        ]
      )
    }
  }

  @Test func `a refusal names the member that the server points to`() async throws {
    let refusal: JSONValue = [
      "errors": [
        ["code": "invalid", "detail": "Too long.", "source": ["pointer": "/data/attributes/text"]]
      ]
    ]
    let api = try Self.api()
    try await ScriptedServer.run({ _ in .json(refusal, status: 422) }) { server in
      try await withDestination(at: server.address, api: api, credentials: GivenCredentials([:])) {
        destination in
        let item = OutgoingBatch.Item.number(1, id: "n1", body: ["id": "n1", "text": "one"])
        let answer = await destination.send(.notes(.create, [item]))
        #expect(answer.reason(1).contains("invalid: /data/attributes/text: Too long."))
      }
    }
  }

  @Test func `a reference whose type the profile does not say is refused`() throws {
    let yaml = """
      entities:
        Folder: { identity: { attribute: id }, fields: { id: id } }
        Note:
          identity: { attribute: id }
          fields: { id: id, folder: { attribute: folder, names: Folder } }
      api:
        kind: rest
        entities:
          Folder:
            replay: id
            list: { request: GET /folders }
            create: { request: "PUT /folders/{id}" }
            body: { id: id }
          Note:
            replay: id
            shape: { references: relationships, identifier: { type: "{type}", id: "{id}" } }
            list: { request: GET /notes, items: data }
            create: { request: POST /notes }
            body: { id: id, folder: { reference: folder } }
      """
    let error = try #require(throws: ProfileError.self) { try Sample.api(yaml) }
    #expect(error.faults.map(\.cause).contains { $0.contains("that “folder” names") })
  }
}
