import JSONText
import TestSupport
import Testing

// What a rollback takes back where no route reads one record, and the list leaves out what was changed.

extension SparseListTests {
  /// Lends a note of which only rows are shown, once the store changed what these leave out.
  private func withUnseen(
    version: String = "v",
    text: String? = "a long text",
    to changed: String = "NULL",
    _ body: (Notes) async throws -> Void
  ) async throws {
    try await withNote(tellsVersions: true, version: version, text: text, readsOne: false) {
      notes in
      try notes.sql("UPDATE Note SET text = \(changed)")
      try await body(notes)
    }
  }

  /// Brings the change there, and gives its run.
  private func update(_ notes: Notes) async throws -> String {
    let answer = try await notes.crossing.migrate()
    #expect(answer.count("updated") == 1, "\(answer.standardOutput)\(answer.standardError)")
    return try answer.run()
  }

  /// Brings the change there, unheard, and gives its run.
  private func updateUnheard(_ notes: Notes) async throws -> String {
    try notes.loseAnswers(to: ["PATCH"])
    let stopped = try await notes.crossing.migrate(["--retries", "0"])
    #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
    #expect(try notes.note()?["text"] == JSONValue.null)
    return try stopped.run()
  }

  @Test(arguments: ["NULL", "'mine'"])
  func `where no route reads one record, what was changed unseen is put back`(
    changed: String
  ) async throws {
    try await withUnseen(to: changed) { notes in
      let back = try await notes.crossing.rollback(try await update(notes))
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  @Test func `where no route reads one record, what was filled unseen is emptied again`()
    async throws
  {
    try await withUnseen(text: nil, to: "'mine'") { notes in
      let back = try await notes.crossing.rollback(try await update(notes))
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try notes.note()?["text"] == JSONValue.null)
    }
  }

  @Test func `what somebody wrote where a run emptied it unseen is kept, and told`() async throws {
    try await withUnseen { notes in
      let run = try await update(notes)
      try notes.change(["text": "theirs"])
      let back = try await notes.crossing.rollback(run)
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("conflicted", in: "rollback") == 1)
      #expect(try notes.note()?["text"] == "theirs")
    }
  }

  @Test func `where rows tell no version, what was emptied unseen is not said to be put back`()
    async throws
  {
    try await withUnseen(version: Self.header) { notes in
      let back = try await notes.crossing.rollback(try await update(notes))
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("conflicted", in: "rollback") == 1)
      #expect(back.count("updated", in: "rollback") == 0)
    }
  }

  @Test func `what was emptied unseen and unheard is put back`() async throws {
    try await withUnseen { notes in
      let back = try await notes.crossing.rollback(try await updateUnheard(notes))
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  @Test func `where rows tell no version, what was emptied unseen and unheard is told`()
    async throws
  {
    try await withUnseen(version: Self.header) { notes in
      let back = try await notes.crossing.rollback(try await updateUnheard(notes))
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.findings("upload.conflict").compactMap { $0["record"]?.text } == ["n1"])
    }
  }

  @Test func `what a run wrote over a text that nobody here ever saw is not said to be put back`()
    async throws
  {
    try await withFound { notes, elsewhere in
      try notes.sql("UPDATE Note SET text = 'mine'")
      let answer = try await elsewhere.migrate()
      #expect(answer.count("updated") == 1, "\(answer.standardOutput)\(answer.standardError)")
      let back = try await elsewhere.rollback(try answer.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(try notes.note()?["text"] == "mine")
    }
  }

  @Test func `what was put back unseen and unheard is not said to be somebody's change`()
    async throws
  {
    try await withUnseen { notes in
      let run = try await update(notes)
      try notes.loseAnswers(to: ["PATCH"])
      let back = try await notes.crossing.rollback(run)
      let causes = back.findings("upload.conflict").compactMap { $0["cause"]?.text }
      #expect(
        causes.map { $0.hasPrefix("nobody can tell whether it arrived") } == [true],
        "\(back.standardOutput)\(back.standardError)"
      )
    }
  }
}
