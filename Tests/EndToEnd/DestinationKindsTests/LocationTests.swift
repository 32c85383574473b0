import DestinationModel
import JSONText
import Profiles
import REST
import Testing
import UploadPlanning

/// Servers that answer a creation with the new record's address alone.
struct LocationTests {
  private static func api(_ place: String) throws -> Api {
    try Sample.api(
      """
      entities: { Note: { fields: { text: text } } }
      api:
        kind: rest
        entities:
          Note:
            replay: look-up
            list: { request: GET /api/notes, items: items }
            read: { request: "GET \(place)" }
            create: { request: POST /api/notes }
            natural-key: [text]
            body: { text: text }
      """
    )
  }

  private func outcome(_ location: String, at place: String) async throws -> ItemOutcome? {
    var outcome: ItemOutcome?
    let reply = ScriptedServer.Reply.text(
      "",
      status: 201,
      type: "application/json",
      headers: [("Location", location)]
    )
    try await ScriptedServer.run({ _ in reply }) { server in
      try await withDestination(at: server.address, api: try Self.api(place)) { destination in
        outcome = await destination.send(.notes(.create, [.number(1)])).outcomes[1]
      }
    }
    return outcome
  }

  @Test(arguments: [
    ("/api/notes/n%2F7", "/api/notes/{id}", "n/7"),
    ("https://example.com/v2/api/notes/7?a=b#c", "/api/notes/{id}", "7"),
    ("/api/notes/7.json", "/api/notes/{id}.json", "7"),
    ("/notes?id=eq.7", "/notes?id=eq.{id}", "7"),
  ])
  func `the address of a new record says its ID`(
    location: String,
    place: String,
    id: String
  ) async throws {
    let found = try await outcome(location, at: place)
    #expect(found == .stored(serverID: id, version: nil))
  }

  @Test(arguments: ["/api/notes", "/api/notes/", "/api/notes/7/parts", "/elsewhere/7"])
  func `an address that no route has does not say which record was made`(
    location: String
  ) async throws {
    #expect(try await outcome(location, at: "/api/notes/{id}")?.word == "unnamed")
  }
}
