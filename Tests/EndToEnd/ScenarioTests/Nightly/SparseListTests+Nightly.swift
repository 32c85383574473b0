import Foundation
import JSONText
import TestSupport
import Testing

extension SparseListTests {
  /// Lends a note of which only rows are shown, and what found it there from another machine: no
  /// run of this store ever saw the text that another device wrote.
  func withFound(_ body: (Notes, _ elsewhere: MigrationScenario) async throws -> Void) async throws
  {
    try await withNote(listsRevisions: true, text: nil, readsOne: false) { notes in
      try notes.change(["text": "theirs"])
      var elsewhere = notes.scenario
      elsewhere.stateName = "another-machine"
      #expect(try await elsewhere.migrate().count("created") == 0)
      try await body(notes, elsewhere)
    }
  }

  @Test(arguments: [true, false])
  func `an unlisted field stays when both sides are merged`(
    listsRevisions: Bool
  ) async throws {
    try await withNote(conflict: "merge", listsRevisions: listsRevisions) { notes in
      try notes.change(["mood": "theirs"])
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate()
      #expect(try notes.note()?["title"] == "mine", "\(answer)")
      #expect(try notes.note()?["mood"] == "theirs")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  @Test func `the store's value is sent when a person asks for it`() async throws {
    try await withNote { notes in
      try notes.change(["title": "theirs"])
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate(["--on-conflict", "local"])
      #expect(answer.count("updated") == 1, "\(answer)")
      #expect(try notes.note()?["title"] == "mine")
    }
  }

  @Test func `a saved plan is carried out if the destination is unchanged`() async throws {
    try await withNote(conflict: "local") { notes in
      try notes.change(["title": "theirs"])
      try notes.sql("UPDATE Note SET title = 'mine'")
      let (package, plan) = ("\(notes.scenario.folder)/a.ferry", "\(notes.scenario.folder)/a.plan")
      try await notes.scenario.export(to: package).exits(0)
      let words = ["plan", package, "-o", plan] + notes.scenario.destination
      try await notes.scenario.ferry(words).exits(0)
      let done = try await notes.scenario.ferry(["upload", plan] + notes.scenario.destination)
      #expect(done.status == 0, "\(done)")
      #expect(try notes.note()?["title"] == "mine")
    }
  }

  // MARK: - What was changed there unlisted

  /// A version in a header comes with one record alone.
  static let header = "{ header: ETag }"

  @Test(arguments: [false, true])
  func `local: another client's change is replaced by the store's value, listed or not`(
    listsRevisions: Bool
  ) async throws {
    try await withNote(
      conflict: "local",
      listsRevisions: listsRevisions,
      version: Self.header
    ) { notes in
      try notes.change(["text": "theirs"])
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate()
      #expect(try notes.note()?["title"] == "mine", "\(answer)")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }

  @Test func `a field unlisted at a merge can be changed locally later`() async throws {
    try await withNote(conflict: "merge") { notes in
      try notes.change(["mood": "theirs"])
      try notes.sql("UPDATE Note SET title = 'mine'")
      _ = try await notes.scenario.migrate()
      try notes.sql("UPDATE Note SET text = 'mine too'")
      let answer = try await notes.scenario.migrate()
      #expect(try notes.note()?["text"] == "mine too", "\(answer)")
      #expect(try notes.note()?["mood"] == "theirs")
    }
  }

  @Test func `an unlisted field that another device changed since the merge is not overwritten`()
    async throws
  {
    try await withNote(conflict: "merge") { notes in
      try notes.change(["mood": "theirs"])
      try notes.sql("UPDATE Note SET title = 'mine'")
      _ = try await notes.scenario.migrate()
      try notes.change(["text": "theirs too"])
      try notes.sql("UPDATE Note SET text = 'mine too'")
      try await notes.scenario.migrate().exits(6)
      #expect(try notes.note()?["text"] == "theirs too")
    }
  }

  // MARK: - What the server spells otherwise

  @Test(arguments: ["fail", "remote"])
  func `the server's trimming is not a change if its revision is known`(
    policy: String
  ) async throws {
    try await withNote(
      conflict: policy,
      listsRevisions: true,
      version: Self.header,
      mood: " calm "
    ) { notes in
      #expect(try notes.note()?["mood"] == "calm")
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate()
      #expect(answer.count("conflicted") == 0, "\(answer)")
      #expect(try notes.note()?["title"] == "mine")
    }
  }

  @Test func `a record whose row differs is linked to a file that was refused at first`()
    async throws
  {
    try await withNote(
      listsRevisions: true,
      version: Self.header,
      mood: "calm and patient",
      takesPhoto: true
    ) { notes in
      #expect(try notes.note()?["photo"] == nil)
      let answer = try await notes.scenario.migrate()
      #expect(try notes.note()?["photo"] == "https://e.org/f1.png", "\(answer)")
      #expect(try notes.note()?["mood"] == "calm and patient")
    }
  }

  // MARK: - What is read alone

  @Test func `records that need single reads are read concurrently`() async throws {
    try await withNote(listsRevisions: true, version: Self.header, mood: "calm and patient") {
      notes in
      for id in ["n2", "n3", "n4"] {
        try notes.sql(
          "INSERT INTO Note SELECT '\(id)', title, text, mood, picture FROM Note LIMIT 1"
        )
      }
      #expect(try await notes.scenario.migrate().count("created") == 3)
      try notes.sql("UPDATE Note SET title = 'mine'")
      let plan = try await notes.scenario.migrate(["-n"])
      #expect(try notes.count("together") ?? 0 > 1, "\(plan)")
    }
  }

  @Test func `without a route for one record, the list is not read again for each of them`()
    async throws
  {
    try await withNote(
      listsRevisions: true,
      version: Self.header,
      mood: "calm and patient",
      readsOne: false
    ) { notes in
      try notes.sql("UPDATE Note SET title = 'mine'")
      let before = try notes.count("lists") ?? 0
      let plan = try await notes.scenario.migrate(["-n"])
      #expect(try notes.count("lists") == before + 1, "\(plan)")
    }
  }

  // MARK: - Between the plan and the change

  @Test func `without a route for one record, another device's change after the plan stays`()
    async throws
  {
    try await withNote(listsRevisions: true, version: Self.header, readsOne: false) { notes in
      try notes.sql("UPDATE Note SET title = 'mine'")
      try notes.change(["mood": "theirs"], beforeList: 2)
      try await notes.scenario.migrate().exits(6)
      #expect(try notes.note()?["mood"] == "theirs")
    }
  }
}
