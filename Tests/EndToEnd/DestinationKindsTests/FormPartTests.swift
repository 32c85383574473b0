import DestinationModel
import Files
import JSONText
import ProfileSettings
import Profiles
import Records
import REST
import Testing
import UploadPlanning

/// Files of records that go as parts of forms: in the request that makes a record, or by a route of their own.
struct FormPartTests {
  private static func profile(_ entity: String) -> String {
    """
    entities:
      Note: { identity: { attribute: id }, fields: { id: id, name: name, picture: picture } }
    api:
      kind: rest
      account: { constant: ann }
      entities:
        Note:
    \(entity.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
    """
  }

  /// A picture that is a record of its own, below a note.
  private static let picture = """
      list: { request: "GET /notes" }
      create: { request: POST /pictures }
      body: { name: name, file: { file: picture, name: name } }
      natural-key: [name]
      unmapped: id
    """

  /// A note whose picture has a route of its own.
  private static let note = """
      list: { request: "GET /notes" }
      create: { request: POST /notes }
      update: { request: "PATCH /notes/{id}" }
      files:
        imageUrl: { request: "POST /notes/{id}/picture", part: blob, remove: "DELETE /notes/{id}/picture" }
      body: { name: name, imageUrl: { file: picture, type: image/png } }
      natural-key: [name]
      unmapped: id
    """

  private func with(
    _ entity: String,
    _ reply: @escaping ScriptedServer.Script,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try Sample.api(Self.profile(entity))
    try await ScriptedServer.run(reply) { server in
      try await withDestination(at: server.address, api: api, credentials: GivenCredentials([:])) {
        destination in
        try await body(destination, server)
      }
    }
  }

  private static let bytes = Array("\u{1}PNG".utf8)

  private static func item(
    _ body: JSONValue,
    serverID: String? = nil,
    field: String? = nil
  ) -> OutgoingBatch.Item {
    let record = RecordID(entity: "Note", key: "n1")
    let parts = field.map { field in
      let digest = Digest(sha256: bytes)
      var media = OutgoingMedia(
        source: FileSource("sha256:\(digest)"),
        size: Int64(bytes.count),
        digest: digest,
        category: field,
        name: "a.png",
        mediaType: "image/png"
      )
      media.held = bytes
      media.place = OutgoingMedia.Place(entity: "Note", record: "n1", field: field)
      return media
    }
    return OutgoingBatch.Item(
      operation: 1,
      record: record,
      clientID: "n1",
      serverID: serverID,
      key: "key-1",
      body: body.canonicalBytes,
      parts: parts.map { [$0] } ?? []
    )
  }

  @Test func `a record with a file is made by a form, its other fields as texts`() async throws {
    try await with(Self.picture, { _ in .json(["id": "p7"]) }) { destination, server in
      let item = Self.item(["name": "a.png", "size": 4, "file": "digest"], field: "file")
      let answer = await destination.send(.notes(.create, [item]))
      #expect(answer.outcomes == [1: .stored(serverID: "p7", version: nil)])
      let request = try #require(server.requests.last)
      #expect(request.line == "POST /pictures")
      #expect(request.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
      let text = String(decoding: request.body, as: UTF8.self)
      #expect(text.contains("name=\"name\"\r\n\r\na.png\r\n"))
      #expect(text.contains("name=\"size\"\r\n\r\n4\r\n"))
      #expect(text.contains("name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n"))
      #expect(text.contains("\r\n\r\n\u{1}PNG\r\n"))
      #expect(!text.contains("digest"))
    }
  }

  @Test func `a file with a route of its own goes after the change of its record`() async throws {
    try await with(Self.note, { _ in .json(["id": "7"]) }) { destination, server in
      let item = Self.item(
        ["name": "new", "imageUrl": "digest"],
        serverID: "7",
        field: "imageUrl"
      )
      let answer = await destination.send(.notes(.update, [item]))
      #expect(answer.outcomes == [1: .stored(serverID: "7", version: nil)])
      #expect(server.lines == ["PATCH /notes/7", "POST /notes/7/picture"])
      #expect(server.requests.first?.json == ["name": "new"])
      let text = String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
      #expect(text.contains("name=\"blob\"; filename=\"a.png\""))
    }
  }

