import Backends
import JSONText
import Profiles
import Synchronization
import Testing
import UploadPlanning

/// A bucket that answers as S3 and R2 say that they do, and that no service here does.
struct BucketAnswerTests {
  private static let account = "ada+1@example.com"
  private static let credentials = GivenCredentials([
    "access": Secret("an-access-key"), "secret": Secret("a-secret-key"),
  ])

  private static func api(at endpoint: String, _ settings: String = "") throws -> Api {
    let profile = try Profile(
      yaml: """
        ferry-profile: 1
        app: sample
        entities:
          Hero: { fields: { name: name } }
        api:
          kind: rest
          credentials: [access, secret]
          account: { request: GET /me, member: email }
          media:
            enabled: true
            bucket:
              endpoint: \(endpoint)
              name: files
              region: us-east-1
              access-key: access
              secret-key: secret
              part-mebibytes: 5
              \(settings)
          entities:
            Hero:
              replay: key
              create: { request: POST /heroes, key-header: Idempotency-Key }
              body: { name: name }
        """,
      path: "sample.yaml"
    )
    return try #require(profile.api)
  }

  private static func xml(
    _ text: String,
    status: Int = 200,
    headers: [(String, String)] = []
  ) -> ScriptedServer.Reply {
    .text(text, status: status, type: "application/xml", headers: headers)
  }

  /// Sends a file of so many bytes to a bucket.
  private func send(
    size: Int = 3,
    settings: String = "",
    _ script: @escaping ScriptedServer.Script,
    check: (BatchAnswer, OutgoingMedia, ScriptedServer) -> Void
  ) async throws {
    let whole: ScriptedServer.Script = { request in
      request.line == "GET /me" ? .json(["email": .string(Self.account)]) : script(request)
    }
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(Array(repeating: 7, count: size), in: folder)
      try await ScriptedServer.run(whole) { server in
        try await withDestination(
          at: server.address,
          api: try Self.api(at: server.address, settings),
          credentials: Self.credentials
        ) { destination in
          let item = OutgoingBatch.Item.number(1, media: media)
          let answer = await destination.send(.heroes(.uploadMedia, [item]))
          check(answer, media, server)
        }
      }
    }
  }

  private static let stored = xml("", headers: [("ETag", "\"e\"")])

  @Test func `the address of a file leads to it, whatever its key has in it`() async throws {
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
  func `an address of the web is written as one, and a key as it is`(
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
  func `a wrong region is the profile's, and no fault of a file`(
    body: String,
    words: String
  ) async throws {
    try await send({ _ in Self.xml(body, status: 400) }) { answer, _, _ in
      #expect(answer.word(1) == "refused")
      #expect(answer.reason(1).contains(words))
      #expect(answer.reason(1).contains("api.media.bucket"))
    }
    // HEAD tells nothing but the status.
    let script: ScriptedServer.Script = { request in
      request.method == "HEAD" ? .text("", status: 400) : Self.xml(body, status: 400)
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
      case "GET": return xml("<ListMultipartUploadsResult></ListMultipartUploadsResult>")
      case "PUT": return stored
      case "DELETE": return .text("", status: 204)
      case _ where request.target.contains("uploads="):
        let text = "<InitiateMultipartUploadResult><UploadId>u1</UploadId>"
        return xml(text + "</InitiateMultipartUploadResult>")
      default:
        let meetsConflict = left.withLock { left in
          left -= 1
          return left >= 0
        }
        return meetsConflict
          ? xml("<Error><Code>ConditionalRequestConflict</Code></Error>", status: 409)
          : xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
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

  @Test func `the type of whatever is sent is signed`() async throws {
    try await send(size: 6 << 20, Self.parts(0)) { _, _, server in
      for request in server.requests where request.header("Content-Type") != nil {
        let signed = request.header("Authorization")?.contains("SignedHeaders=content-") ?? false
        let names = request.header("Authorization")?.contains("content-type;host;") ?? false
        #expect(signed && names, "\(request.line)")
      }
    }
  }
}
