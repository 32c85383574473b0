import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import Records
import REST
import Testing
import UploadPlanning

/// Files that go as they are to addresses of the destination's own: Supabase Storage, for one.
struct FileRouteTests {
  private static let sha = String(repeating: "a", count: 64)

  private static func api() throws -> Api {
    try Sample.api(
      """
      entities:
        Note:
          identity: { attribute: id }
          fields: { id: id }
          media: { photo: { from: photo, folder: Photos, category: avatar } }
      api:
        kind: rest
        account: { request: GET /me, member: id }
        media:
          enabled: true
          upload:
            request: POST /files/{account}/{category}/{sha256}
            exists: { status: 400, words: already exists }
            read: GET /info/{account}/{category}/{sha256}
            remove: DELETE /files/{account}/{category}/{sha256}
            address: /public/{account}/{category}/{sha256}
        meanings: [{ status: 400, words: Object not found, means: missing }]
        entities:
          Note:
            replay: id
            list: { request: GET /notes }
            create: { request: "PUT /notes/{id}" }
            body: { id: id, photo: { media: photo } }
      """
    )
  }

  /// Lends a destination whose account is `u 1`; what it answers of files is `reply`.
  private func with(
    _ reply: ScriptedServer.Reply,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try Self.api()
    try await ScriptedServer.run({ request in
      request.target == "/me" ? .json(["id": "u 1"]) : reply
    }) { server in
      try await withDestination(at: server.address, api: api, credentials: GivenCredentials([:])) {
        destination in
        try await body(destination, server)
      }
    }
  }

  private static func item(_ media: OutgoingMedia? = nil) -> OutgoingBatch.Item {
    OutgoingBatch.Item(
      operation: 1,
      record: RecordID(entity: .media("avatar"), key: sha),
      clientID: sha,
      serverID: media == nil ? "avatar/\(sha)" : nil,
      key: "key-1",
      body: [],
      media: media
    )
  }

