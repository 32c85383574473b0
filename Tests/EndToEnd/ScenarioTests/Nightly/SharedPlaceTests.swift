import JSONText
import TestSupport
import Testing

/// A server that takes two records of the store for one: it knows them by a name that both have.
@Suite(.timeLimit(.minutes(2))) struct SharedPlaceTests {
  private static let words = "the destination has one record for this one and Note/"

  @Test
  func `two records that the server took for one are named, and neither gets the other's content`()
    async throws
  {
    try await withUpserting { scenario in
      let first = try await scenario.migrate().exits(6)
      let causes = first.findings("verify.different").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.hasPrefix(Self.words) }, "\(first)")
      let second = try await scenario.migrate().exits(6)
      let entries = try await scenario.savedWriteBack(of: second).entries("Note")
      let statuses = entries.compactMap { $0["status"]?.text }
      #expect(statuses.contains("conflicted") && !statuses.contains("replace"), "\(entries)")
    }
  }

  private func withUpserting(
    _ body: (MigrationScenario) async throws -> Void
  ) async throws {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.run(["-c", Self.making, sample.store])
      return Self.profile
    }
    try await withServer("upserting", answersAt: "/me", prepare: prepare) { scenario, _ in
      try await body(scenario)
    }
  }

  private static let making = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.execute("CREATE TABLE Note (id INTEGER PRIMARY KEY, name TEXT, text TEXT)")
    db.executemany("INSERT INTO Note VALUES (?, ?, ?)", [(1, "a", "one"), (2, "a", "two"), (3, "b", "three")])
    db.commit()
    """

  private static let profile = """
    ferry-profile: 1
    app: upserting
    accept-unmapped: [Note.id]
    entities:
      Note: { identity: { attribute: id } }
    api:
      account: { request: GET /me, member: id }
      settle: 1s
      timeout: 3s
      concurrency: 1
      entities:
        Note:
          replay: look-up
          list: { request: GET /notes, items: items }
          id: id
          read: { request: "GET /notes/{id}" }
          create: { request: POST /notes }
          update: { request: "PATCH /notes/{id}" }
          delete: { request: "DELETE /notes/{id}" }
          natural-key: [name]
          unmapped: [id]
          body: { name: name, text: text }
    """
}
