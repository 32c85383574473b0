import DestinationModel
import JSONText
import Profiles
import REST
import Synchronization
import Testing
import UploadPlanning

struct MediaTests {
  private static func ticket(_ upload: String) -> ScriptedServer.Reply {
    .json([
      "data": [
        "uploadUrl": .string(upload), "storageKey": "k/1", "publicUrl": "https://cdn/k/1",
      ]
    ])
  }

  private func send(
    upload: String = "/uploads/1",
    size: Int64? = nil,
    put: ScriptedServer.Reply = .text("", status: 200, type: "text/plain"),
    confirm: ScriptedServer.Reply = .json([:]),
    check: (BatchAnswer, ScriptedServer) -> Void
  ) async throws {
    let api = try Sample.api(media: true)
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(
        Array(repeating: 7, count: 600_000),
        in: folder,
        size: size
      )
      try await withScript(
        api: api,
        { request in
          switch request.line {
          case "POST /api/files/upload": Self.ticket(upload)
          case "PUT /uploads/1": put
          default: confirm
          }
        }
      ) { destination, server in
        let item = OutgoingBatch.Item.number(1, media: media)
        check(await destination.bring(.heroes(.uploadMedia, [item])), server)
      }
    }
  }

  // 001-8.
  @Test func `a file is announced, put without the token, and confirmed`() async throws {
    try await send { answer, server in
      #expect(answer.outcomes == [1: .stored(serverID: "k/1", version: "https://cdn/k/1")])
      let requests = server.requests.suffix(3)
      #expect(requests.map(\.line).last == "POST /api/files/confirm")
      #expect(
        requests.first?.json == [
          "fileName": "avatar.png", "mimeType": "image/png", "fileSize": 600_000,
          "category": "avatar",
        ]
      )
      let put = requests.first { $0.method == "PUT" }
      #expect(put?.body.count == 600_000)
      #expect(put?.header("Authorization") == nil)
      #expect(put?.header("Content-Type") == "image/png")
      #expect(requests.last?.json == ["storageKey": "k/1"])
    }
  }

  @Test func `a request that is lost before the confirmation is deferred`() async throws {
    for put in [ScriptedServer.Reply.cut, .text("", status: 500), .text("", status: 403)] {
      try await send(put: put) { answer, server in
        #expect(answer.word(1) == "deferred")
        #expect(!server.lines.contains("POST /api/files/confirm"))
      }
    }
  }

  @Test func `a confirmation that is lost leaves the file unknown`() async throws {
    try await send(confirm: .cut) { answer, _ in #expect(answer.word(1) == "unknown") }
  }

  /// Sends a file that has a place already, of which no one but the caller knows.
  private func goOn(
    version: String?,
    confirm: ScriptedServer.Reply = .json([:]),
    check: (BatchAnswer, ScriptedServer) -> Void
  ) async throws {
    let confirmations = Mutex(confirm)
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar([7, 7, 7], in: folder)
      try await withScript(
        api: try Sample.api(media: true),
        { request in
          switch request.line {
          case "POST /api/files/upload": Self.ticket("/uploads/1")
          case "PUT /uploads/1": .text("", status: 200, type: "text/plain")
          case "POST /api/files/confirm":
            confirmations.withLock { reply in
              defer { reply = .json([:]) }
              return reply
            }
          default: .json([:])
          }
        }
      ) { destination, server in
        let item = OutgoingBatch.Item.number(1, media: media).staged("k/0", version)
        check(await destination.bring(.heroes(.uploadMedia, [item])), server)
      }
    }
  }

  @Test func `a file that an earlier process uploaded is confirmed, and not sent again`()
    async throws
  {
    try await goOn(version: "https://cdn/k/0") { answer, server in
      #expect(answer.outcomes == [1: .stored(serverID: "k/0", version: "https://cdn/k/0")])
      #expect(server.requests.last?.json == ["storageKey": "k/0"])
      #expect(!server.lines.contains("POST /api/files/upload"))
    }
  }

  @Test func `an unused ticket is revoked before the next one is requested`()
    async throws
  {
    try await goOn(version: nil) { answer, server in
      #expect(answer.outcomes == [1: .stored(serverID: "k/1", version: "https://cdn/k/1")])
      #expect(
        server.lines.suffix(4) == [
          "DELETE /api/files/k%2F0", "POST /api/files/upload", "PUT /uploads/1",
          "POST /api/files/confirm",
        ]
      )
    }
  }

  @Test func `a file that the destination has forgotten is removed and sent again`()
    async throws
  {
    try await goOn(version: "https://cdn/k/0", confirm: .json([:], status: 404)) { answer, server in
      #expect(answer.outcomes == [1: .stored(serverID: "k/1", version: "https://cdn/k/1")])
      #expect(server.lines.contains("DELETE /api/files/k%2F0"))
    }
  }

  @Test func `a file is refused that the destination never wants to confirm`() async throws {
    try await send(confirm: .json([:], status: 422)) { answer, server in
      #expect(answer.word(1) == "rejected")
      #expect(server.lines.count { $0 == "POST /api/files/upload" } == 1)
    }
  }

  @Test
  func `a confirmation that a gateway postponed may have arrived, and the upload starts over`()
    async throws
  {
    let confirmations = Mutex<[ScriptedServer.Reply]>([
      .text("<html></html>", status: 503), .json(["error": "already confirmed"], status: 409),
    ])
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar([7, 7, 7], in: folder)
      try await withScript(
        api: try Sample.api(media: true),
        { request in
          switch request.line {
          case "POST /api/files/upload": Self.ticket("/uploads/1")
          case "POST /api/files/confirm":
            confirmations.withLock { $0.isEmpty ? .json([:]) : $0.removeFirst() }
          default: .json([:])
          }
        }
      ) { destination, server in
        let item = OutgoingBatch.Item.number(1, media: media)
        let first = await destination.bring(.heroes(.uploadMedia, [item]))
        #expect(first.word(1) == "deferred")
        let known = item.staged("k/1", "https://cdn/k/1")
        let again = await destination.bring(.heroes(.uploadMedia, [known]))
        #expect(again.outcomes == [1: .stored(serverID: "k/1", version: "https://cdn/k/1")])
        #expect(server.lines.contains("DELETE /api/files/k%2F1"))
      }
    }
  }

  @Test func `the key of a file is reported before the file is sent`() async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar([7, 7, 7], in: folder)
      try await withScript(
        api: try Sample.api(media: true),
        { _ in Self.ticket("/uploads/1") }
      ) { destination, server in
        let answer = await destination.send(.heroes(.uploadMedia, [.number(1, media: media)]))
        #expect(answer.outcomes == [1: .staged(serverID: "k/1", version: nil)])
        #expect(server.lines.last == "POST /api/files/upload")
      }
    }
  }

  @Test func `a file that changed is not sent`() async throws {
    try await send(size: 5) { answer, server in
      #expect(answer.word(1) == "rejected")
      #expect(server.requests.isEmpty)
    }
  }

  @Test(arguments: ["ftp://example.com/a", "//example.com/a", ""])
  func `a ticket to a foreign address is refused`(upload: String) async throws {
    try await send(upload: upload) { answer, _ in #expect(answer.word(1) == "refused") }
  }

  /// Files go into a bucket, by keys that name the account.
  private static func bucket() throws -> Api {
    try Sample.api(
      """
      entities:
        Note: { fields: { text: text } }
      api:
        kind: rest
        credentials: [email, password]
        account: { request: GET /me, member: id }
        media:
          enabled: true
          bucket:
            endpoint: http://127.0.0.1:9
            name: files
            region: us-east-1
            key: "{category}/{account}/{sha256}"
            access-key: email
            secret-key: password
        entities:
          Note:
            replay: id
            create: { request: "PUT /notes/{id}" }
            body: { text: text }
      """
    )
  }

  @Test(arguments: [OutgoingBatch.Verb.uploadMedia, .removeMedia])
  func `a file waits until the account that its key names is known`(
    verb: OutgoingBatch.Verb
  ) async throws {
    let busy = ScriptedServer.Reply.json(["error": "later"], status: 429)
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar([7, 7, 7], in: folder)
      for reply in [ScriptedServer.Reply.cut, busy] {
        try await withScript(api: Self.bucket(), { _ in reply }) { destination, server in
          let answer = await destination.send(.heroes(verb, [.number(1, media: media)]))
          #expect(answer.word(1) == "deferred")
          #expect(server.lines == ["GET /me"])
        }
      }
    }
  }

  @Test func `a wait that the server asks for before sign-in is kept`() async throws {
    let reply = ScriptedServer.Reply.json([:], status: 429, headers: [("Retry-After", "4")])
    try await withScript(api: Self.bucket(), { _ in reply }) { destination, _ in
      let answer = await destination.send(.heroes(.removeMedia, [.number(1)]))
      #expect(answer.pause == .seconds(4))
    }
  }

  @Test func `a file is removed by its key`() async throws {
    try await withScript(api: Sample.api(media: true), { _ in .json([:]) }) { destination, server in
      let answer = await destination.send(.heroes(.removeMedia, [.number(1, serverID: "k/1")]))
      #expect(answer.outcomes == [1: .removed])
      #expect(server.lines.last == "DELETE /api/files/k%2F1")
    }
  }

  @Test func `files are refused while the profile switches them off`() async throws {
    try await withScript({ _ in .json([:]) }) { destination, server in
      #expect(!destination.traits.takesMedia)
      #expect(await destination.send(.heroes(.uploadMedia, [.number(1)])).word(1) == "refused")
      #expect(server.requests.isEmpty)
    }
  }
}
