import JSONText
import TestSupport
import Testing

/// Notes and folders that name one another, at a server that numbers them: a rollback removes folders before the
/// notes that name them, or after.
@Suite(.timeLimit(.minutes(3))) struct UndoneReferenceTests {
  @Test(arguments: ["notes", "folders"])
  func `a rollback keeps a record that another device has name another one`(
    collection: String
  ) async throws {
    try await withRings { scenario, origin in
      let first = try await scenario.migrate().exits(0)
      let made = try #require(try records(collection, origin).first)
      let number = try #require(made["id"]?.integer)
      let change = ["-X", "PATCH", "-d", #"{"other":"777"}"#]
      _ = try RealServer.get("\(origin)/\(collection)/\(number)", change)
      let back = try await scenario.rollback(try first.run()).exits(6)
      let kept = try records(collection, origin)
      #expect(kept.map { $0["id"]?.integer } == [number], "\(back)")
      #expect(kept.map { $0["other"]?.text } == ["777"])
    }
  }

  @Test func `records that only the run made are rolled back to nothing`() async throws {
    try await withRings { scenario, origin in
      let first = try await scenario.migrate().exits(0)
      #expect(try records("notes", origin).allSatisfy { $0["other"]?.text != nil })
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try records("notes", origin).isEmpty && records("folders", origin).isEmpty)
    }
  }

  private func records(_ collection: String, _ origin: String) throws -> [JSONValue] {
    try RealServer.get("\(origin)/\(collection)")["items"]?.array ?? []
  }

  private func withRings(
    _ body: (MigrationScenario, _ origin: String) async throws -> Void
  ) async throws {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.run(["-c", Self.making, sample.store])
      return Self.profile
    }
    try await withServer("numbered", answersAt: "/me", editsAll: true, prepare: prepare) {
      try await body($0, $1)
    }
  }

  private static let making = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    for name in ("Note", "Folder"):
        db.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, name TEXT, other INTEGER)")
        db.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", [(i, f"n{i}", i) for i in range(3)])
    db.commit()
    """

  private static func entity(_ collection: String) -> String {
    """
    { replay: look-up, list: { request: GET /\(collection), items: items },
      read: { request: "GET /\(collection)/{id}" }, create: { request: POST /\(collection) },
      update: { request: "PATCH /\(collection)/{id}" }, delete: { request: "DELETE /\(collection)/{id}" },
      body: { name: { field: name, on: once }, other: { reference: other, on: complete } },
      natural-key: [name], unmapped: [id] }
    """.replacing("\n", with: "")
  }

  private static let profile = """
    ferry-profile: 1
    app: rings
    accept-unmapped: [Note.id, Folder.id]
    entities:
      Folder:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name, other: { attribute: other, names: Note } }
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name, other: { attribute: other, names: Folder } }
    api:
      account: { request: GET /me, member: id }
      settle: 1s
      timeout: 3s
      concurrency: 1
      retry: { limit: 3, first: 50ms, longest: 200ms }
      entities:
        Folder: \(entity("folders"))
        Note: \(entity("notes"))
    """
}