  @Test func `a record of which only the file is sent is not changed otherwise`() async throws {
    try await with(Self.note, { _ in .json(["imageUrl": "/x"]) }) { destination, server in
      let item = Self.item(["imageUrl": "digest"], serverID: "7", field: "imageUrl")
      let answer = await destination.send(.notes(.update, [item]))
      #expect(answer.outcomes == [1: .stored(serverID: "7", version: nil)])
      #expect(server.lines == ["POST /notes/7/picture"])
    }
  }

  @Test func `a rollback removes a file by its own route`() async throws {
    try await with(Self.note, { _ in .json([:]) }) { destination, server in
      let item = Self.item(["imageUrl": .null], serverID: "7")
      #expect(await destination.send(.notes(.update, [item])).word(1) == "stored")
      #expect(server.lines == ["DELETE /notes/7/picture"])
    }
  }

  @Test func `a refused file is the record's refusal`() async throws {
    try await with(Self.note, { _ in .json(["message": "too large"], status: 413) }) {
      destination,
      _ in
      let item = Self.item(["imageUrl": "digest"], serverID: "7", field: "imageUrl")
      #expect(await destination.send(.notes(.update, [item])).word(1) == "rejected")
    }
    try await with(Self.note, { _ in .cut }) { destination, _ in
      let item = Self.item(["imageUrl": "digest"], serverID: "7", field: "imageUrl")
      #expect(await destination.send(.notes(.update, [item])).word(1) == "unknown")
    }
  }

  @Test func `a list below each record of another entity has the rows of all of them`()
    async throws
  {
    let api = try Sample.api(
      """
      entities:
        Note: { identity: { attribute: id }, fields: { id: id } }
        Picture: { identity: { attribute: id }, fields: { id: id } }
      api:
        kind: rest
        account: { constant: ann }
        entities:
          Note:
            replay: id
            list: { request: GET /notes }
            create: { request: "PUT /notes/{id}" }
            body: { id: id }
          Picture:
            list: { request: "GET /notes/{parent}/pictures", each: Note }
            create: { request: POST /pictures }
            body: { name: id }
            natural-key: [name]
      """
    )
    let script: ScriptedServer.Script = { request in
      switch request.target {
      case "/notes": .json([["id": "a"], ["id": "b c"], ["id": "gone"]])
      case "/notes/a/pictures": .json([["id": "1"], ["id": "2"]])
      case "/notes/b%20c/pictures": .json([["id": "3"]])
      default: .json(["message": "no such note"], status: 404)
      }
    }
    try await ScriptedServer.run(script) { server in
      try await withDestination(at: server.address, api: api, credentials: GivenCredentials([:])) {
        destination in
        let page = try await destination.page(of: "Picture", after: nil, since: nil)
        #expect(page.records.map(\.serverID) == ["1", "2", "3"])
        #expect(page.next == nil)
      }
    }
  }

  @Test(arguments: [
    (
      "unmapped: id", "unmapped: id\n  files: { name: { request: \"POST /notes/{id}/x\" } }",
      "is not a file"
    ),
    (
      "{ request: POST /pictures }", "{ request: POST /pictures, wrap: data }",
      "goes as a part of a form"
    ),
    ("body: {", "body: { other: { file: picture },", "two files are parts of one request"),
    ("\"GET /notes\"", "\"GET /notes\", each: Note", "is the same for each Note"),
  ])
  func `a file that no request can carry is refused`(old: String, new: String, words: String)
    throws
  {
    let error = try #require(throws: ProfileError.self) {
      try Sample.api(Self.profile(Self.picture.replacing(old, with: new)))
    }
    #expect(error.faults.contains { $0.cause.contains(words) }, "\(error.faults)")
  }
}
