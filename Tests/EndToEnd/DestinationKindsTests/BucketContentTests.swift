import Crypto
import DestinationModel
import Files
import Foundation
import JSONText
import Records
import REST
import Synchronization
import Testing
import UploadPlanning

/// What a bucket holds, compared by its content, and whose that is.
struct BucketContentTests {
  /// A bucket that has one object, and what of it a script changes.
  private struct Held: Sendable {
    var content: [UInt8]
    /// The entity tag; that of the content where `nil`.
    var tag: String?
    /// The operation that the object says that it is of.
    var operation: String?
    /// Uploads in parts that were begun for its key: when, by their names.
    var begun: [String: String] = [:]
    /// The `Content-Encoding` with which the object is stored.
    var coding: String?
    /// What the service's clock says in the header `Date`.
    var date: String?
    /// Whether the object is not there, although uploads for its key may be.
    var isMissing = false

    /// Answers what a request asks, as a service does that takes no request to make an object.
    func reply(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
      let fields =
        ["ETag: \"\(tag ?? Self.md5(content))\""]
        + [operation.map { "x-amz-meta-ferry-operation: \($0)" }].compactMap(\.self)
      let coded = [coding.map { "Content-Encoding: \($0)" }].compactMap(\.self)
      switch request.method {
      case "PUT" where request.header("if-none-match") != nil:
        return .xml("<Error><Code>PreconditionFailed</Code></Error>", status: 412)
      case "GET" where request.target.contains("uploads="):
        let key = URLComponents(string: request.target)?.queryItems?
          .first { $0.name == "prefix" }?.value
        let uploads = begun.map { id, moment in
          "<Upload><Key>\(key ?? "")</Key><UploadId>\(id)</UploadId>"
            + "<Initiated>\(moment)</Initiated></Upload>"
        }
        let root = "ListMultipartUploadsResult"
        let headers = date.map { [("Date", $0)] } ?? []
        return .xml("<\(root)>\(uploads.joined())</\(root)>", headers: headers)
      case "HEAD" where isMissing: return .text("", status: 404)
      case "HEAD": return Self.reply(200, fields + coded + ["Content-Length: \(content.count)"])
      case "GET":
        let bytes = request.header("range")?.dropFirst("bytes=".count).split(separator: "-")
          .compactMap { Int($0) }
        let piece = bytes.map { content[$0[0]...min($0[1], content.count - 1)] } ?? content[...]
        let text = String(decoding: piece, as: UTF8.self)
        let length = "Content-Length: \(text.utf8.count)"
        return Self.reply(206, [length] + coded, text)
      default: return .text("", status: 204)
      }
    }

