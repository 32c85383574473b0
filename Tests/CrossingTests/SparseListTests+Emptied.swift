import JSONText
import TestSupport
import Testing

// What is emptied here, and what a list that leaves it out can say of that.

extension SparseListTests {
  /// Where the destination tells its versions: nowhere, in the record, or in a header.
  private static let versions = ["", "v", header]

  /// Lends a note that the store has emptied of what the list leaves out.
  private func withEmptied(
    conflict: String = "fail",
    version: String = "",
    _ body: (Notes) async throws -> Void
  ) async throws {
    let tellsVersions = !version.isEmpty
    try await withNote(conflict: conflict, tellsVersions: tellsVersions, version: version) {
      notes in
      try notes.sql("UPDATE Note SET text = NULL")
      try await body(notes)
    }
  }

  @Test(arguments: ["fail", "local", "merge"], versions)
  func `what is emptied here is emptied there, although the list leaves it out`(
    policy: String,
    version: String
  ) async throws {
    try await withEmptied(conflict: policy, version: version) { notes in
      let answer = try await notes.crossing.migrate()
      #expect(answer.count("updated") == 1, "\(answer.standardOutput)\(answer.standardError)")
      #expect(try notes.note()?["text"] == JSONValue.null)
    }
  }

  @Test(arguments: versions)
  func `what was emptied here and there is unchanged`(version: String) async throws {
    try await withEmptied(version: version) { notes in
      #expect(try await notes.crossing.migrate().count("updated") == 1)
      let again = try await notes.crossing.migrate()
      #expect(again.count("unchanged") == 1, "\(again.standardOutput)\(again.standardError)")
    }
  }

  @Test(arguments: versions)
  func `what is emptied here and somebody wrote anew is not overwritten`(
    version: String
  ) async throws {
    try await withEmptied(version: version) { notes in
      try notes.change(["text": "theirs"])
      let answer = try await notes.crossing.migrate()
      #expect(answer.status == 6, "\(answer.standardOutput)\(answer.standardError)")
      #expect(try notes.note()?["text"] == "theirs")
    }
  }

  @Test func `in a merge, what is emptied here and somebody wrote anew stays, and is told`()
    async throws
  {
    try await withEmptied(conflict: "merge", version: "v") { notes in
      try notes.change(["text": "theirs"])
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.crossing.migrate()
      #expect(answer.findings("plan.merged").count == 1, "\(answer.standardOutput)")
      #expect(try notes.note()?["title"] == "mine")
      #expect(try notes.note()?["text"] == "theirs")
    }
  }

  @Test func `what both sides changed and emptied alike is no conflict`() async throws {
    try await withEmptied { notes in
      try notes.change(["title": "both", "text": .null])
      try notes.sql("UPDATE Note SET title = 'both'")
      let answer = try await notes.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
    }
  }

  @Test func `a verification tells what was emptied here and not there`() async throws {
    try await withEmptied { notes in
      let package = "\(notes.crossing.folder)/a.ferry"
      #expect(try await notes.crossing.export(to: package).status == 0)
      let words = ["verify", package] + notes.crossing.destination
      let verdict = try await notes.crossing.ferry(words)
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.different").count == 1, "\(verdict.standardOutput)")
    }
  }
}
