import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Synchronization
import Testing
import UploadPlanning

/// A sign-in that is renewed amid a run, with whatever credentials there are by then.
struct RenewedAccountTests {
  private typealias Reply = ScriptedServer.Reply

  private static let signIn = "POST /sign-in"
  private static let me = "GET /me"
  private static let note = "PUT /notes/local-1"

  private static let route = "account: { request: GET /me, member: id }"

  private static func api(_ account: String) throws -> Api {
    try Sample.api(
      """
      entities:
        Note: { fields: { text: text } }
      api:
        kind: rest
        credentials: [user]
        sign-in:
          request: POST /sign-in
          body: { user: "{user}" }
          token: { member: token }
        \(account)
        entities:
          Note:
            replay: id
            read: { request: "GET /notes/{id}" }
            create: { request: "PUT /notes/{id}" }
            body: { text: text }
      """
    )
  }

  /// A server whose first token ends as soon as something is sent with it; it has an account for every
  /// user, and answers as stated when it is asked for one under a later token.
  private static func script(
    later: @escaping @Sendable (String) -> Reply = { .json(["id": .string($0)]) }
  ) -> ScriptedServer.Script {
    let count = Mutex(0)
    return { request in
      if request.line == Self.signIn {
        let number = count.next()
        let user = request.json["user"]?.text ?? ""
        return .json(["token": .string("\(number)-\(user)")])
      }
      let token = request.header("Authorization")?.split(separator: " ").last ?? ""
      let isFirst = token.hasPrefix("1-")
      let user = String(token.dropFirst(2))
      if request.line == Self.me { return isFirst ? .json(["id": .string(user)]) : later(user) }
      return isFirst
        ? .json(["error": "Unauthorized"], status: 401)
        : .json(["id": "local-1", "text": "t"], status: 201)
    }
  }

  private func run(
    as users: [String],
    _ script: @escaping ScriptedServer.Script,
    account: String = route,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.run(script) { server in
      try await withDestination(
        at: server.address,
        api: Self.api(account),
        credentials: ChangingUser(users)
      ) { destination in try await body(destination, server) }
    }
  }

  private static let create = OutgoingBatch.notes(.create, [.number(1, body: ["text": "t"])])

  @Test func `credentials of another account end the run, and no request uses them`()
    async throws
  {
    try await run(as: ["ann", "bob"], Self.script()) { destination, server in
      let first = try await destination.account()
      let answer = await destination.send(Self.create)
      #expect(first == "ann")
      #expect(answer.word(1) == "refused")
      #expect(answer.reason(1).contains("ann") && answer.reason(1).contains("bob"))
      #expect(server.lines == [Self.signIn, Self.me, Self.note, Self.signIn, Self.me])
      let fault = await destination.accountFault()
      #expect(fault == .otherAccount(first: "ann", now: "bob"))
    }
  }

  @Test func `reading with another account's credentials is refused too`() async throws {
    try await run(as: ["ann", "bob"], Self.script()) { destination, _ in
      _ = try await destination.account()
      await #expect(throws: DestinationError.otherAccount(first: "ann", now: "bob")) {
        try await destination.record(of: "Note", serverID: "local-1")
      }
    }
  }

  @Test func `new credentials of the same account continue the run after one account request`()
    async throws
  {
    try await run(as: ["ann", "ann"], Self.script()) { destination, server in
      _ = try await destination.account()
      #expect(await destination.send(Self.create).word(1) == "stored")
      #expect(
        server.lines == [Self.signIn, Self.me, Self.note, Self.signIn, Self.me, Self.note]
      )
      let fault = await destination.accountFault()
      #expect(fault == nil)
    }
  }

  @Test func `the run continues once the right credentials are back`() async throws {
    try await run(as: ["ann", "bob", "ann"], Self.script()) { destination, _ in
      _ = try await destination.account()
      #expect(await destination.send(Self.create).word(1) == "refused")
      #expect(await destination.send(Self.create).word(1) == "stored")
      let fault = await destination.accountFault()
      #expect(fault == nil)
    }
  }

  @Test func `while the account route fails, requests that need the account are not sent`()
    async throws
  {
    let busy = Self.script { _ in
      .json(["error": "later"], status: 503, headers: [("Retry-After", "4")])
    }
    try await run(as: ["ann", "ann"], busy) { destination, server in
      _ = try await destination.account()
      let answer = await destination.send(Self.create)
      #expect(answer.word(1) == "deferred")
      #expect(answer.pause == .seconds(4))
      #expect(server.lines == [Self.signIn, Self.me, Self.note, Self.signIn, Self.me])
    }
  }

  @Test func `an answer that names no account does not count as the same account`() async throws {
    try await run(as: ["ann", "ann"], Self.script { _ in .json(.null) }) { destination, server in
      _ = try await destination.account()
      #expect(await destination.send(Self.create).word(1) == "refused")
      #expect(server.lines.last == Self.me)
    }
  }

  @Test func `the account is not asked for if no caller needs it`() async throws {
    try await run(as: ["ann", "bob"], Self.script()) { destination, server in
      #expect(await destination.send(Self.create).word(1) == "stored")
      #expect(!server.lines.contains(Self.me))
    }
  }

  @Test func `if the destination cannot compare accounts, other credentials end the run`()
    async throws
  {
    try await run(as: ["ann", "bob"], Self.script(), account: "") { destination, server in
      #expect(await destination.send(Self.create).word(1) == "refused")
      #expect(server.lines == [Self.signIn, Self.note, Self.signIn])
      guard case .otherAccount = await destination.accountFault() else {
        Issue.record("the account is taken for the same")
        return
      }
    }
  }

  @Test func `without an account route, unchanged credentials continue the run`() async throws {
    try await run(as: ["ann", "ann"], Self.script(), account: "") { destination, server in
      #expect(await destination.send(Self.create).word(1) == "stored")
      #expect(server.lines == [Self.signIn, Self.note, Self.signIn, Self.note])
    }
  }

  @Test func `without an account route, the account is that of the first credentials`()
    async throws
  {
    try await run(as: ["ann", "bob"], Self.script(), account: "") { destination, server in
      let account = try await destination.account()
      // The first eight bytes of the SHA-256 of “ann”.
      #expect(account == "\(server.address)#49915e0d7d4b402e")
    }
  }
}

/// Gives the name of another user each time it is asked, and the last one from then on.
private final class ChangingUser: CredentialSource {
  private let users: Mutex<[String]>

  init(_ users: [String]) {
    self.users = Mutex(users)
  }

  func credentials(
    named names: [String]
  ) async throws(DestinationError) -> [String: Secret] {
    let user = users.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    return ["user": Secret(user)]
  }
}
