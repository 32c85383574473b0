import Foundation
import JSONText
import TestSupport
import Testing

/// Which note has which tag: rows between them in the store, and at the server a part of the note that
/// its own route takes.
@Suite(.timeLimit(.minutes(5))) struct NotedTagTests {
  @Test func `each note has its tags at the server, repeated without a write, and rolled back`()
    async throws
  {
    try await withNoted { scenario in
      let first = try await scenario.migrate().exits(0)
      #expect(first.value("verification")?["clean"] == true)
      let links = try here(scenario)
      #expect(!links.isEmpty)
      #expect(try there(scenario) == links)
      let writes = try scenario.backend.writeCount()
      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.writeCount() == writes)
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try there(scenario).isEmpty)
    }
  }

  /// The links of notes that are not removed: each the identity of a note and of a tag.
  func there(_ scenario: MigrationScenario) throws -> [String] {
    let dump = try scenario.backend.dump()
    let live = (dump["syncRows"]?.array ?? []).filter { $0["deleted_at"]?.isNull ?? true }
    let ids = Set(live.compactMap { $0["id"]?.text })
    return (dump["noteTags"]?.array ?? []).compactMap { link in
      guard let note = link["note"]?.text, let tag = link["tag"]?.text,
        ids.contains(note), ids.contains(tag)
      else { return nil }
      return "\(note) \(tag)"
    }.sorted()
  }

  /// The same of the store.
  func here(_ scenario: MigrationScenario) throws -> [String] {
    try Python.run([
      "-c",
      """
      import sqlite3, sys, uuid
      rows = sqlite3.connect(sys.argv[1]).execute(
        'SELECT DISTINCT n.ZID, t.ZID FROM ZNOTETAGENTITY j JOIN ZNOTEENTITY n ON n.Z_PK = j.ZNOTE '
        'JOIN ZTAGENTITY t ON t.Z_PK = j.ZTAG WHERE n.ZDELETEDAT IS NULL')
      for row in rows: print(*(uuid.UUID(bytes=value) for value in row))
      """, scenario.sample.store,
    ]).split(separator: "\n").map(String.init).sorted()
  }
}
