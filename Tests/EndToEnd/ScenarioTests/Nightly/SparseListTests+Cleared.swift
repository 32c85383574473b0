import JSONText
import TestSupport
import Testing

// What is cleared here, and what a list that leaves it out can say of that.

extension SparseListTests {
  /// Where the destination has its versions: nowhere, in the record, or in a header.
  private static let versions = ["", "v", header]

  /// Lends a note that the store has cleared of what the list leaves out.
  private func withCleared(
    conflict: String = "fail",
    version: String = "",
    readsOne: Bool = true,
    _ body: (Notes) async throws -> Void
  ) async throws {
    let listsRevisions = !version.isEmpty
    try await withNote(
      conflict: conflict,
      listsRevisions: listsRevisions,
      version: version,
      readsOne: readsOne
    ) { notes in
      try notes.sql("UPDATE Note SET text = NULL")
      try await body(notes)
    }
  }

  @Test(arguments: ["fail", "local", "merge"], versions)
  func
    `a field cleared in the store is cleared at the destination, although the list leaves it out`(
      policy: String,
      version: String
    ) async throws
  {
    try await withCleared(conflict: policy, version: version) { notes in
      let answer = try await notes.scenario.migrate()
      #expect(answer.count("updated") == 1, "\(answer)")
      #expect(try notes.note()?["text"] == JSONValue.null)
    }
  }

  @Test(arguments: versions)
  func `a field cleared on both sides is unchanged`(version: String) async throws {
    try await withCleared(version: version) { notes in
      #expect(try await notes.scenario.migrate().count("updated") == 1)
      let again = try await notes.scenario.migrate()
      #expect(again.count("unchanged") == 1, "\(again)")
    }
  }

  @Test(arguments: versions)
  func `a field cleared in the store and rewritten by another device is not overwritten`(
    version: String
  ) async throws {
    try await withCleared(version: version) { notes in
      try notes.change(["text": "theirs"])
      try await notes.scenario.migrate().exits(6)
      #expect(try notes.note()?["text"] == "theirs")
    }
  }

  @Test
  func `a verification reports a field that is cleared in the store and not at the destination`()
    async throws
  {
    try await withCleared { notes in
      let package = "\(notes.scenario.folder)/a.ferry"
      try await notes.scenario.export(to: package).exits(0)
      let words = ["verify", package] + notes.scenario.destination
      let verdict = try await notes.scenario.ferry(words).exits(6)
      #expect(verdict.findings("verify.different").count == 1, "\(verdict)")
    }
  }

  // MARK: - Where no route reads one record

  @Test(arguments: ["v", header])
  func `a change to an unlisted field is a conflict if no route reads one record`(
    version: String
  ) async throws {
    try await withCleared(version: version, readsOne: false) { notes in
      let answer = try await notes.scenario.migrate().exits(6)
      #expect(answer.count("conflicted") == 1)
      #expect(answer.findings("plan.conflict").first?["cause"]?.text?.contains("text") == true)
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  @Test func `without a route for one record, an uncleared field stays at a change`()
    async throws
  {
    try await withNote(
      conflict: "local",
      listsRevisions: true,
      version: Self.header,
      readsOne: false
    ) { notes in
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate()
      #expect(try notes.note()?["title"] == "mine", "\(answer)")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  @Test func `without a route for one record, a field that no run sent is not cleared`()
    async throws
  {
    try await withFound { notes, elsewhere in
      for title in ["mine", "mine again"] {
        try notes.sql("UPDATE Note SET title = '\(title)'")
        let answer = try await elsewhere.migrate()
        #expect(answer.count("updated") == 1, "\(answer)")
        #expect(try notes.note()?["text"] == "theirs")
      }
    }
  }

  // MARK: - What was always empty

  @Test func `an unlisted note that was always empty is not a change`()
    async throws
  {
    try await withNote(listsRevisions: true, text: nil, picture: "ignored") { notes in
      try notes.sql("UPDATE Note SET picture = 'https://e.org/q.png'")
      let answer = try await notes.scenario.migrate()
      #expect(answer.count("unchanged") == 1, "\(answer)")
    }
  }

  @Test(arguments: [true, false])
  func `without an update route, a note that was always empty is not a conflict`(
    readsOne: Bool
  ) async throws {
    try await withNote(
      listsRevisions: true,
      text: nil,
      picture: "ignored",
      readsOne: readsOne,
      updates: false
    ) { notes in
      try notes.sql("UPDATE Note SET picture = 'https://e.org/q.png'")
      let answer = try await notes.scenario.migrate()
      #expect(answer.count("conflicted") == 0, "\(answer)")
      #expect(answer.count("unchanged") == 1)
    }
  }

  @Test func `a field that is never shown or compared is not cleared by a PUT`()
    async throws
  {
    let rule = "address, text: ignored"
    try await withNote(picture: rule, readsOne: false, by: "PUT") { notes in
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate()
      #expect(answer.count("updated") == 1, "\(answer)")
      #expect(try notes.note()?["title"] == "mine")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  // MARK: - What cannot be read

  @Test func `a cleared note that cannot be read is reported by name, and the others are sent`()
    async throws
  {
    try await withCleared(version: "v") { notes in
      try notes.change(["title": "a title"])
      try notes.breakReading(of: ["n1"])
      try notes.sql("INSERT INTO Note SELECT 'n2', title, text, mood, picture FROM Note LIMIT 1")
      let answer = try await notes.scenario.migrate(["--retries", "0"])
      // What was refused keeps its text there, which verify reports.
      #expect(answer.status == 6, "\(answer)")
      #expect(
        answer.findings("destination.keeps-failing").compactMap { $0["record"]?.text } == ["n1"]
      )
      #expect(answer.count("created") == 1)
    }
  }

  @Test func `a cleared note that could not be read is decided by the next run`()
    async throws
  {
    try await withCleared(version: "v") { notes in
      try notes.change(["text": .null])
      try notes.breakReading(of: ["n1"])
      #expect(try await notes.scenario.migrate(["--retries", "0"]).count("rejected") == 1)
      try notes.breakReading(of: [])
      let answer = try await notes.scenario.migrate()
      #expect(answer.count("unchanged") == 1, "\(answer)")
    }
  }

  @Test func `an unreadable note that changed at the destination is merged by the next run`()
    async throws
  {
    try await withNote(conflict: "merge", listsRevisions: true, listsChanges: true) { notes in
      #expect(try await notes.scenario.migrate().count("unchanged") == 1)
      try notes.change(["title": "theirs"])
      try notes.sql("UPDATE Note SET text = NULL")
      try notes.breakReading(of: ["n1"])
      #expect(try await notes.scenario.migrate(["--retries", "0"]).count("rejected") == 1)
      try notes.breakReading(of: [])
      let answer = try await notes.scenario.migrate()
      #expect(try notes.note()?["text"] == JSONValue.null, "\(answer)")
      #expect(try notes.note()?["title"] == "theirs")
    }
  }
}
