import Foundation
import JSONText
import TestSupport
import Testing

extension LostRecordTests {
  @Test func `the next run reports the record that verify misses, and its cure creates it again`()
    async throws
  {
    try await withMoved { scenario, words in
      let count = Int64(try scenario.backend.rows("stories").count)
      try await remove("stories", "stories", scenario)
      let verdict = try await scenario.ferry(["verify"] + words).exits(6)
      let cure = try #require(verdict.findings("verify.missing").first?["cure"]?.text)
      #expect(cure.contains("--full") && cure.contains("--on-conflict local"))
      for _ in 1...2 {
        let later = try await scenario.ferry(["plan"] + words).exits(6)
        #expect(later.count("conflicted", of: "Story", in: "plan") == count)
      }
      let flags = ["--full", "--on-conflict", "local"]
      let mended = try await scenario.ferry(["upload"] + words + flags).exits(0)
      #expect(mended.count("created", of: "Story") == count)
      try await scenario.ferry(["verify"] + words).exits(0)
    }
  }

  @Test func `a record that another device created again is found, and not created twice`()
    async throws
  {
    try await withMoved { scenario, words in
      let count = try scenario.backend.rows("stories").count
      try await remove("stories", "stories", scenario)
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let theirs = try await elsewhere.migrate()
      #expect(theirs.count("created", of: "Story") == Int64(count), "\(theirs)")
      let flags = ["--full", "--on-conflict", "local"]
      let ours = try await scenario.ferry(["upload"] + words + flags).exits(0)
      #expect(ours.count("created", of: "Story") == 0)
      #expect(try scenario.backend.rows("stories").count == count)
      try await scenario.ferry(["verify"] + words).exits(0)
      #expect(try await scenario.ferry(["upload"] + words).count("unchanged", of: "Story") == count)
    }
  }

  @Test func `dependents of a record that another device created again differently are found too`()
    async throws
  {
    try await withMoved { scenario, words in
      let stories = try scenario.backend.rows("stories").count
      let heroes = try scenario.backend.rows("heroes").count
      try await remove("stories", "stories", scenario)
      try await remove("heroes", "heroes", scenario)
      try scenario.sql("UPDATE ZHERO SET ZAPPEARANCE = 'Quite another'")
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let theirs = try await elsewhere.migrate()
      #expect(theirs.count("created", of: "Story") == Int64(stories), "\(theirs)")
      let flags = ["--full", "--on-conflict", "local"]
      let ours = try await scenario.ferry(["upload"] + words + flags).exits(0)
      #expect(ours.count("created") == 0)
      #expect(try scenario.backend.rows("heroes").count == heroes)
      #expect(try scenario.backend.rows("stories").count == stories)
      try await scenario.ferry(["verify"] + words).exits(0)
    }
  }

  @Test func `a record missing from a list and found by its identity is not made again`()
    async throws
  {
    try await NoteStore.with { notes in
      let scenario = notes.scenario
      try notes.add(NoteStore.Note(id: "n1"), NoteStore.Note(id: "n2"), NoteStore.Note(id: "n3"))
      try await scenario.migrate().exits(0)
      let profile = try String(at: scenario.profile)
      try profile.replacing(
        "GET /collections/notes/records\n",
        with: "GET /collections/none/records\n"
      )
      .save(to: scenario.profile)
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let words = ["plan", package] + scenario.destination + ["--accept-change", "profile"]
      let plan = try await scenario.ferry(words).exits(6)
      #expect(plan.count("conflicted", of: "note", in: "plan") == 3)
      #expect(plan.count("created", of: "note", in: "plan") == 0)
    }
  }

  /// A store with one note, moved to a destination that gives versions only when one record is read.
  private func withTags(
    conflict: String = "fail",
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict) { notes in
      let profile = try String(at: notes.scenario.profile)
      try profile.replacing("version: version\n", with: "version: { header: ETag }\n")
        .save(to: notes.scenario.profile)
      try notes.add(NoteStore.Note(id: "n1", book: nil))
      try await notes.scenario.migrate().exits(0)
      try notes.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await body(notes)
    }
  }

  @Test func `a change is sent to a destination whose list has no revisions`() async throws {
    try await withTags { notes in
      let second = try await notes.scenario.migrate().exits(0)
      #expect(second.count("updated", of: "note") == 1)
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "mine")
    }
  }

  @Test func `a remote edit is not overwritten, although the list has no revisions`() async throws {
    try await withTags { notes in
      try notes.change("n1", ["title": "theirs"])
      try await notes.scenario.migrate().exits(6)
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "theirs")
    }
  }

  @Test
  func
    `another device's edit of an adopted record is not overwritten, although no revision is known`()
    async throws
  {
    try await withTags { notes in
      var elsewhere = notes.scenario
      elsewhere.stateName = "another-machine"
      try notes.sql("UPDATE note SET title = 'a title' WHERE id = 'n1'")
      try await elsewhere.migrate().exits(0)
      try notes.change("n1", ["plays": 9])
      try notes.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await elsewhere.migrate().exits(6)
      #expect(try notes.server()["n1"]?.value(at: "/data/plays") == 9)
    }
  }

  @Test
  func `a value left to a destination without revisions stays, and later edits are sent`()
    async throws
  {
    try await withTags(conflict: "remote") { notes in
      try notes.change("n1", ["title": "theirs"])
      let second = try await notes.scenario.migrate()
      #expect(second.findings("plan.conflict-kept-remote").count == 1, "\(second)")
      try notes.sql("UPDATE note SET plays = 7 WHERE id = 'n1'")
      try await notes.scenario.migrate().exits(0)
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "theirs")
      #expect(try notes.server()["n1"]?.value(at: "/data/plays") == 7)
    }
  }
}
