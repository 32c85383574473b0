import DestinationModel
import JSONText
import Profiles
import REST
import Testing

/// Tokens and keys of unusual length and content.
struct LongTokenTests {
  /// Issuers put whole lists of rights into a token; proxies take up to 8 KiB of a header.
  private static let long = String(repeating: "eyJhbGciOiJFUzI1NiJ9", count: 410).prefix(8 << 10)

  private static func api(_ letsIn: String) throws -> Api {
    try Sample.api(
      """
      entities:
        Note: { fields: { text: text } }
      api:
        kind: rest
        credentials: [token]
        \(letsIn)
        account: { request: GET /me, member: id }
        entities:
          Note:
            replay: id
            create: { request: "PUT /notes/{id}" }
            body: { text: text }
      """
    )
  }

  private static let bearer = #"headers: { Authorization: "Bearer {token}" }"#
  private static let key = #"headers: { X-API-Key: "{token}" }"#
  private static let signIn =
    "sign-in: { request: POST /sign-in, body: { secret: \"{token}\" }, token: { member: token } }"

  private func ask(
    _ letsIn: String,
    secret: String,
    _ script: @escaping ScriptedServer.Script,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try Self.api(letsIn)
    try await ScriptedServer.run(script) { server in
      try await withDestination(
        at: server.address,
        api: api,
        credentials: GivenCredentials(["token": Secret(secret)])
      ) { destination in try await body(destination, server) }
    }
  }

  @Test(arguments: [
    (LongTokenTests.bearer, "Authorization", "Bearer "), (LongTokenTests.key, "X-API-Key", ""),
  ])
  func `a token of 8 KiB is sent whole`(
    letsIn: String,
    header: String,
    scheme: String
  ) async throws {
    let token = String(Self.long)
    try await ask(letsIn, secret: token, { _ in .json(["id": "u1"]) }) { destination, server in
      let account = try await destination.account()
      #expect(account == "u1")
      #expect(server.requests.first?.header(header) == scheme + token)
    }
  }

  @Test func `a sign-in token of 8 KiB is sent whole, and so is the next one`()
    async throws
  {
    let token = String(Self.long)
    let script: ScriptedServer.Script = { request in
      if request.line == "POST /sign-in" {
        return .json(["token": .string(token + (request.json["secret"]?.text ?? ""))])
      }
      return .json(["error": "Unauthorized"], status: 401)
    }
    try await ask(Self.signIn, secret: "s", script) { destination, server in
      await #expect(throws: DestinationError.self) { try await destination.account() }
      #expect(server.lines == ["POST /sign-in", "GET /me", "POST /sign-in", "GET /me"])
      for request in server.requests where request.method == "GET" {
        #expect(request.header("Authorization") == "Bearer \(token)s")
      }
    }
  }

  @Test(
    arguments: ["a\r\nX-Admin: yes", "a\nb", "a\rb", "a\u{0}b"],
    [LongTokenTests.bearer, LongTokenTests.key]
  )
  func `a token with a line break is refused before any request, with a cure`(
    secret: String,
    letsIn: String
  ) async throws {
    try await ask(letsIn, secret: secret, { _ in .json(["id": "u1"]) }) { destination, server in
      let error = await #expect(throws: DestinationError.self) { try await destination.account() }
      let words = error?.description ?? ""
      #expect(words.contains("holds a line break"))
      #expect(words.contains("in one line"))
      #expect(!words.contains("X-Admin"))
      #expect(error?.isPassing == false)
      #expect(server.requests.isEmpty)
    }
  }

  @Test(arguments: ["a\nX-Admin: yes", "a b", "ä"])
  func `a sign-in token that no header can hold is refused`(token: String) async throws {
    let script: ScriptedServer.Script = { _ in .json(["token": .string(token)]) }
    try await ask(Self.signIn, secret: "s", script) { destination, server in
      let error = await #expect(throws: DestinationError.self) { try await destination.account() }
      #expect(error?.description.contains("no usable token") == true)
      #expect(server.lines == ["POST /sign-in"])
    }
  }
}
