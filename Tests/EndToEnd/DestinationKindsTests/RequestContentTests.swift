import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Requests whose body, form and headers the profile writes out: GraphQL, a form, an API with headers by route.
struct RequestContentTests {
  private static let graphQL = """
    replay: id
    list:
      request: POST /graphql
      body:
        query: "query ($n: Int, $after: ID) { notes(first: $n, after: $after) { nodes { id text } } }"
        variables: { n: "{first}", after: "{after}" }
      items: data.notes.nodes
      limit: { name: first, value: 2 }
      cursor: { name: after, member: data.notes.end }
    read:
      request: POST /graphql
      body: { query: "query ($id: ID!) { note(id: $id) { id text } }", variables: { id: "{id}" } }
      item: data.note
      absent: true
    create:
      request: POST /graphql
      body: { query: "mutation ($it: NoteInput!) { add(note: $it) { id } }", variables: { it: "{body}" } }
      item: data.add
    update:
      request: POST /graphql
      body: { query: "mutation { change { id } }", variables: { id: "{id}", it: "{body}", of: "v{version}" } }
      item: data.change
    delete:
      request: POST /graphql
      body: { query: "mutation { remove }", variables: { id: "{id}" } }
    """

  private static func api(_ entry: String) throws -> Api {
    try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, text: text } } }
      api:
        credentials: [key]
        headers: { apikey: "{key}", Prefer: count=exact }
        account: { request: GET /me, member: id }
        entities:
          Note:
            body: { id: id, text: text }
      \(entry.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
      """
    )
  }

  private func with(
    _ script: @escaping ScriptedServer.Script,
    of entry: String = graphQL,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.run(script) { server in
      try await withDestination(
        at: server.address,
        api: try Self.api(entry),
        credentials: GivenCredentials(["key": Secret("anon-key")])
      ) { destination in
        try await body(destination, server)
      }
    }
  }

  private static let note: JSONValue = ["id": "local-1", "text": "a {id}"]

  private static func item(_ body: JSONValue = note) -> OutgoingBatch.Item {
    .number(1, serverID: "local-1", version: "7", body: body)
  }

  @Test func `a list is asked for by a body, page by page`() async throws {
    try await with({ request in
      let isFirst = request.json["variables"]?["after"] == nil
      return .json(
        isFirst
          ? ["data": ["notes": ["nodes": [["id": "a"], ["id": "b"]], "end": "007"]]]
          : ["data": ["notes": ["nodes": [["id": "c"]], "end": .null]]]
      )
    }) { destination, server in
      let first = try await destination.page(of: "Note", after: nil, since: nil)
      let second = try await destination.page(of: "Note", after: first.next, since: nil)
      #expect((first.records + second.records).map(\.serverID) == ["a", "b", "c"])
      #expect(second.next == nil)
      #expect(server.lines == ["POST /graphql", "POST /graphql"])
      // A count is a number, and what an answer had stays a text.
      #expect(
        server.requests.map { $0.json["variables"] } == [["n": 2], ["n": 2, "after": "007"]]
      )
      #expect(server.requests[0].json["query"]?.text?.contains("{ nodes { id text } }") == true)
    }
  }

  @Test func `a record is read by a body`() async throws {
    try await with({ _ in .json(["data": ["note": Self.note]]) }) { destination, server in
      let found = try await destination.record(of: "Note", serverID: "local-1")
      #expect(found?.serverID == "local-1")
      #expect(server.requests.first?.json["variables"] == ["id": "local-1"])
    }
  }

  @Test(arguments: [["data": ["note": .null]], ["data": [:]], [:]] as [JSONValue])
  func `a record that such an answer does not have is not there`(answer: JSONValue) async throws {
    try await with({ _ in .json(answer) }) { destination, _ in
      let found = try await destination.record(of: "Note", serverID: "local-1")
      #expect(found == nil)
    }
  }

  @Test func `an answer that is no object leaves it open whether the record is there`()
    async throws
  {
    try await with({ _ in .json([]) }) { destination, _ in
      await #expect(throws: DestinationError.self) {
        try await destination.record(of: "Note", serverID: "local-1")
      }
    }
  }

  @Test func `a record is created within the body that the profile writes out`() async throws {
    try await with({ _ in .json(["data": ["add": ["id": "local-1"]]]) }) { destination, server in
      let answer = await destination.send(.notes(.create, [Self.item()]))
      #expect(answer.word(1) == "stored")
      // What the record says is no template.
      #expect(server.requests.first?.json["variables"] == ["it": Self.note])
    }
  }

  @Test func `a change names the record and its revision in the body`() async throws {
    try await with({ _ in .json(["data": ["change": ["id": "local-1"]]]) }) { destination, server in
      let answer = await destination.send(.notes(.update, [Self.item(["text": "new"])]))
      #expect(answer.word(1) == "stored")
      #expect(
        server.requests.first?.json["variables"]
          == ["id": "local-1", "it": ["text": "new"], "of": "v7"]
      )
    }
  }

  @Test func `a removal names the record in the body`() async throws {
    try await with({ _ in .json(["data": ["remove": true]]) }) { destination, server in
      let answer = await destination.send(.notes(.delete, [Self.item()]))
      #expect(answer.word(1) == "removed")
      #expect(server.requests.first?.json["variables"] == ["id": "local-1"])
    }
  }

  @Test func `an error in a success refuses the record`() async throws {
    let errors: JSONValue = ["errors": [["message": "text is too long"]], "data": .null]
    try await with({ _ in .json(errors) }) { destination, _ in
      let answer = await destination.send(.notes(.create, [Self.item()]))
      #expect(answer.word(1) == "rejected")
      #expect(answer.reason(1).contains("text is too long"))
    }
  }

  @Test func `a record is sent as a form`() async throws {
    let entry = "replay: id\ncreate: { request: \"PUT /notes/{id}\", form: true }"
    try await with({ _ in .json(Self.note, status: 201) }, of: entry) { destination, server in
      let answer = await destination.send(.notes(.create, [Self.item()]))
      #expect(answer.word(1) == "stored")
      let request = try #require(server.requests.first)
      #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
      #expect(String(decoding: request.body, as: UTF8.self) == "id=local-1&text=a%20%7Bid%7D")
    }
  }

  @Test func `a list in a form is refused before anything is sent`() async throws {
    let entry = "replay: id\ncreate: { request: \"PUT /notes/{id}\", form: true }"
    try await with({ _ in .json(Self.note) }, of: entry) { destination, server in
      let body: JSONValue = ["id": "local-1", "text": ["a", "b"]]
      let answer = await destination.send(.notes(.create, [Self.item(body)]))
      #expect(answer.word(1) == "rejected")
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `a route has headers and a content type of its own`() async throws {
    let entry = """
      replay: id
      create:
        request: PUT /notes/{id}
        headers: { Prefer: return=representation, Content-Type: application/merge-patch+json, X-Of: "{id}" }
      read: { request: "GET /notes/{id}" }
      """
    try await with({ _ in .json(Self.note, status: 201) }, of: entry) { destination, server in
      _ = await destination.send(.notes(.create, [Self.item()]))
      _ = try await destination.record(of: "Note", serverID: "local-1")
      let (put, get) = (server.requests[0], server.requests[1])
      #expect(put.header("Content-Type") == "application/merge-patch+json")
      #expect(put.header("X-Of") == "local-1")
      #expect(put.header("apikey") == "anon-key")
      #expect(get.header("X-Of") == nil)
    }
  }

  @Test func `a header of a route wins over that of all routes`() async throws {
    let entry = """
      replay: id
      create: { request: "PUT /notes/{id}", headers: { Prefer: return=representation } }
      """
    try await with({ _ in .json(Self.note, status: 201) }, of: entry) { destination, server in
      _ = await destination.send(.notes(.create, [Self.item()]))
      let found = server.requests[0].headers.filter { $0.name == "Prefer" }
      #expect(found.map(\.value) == ["return=representation"])
    }
  }

  @Test func `a body has the account`() async throws {
    let entry = """
      replay: id
      read: { request: POST /find, body: { id: "{id}", of: "{account}" } }
      create: { request: "PUT /notes/{id}" }
      """
    try await with(
      { .json($0.line == "GET /me" ? ["id": "ann"] : Self.note) },
      of: entry
    ) { destination, server in
      _ = try await destination.record(of: "Note", serverID: "local-1")
      #expect(server.requests.last?.json == ["id": "local-1", "of": "ann"])
    }
  }

  @Test(arguments: [
    ("headers: { If-Match: \"{version}\" }", "Ferry itself gives each request its “If-Match”"),
    ("headers: { Host: example.com }", "Ferry itself gives each request its “Host”"),
    ("form: true, headers: { Content-Type: text/plain }", "would not be sent"),
    ("body: { it: \"{bdy}\" }", "“{bdy}” has no value here"),
    ("headers: { X: \"{title}\" }", "“{title}” has no value here"),
  ])
  func `what would not be sent as it is written is refused`(setting: String, cause: String) throws {
    let error = try #require(throws: ProfileError.self) {
      try Self.api("replay: id\ncreate: { request: \"PUT /notes/{id}\", \(setting) }")
    }
    #expect(error.faults.contains { $0.cause.contains(cause) }, "\(error)")
  }

  @Test func `a GET request with a body is refused`() throws {
    let error = try #require(throws: ProfileError.self) {
      try Self.api(
        "replay: id\nlist: { request: GET /notes, body: { a: 1 } }\ncreate: { request: \"PUT /n/{id}\" }"
      )
    }
    #expect(error.faults.contains { $0.cause == "a GET request has no body" })
  }
}
