import Crypto
import DestinationModel
import Foundation
import JSONText
import Records
import REST
import Synchronization
import Testing
import UploadPlanning

/// A bucket that answers as S3 and R2 say that they do, and that no service here does.
struct BucketAnswerTests {
  /// Sends a file of so many bytes to a bucket.
  private func send(
    size: Int = 3,
    settings: String = "",
    _ script: @escaping ScriptedServer.Script,
    check: (BatchAnswer, OutgoingMedia, ScriptedServer) -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(Array(repeating: 7, count: size), in: folder)
      try await BucketSample.run(settings: settings, script) { destination, server in
        let item = OutgoingBatch.Item.number(1, media: media)
        let answer = await destination.send(.heroes(.uploadMedia, [item]))
        check(answer, media, server)
      }
    }
  }

  private static let stored = ScriptedServer.Reply.xml("", headers: [("ETag", "\"e\"")])

  @Test func `a file's address is valid for any characters in its key`() async throws {
    try await send({ _ in Self.stored }) { answer, media, server in
      let key = "Hero/ada%2B1%40example.com/\(media.digest)"
      let path = "/files/Hero/ada%252B1%2540example.com/\(media.digest)"
      #expect(server.lines.last == "PUT \(path)")
      #expect(
        answer.outcomes == [1: .stored(serverID: key, version: "\(server.address)\(path)")]
      )
    }
  }

  @Test(arguments: [
    ("https://cdn.example.com/{key}", "https://cdn.example.com/", true),
    ("/media/{key}", "/media/", true), ("{key}", "", false),
    ("s3://files/{key}", "s3://files/", false),
  ])
  func `a web address is escaped, and an object key is written verbatim`(
    template: String,
    start: String,
    isEscaped: Bool
  ) async throws {
    try await send(settings: "address: \"\(template)\"", { _ in Self.stored }) { answer, media, _ in
      let account = isEscaped ? "ada%252B1%2540example.com" : "ada%2B1%40example.com"
      let key = "Hero/ada%2B1%40example.com/\(media.digest)"
      let address = "\(start)Hero/\(account)/\(media.digest)"
      #expect(answer.outcomes == [1: .stored(serverID: key, version: address)])
    }
  }

  @Test(arguments: [
    (
      "<Error><Code>AuthorizationHeaderMalformed</Code><Message>the region 'us-east-1' is wrong; "
        + "expecting 'eu-central-1'</Message><Region>eu-central-1</Region></Error>",
      "eu-central-1"
    ),
    (
      "<Error><Code>InvalidRegionName</Code><Message>The region name 'us-east-1' is not valid. "
        + "Must be one of: wnam, enam, auto</Message></Error>",
      "Must be one of: wnam, enam, auto"
    ),
    (
      "<Error><Code>IllegalLocationConstraintException</Code><Message>incompatible</Message>"
        + "</Error>",
      "incompatible"
    ),
  ])
  func `a wrong region is reported as a fault of the profile, not of a file`(
    body: String,
    words: String
  ) async throws {
    try await send({ _ in .xml(body, status: 400) }) { answer, _, _ in
      #expect(answer.word(1) == "refused")
      #expect(answer.reason(1).contains(words))
      #expect(answer.reason(1).contains("api.media.bucket"))
    }
    // HEAD says nothing but the status.
    let script: ScriptedServer.Script = { request in
      request.method == "HEAD" ? .text("", status: 400) : .xml(body, status: 400)
    }
    try await send(settings: "create-only: false", script) { answer, _, _ in
      #expect(answer.word(1) == "refused")
      #expect(answer.reason(1).contains(words))
    }
  }

  /// A bucket in which an upload in parts meets a conflict at its end, as often as `conflicts` says.
  private static func parts(_ conflicts: Int) -> ScriptedServer.Script {
    let left = Mutex(conflicts)
    return { request in
      switch request.method {
      case "HEAD": return .text("", status: 404)
      case "GET": return .xml("<ListMultipartUploadsResult></ListMultipartUploadsResult>")
      case "PUT": return stored
      case "DELETE": return .text("", status: 204)
      case _ where request.target.contains("uploads="):
        let text = "<InitiateMultipartUploadResult><UploadId>u1</UploadId>"
        return .xml(text + "</InitiateMultipartUploadResult>")
      default:
        let meetsConflict = left.withLock { left in
          left -= 1
          return left >= 0
        }
        return meetsConflict
          ? .xml("<Error><Code>ConditionalRequestConflict</Code></Error>", status: 409)
          : .xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
      }
    }
  }

  @Test func `after a conflict at the end of an upload in parts, the parts are given up`()
    async throws
  {
    try await send(size: 6 << 20, Self.parts(1)) { answer, media, server in
      #expect(answer.word(1) == "deferred")
      let path = "/files/Hero/ada%252B1%2540example.com/\(media.digest)"
      #expect(server.lines.suffix(2) == ["POST \(path)?uploadId=u1", "DELETE \(path)?uploadId=u1"])
    }
    try await send(size: 6 << 20, Self.parts(0)) { answer, _, server in
      #expect(answer.word(1) == "stored")
      #expect(!server.requests.contains { $0.method == "DELETE" })
    }
  }

  /// A bucket that answers the end of an upload in parts like this, and has the file then, or not.
  private static func ending(
    _ answer: ScriptedServer.Reply,
    having size: Int? = nil
  ) -> ScriptedServer.Script {
    let usual = parts(0)
    let hasEnded = Mutex(false)
    return { request in
      if request.method == "POST", request.target.contains("uploadId=") {
        hasEnded.withLock { $0 = true }
        return answer
      }
      guard request.method == "HEAD", let size, hasEnded.withLock({ $0 }) else {
        return usual(request)
      }
      let fields = "Content-Length: \(size)\r\nx-amz-meta-ferry-operation: key-1"
      return ScriptedServer.Reply(bytes: "HTTP/1.1 200 Status\r\n\(fields)\r\n\r\n")
    }
  }

  /// Amazon's service may answer 200 before it is done, and say in the body that it came to nothing.
  private static let noEndings: [ScriptedServer.Reply] = [
    .xml("<Error><Code>InternalError</Code></Error>"), .xml("<Error><Code>SlowDown</Code></Error>"),
    .text("<html>Welcome</html>"),
  ]

  @Test(arguments: noEndings)
  func `an error in the body of a successful multipart completion leaves the file to be sent again`(
    reply: ScriptedServer.Reply
  ) async throws {
    try await send(size: 6 << 20, Self.ending(reply)) { answer, _, _ in
      #expect(answer.word(1) == "deferred")
    }
  }

  // So it is when an earlier answer to the end was lost.
  @Test func `if the parts are unknown at the end of an upload, the file is looked up`()
    async throws
  {
    let gone = ScriptedServer.Reply.xml("<Error><Code>NoSuchUpload</Code></Error>", status: 404)
    try await send(size: 6 << 20, Self.ending(gone, having: 6 << 20)) { answer, _, _ in
      #expect(answer.word(1) == "stored")
    }
    try await send(size: 6 << 20, Self.ending(gone)) { answer, _, _ in
      #expect(answer.word(1) == "deferred")
    }
    try await send(size: 6 << 20, Self.ending(gone, having: 7)) { answer, _, _ in
      #expect(answer.word(1) == "rejected")
    }
  }

  /// A bucket in which the first parts of an upload have so many bytes each, all of them sevens, and that
  /// gives one at a time.
  private static func begun(_ count: Int, of size: Int) -> ScriptedServer.Script {
    let usual = parts(0)
    let digest = Insecure.MD5.hash(data: Data(repeating: 7, count: size))
    let tag = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return { request in
      guard request.method == "GET" else { return usual(request) }
      guard request.target.contains("uploads=") else {
        let number = (Int(value("part-number-marker", in: request) ?? "") ?? 0) + 1
        let part =
          "<PartNumber>\(number)</PartNumber><ETag>\(tag)</ETag><Size>\(size)</Size>"
        let next =
          "<IsTruncated>\(number < count)</IsTruncated>"
          + "<NextPartNumberMarker>\(number)</NextPartNumberMarker>"
        return .xml("<ListPartsResult>\(next)<Part>\(part)</Part></ListPartsResult>")
      }
      let upload = "<Key>\(value("prefix", in: request) ?? "")</Key><UploadId>u0</UploadId>"
      let root = "ListMultipartUploadsResult"
      return .xml("<\(root)><Upload>\(upload)</Upload></\(root)>")
    }
  }

  /// What a request's query says of a name.
  private static func value(_ name: String, in request: ScriptedServer.Request) -> String? {
    URLComponents(string: request.target)?.queryItems?.first { $0.name == name }?.value
  }

  /// The bytes of each part that a bucket was sent.
  private static func sizes(_ server: ScriptedServer) -> [Int] {
    server.requests.filter { $0.method == "PUT" }.map { $0.body.count }
  }

  // R2 wants that, and no service here checks it.
  @Test func `all parts of a multipart upload but the last have one size`() async throws {
    try await send(size: 11 << 20, Self.parts(0)) { answer, _, server in
      #expect(answer.word(1) == "stored")
      #expect(Self.sizes(server) == [5 << 20, 5 << 20, 1 << 20])
    }
  }

  @Test(arguments: [(1, [6, 1]), (2, [1])])
  func `an upload begun in parts of another size goes on in parts of that size`(
    count: Int,
    rest: [Int]
  ) async throws {
    try await send(size: 13 << 20, Self.begun(count, of: 6 << 20)) { answer, _, server in
      #expect(answer.word(1) == "stored")
      #expect(Self.sizes(server) == rest.map { $0 << 20 })
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a cycle in the list of parts ends the listing`() async throws {
    let usual = Self.begun(0, of: 0)
    let script: ScriptedServer.Script = { request in
      guard request.method == "GET", !request.target.contains("uploads=") else {
        return usual(request)
      }
      let next = (Int(Self.value("part-number-marker", in: request) ?? "") ?? 0) % 3 + 1
      let marker = "<NextPartNumberMarker>\(next)</NextPartNumberMarker>"
      return .xml("<ListPartsResult><IsTruncated>true</IsTruncated>\(marker)</ListPartsResult>")
    }
    try await send(size: 6 << 20, script) { answer, _, server in
      #expect(answer.word(1) == "stored")
      #expect(server.requests.count < 20)
    }
  }

  @Test func `the media type of every request is signed`() async throws {
    try await send(size: 6 << 20, Self.parts(0)) { _, _, server in
      let typed = server.requests.filter { $0.header("Content-Type") != nil }
      #expect(!typed.isEmpty)
      for request in typed {
        let signed = request.header("Authorization")?.contains("SignedHeaders=content-") ?? false
        let names = request.header("Authorization")?.contains("content-type;host;") ?? false
        #expect(signed && names, "\(request.line)")
      }
    }
  }

  /// A bucket that lists one file, and one that was begun, at a time.
  private static let listing: ScriptedServer.Script = { request in
    if request.target.contains("list-type=") {
      let isFirst = value("continuation-token", in: request) == nil
      let next = isFirst ? "<NextContinuationToken>a/+=</NextContinuationToken>" : ""
      let item = "<Key>\(key(isFirst ? "a" : "b"))</Key><Size>3</Size>"
      return .xml("<ListBucketResult>\(next)<Contents>\(item)</Contents></ListBucketResult>")
    }
    let isFirst = value("upload-id-marker", in: request) == nil
    let next =
      "<IsTruncated>\(isFirst)</IsTruncated><NextKeyMarker>\(key("c"))</NextKeyMarker>"
      + "<NextUploadIdMarker>u/+=</NextUploadIdMarker>"
    let item = "<Key>\(key(isFirst ? "c" : "d"))</Key>"
    let root = "ListMultipartUploadsResult"
    return .xml("<\(root)>\(next)<Upload>\(item)</Upload></\(root)>")
  }

  /// The key of the account's file whose digest is made of one digit.
  private static func key(_ digit: String) -> String {
    "Hero/ada%2B1%40example.com/" + String(repeating: digit, count: 64)
  }

  @Test func `files and unfinished uploads are listed to the last page`() async throws {
    try await BucketSample.run(Self.listing) { destination, server in
      var files: [String] = []
      var unfinished: [String] = []
      var mark: String?
      repeat {
        let page = try #require(try await destination.mediaPage(of: "media:Hero", after: mark))
        files += page.files.map(\.serverID)
        unfinished += page.unfinished
        mark = page.next
      } while mark != nil
      #expect(files == [Self.key("a"), Self.key("b")])
      #expect(unfinished == [Self.key("c"), Self.key("d")])
      #expect(server.requests.contains { Self.value("continuation-token", in: $0) == "a/+=" })
      #expect(server.requests.contains { Self.value("upload-id-marker", in: $0) == "u/+=" })
    }
  }
}
