import Backends
import JSONText
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
        check(await destination.send(.heroes(.uploadMedia, [item])), server)
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

  @Test func `what is lost before the confirmation is merely deferred`() async throws {
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

  @Test func `a file whose confirmation was lost is confirmed again, and not sent again`()
    async throws
  {
    let confirmations = Mutex([ScriptedServer.Reply.cut, .json([:])])
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar([7, 7, 7], in: folder)
      try await withScript(
        api: try Sample.api(media: true),
        { request in
          switch request.line {
          case "POST /api/files/upload": Self.ticket("/uploads/1")
          case "PUT /uploads/1": .text("", status: 200, type: "text/plain")
          default: confirmations.withLock { $0.removeFirst() }
          }
        }
      ) { destination, server in
        let batch = OutgoingBatch.heroes(.uploadMedia, [.number(1, media: media)])
        #expect(await destination.send(batch).word(1) == "unknown")
        let answer = await destination.send(batch)
        #expect(answer.outcomes == [1: .stored(serverID: "k/1", version: "https://cdn/k/1")])
        #expect(server.lines.count { $0 == "PUT /uploads/1" } == 1)
        #expect(server.lines.count { $0 == "POST /api/files/confirm" } == 2)
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
  func `a ticket to a strange address is refused`(upload: String) async throws {
    try await send(upload: upload) { answer, _ in #expect(answer.word(1) == "refused") }
  }

  @Test func `a file is removed by its key`() async throws {
    try await withScript(api: Sample.api(media: true), { _ in .json([:]) }) { destination, server in
      let answer = await destination.send(.heroes(.removeMedia, [.number(1, serverID: "k/1")]))
      #expect(answer.outcomes == [1: .removed])
      #expect(server.lines.last == "DELETE /api/files/k%2F1")
    }
  }

  @Test func `files are refused while the profile has them switched off`() async throws {
    try await withScript({ _ in .json([:]) }) { destination, server in
      #expect(!destination.traits.takesMedia)
      #expect(await destination.send(.heroes(.uploadMedia, [.number(1)])).word(1) == "refused")
      #expect(server.requests.isEmpty)
    }
  }
}
