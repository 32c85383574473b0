import JSONText
import TestSupport
import Testing

// What a change that replaces the record carries where no route reads one: the row of a list, which
// lacks a part of it, is all that there is.

extension SparseListTests {
  /// Lends a note of which only rows are shown, and that is changed by PUT.
  private func withReplaced(
    conflict: String = "fail",
    version: String = "v",
    _ body: (Notes) async throws -> Void
  ) async throws {
    try await withNote(
      conflict: conflict,
      listsRevisions: true,
      version: version,
      readsOne: false,
      by: "PUT",
      body
    )
  }

  @Test(arguments: ["local", "merge"])
  func `a PUT is not sent if the values of unlisted fields are unknown`(
    policy: String
  ) async throws {
    try await withReplaced(conflict: policy) { notes in
      try notes.change(["mood": "theirs"])
      let before = try notes.note()
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate().exits(6)
      #expect(answer.count("conflicted") == 1)
      #expect(try notes.note() == before)
    }
  }

  @Test func `the rollback of a PUT carries the fields that no row shows`() async throws {
    try await withReplaced { notes in
      let before = try notes.note()
      try notes.sql("UPDATE Note SET title = 'mine'")
      let changed = try await notes.scenario.migrate()
      #expect(changed.count("updated") == 1, "\(changed)")
      try await notes.scenario.rollback(try changed.run()).exits(0)
      let note = try notes.note()
      for name in ["title", "text", "mood", "picture"] { #expect(note?[name] == before?[name]) }
    }
  }
}
