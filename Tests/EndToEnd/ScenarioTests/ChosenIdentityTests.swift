import JSONText
import TestSupport
import Testing

/// A server that has its own mind about the identities that clients choose.
@Suite(.timeLimit(.minutes(2))) struct ChosenIdentityTests {
  @Test(arguments: [200, 201])
  func `a server that chooses identities gets one record, which a rollback removes`(
    status: Int
  ) async throws {
    try await Notes.with { notes in
      try notes.set(["identity": "own", "status": .number(JSONNumber(Int64(status)))])
      let first = try await notes.scenario.migrate().exits(7)
      #expect(first.standardError.contains("“replay: look-up” for Note"), "\(first)")
      #expect(first.count("created") == 1)
      #expect(try notes.ids() == ["s1"])
      // The same line makes no further one.
      try await notes.scenario.migrate().exits(7)
      #expect(try notes.ids() == ["s1"])
      try await notes.scenario.rollback(try first.run()).exits(0)
      #expect(try notes.ids().isEmpty)
    }
  }

  @Test(arguments: ["id: already exists", "validation_pk_invalid", "no"])
  func `if the first answers are lost, each record is created once, whatever a repeat says`(
    words: String
  ) async throws {
    try await Notes.with { notes in
      try notes.set(["lose": true, "words": .string(words)])
      let first = try await notes.scenario.migrate().exits(0)
      #expect(first.count("created") == 3 && first.count("rejected") == 0)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try notes.ids().count == 3)
      try await notes.scenario.rollback(try first.run()).exits(0)
      #expect(try notes.ids().isEmpty)
    }
  }
}

/// A plain database with three notes, and the server that they go to.
struct Notes {
  let scenario: MigrationScenario
  let origin: String

  /// The identities of all notes at the server, in the order in which they were made.
  func ids() throws -> [String] {
    let notes = try RealServer.get("\(origin)/state")["notes"]?.array ?? []
    return notes.compactMap { $0["id"]?.text }
  }

  func set(_ mind: JSONValue) throws {
    _ = try RealServer.get("\(origin)/set", ["-X", "POST", "-d", mind.canonicalText])
  }

  static func with(_ body: (Notes) async throws -> Void) async throws {
    try await withServer("identity", prepare: prepare) { scenario, origin in
      try await body(Notes(scenario: scenario, origin: origin))
    }
  }

  private static func prepare(_ sample: Sample, _ origin: String) throws -> String {
    try Python.edit(
      sample.store,
      "CREATE TABLE Note (id TEXT PRIMARY KEY, title TEXT)",
      "INSERT INTO Note VALUES ('A1', 'one'), ('A2', 'two'), ('A3', 'three')"
    )
    return profile
  }

  static let profile = """
    ferry-profile: 1
    app: notes
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, title: title }
    api:
      account: { request: GET /me, member: id }
      settle: 300ms
      retry: { limit: 3, first: 20ms, longest: 100ms }
      client-id: as-is
      entities:
        Note:
          replay: id
          list: { request: GET /notes, items: items }
          read: { request: "GET /notes/{id}" }
          create: { request: POST /notes }
          update: { request: "PATCH /notes/{id}" }
          delete: { request: "DELETE /notes/{id}" }
          natural-key: [title]
          body: { id: id, title: title }
    """
}
