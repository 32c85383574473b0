import DestinationModel
import JSONText
import Profiles
import REST
import Testing
import UploadPlanning

/// A 503 of which the input does not say whether the destination gave it, or a gateway after it
/// passed the request on.
struct GatewayTests {
  private typealias Reply = ScriptedServer.Reply

  private static let wordless: [Reply] = [
    .text("<html><h1>503 Service Temporarily Unavailable</h1></html>", status: 503),
    .text("upstream connect error", status: 503, type: "text/plain"), .text("", status: 503),
    .json([:], status: 503), .json(["message": "Service Unavailable"], status: 503),
    .json(
      [
        "code": 503,
        "message":
          "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
      ],
      status: 503
    ),
    .json(
      ["error": ["message": "Response timeout", "code": "ETIMEDOUT", "timeout": 5000]],
      status: 503
    ),
    .json(["error": "Service Unavailable", "message": "The server timed out."], status: 503),
    .json(
      ["error": ["code": 503, "message": "The service is currently unavailable."]],
      status: 503
    ),
  ]
  private static let worded: [Reply] = [
    .json(["error": "later"], status: 503), .json(["detail": "in maintenance"], status: 503),
    .json(["code": "OVERLOADED"], status: 503),
  ]

  private func answer(
    _ batch: OutgoingBatch,
    _ reply: Reply,
    api: Api? = nil
  ) async throws -> BatchAnswer {
    var answer = BatchAnswer()
    try await withScript(api: api, { _ in reply }) { destination, _ in
      answer = await destination.send(batch)
    }
    return answer
  }

  /// Notes that are made one by one and identified by their content.
  private static func single() throws -> Api {
    try Sample.api(
      of: "Note",
      """
      replay: look-up
      list: { request: GET /notes, items: items }
      create: { request: POST /notes }
      body: { name: name }
      natural-key: [name]
      """
    )
  }

  /// Notes that are made under their own identities by requests wrapped up in one.
  private static func wrapped() throws -> Api {
    try Sample.api(
      of: "Note",
      """
      replay: id
      create: { request: "PUT /notes/{id}", batch: { request: POST /batch, requests: requests } }
      body: { name: name }
      """
    )
  }

  @Test(arguments: wordless + worded)
  func `new records with a look-up may have been created, in a batch or alone`(
    reply: ScriptedServer.Reply
  ) async throws {
    let many = try await answer(.heroes(.create, [.number(1), .number(2)]), reply)
    #expect([1, 2].map { many.word($0) } == ["unknown", "unknown"])
    let one = try await answer(.notes(.create, [.number(1)]), reply, api: Self.single())
    #expect(one.word(1) == "unknown")
  }

  @Test(arguments: wordless)
  func `a refusal without a reason leaves a new record unknown`(
    reply: ScriptedServer.Reply
  ) async throws {
    #expect(try await answer(.notes(.create, [.number(1)]), reply).word(1) == "unknown")
  }

  @Test(arguments: worded)
  func `a refusal with a reason means that the record was not created`(
    reply: ScriptedServer.Reply
  ) async throws {
    #expect(try await answer(.notes(.create, [.number(1)]), reply).word(1) == "deferred")
  }

  @Test func `a gateway error inside a batch answer leaves the outcome unknown too`() async throws {
    let inner: JSONValue = ["status": 503, "path": "/notes/local-1", "body": [:]]
    let answer = try await answer(
      .notes(.create, [.number(1)]),
      .json(["responses": [inner]]),
      api: Self.wrapped()
    )
    #expect(answer.word(1) == "unknown")
  }

  @Test func `a Retry-After is kept, and leaves the outcome unknown`() async throws {
    let page = Reply.text("<html></html>", status: 503, headers: [("Retry-After", "5")])
    let answer = try await answer(.heroes(.create, [.number(1)]), page)
    #expect(answer.word(1) == "unknown")
    #expect(answer.pause == .seconds(5))
  }

  @Test(arguments: wordless + worded)
  func `a 503 to a request with a key is passing`(reply: ScriptedServer.Reply) async throws {
    #expect(try await answer(.events([.number(1)]), reply).word(1) == "deferred")
  }

  @Test func `the profile's rule for 503 takes precedence`() async throws {
    let api = try Sample.api(settings: "meanings: [{ status: 503, means: later }]")
    for batch in [OutgoingBatch.heroes(.create, [.number(1)]), .notes(.create, [.number(1)])] {
      #expect(try await answer(batch, Self.wordless[0], api: api).word(1) == "deferred")
    }
  }
}