    private static func reply(
      _ status: Int,
      _ fields: [String],
      _ body: String = ""
    ) -> ScriptedServer.Reply {
      let lines = ["HTTP/1.1 \(status) Status"] + fields
      return ScriptedServer.Reply(bytes: lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    static func md5(_ content: [UInt8]) -> String {
      Insecure.MD5.hash(data: content).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  private static let sevens: [UInt8] = [7, 7, 7]

  private func send(
    _ held: Held,
    settings: String = "",
    check: (BatchAnswer, ScriptedServer) -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(Self.sevens, in: folder)
      try await BucketSample.run(settings: settings, held.reply) { destination, server in
        let item = OutgoingBatch.Item.number(1, media: media)
        check(await destination.send(.heroes(.uploadMedia, [item])), server)
      }
    }
  }

  @Test(arguments: ["", "create-only: false"])
  func `a file that existed before with the same content does not belong to this run`(
    settings: String
  )
    async throws
  {
    try await send(Held(content: Self.sevens), settings: settings) { answer, server in
      #expect(answer.word(1) == "adopted")
      // Its entity tag is enough.
      #expect(!server.requests.contains { $0.method == "GET" && $0.target.contains("/files/") })
    }
    try await send(Held(content: Self.sevens, operation: "another"), settings: settings) {
      answer,
      _ in
      #expect(answer.word(1) == "adopted")
    }
    try await send(Held(content: Self.sevens, operation: "key-1"), settings: settings) {
      answer,
      _ in
      #expect(answer.word(1) == "stored")
    }
  }

  @Test func `a file of the same size with other content is different`() async throws {
    try await send(Held(content: [7, 7, 8])) { answer, _ in #expect(answer.word(1) == "rejected") }
  }

  @Test func `a file whose entity tag is not a content digest is read`() async throws {
    let tag = String(repeating: "0", count: 32)
    try await send(Held(content: Self.sevens, tag: tag)) { answer, _ in
      #expect(answer.word(1) == "adopted")
    }
    try await send(Held(content: [7, 7, 8], tag: tag)) { answer, _ in
      #expect(answer.word(1) == "rejected")
    }
  }

  // MARK: - Verifying

  private func state(
    _ held: Held,
    of content: [UInt8] = Self.sevens,
    isAtHand: Bool = true,
    check: (MediaState, ScriptedServer) -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(content, in: folder)
      try await BucketSample.run(held.reply) { destination, server in
        let file = MediaReference(
          record: RecordID(entity: "Hero", key: media.digest.description),
          serverID: "k",
          comparing: .all,
          source: isAtHand ? media.source : nil
        )
        check(try await destination.media(file), server)
      }
    }
  }

  @Test func `a file is verified by its content, not by its size alone`() async throws {
    try await state(Held(content: Self.sevens)) { state, server in
      #expect(state.isPresent)
      #expect(!server.requests.contains { $0.method == "GET" && $0.target == "/files/k" })
    }
    try await state(Held(content: [7, 7, 8])) { state, _ in #expect(state == .other) }
    try await state(Held(content: Self.sevens, tag: "none"), isAtHand: false) { state, _ in
      #expect(state.isPresent)
    }
    try await state(Held(content: [7, 7, 8], tag: "none"), isAtHand: false) { state, _ in
      #expect(state == .other)
    }
  }

  @Test func `the entity tag of a multipart upload identifies its content`() async throws {
    let content = [UInt8](repeating: 7, count: 6 << 20)
    let parts = [content[..<(5 << 20)], content[(5 << 20)...]]
    let sums = parts.flatMap { Array(Insecure.MD5.hash(data: Array($0))) }
    try await state(Held(content: content, tag: "\(Held.md5(sums))-2"), of: content) {
      state,
      server in
      #expect(state.isPresent)
      #expect(!server.requests.contains { $0.method == "GET" && $0.target == "/files/k" })
    }
  }

  // It would otherwise be read as an answer of the service's.
  @Test func `a file that looks like an answer is read as a file`() async throws {
    let content = Array("<Error><Code>SlowDown</Code></Error>".utf8)
    try await state(Held(content: content, tag: "none"), of: content) { state, _ in
      #expect(state.isPresent)
    }
  }

  @Test(arguments: ["gzip", "aws-chunked"])
  func `a file that is stored with a coding is compared as it is stored`(coding: String)
    async throws
  {
    let own = Held(content: Self.sevens, tag: "none", coding: coding)
    try await state(own) { state, _ in #expect(state.isPresent) }
    let other = Held(content: [7, 7, 8], tag: "none", coding: coding)
    try await state(other) { state, _ in #expect(state == .other) }
  }

  @Test func `a file that the server sends compressed is compared by its content`() async throws {
    let packed = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA"))
    let fields = "Content-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
    let whole = Array("HTTP/1.1 200 OK\r\n\(fields)".utf8) + Array(packed)
    let script: ScriptedServer.Script = { request in
      request.method == "HEAD"
        ? ScriptedServer.Reply(bytes: "HTTP/1.1 200 OK\r\nETag: \"none\"\r\n\r\n")
        : .raw(content: whole)
    }
    for (content, isSame) in [(#"{"a":1}"#, true), (#"{"a":2}"#, false)] {
      try await withTemporaryFolder { folder in
        let media = try OutgoingMedia.avatar(Array(content.utf8), in: folder)
        try await BucketSample.run(script) { destination, _ in
          let file = MediaReference(
            record: RecordID(entity: "Hero", key: media.digest.description),
            serverID: "k",
            comparing: .all,
            source: media.source
          )
          let state = try await destination.media(file)
          #expect(state.isPresent == isSame)
        }
      }
    }
  }

  // MARK: - Rolling back

  private func remove(
    _ held: Held,
    serverID: String? = "k",
    check: (BatchAnswer, ScriptedServer) -> Void
  ) async throws {
    try await BucketSample.run(held.reply) { destination, server in
      // 2026-01-02T00:00:00Z
      let item = OutgoingBatch.Item.number(1, serverID: serverID, since: 1_767_312_000)
      check(await destination.send(.heroes(.removeMedia, [item])), server)
    }
  }

  @Test func `uploads begun long before the run belong to another client, and stay`() async throws {
    let held = Held(
      content: Self.sevens,
      operation: "key-1",
      begun: ["old": "2026-01-01T12:00:00.000Z", "own": "2026-01-02T00:00:03.000Z"]
    )
    try await remove(held) { answer, server in
      #expect(answer.word(1) == "removed")
      let removed = server.lines.filter { $0.hasPrefix("DELETE") }
      #expect(removed == ["DELETE /files/k?uploadId=own", "DELETE /files/k"])
    }
  }

  @Test func `a multipart upload begun shortly before the run stays, and is reported`()
    async throws
  {
    let begun = ["near": "2026-01-01T23:55:00.000Z", "own": "2026-01-02T00:00:03.000Z"]
    // This machine's clock says 08:00:00.
    let clocks: [(date: String?, aborted: [String])] = [
      (nil, ["own"]), ("Fri, 15 Jan 2027 08:00:00 GMT", ["own"]),
      ("Fri, 15 Jan 2027 07:50:00 GMT", ["near", "own"]),
    ]
    for (date, aborted) in clocks {
      let held = Held(content: [], begun: begun, date: date, isMissing: true)
      try await remove(held) { answer, server in
        #expect(answer.word(1) == (aborted.count == 2 ? "missing" : "conflicted"))
        let lines = server.lines.filter { $0.hasPrefix("DELETE") }
        #expect(lines == aborted.map { "DELETE /files/k?uploadId=\($0)" })
      }
    }
  }

  @Test func `a multipart upload without a start time stays`() async throws {
    let held = Held(content: [], begun: ["unknown": ""], isMissing: true)
    try await remove(held) { answer, server in
      #expect(answer.word(1) == "conflicted")
      #expect(!server.lines.contains { $0.hasPrefix("DELETE") })
    }
  }

  @Test func `another client's file stays, and an unconfirmed file does not count as the run's`()
    async throws
  {
    try await remove(Held(content: Self.sevens)) { answer, server in
      #expect(answer.word(1) == "conflicted")
      #expect(!server.lines.contains { $0.hasPrefix("DELETE") })
    }
    try await remove(Held(content: Self.sevens), serverID: nil) { answer, server in
      #expect(answer.word(1) == "missing")
      #expect(!server.lines.contains { $0.hasPrefix("DELETE") })
    }
  }

  @Test
  func
    `without an account in the key and without a list of parts, a missing file does not count as gone`()
    async throws
  {
    let lists: [(reply: ScriptedServer.Reply, word: String)] = [
      (.xml("<ListMultipartUploadsResult></ListMultipartUploadsResult>"), "missing"),
      (.xml("<Error><Code>AccessDenied</Code></Error>", status: 403), "rejected"),
    ]
    for list in lists {
      let script: ScriptedServer.Script = { request in
        request.method == "GET" ? list.reply : .text("", status: 404)
      }
      try await BucketSample.run(settings: #"key: "{category}/{sha256}""#, script) {
        destination,
        server in
        let item = OutgoingBatch.Item.number(1, serverID: "k")
        let answer = await destination.send(.heroes(.removeMedia, [item]))
        #expect(answer.word(1) == list.word, "\(answer)")
        #expect(!server.lines.contains { $0.hasPrefix("DELETE") })
      }
    }
  }

  @Test func `a file whose upload another client began does not belong to this run`() async throws {
    for (operation, word) in [("another", "adopted"), ("key-1", "stored")] {
      let hasEnded = Mutex(false)
      let content = [UInt8](repeating: 7, count: 6 << 20)
      let held = Held(content: content, operation: operation, begun: ["u": "2026-01-01T00:00:00Z"])
      let script: ScriptedServer.Script = { request in
        if request.method == "POST" {
          hasEnded.withLock { $0 = true }
          return .xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
        }
        if request.method == "HEAD", !hasEnded.withLock({ $0 }) { return .text("", status: 404) }
        if request.method == "GET", request.target.contains("uploadId=") {
          return .xml("<ListPartsResult></ListPartsResult>")
        }
        if request.method == "PUT" { return .xml("", headers: [("ETag", "\"e\"")]) }
        return held.reply(request)
      }
      try await withTemporaryFolder { folder in
        let media = try OutgoingMedia.avatar(content, in: folder)
        try await BucketSample.run(script) { destination, _ in
          let item = OutgoingBatch.Item.number(1, media: media)
          let answer = await destination.send(.heroes(.uploadMedia, [item]))
          #expect(answer.word(1) == word, "\(answer)")
        }
      }
    }
  }
}

extension MediaState {
  fileprivate var isPresent: Bool { if case .present = self { true } else { false } }
}
