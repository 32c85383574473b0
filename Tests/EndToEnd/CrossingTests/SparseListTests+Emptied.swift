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
    readsOne: Bool = true,
    _ body: (Notes) async throws -> Void
  ) async throws {
    let tellsVersions = !version.isEmpty
    try await withNote(
      conflict: conflict,
      tellsVersions: tellsVersions,
      version: version,
      readsOne: readsOne
    ) { notes in
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

  // MARK: - Where no route reads one record

  @Test(arguments: ["v", header])
  func `where no route reads one record, a change to what the list leaves out is a conflict`(
    version: String
  ) async throws {
    try await withEmptied(version: version, readsOne: false) { notes in
      let answer = try await notes.crossing.migrate()
      #expect(answer.status == 6, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("conflicted") == 1)
      #expect(answer.findings("plan.conflict").first?["cause"]?.text?.contains("text") == true)
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  @Test func `where no route reads one record, what was not emptied here stays at a change`()
    async throws
  {
    try await withNote(
      conflict: "local",
      tellsVersions: true,
      version: Self.header,
      readsOne: false
    ) { notes in
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.crossing.migrate()
      #expect(try notes.note()?["title"] == "mine", "\(answer.standardOutput)")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  @Test func `where no route reads one record, what was never ours is not emptied by changes`()
    async throws
  {
    try await withFound { notes, elsewhere in
      for title in ["mine", "mine again"] {
        try notes.sql("UPDATE Note SET title = '\(title)'")
        let answer = try await elsewhere.migrate()
        #expect(answer.count("updated") == 1, "\(answer.standardOutput)\(answer.standardError)")
        #expect(try notes.note()?["text"] == "theirs")
      }
    }
  }

  @Test func `where no route reads or changes a note, what is emptied here is a conflict`()
    async throws
  {
    try await withNote(tellsVersions: true, readsOne: false, updates: false) { notes in
      try notes.sql("UPDATE Note SET text = NULL")
      let answer = try await notes.crossing.migrate()
      #expect(answer.count("conflicted") == 1, "\(answer.standardOutput)\(answer.standardError)")
    }
  }

  // MARK: - What was always empty

  @Test func `a note that was always empty where the list leaves it out is no change`()
    async throws
  {
    try await withNote(tellsVersions: true, text: nil, picture: "ignored") { notes in
      try notes.sql("UPDATE Note SET picture = 'https://e.org/q.png'")
      let answer = try await notes.crossing.migrate()
      #expect(answer.count("unchanged") == 1, "\(answer.standardOutput)\(answer.standardError)")
    }
  }

  @Test(arguments: [true, false])
  func `where no route changes a note, one that was always empty is no conflict`(
    readsOne: Bool
  ) async throws {
    try await withNote(
      tellsVersions: true,
      text: nil,
      picture: "ignored",
      readsOne: readsOne,
      updates: false
    ) { notes in
      try notes.sql("UPDATE Note SET picture = 'https://e.org/q.png'")
      let answer = try await notes.crossing.migrate()
      #expect(answer.count("conflicted") == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("unchanged") == 1)
    }
  }

  @Test func `what is never shown and never compared is not emptied by a change that replaces`()
    async throws
  {
    let rule = "address, text: ignored"
    try await withNote(picture: rule, readsOne: false, by: "PUT") { notes in
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.crossing.migrate()
      #expect(answer.count("updated") == 1, "\(answer.standardOutput)\(answer.standardError)")
      #expect(try notes.note()?["title"] == "mine")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  // MARK: - What cannot be read

  @Test func `an emptied note that cannot be read is told by its name, and the others are sent`()
    async throws
  {
    try await withEmptied(version: "v") { notes in
      try notes.change(["title": "a title"])
      try notes.breakReading(of: ["n1"])
      try notes.sql("INSERT INTO Note SELECT 'n2', title, text, mood, picture FROM Note LIMIT 1")
      let answer = try await notes.crossing.migrate(["--retries", "0"])
      // What was refused keeps its text there, which verify reports.
      #expect(answer.status == 6, "\(answer.standardOutput)\(answer.standardError)")
      #expect(
        answer.findings("destination.keeps-failing").compactMap { $0["record"]?.text } == ["n1"]
      )
      #expect(answer.count("created") == 1)
    }
  }

  @Test func `an emptied note that could not be read is decided about by the next run`()
    async throws
  {
    try await withEmptied(version: "v") { notes in
      try notes.change(["text": .null])
      try notes.breakReading(of: ["n1"])
      #expect(try await notes.crossing.migrate(["--retries", "0"]).count("rejected") == 1)
      try notes.breakReading(of: [])
      let answer = try await notes.crossing.migrate()
      #expect(answer.count("unchanged") == 1, "\(answer.standardOutput)\(answer.standardError)")
    }
  }

  @Test func `a note that was changed there and could not be read is merged by the next run`()
    async throws
  {
    try await withNote(conflict: "merge", tellsVersions: true, tellsChanges: true) { notes in
      #expect(try await notes.crossing.migrate().count("unchanged") == 1)
      try notes.change(["title": "theirs"])
      try notes.sql("UPDATE Note SET text = NULL")
      try notes.breakReading(of: ["n1"])
      #expect(try await notes.crossing.migrate(["--retries", "0"]).count("rejected") == 1)
      try notes.breakReading(of: [])
      let answer = try await notes.crossing.migrate()
      #expect(try notes.note()?["text"] == JSONValue.null, "\(answer.standardOutput)")
      #expect(try notes.note()?["title"] == "theirs")
    }
  }
}
