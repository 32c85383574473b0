import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Testing
import UploadPlanning

/// Records that are changed as rows of one request, as an upsert of PostgREST takes them:
/// <https://docs.postgrest.org/en/stable/references/api/tables_views.html#upsert>.
struct ManyChangesTests {
  private static func api(headers: String = "resolution=merge-duplicates") throws -> Api {
    try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, text: text, tag: tag } } }
      api:
        entities:
          Note:
            replay: id
            version: updated_at
            read: { request: "GET /notes?id=eq.{id}", item: "0" }
            create: { request: POST /notes, batch: { rows: "", made: "" } }
            update:
              request: PATCH /notes?id=eq.{id}
              item: "0"
              match: { name: updated_at, value: "eq.{version}" }
              sends: body
              many:
                request: POST /notes
                headers: { Prefer: "\(headers)" }
                rows: ""
                made: ""
                limit: 10
            body: { id: id, text: text, tag: tag }
      """
    )
  }

  private static func change(
    _ number: Int64,
    _ body: JSONValue,
    version: String? = nil
  ) -> OutgoingBatch.Item {
    .number(number, id: "n\(number)", serverID: "s\(number)", version: version, body: body)
  }

  private static let two = OutgoingBatch.notes(
    .update,
    [change(1, ["text": "one"]), change(2, ["text": "two"])]
  )

  private func with(
    _ script: @escaping ScriptedServer.Script,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try Self.api()
    try await ScriptedServer.run(script) { server in
      try await withDestination(at: server.address, api: api, credentials: GivenCredentials([:])) {
        destination in
        try await body(destination, server)
      }
    }
  }

  @Test func `changes travel as rows of one request, each with its record's identity`()
    async throws
  {
    try await with({ .json($0.json, status: 200) }) { destination, server in
      let answer = await destination.send(Self.two)
      #expect(server.lines == ["POST /notes"])
      #expect(
        server.requests[0].json == [["id": "s1", "text": "one"], ["id": "s2", "text": "two"]]
      )
      #expect(server.requests[0].header("prefer") == "resolution=merge-duplicates")
      #expect(answer.outcomes[2] == .stored(serverID: "s2", version: nil))
    }
  }

  @Test func `a change that names a revision goes alone, with its condition`() async throws {
    let batch = OutgoingBatch.notes(
      .update,
      [
        Self.change(1, ["text": "one"], version: "v1"),
        Self.change(2, ["text": "two"], version: "v2"),
      ]
    )
    let row: JSONValue = [["id": "s1"]]
    try await with({ _ in .json(row, status: 200) }) { destination, server in
      _ = await destination.send(batch)
      #expect(server.lines.first == "PATCH /notes?id=eq.s1&updated_at=eq.v1")
    }
  }

  @Test func `changes of different fields go in different requests`() async throws {
    let batch = OutgoingBatch.notes(
      .update,
      [
        Self.change(1, ["text": "a"]), Self.change(2, ["text": "b", "tag": "t"]),
        Self.change(3, ["text": "c"]), Self.change(4, ["text": "d", "tag": "t"]),
      ]
    )
    try await with({ .json($0.json, status: 200) }) { destination, server in
      _ = await destination.send(batch)
      let rows = server.requests.map { $0.json.array?.compactMap { $0["text"]?.text } ?? [] }
      #expect(rows == [["a", "c"], ["b", "d"]])
    }
  }

  @Test func `refused changes go again in halves`() async throws {
    try await with({ _ in .json(["message": "too long"], status: 400) }) { destination, _ in
      guard case .splittable(let reason) = await destination.send(Self.two).whole else {
        Issue.record("it was not to be sent in halves")
        return
      }
      #expect(reason.contains("too long"))
    }
  }

  @Test func `changes go one by one once the destination has refused several in a request`()
    async throws
  {
    try await with({ request in
      request.method == "POST"
        ? .json(["code": "42501"], status: 403) : .json([["id": "s1"]], status: 200)
    }) { destination, server in
      _ = await destination.send(.notes(.update, [Self.two.items[0], Self.two.items[0]]))
      _ = await destination.send(.notes(.update, [Self.two.items[0], Self.two.items[0]]))
      #expect(server.requests.map(\.method) == ["POST", "PATCH", "PATCH", "PATCH", "PATCH"])
    }
  }

  @Test func `a row that the answer lacks leaves its change unknown`() async throws {
    try await with({ _ in .json([["id": "s2"]], status: 200) }) { destination, _ in
      let answer = await destination.send(Self.two)
      #expect(answer.word(1) == "unknown")
      #expect(answer.word(2) == "stored")
    }
  }
}
