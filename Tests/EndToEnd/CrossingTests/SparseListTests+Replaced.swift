import JSONText
import TestSupport
import Testing

// What a change that replaces the record carries where no route reads one: the row of a list, which lacks a part
// of it, is all that there is.

extension SparseListTests {
  /// Lends a note of which only rows are shown, and that is changed by PUT.
  private func withReplaced(
    conflict: String = "fail",
    version: String = "v",
    _ body: (Notes) async throws -> Void
  ) async throws {
    try await withNote(
      conflict: conflict,
      tellsVersions: true,
      version: version,
      readsOne: false,
      by: "PUT",
      body
    )
  }

  @Test func `local: a change that replaces a record carries what no row shows`() async throws {
    try await withReplaced(conflict: "local", version: Self.header) { notes in
      for title in ["mine", "mine again"] {
        try notes.sql("UPDATE Note SET title = '\(title)'")
        let answer = try await notes.crossing.migrate()
        let note = try notes.note()
        #expect(note?["title"]?.text == title, "\(answer.standardOutput)\(answer.standardError)")
        #expect(note?["text"] == "a long text")
      }
    }
  }

  @Test func `a merge that replaces a record carries what no row shows`() async throws {
    try await withReplaced(conflict: "merge") { notes in
      try notes.change(["mood": "theirs"])
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.crossing.migrate()
      let note = try notes.note()
      #expect(note?["title"] == "mine", "\(answer.standardOutput)\(answer.standardError)")
      #expect(note?["mood"] == "theirs")
      #expect(note?["text"] == "a long text")
    }
  }

  // Many servers leave out of a row what holds nothing; what they show of another note they would show of it.
  @Test func `a merge that replaces a record leaves empty what another device emptied`()
    async throws
  {
    try await withReplaced(conflict: "merge") { notes in
      try notes.sql("INSERT INTO Note SELECT 'n2', title, text, mood, picture FROM Note")
      #expect(try await notes.crossing.migrate().count("created") == 1)
      try notes.change(["mood": .null])
      try notes.sql("UPDATE Note SET title = 'mine' WHERE id = 'n1'")
      let answer = try await notes.crossing.migrate()
      let note = try notes.note()
      #expect(note?["title"] == "mine", "\(answer.standardOutput)\(answer.standardError)")
      #expect(note?["mood"]?.isNull ?? true)
      #expect(note?["text"] == "a long text")
    }
  }

  @Test func `taking back a change that replaces a record carries what no row shows`() async throws
  {
    try await withReplaced { notes in
      let before = try notes.note()
      try notes.sql("UPDATE Note SET title = 'mine'")
      let changed = try await notes.crossing.migrate()
      #expect(changed.count("updated") == 1, "\(changed.standardOutput)\(changed.standardError)")
      let back = try await notes.crossing.rollback(try changed.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      let note = try notes.note()
      for name in ["title", "text", "mood", "picture"] { #expect(note?[name] == before?[name]) }
    }
  }
}
