import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Destinations whose answers name no one, and that can know of one record only in a list, or by a
/// word in the answer about another.
struct TieTests {
  private static func api() throws -> Api {
    try Sample.api(
      """
      entities:
        Hero: { fields: { name: name } }
        Note: { fields: { text: text } }
      api:
        kind: rest
        timeout: 5s
        entities:
          Hero:
            replay: id
            list: { request: GET /friends, items: results, cursor: { name: cursor, member: next } }
            id: user.id
            create: { request: "PUT /friends/{id}", silent: true }
            delete: { request: "DELETE /friends/{id}" }
            body: { name: name }
          Note:
            replay: id
            read: { request: "GET /tastings/{id}", there: hasToasted }
            create: { request: "POST /tastings/{id}/toast", silent: true }
            body: { text: text }
      """
    )
  }

  private static func comments(_ route: String) throws(ProfileError) -> Profile {
    try Profile(
      yaml: """
        ferry-profile: 1
        app: sample
        entities:
          Hero: { fields: { name: name } }
        api:
          kind: rest
          timeout: 5s
          entities:
            Hero:
              replay: look-up
              list: { request: GET /comments, items: results }
              id: id
              create: { request: "\(route)" }
              body: { name: name }
              natural-key: name
        """,
      path: "sample.yaml"
    )
  }

  @Test func `the route of a new record takes its placeholders from the request`() async throws {
    let api = try #require(try Self.comments("POST /tastings/{name}/comments").api)
    try await withScript(api: api, { _ in .json(["id": 7]) }) { destination, server in
      let answer = await destination.send(.heroes(.create, [.number(1)]))
      #expect(answer.outcomes[1] == .stored(serverID: "7", version: nil))
      #expect(server.lines == ["POST /tastings/Ada/comments"])
    }
  }

  @Test func `a route with a placeholder that no request fills is refused`() throws {
    let error = try #require(throws: ProfileError.self) {
      try Self.comments("POST /tastings/{tasting}/comments")
    }
    #expect("\(error)".contains("“{tasting}” is not known"), "\(error)")
  }

  @Test func `an answer without an account is believed if the profile says so`() async throws {
    try await withScript(api: Self.api(), { _ in .json(["status": "pending"]) }) {
      destination,
      server in
      let answer = await destination.send(.heroes(.create, [.number(1, id: "1055")]))
      #expect(answer.outcomes[1] == .stored(serverID: "1055", version: nil))
      #expect(server.lines == ["PUT /friends/1055"])
    }
  }

  @Test(arguments: ["<html>fine</html>", "[]", "\"ok\""])
  func `a page that is not an answer confirms nothing`(body: String) async throws {
    let type = body.hasPrefix("<") ? "text/html" : "application/json"
    try await withScript(api: Self.api(), { _ in .text(body, type: type) }) { destination, _ in
      let answer = await destination.send(.heroes(.create, [.number(1, id: "1055")]))
      #expect(answer.word(1) == "unknown")
    }
  }

  @Test func `a record is found on any page of its list, or is missing`() async throws {
    try await withScript(
      api: Self.api(),
      { request in
        request.target.contains("cursor=2")
          ? .json(["results": [["user": ["id": 1055]]], "next": .null])
          : .json(["results": [["user": ["id": 1012]]], "next": 2])
      }
    ) { destination, server in
      let second = try await destination.record(of: "Hero", serverID: "1055")
      #expect(second?.serverID == "1055")
      #expect(server.requests.count == 2)
      let missing = try await destination.record(of: "Hero", serverID: "7")
      #expect(missing == nil)
    }
  }

  @Test(arguments: [(true, true), (false, false)])
  func `a word in the answer says whether the record is there`(
    word: Bool,
    isThere: Bool
  ) async throws {
    try await withScript(
      api: Self.api(),
      { _ in .json(["id": "80003", "hasToasted": .boolean(word)]) }
    ) { destination, _ in
      let found = try await destination.record(of: "Note", serverID: "80003")
      #expect((found != nil) == isThere)
    }
  }

  @Test func `an answer without the expected word confirms nothing`() async throws {
    try await withScript(api: Self.api(), { _ in .json(["id": "80003"]) }) { destination, _ in
      await #expect(throws: DestinationError.self) {
        _ = try await destination.record(of: "Note", serverID: "80003")
      }
    }
  }
}
