import Foundation
import JSONText
import TestSupport
import Testing

/// Records that runs sent to a destination and that are not there any more.
@Suite(.timeLimit(.minutes(3))) struct LostRecordTests {
  private func withMoved(
    _ body: (MigrationScenario, _ words: [String]) async throws -> Void
  ) async throws {
    try await withScenario { scenario in
      #expect(try await scenario.migrate().status == 0)
      let package = "\(scenario.folder)/p.ferry"
      #expect(try await scenario.export(to: package).status == 0)
      try await body(scenario, [package] + scenario.destination)
    }
  }

  private func remove(_ path: String, _ table: String, _ scenario: MigrationScenario) async throws {
    let client = try await AppClient(scenario)
    for row in try scenario.backend.rows(table).values {
      try client.delete("/api/v1/\(path)/\(try AppClient.id(row))")
    }
  }

  @Test func `a record missing from a whole reading is reported, and made again on request`()
    async throws
  {
    try await withMoved { scenario, words in
      let count = Int64(try scenario.backend.rows("customEvents").count)
      try await remove("custom-events", "customEvents", scenario)
      for verb in ["plan", "upload"] {
        let later = try await scenario.ferry([verb] + words)
        #expect(later.status == 6, "\(later.standardOutput)\(later.standardError)")
        #expect(later.count("conflicted", of: "CustomStoryEvent", in: verb) == count)
        #expect(later.findings("plan.conflict").count == Int(count))
      }
      let mended = try await scenario.ferry(["upload"] + words + ["--on-conflict", "local"])
      #expect(mended.count("created", of: "CustomStoryEvent") == count, "\(mended.standardOutput)")
      #expect(try scenario.backend.rows("customEvents").count == Int(count))
    }
  }

  @Test func `the next run reports the record that verify misses, and its cure creates it again`()
    async throws
  {
    try await withMoved { scenario, words in
      let count = Int64(try scenario.backend.rows("stories").count)
      try await remove("stories", "stories", scenario)
      let verdict = try await scenario.ferry(["verify"] + words)
      #expect(verdict.status == 6, "\(verdict.standardError)")
      let cure = try #require(verdict.findings("verify.missing").first?["cure"]?.text)
      #expect(cure.contains("--full") && cure.contains("--on-conflict local"))
      for _ in 1...2 {
        let later = try await scenario.ferry(["plan"] + words)
        #expect(later.status == 6, "\(later.standardError)")
        #expect(later.count("conflicted", of: "Story", in: "plan") == count)
      }
      let flags = ["--full", "--on-conflict", "local"]
      let mended = try await scenario.ferry(["upload"] + words + flags)
      #expect(mended.status == 0, "\(mended.standardOutput)\(mended.standardError)")
      #expect(mended.count("created", of: "Story") == count)
      #expect(try await scenario.ferry(["verify"] + words).status == 0)
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
      #expect(theirs.count("created", of: "Story") == Int64(count), "\(theirs.standardOutput)")
      let flags = ["--full", "--on-conflict", "local"]
      let ours = try await scenario.ferry(["upload"] + words + flags)
      #expect(ours.status == 0, "\(ours.standardOutput)\(ours.standardError)")
      #expect(ours.count("created", of: "Story") == 0)
      #expect(try scenario.backend.rows("stories").count == count)
      #expect(try await scenario.ferry(["verify"] + words).status == 0)
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
      try Python.edit(scenario.sample.store, "UPDATE ZHERO SET ZAPPEARANCE = 'Quite another'")
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let theirs = try await elsewhere.migrate()
      #expect(theirs.count("created", of: "Story") == Int64(stories), "\(theirs.standardOutput)")
      let flags = ["--full", "--on-conflict", "local"]
      let ours = try await scenario.ferry(["upload"] + words + flags)
      #expect(ours.status == 0, "\(ours.standardOutput)\(ours.standardError)")
      #expect(ours.count("created") == 0)
      #expect(try scenario.backend.rows("heroes").count == heroes)
      #expect(try scenario.backend.rows("stories").count == stories)
      #expect(try await scenario.ferry(["verify"] + words).status == 0)
    }
  }

  @Test func `a record missing from a list and found by its identity is not made again`()
    async throws
  {
    try await NoteStore.with { notes in
      let scenario = notes.scenario
      try notes.add(NoteStore.Note(id: "n1"), NoteStore.Note(id: "n2"), NoteStore.Note(id: "n3"))
      #expect(try await scenario.migrate().status == 0)
      let profile = try String(contentsOfFile: scenario.profile, encoding: .utf8)
      try profile.replacing(
        "GET /collections/notes/records\n",
        with: "GET /collections/none/records\n"
      )
      .write(toFile: scenario.profile, atomically: true, encoding: .utf8)
      let package = "\(scenario.folder)/p.ferry"
      #expect(try await scenario.export(to: package).status == 0)
      let words = ["plan", package] + scenario.destination + ["--accept-change", "profile"]
      let plan = try await scenario.ferry(words)
      #expect(plan.status == 6, "\(plan.standardOutput)\(plan.standardError)")
      #expect(plan.count("conflicted", of: "note", in: "plan") == 3)
      #expect(plan.count("created", of: "note", in: "plan") == 0)
    }
  }

  /// A store with one note, moved to a destination that states versions only when one record is read.
  private func withTags(
    conflict: String = "fail",
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict) { notes in
      let profile = try String(contentsOfFile: notes.scenario.profile, encoding: .utf8)
      try profile.replacing("version: version\n", with: "version: { header: ETag }\n")
        .write(toFile: notes.scenario.profile, atomically: true, encoding: .utf8)
      try notes.add(NoteStore.Note(id: "n1", book: nil))
      let first = try await notes.scenario.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try notes.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await body(notes)
    }
  }

  @Test func `a change is sent to a destination whose list has no revisions`() async throws {
    try await withTags { notes in
      let second = try await notes.scenario.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.count("updated", of: "note") == 1)
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "mine")
    }
  }

  /// Changes a member of the note at the destination, as another device does.
  private func edit(_ name: String, _ value: JSONValue, _ notes: NoteStore) throws {
    var data = try #require(try notes.server()["n1"]?["data"]?.object)
    data[name] = value
    try notes.seed("n1", data)
  }

  @Test func `a remote edit is not overwritten, although the list has no revisions`() async throws {
    try await withTags { notes in
      try edit("title", "theirs", notes)
      let second = try await notes.scenario.migrate()
      #expect(second.status == 6, "\(second.standardOutput)\(second.standardError)")
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
      let found = try await elsewhere.migrate()
      #expect(found.status == 0, "\(found.standardOutput)\(found.standardError)")
      try edit("plays", 9, notes)
      try notes.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      let second = try await elsewhere.migrate()
      #expect(second.status == 6, "\(second.standardOutput)\(second.standardError)")
      #expect(try notes.server()["n1"]?.value(at: "/data/plays") == 9)
    }
  }

  @Test func `the store's value is sent when a person asks for it`() async throws {
    try await withTags { notes in
      try edit("title", "theirs", notes)
      let second = try await notes.scenario.migrate(["--on-conflict", "local"])
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "mine")
    }
  }

  @Test func `a local deletion is sent when a person asks for it`() async throws {
    try await withTags { notes in
      try edit("title", "theirs", notes)
      try notes.sql("UPDATE note SET state = 'gone' WHERE id = 'n1'")
      let second = try await notes.scenario.migrate(["--on-conflict", "local"])
      #expect(second.count("deleted", of: "note") == 1, "\(second.standardOutput)")
      #expect(try notes.server().isEmpty)
    }
  }

  @Test
  func `a value left to a destination without revisions stays, and later edits are sent`()
    async throws
  {
    try await withTags(conflict: "remote") { notes in
      try edit("title", "theirs", notes)
      let second = try await notes.scenario.migrate()
      #expect(second.findings("plan.conflict-kept-remote").count == 1, "\(second.standardOutput)")
      try notes.sql("UPDATE note SET plays = 7 WHERE id = 'n1'")
      let third = try await notes.scenario.migrate()
      #expect(third.status == 0, "\(third.standardOutput)\(third.standardError)")
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "theirs")
      #expect(try notes.server()["n1"]?.value(at: "/data/plays") == 7)
    }
  }
}
