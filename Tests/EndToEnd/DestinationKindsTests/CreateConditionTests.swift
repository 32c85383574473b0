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
  func `it is made on the condition that it is not there, without the profile saying so`(
    look: String
  ) async throws {
    let sent = try await send(Self.api(Self.put, look))
    #expect(sent.word == "stored")
    #expect(sent.condition == "*")
  }

  @Test func `requests that are wrapped up in one have it each`() async throws {
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
      #expect(request?["headers"]?["If-None-Match"] == "*")
    }
  }

  @Test func `a profile can do without the condition`() async throws {
    let api = try Self.api("\(Self.put), if-none-match: false", Self.read)
    let sent = try await send(api)
    #expect(sent.word == "stored")
    #expect(sent.condition == nil)
  }

  @Test func `what nobody could look at is made without it`() async throws {
    let sent = try await send(Self.api(Self.put))
    #expect(sent.word == "stored")
    #expect(sent.condition == nil)
  }

  @Test func `a POST goes without it, and so does what is looked up by its content`() async throws {
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

  @Test func `the refusal says that the record is there, whatever sign the profile gives for that`()
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
  func `of all that the profile may say of 412, a conflict too means that the record is there`(
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
