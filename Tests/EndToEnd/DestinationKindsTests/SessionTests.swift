import DestinationModel
import JSONText
import Profiles
import REST
import Synchronization
import Testing
import UploadPlanning

struct SessionTests {
  private static let signIn = "POST /api/auth/sign-in/email"
  private static let create = OutgoingBatch.heroes(.create, [.number(1)])

  // 001-4, 001-11.
  @Test func `a session signs in once and sends the token from then on`() async throws {
    try await withScript({ request in
      request.method == "GET"
        ? .json(["user": ["id": "u1"]]) : batchReply(created: [("local-1", "s1")])
    }) { destination, server in
      let account = try await destination.account()
      #expect(account == "u1")
      _ = await destination.send(Self.create)
      #expect(server.lines == [Self.signIn, "GET /api/auth/get-session", "POST /api/batch"])
      #expect(
        server.requests.first?.json
          == ["email": "demo@example.com", "password": .string(Sample.password)]
      )
      #expect(server.requests[0].header("Authorization") == nil)
      #expect(server.requests[2].header("Authorization") == "Bearer \(Sample.token)")
    }
  }

  @Test func `many requests at once share one sign-in`() async throws {
    try await withScript({ _ in .json(["user": ["id": "u1"]]) }) { destination, server in
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<6 { group.addTask { try await destination.account() } }
        for try await account in group { #expect(account == "u1") }
      }
      #expect(server.lines.filter { $0 == Self.signIn }.count == 1)
    }
  }

  @Test func `a refusal that means an expired token renews it once`() async throws {
    let isFirst = Mutex(true)
    let rule = "meanings: [{ status: 400, words: token expired, means: sign-in }]"
    let api = try Sample.api(settings: rule)
    try await withScript(
      api: api,
      { _ in
        let expires = isFirst.withLock { first in
          defer { first = false }
          return first
        }
        return expires
          ? .json(["error": "token expired"], status: 400)
          : batchReply(created: [("local-1", "s1")])
      }
    ) { destination, server in
      #expect(await destination.send(Self.create).word(1) == "stored")
      #expect(
        server.lines == [Self.signIn, "POST /api/batch", Self.signIn, "POST /api/batch"]
      )
    }
  }

  @Test func `a refusal that still means an expired token after the renewal ends the run`()
    async throws
  {
    let rule = "meanings: [{ status: 400, words: token expired, means: sign-in }]"
    let api = try Sample.api(settings: rule)
    try await withScript(api: api, { _ in .json(["error": "token expired"], status: 400) }) {
      destination,
      server in
      let answer = await destination.send(Self.create)
      guard case .refused = answer.whole else {
        Issue.record("\(answer)")
        return
      }
      #expect(server.lines.count { $0 == "POST /api/batch" } == 2)
    }
  }

  // 004-19.
  @Test func `an expired token is renewed once`() async throws {
    let isFirst = Mutex(true)
    try await withScript({ request in
      let expires = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      return expires
        ? .json(["error": "Unauthorized"], status: 401)
        : batchReply(created: [("local-1", "s1")])
    }) { destination, server in
      #expect(await destination.send(Self.create).word(1) == "stored")
      #expect(
        server.lines == [Self.signIn, "POST /api/batch", Self.signIn, "POST /api/batch"]
      )
    }
  }

  /// Notes that are made by requests wrapped up in one.
  private static func wrapping() throws -> Api {
    try Sample.api(
      of: "Note",
      by: .signIn,
      """
      replay: id
      create:
        request: "PUT /notes/{id}"
        if-none-match: true
        batch: { request: POST /batch, requests: requests, limit: 3 }
      body: { name: name }
      """
    )
  }

  /// Answers the requests in one, those of `shut` by 401.
  private static func wrapped(
    _ request: ScriptedServer.Request,
    shut: (String) -> Bool
  ) -> ScriptedServer.Reply {
    let answers = (request.json["requests"]?.array ?? []).map { inner -> JSONValue in
      let path = inner["path"]?.text ?? ""
      let id = String(path.split(separator: "/").last ?? "")
      return shut(id)
        ? ["status": 401, "path": .string(path), "body": ["message": "Please authenticate"]]
        : ["status": 201, "path": .string(path), "body": ["id": .string(id)]]
    }
    return .json(["responses": .array(answers)])
  }

  @Test(arguments: [["local-1", "local-2", "local-3"], ["local-2", "local-3"], ["local-2"]])
  func `an expired token is renewed once even if only answers inside a batch report it`(
    shut: [String]
  ) async throws {
    let isFirst = Mutex(true)
    try await withScript(
      api: Self.wrapping(),
      { request in
        let expires = isFirst.withLock { first in
          defer { first = false }
          return first
        }
        return Self.wrapped(request) { expires && shut.contains($0) }
      }
    ) { destination, server in
      let items: [OutgoingBatch.Item] = [.number(1), .number(2), .number(3)]
      let answer = await destination.send(.notes(.create, items))
      #expect([1, 2, 3].map { answer.word($0) } == ["stored", "stored", "stored"])
      #expect(server.lines == [Self.signIn, "POST /batch", Self.signIn, "POST /batch"])
      #expect(server.requests.last?.json["requests"]?.array?.count == shut.count)
    }
  }

  @Test
  func `a token refused twice inside an answer ends the run, and completed records stay done`()
    async throws
  {
    try await withScript(
      api: Self.wrapping(),
      { request in Self.wrapped(request) { $0 != "local-2" } }
    ) { destination, server in
      let items: [OutgoingBatch.Item] = [.number(1), .number(2), .number(3)]
      let answer = await destination.send(.notes(.create, items))
      #expect([1, 2, 3].map { answer.word($0) } == ["deferred", "stored", "deferred"])
      guard case .refused = answer.whole else {
        Issue.record("\(answer.whole)")
        return
      }
      #expect(server.lines.count == 4)
    }
  }

  @Test func `a postponement inside an answer quotes the server`() async throws {
    let later: JSONValue = [
      "status": 503, "path": "/notes/local-1", "body": ["message": "come back"],
    ]
    try await withScript(
      api: Self.wrapping(),
      { _ in .json(["responses": [later]]) }
    ) { destination, _ in
      let answer = await destination.send(.notes(.create, [.number(1)]))
      #expect(answer.outcomes[1] == .deferred(reason: "status 503: come back"))
    }
  }

  @Test func `a token refused twice ends the run`() async throws {
    try await withScript({ _ in .json(["error": "Unauthorized"], status: 401) }) {
      destination,
      server in
      #expect(await destination.send(Self.create).word(1) == "refused")
      #expect(server.lines.count == 4)
    }
  }

  // 001-25.
  @Test func `refused credentials end the run before anything is sent`() async throws {
    try await ScriptedServer.run({ _ in
      .json(["code": "INVALID", "message": "Invalid email or password"], status: 401)
    }) { server in
      try await withDestination(at: server.address) { destination in
        #expect(await destination.send(Self.create).word(1) == "refused")
        await #expect(
          throws: DestinationError.unauthorized(
            reason: "401 INVALID: Invalid email or password"
          )
        ) { try await destination.account() }
      }
    }
  }

  @Test func `a passing sign-in failure defers the request with its pause`() async throws {
    try await ScriptedServer.run({ _ in
      .json(["message": "slow down"], status: 429, headers: [("X-Retry-After", "8")])
    }) { server in
      try await withDestination(at: server.address) { destination in
        let answer = await destination.send(Self.create)
        #expect(answer.word(1) == "deferred")
        #expect(answer.pause == .seconds(8))
      }
    }
    try await withDestination(at: "http://127.0.0.1:1") { destination in
      #expect(await destination.send(Self.create).word(1) == "deferred")
    }
  }

  @Test func `a token with a line break is refused`() async throws {
    try await ScriptedServer.run({ _ in .json(["token": "x"]) }) { server in
      try await withDestination(at: server.address) { destination in
        await #expect(throws: DestinationError.self) { try await destination.account() }
      }
    }
  }

  @Test func `a token is not sent to a redirect's target`() async throws {
    try await ScriptedServer.run({ _ in .json([:]) }) { elsewhere in
      let place = elsewhere.address + "/api/batch"
      try await withScript({ _ in .text("", status: 307, headers: [("Location", place)]) }) {
        destination,
        _ in
        #expect(await destination.send(Self.create).word(1) == "refused")
        #expect(elsewhere.requests.isEmpty)
      }
    }
  }

  // 001-14.
  @Test func `no message repeats a secret that the server echoes`() async throws {
    let echo = "you sent \(Sample.token) and \(Sample.password) for demo@example.com"
    let single: JSONValue = ["error": .string(echo)]
    let item = batchReply(failed: [("local-1", echo)])
    for reply in [ScriptedServer.Reply.json(single, status: 422), .json(single, status: 403), item]
    {
      try await withScript({ _ in reply }) { destination, _ in
        let text = "\(await destination.send(Self.create))"
        #expect(text.contains("you sent"))
        for secret in [Sample.token, Sample.password, "demo@example.com"] {
          #expect(!text.contains(secret))
        }
      }
    }
  }

  @Test func `a destination that is signed in shows no secret of its own`() async throws {
    try await withScript({ _ in .json(["user": ["id": "u1"]]) }) { destination, _ in
      _ = try await destination.account()
      var text = "\(destination) \(String(reflecting: destination))"
      dump(RehearsingDestination(destination), to: &text)
      for secret in [Sample.token, Sample.password] { #expect(!text.contains(secret)) }
    }
  }

  // 001-18.
  @Test func `a forbidden route is refused when the destination is opened`() async throws {
    let api = try Sample.api(forbidden: "['PUT /collections/{any}/records/{id}']")
    await #expect(throws: DestinationError.self) {
      try await withDestination(at: "http://127.0.0.1:1", api: api) { _ in }
    }
  }

  @Test func `a forbidden route that an identity leads to is refused`() async throws {
    let api = try Sample.api(forbidden: "[DELETE /api/v1/heroes/all]")
    try await withScript(api: api, { _ in .text("", status: 204) }) { destination, server in
      let answer = await destination.send(.heroes(.delete, [.number(1, serverID: "all")]))
      #expect(answer.word(1) == "refused")
      #expect(!server.lines.contains { $0.hasPrefix("DELETE") })
    }
  }
}
