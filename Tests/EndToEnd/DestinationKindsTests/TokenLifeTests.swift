import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import REST
import Synchronization
import Testing

/// A token whose end the server gives is renewed before it.
struct TokenLifeTests {
  private static let signIn = "POST /sign-in"

  private static func api(_ expires: String = "session.expiresAt") throws -> Api {
    try Sample.api(
      """
      entities:
        Note: { fields: { text: text } }
      api:
        kind: rest
        credentials: [email]
        sign-in:
          request: POST /sign-in
          body: { email: "{email}" }
          token: { member: token }
          expires: \(expires)
          renew: 5m
        account: { request: GET /me, member: id }
        entities:
          Note:
            replay: id
            create: { request: "PUT /notes/{id}" }
            body: { text: text }
      """
    )
  }

  /// Asks for the account at these seconds after the first sign-in, which the server answers at `date`
  /// by its own clock; gives how often it signed in.
  private func signIns(
    _ ending: JSONValue,
    token: String = "t",
    expires: String = "session.expiresAt",
    at date: String? = nil,
    askingAt moments: [Double]
  ) async throws -> Int {
    let clock = Mutex(1_800_000_000.0)
    let headers = date.map { [("Date", $0)] } ?? []
    let script: ScriptedServer.Script = { request in
      request.line == Self.signIn
        ? .json(["token": .string(token), "session": ["expiresAt": ending]], headers: headers)
        : .json(["id": "u1"])
    }
    let count = Mutex(0)
    try await ScriptedServer.run(script) { server in
      let transport = HTTPTransport()
      let destination = try RESTDestination(
        api: try Self.api(expires),
        address: server.address,
        credentials: GivenCredentials(["email": Secret("demo@example.com")]),
        transport: transport,
        now: { clock.withLock { $0 } }
      )
      for moment in moments {
        clock.withLock { $0 = 1_800_000_000 + moment }
        _ = try await destination.account()
      }
      await transport.shutdown()
      count.withLock { $0 = server.lines.filter { $0 == Self.signIn }.count }
    }
    return count.withLock { $0 }
  }

  // 001-15.
  @Test(
    arguments: [
      3600, "3600", 1_800_003_600, 1_800_003_600_000, "2027-01-15T09:00:00Z",
    ] as [JSONValue]
  )
  func `a token is renewed five minutes before its end, however that is stated`(
    ending: JSONValue
  ) async throws {
    #expect(try await signIns(ending, askingAt: [0, 1800, 3299]) == 1)
    #expect(try await signIns(ending, askingAt: [0, 3301]) == 2)
  }

  @Test func `a short-lived token is not renewed before half its life`() async throws {
    #expect(try await signIns(60, askingAt: [0, 10, 29]) == 1)
    #expect(try await signIns(60, askingAt: [0, 31]) == 2)
  }

  @Test(arguments: ["2027-01-15T07:55:00Z", 1_799_999_700, 900] as [JSONValue])
  func `a token's lifetime is counted by its issuer's clock`(
    ending: JSONValue
  ) async throws {
    let date = "Fri, 15 Jan 2027 07:40:00 GMT"
    #expect(try await signIns(ending, at: date, askingAt: [0, 300, 599]) == 1)
    #expect(try await signIns(ending, at: date, askingAt: [0, 601]) == 2)
  }

  /// `{"alg":"none"}` and `{"exp":1800003600,"id":"ü?>~ÿ"}`, without a signature.
  private static let webToken = "eyJhbGciOiJub25lIn0.eyJleHAiOjE4MDAwMDM2MDAsImlkIjoiw7w_Pn7DvyJ9."

  @Test func `a web token is renewed before the end that it names itself`() async throws {
    for (moments, count) in [([0, 1800, 3299], 1), ([0, 3301], 2)] as [([Double], Int)] {
      let signIns = try await signIns(
        .null,
        token: Self.webToken,
        expires: "{ claim: exp }",
        askingAt: moments
      )
      #expect(signIns == count)
    }
  }

  @Test(arguments: ["t", "a.b.c", "eyJhbGciOiJub25lIn0.W10.", "eyJhbGciOiJub25lIn0.e30."])
  func `a token without the claim has no known end`(token: String) async throws {
    let signIns = try await signIns(
      .null,
      token: token,
      expires: "{ claim: exp }",
      askingAt: [0, 1_000_000]
    )
    #expect(signIns == 1)
  }

  @Test func `a token expiry in the past is ignored`() async throws {
    #expect(try await signIns("2027-01-15T07:55:00Z", askingAt: [0, 60, 1_000_000]) == 1)
  }

  @Test(arguments: [JSONValue.null, "soon", true, -5])
  func `an unreadable token expiry counts as none`(ending: JSONValue) async throws {
    #expect(try await signIns(ending, askingAt: [0, 1_000_000]) == 1)
  }
}
