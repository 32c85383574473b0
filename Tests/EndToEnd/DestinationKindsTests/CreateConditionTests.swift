import DestinationModel
import JSONText
import Profiles
import REST
import Testing
import UploadPlanning

/// Whether a record under an identity chosen here may be made over one that is there.
struct CreateConditionTests {
  private typealias Reply = ScriptedServer.Reply

  private static let put = "request: \"PUT /heroes/{id}\""
  private static let read = "read: { request: \"GET /heroes/{id}\" }"
  private static let list = "list: { request: GET /heroes, items: items }"

  private static func api(
    _ create: String,
    replay: String = "id",
    _ more: String...
  ) throws -> Api {
    try Sample.api(
      of: "Hero",
      (["replay: \(replay)", "create: { \(create) }", "body: { name: name }"] + more)
        .joined(separator: "\n")
    )
  }

  private func send(
    _ api: Api,
    _ reply: Reply = .json(["id": "h1", "name": "Ada"], status: 201)
  ) async throws -> (word: String, condition: String?) {
    var word = ""
    var condition: String?
    try await withScript(api: api, { _ in reply }) { destination, server in
      word = await destination.send(.heroes(.create, [.number(1, id: "h1")])).word(1)
      condition = server.requests.first?.header("If-None-Match")
    }
    return (word, condition)
  }

  @Test(arguments: [CreateConditionTests.read, CreateConditionTests.list])
  func `a record is created with If-None-Match even if the profile does not ask for it`(
    look: String
  ) async throws {
    let sent = try await send(Self.api(Self.put, look))
    #expect(sent.word == "stored")
    #expect(sent.condition == "*")
  }

  @Test func `each request of a batch has its own create condition`() async throws {
    let api = try Self.api(
      "\(Self.put), batch: { request: POST /batch, requests: requests }",
      Self.read
    )
    let refusal: JSONValue = ["status": 412, "path": "/heroes/h1", "body": ["error": "x"]]
    try await withScript(api: api, { _ in .json(["responses": [refusal]]) }) {
      destination,
      server in
      let answer = await destination.send(.heroes(.create, [.number(1, id: "h1")]))
      #expect(answer.word(1) == "exists")
      let request = server.requests.first?.json["requests"]?.array?.first
      #expect(request?["headers"]?["if-none-match"] == "*")
    }
  }

  @Test func `a profile can switch the create condition off`() async throws {
    let api = try Self.api("\(Self.put), if-none-match: false", Self.read)
    let sent = try await send(api)
    #expect(sent.word == "stored")
    #expect(sent.condition == nil)
  }

  @Test func `a record that could not be looked up is created without a look-up`() async throws {
    let sent = try await send(Self.api(Self.put))
    #expect(sent.word == "stored")
    #expect(sent.condition == nil)
  }

  @Test func `a POST carries no create condition, nor does a record that is looked up by content`()
    async throws
  {
    let post = try await send(Self.api("request: \"POST /heroes/{id}\"", Self.read))
    #expect(post.word == "stored")
    #expect(post.condition == nil)
    let found = try await send(
      Self.api(
        Self.put,
        replay: "look-up",
        Self.list,
        "natural-key: [name]"
      )
    )
    #expect(found.word == "stored")
    #expect(found.condition == nil)
  }

  @Test
  func `a refused create condition means that the record exists, whichever sign the profile names`()
    async throws
  {
    for sign in ["", ", exists: { status: 409 }"] {
      let api = try Self.api("\(Self.put)\(sign)", Self.read)
      let sent = try await send(api, .json(["error": "x"], status: 412))
      #expect(sent.word == "exists")
      #expect(sent.condition == "*")
    }
  }

  @Test(arguments: [
    ("exists", "exists"), ("conflict", "exists"), ("later", "deferred"), ("unknown", "unknown"),
    ("rejected", "rejected"),
  ])
  func `a 412 to a create has the profile's meaning, and a conflict means an existing record`(
    means: String,
    word: String
  ) async throws {
    let api = try Sample.api(settings: "meanings: [{ status: 412, means: \(means) }]")
    try await withScript(api: api, { _ in .json(["error": "x"], status: 412) }) {
      destination,
      _ in
      #expect(await destination.send(.notes(.create, [.number(1)])).word(1) == word)
    }
  }
}
