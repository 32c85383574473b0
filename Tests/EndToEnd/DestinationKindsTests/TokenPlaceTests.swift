import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import TextCodecs

/// Where a token goes, what it says itself, and requests that keys sign.
struct TokenPlaceTests {
  private static func api(_ settings: String) throws -> Api {
    try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, text: text } } }
      api:
        credentials: [key, secret]
      \(settings.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
        entities:
          Note:
            replay: id
            read: { request: "GET /notes/{id}?of={account}" }
            create: { request: "PUT /notes/{id}" }
            body: { id: id, text: text }
      """
    )
  }

  private static let note: JSONValue = ["id": "n1", "text": "t"]

  /// The requests of reading one record.
  private func requests(
    _ settings: String,
    token: String = "token-1"
  ) async throws -> [ScriptedServer.Request] {
    var requests: [ScriptedServer.Request] = []
    let script: ScriptedServer.Script = { request in
      .json(request.method == "POST" ? ["token": .string(token), "id": "ann"] : Self.note)
    }
    try await ScriptedServer.run(script) { server in
      try await withDestination(
        at: server.address,
        api: try Self.api(settings),
        credentials: GivenCredentials(["key": Secret("key 1&"), "secret": Secret("s3cret")])
      ) { destination in
        _ = try await destination.record(of: "Note", serverID: "n1")
        requests = server.requests
      }
    }
    return requests
  }

  @Test func `a token goes in the query`() async throws {
    let requests = try await requests(
      """
      sign-in:
        request: POST /sign-in
        token: { member: token }
        account: id
        query: { auth: "{token}" }
      """
    )
    #expect(requests.last?.line == "GET /notes/n1?of=ann&auth=token-1")
    #expect(requests.last?.header("Authorization") == nil)
  }

  @Test func `a credential goes in the query of every request, and is escaped`() async throws {
    let requests = try await requests(
      """
      query: { apikey: "{key}" }
      sign-in: { request: POST /sign-in, token: { member: token }, account: id }
      """
    )
    #expect(
      requests.map(\.line) == [
        "POST /sign-in?apikey=key%201%26", "GET /notes/n1?of=ann&apikey=key%201%26",
      ]
    )
  }

  @Test func `the account is a claim of the token`() async throws {
    let claims = Base64.text(Array(#"{"sub":"user-7","exp":4000000000}"#.utf8)).filter { $0 != "=" }
    let requests = try await requests(
      """
      sign-in:
        request: POST /sign-in
        token: { member: token }
        account: { claim: sub }
      """,
      token: "e30.\(claims).c2ln"
    )
    #expect(requests.last?.target == "/notes/n1?of=user-7")
  }

  @Test func `a token without the claim that has the account is refused`() async throws {
    await #expect(throws: DestinationError.self) {
      try await requests(
        "sign-in: { request: POST /sign-in, token: { member: token }, account: { claim: sub } }"
      )
    }
  }

  @Test func `each request is signed with its body and its target`() async throws {
    let requests = try await requests(
      """
      account: { constant: ann }
      signature: { service: notes, region: eu-central-1, access-key: key, secret-key: secret }
      """
    )
    let request = try #require(requests.first)
    let value = try #require(request.header("Authorization"))
    #expect(value.hasPrefix("AWS4-HMAC-SHA256 Credential=key 1&/"))
    #expect(value.contains("/eu-central-1/notes/aws4_request,SignedHeaders=host;x-amz-date,"))
    #expect(request.header("X-Amz-Date")?.hasSuffix("Z") == true)
    #expect(request.line == "GET /notes/n1?of=ann")
  }
}
