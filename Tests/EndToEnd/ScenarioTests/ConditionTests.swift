import JSONText
import TestSupport
import Testing

/// A server that demands a condition of every change, and a profile that does not know.
@Suite(.timeLimit(.minutes(3))) struct ConditionTests {
  @Test
  func
    `a store is migrated to a server that demands conditions, repeated, changed, and rolled back`()
    async throws
  {
    try await withServer("conditions", prepare: Self.prepare) { notes, origin in
      let first = try await notes.migrate().exits(0)
      #expect(first.count("created") == 3)
      try notes.sql("UPDATE Note SET name = 'B' WHERE id = 2")
      let second = try await notes.migrate().exits(0)
      #expect(second.count("updated") == 1)
      let names = try RealServer.get("\(origin)/state")["notes"]?.array?
        .compactMap { $0["name"]?.text }
      #expect(names?.sorted() == ["B", "a", "c"])
      for back in try await notes.rollbackAll(from: second) {
        #expect(back.status == 0, "\(back)")
      }
      let state = try RealServer.get("\(origin)/state")
      #expect(state["notes"]?.array?.isEmpty == true)
      #expect((state["refused"]?.integer ?? 0) >= 8, "each was refused without one first")
    }
  }

  private static func prepare(_ sample: Sample, _ origin: String) throws -> String {
    try Python.edit(
      sample.store,
      "CREATE TABLE Note (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      "INSERT INTO Note VALUES (1, 'a'), (2, 'b'), (3, 'c')"
    )
    return profile
  }

  private static let profile = """
    ferry-profile: 1
    app: conditions
    accept-unmapped: [Note.id]
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name }
    api:
      account: { request: GET /me, member: id }
      entities:
        Note:
          replay: id
          list: { request: GET /notes, items: items }
          read: { request: "GET /notes/{id}" }
          version: v
          create: { request: "PUT /notes/{id}", if-none-match: false }
          update: { request: "PATCH /notes/{id}" }
          delete: { request: "DELETE /notes/{id}" }
          body: { name: name }
          unmapped: [id]
    """
}