  private func upload(
    _ reply: ScriptedServer.Reply,
    check: (BatchAnswer, ScriptedServer) -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(Array("picture".utf8), in: folder)
      try await with(reply) { destination, server in
        check(await destination.send(.notes(.uploadMedia, [Self.item(media)])), server)
      }
    }
  }

  @Test func `a file is sent as it is, and its record gets its address`() async throws {
    try await upload(.json(["Key": "x"])) { answer, server in
      let address = "\(server.address)/public/u%201/avatar/\(Self.sha)"
      #expect(answer.outcomes == [1: .stored(serverID: "avatar/\(Self.sha)", version: address)])
      #expect(server.lines == ["GET /me", "POST /files/u%201/avatar/\(Self.sha)"])
      #expect(server.requests.last?.body == Array("picture".utf8))
      #expect(server.requests.last?.header("Content-Type") == "image/png")
    }
  }

  @Test func `a file that is there already is no one's of this run`() async throws {
    let reply = ScriptedServer.Reply.json(
      ["statusCode": "409", "error": "Duplicate", "message": "The resource already exists"],
      status: 400
    )
    try await upload(reply) { answer, server in
      let address = "\(server.address)/public/u%201/avatar/\(Self.sha)"
      #expect(answer.outcomes == [1: .adopted(serverID: "avatar/\(Self.sha)", version: address)])
    }
  }

  @Test func `a file that is refused is rejected, and one whose answer is lost is unknown`()
    async throws
  {
    try await upload(.json(["message": "too large"], status: 413)) { answer, _ in
      #expect(answer.word(1) == "rejected")
    }
    try await upload(.cut) { answer, _ in #expect(answer.word(1) == "unknown") }
  }

  @Test func `the destination says whether a file is there`() async throws {
    let file = MediaReference(
      record: RecordID(entity: .media("avatar"), key: Self.sha),
      serverID: nil
    )
    try await with(.json(["size": 7])) { destination, server in
      let address = "\(server.address)/public/u%201/avatar/\(Self.sha)"
      let found = try await destination.media(file)
      #expect(found == .present(serverID: "avatar/\(Self.sha)", version: address, size: nil))
      #expect(server.lines.last == "GET /info/u%201/avatar/\(Self.sha)")
    }
    let absence = ScriptedServer.Reply.json(
      ["statusCode": "404", "error": "not_found", "message": "Object not found"],
      status: 400
    )
    try await with(absence) { destination, _ in
      let found = try await destination.media(file)
      #expect(found == .absent)
      #expect(await destination.send(.notes(.removeMedia, [Self.item()])).word(1) == "missing")
    }
  }

  @Test func `a file is removed at the address of its digest`() async throws {
    try await with(.json(["message": "Successfully deleted"])) { destination, server in
      #expect(await destination.send(.notes(.removeMedia, [Self.item()])).word(1) == "removed")
      #expect(server.lines.last == "DELETE /files/u%201/avatar/\(Self.sha)")
    }
  }

  /// A destination that keeps files under identities of its own, as Directus does:
  /// <https://directus.io/docs/api/files>.
  private func withForms(
    _ script: @escaping ScriptedServer.Script,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id } } }
      api:
        kind: rest
        account: { constant: ann }
        media:
          enabled: true
          upload:
            request: POST /files
            form: { file: file, fields: { title: "{name}", description: "{sha256}" } }
            item: data
            read: GET /files?description={sha256}
            found: data.0
            id: id
            address: { member: id }
            remove: DELETE /files/{id}
        entities:
          Note:
            replay: id
            list: { request: GET /notes }
            create: { request: "PUT /notes/{id}" }
            body: { id: id }
      """
    )
    try await ScriptedServer.run(script) { server in
      try await withDestination(at: server.address, api: api, credentials: GivenCredentials([:])) {
        destination in
        try await body(destination, server)
      }
    }
  }

  @Test func `a file goes in a form, and its record gets the identity that the answer has`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(Array("picture".utf8), in: folder)
      try await withForms({ _ in .json(["data": ["id": "f7"]]) }) { destination, server in
        let answer = await destination.send(.notes(.uploadMedia, [Self.item(media)]))
        #expect(answer.outcomes == [1: .stored(serverID: "f7", version: "f7")])
        let request = try #require(server.requests.last)
        let boundary = "ferry-\(media.digest)"
        #expect(request.header("Content-Type") == "multipart/form-data; boundary=\(boundary)")
        let disposition = "Content-Disposition: form-data; name="
        let lines = [
          "--\(boundary)", "\(disposition)\"title\"", "", media.name,
          "--\(boundary)", "\(disposition)\"description\"", "", Self.sha,
          "--\(boundary)", "\(disposition)\"file\"; filename=\"\(media.name)\"",
          "Content-Type: image/png", "", "picture", "--\(boundary)--", "",
        ]
        #expect(String(decoding: request.body, as: UTF8.self) == lines.joined(separator: "\r\n"))
      }
    }
  }

  @Test func `a file of which the answer says nothing is unknown`() async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(Array("picture".utf8), in: folder)
      try await withForms({ _ in .json(["data": [:]]) }) { destination, _ in
        let answer = await destination.send(.notes(.uploadMedia, [Self.item(media)]))
        #expect(answer.word(1) == "unknown")
      }
    }
  }

  @Test(arguments: [["data": []], ["data": [["id": "f7"]]]] as [JSONValue])
  func `a file is looked for by its digest`(reply: JSONValue) async throws {
    let file = MediaReference(
      record: RecordID(entity: .media("avatar"), key: Self.sha),
      serverID: nil
    )
    let isThere = reply["data"]?[0] != nil
    try await withForms({ _ in .json(reply) }) { destination, server in
      let found = try await destination.media(file)
      #expect(
        found == (isThere ? .present(serverID: "f7", version: "f7", size: nil) : .absent)
      )
      #expect(server.lines == ["GET /files?description=\(Self.sha)"])
    }
  }

  @Test func `a file is removed by the identity that the destination gave it`() async throws {
    try await withForms({ _ in .json(.null, status: 200) }) { destination, server in
      #expect(await destination.send(.notes(.removeMedia, [Self.item()])).word(1) == "removed")
      #expect(server.lines == ["DELETE /files/avatar%2F\(Self.sha)"])
    }
  }

  @Test func `an address without the digest is refused`() throws {
    let error = try #require(throws: ProfileError.self) {
      try Sample.api(
        """
        entities: { Note: { identity: { attribute: id }, fields: { id: id } } }
        api:
          kind: rest
          media:
            enabled: true
            upload:
              request: POST /files/{category}
              read: GET /files/{category}/{sha256}
              address: /files/{category}/{sha256}
          entities:
            Note:
              replay: id
              list: { request: GET /notes }
              create: { request: "PUT /notes/{id}" }
              body: { id: id }
        """
      )
    }
    #expect(error.faults.contains { $0.cause.contains("has no {sha256}") })
  }
}
