import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Rows of one request that all have the same fields, as PostgREST wants them:
/// <https://docs.postgrest.org/en/stable/references/api/tables_views.html#bulk-insert>.
struct EqualKeyTests {
  private static func api(_ more: String = "equal-keys: true") throws -> Api {
    try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, text: text, tag: tag } } }
      api:
        credentials: [key]
        headers: { apikey: "{key}" }
        entities:
          Note:
            replay: id
            \(more)
            read: { request: "GET /notes/{id}" }
            create: { request: POST /notes, batch: { rows: "", made: "", limit: 10 } }
            body: { id: id, text: text, tag: tag }
      """
    )
  }

  private static let bodies: [JSONValue] = [
    ["text": "a"], ["text": "b", "tag": "t"], ["text": "c"], ["text": "d"],
  ]

  private static let batch = OutgoingBatch.notes(
    .create,
    bodies.enumerated().map { .number(Int64($0 + 1), body: $1) }
  )

  private func send(
    _ api: Api,
    _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
  ) async throws -> (BatchAnswer, [[String]]) {
    var found: (BatchAnswer, [[String]])?
    try await ScriptedServer.run(reply) { server in
      try await withDestination(
        at: server.address,
        api: api,
        credentials: GivenCredentials(["key": Secret("anon-key")])
      ) { destination in
        let answer = await destination.send(Self.batch)
        let rows = server.requests.map { $0.json.array?.compactMap { $0["text"]?.text } ?? [] }
        found = (answer, rows)
      }
    }
    return try #require(found)
  }

  @Test func `records with the same fields go together, each once`() async throws {
    let (answer, rows) = try await send(Self.api()) { .json($0.json, status: 201) }
    #expect(rows == [["a", "c", "d"], ["b"]])
    #expect((1...4).map { answer.word($0) } == Array(repeating: "stored", count: 4))
  }

  @Test func `records go together whatever their fields unless the profile says otherwise`()
    async throws
  {
    let (_, rows) = try await send(Self.api("")) { .json($0.json, status: 201) }
    #expect(rows == [["a", "b", "c", "d"]])
  }

  @Test func `after a group without an answer the others are not sent`() async throws {
    let (answer, rows) = try await send(Self.api()) { _ in .cut }
    #expect(rows == [["a", "c", "d"]])
    #expect((1...4).map { answer.word($0) } == ["unknown", "deferred", "unknown", "unknown"])
  }

  @Test func `a refused group leaves those before it as they are`() async throws {
    let (answer, _) = try await send(Self.api()) { request in
      request.json[1] == nil
        ? .json(["message": "too long"], status: 400) : .json(request.json, status: 201)
    }
    #expect((1...4).map { answer.word($0) } == ["stored", "rejected", "stored", "stored"])
  }
}
