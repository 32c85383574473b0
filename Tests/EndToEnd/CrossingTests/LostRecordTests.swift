import Foundation
import JSONText
import TestSupport
import Testing

/// Records that runs brought to a destination and that are not there any more.
@Suite(.timeLimit(.minutes(3))) struct LostRecordTests {
  private func withMoved(
    _ body: (Crossing, _ words: [String]) async throws -> Void
  ) async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      try await body(crossing, [package] + crossing.destination)
    }
  }

  private func remove(_ path: String, _ table: String, _ crossing: Crossing) async throws {
    let client = try await AppClient(crossing)
    for row in try crossing.backend.rows(table).values {
      try client.delete("/api/v1/\(path)/\(try AppClient.id(row))")
    }
  }

  @Test func `what a whole reading does not show is told, and made again where a person asks`()
    async throws
  {
    try await withMoved { crossing, words in
      let count = Int64(try crossing.backend.rows("customEvents").count)
      try await remove("custom-events", "customEvents", crossing)
      for verb in ["plan", "upload"] {
        let later = try await crossing.ferry([verb] + words)
        #expect(later.status == 6, "\(later.standardOutput)\(later.standardError)")
        #expect(later.count("conflicted", of: "CustomStoryEvent", in: verb) == count)
        #expect(later.findings("plan.conflict").count == Int(count))
      }
      let mended = try await crossing.ferry(["upload"] + words + ["--on-conflict", "local"])
      #expect(mended.count("created", of: "CustomStoryEvent") == count, "\(mended.standardOutput)")
      #expect(try crossing.backend.rows("customEvents").count == Int(count))
    }
  }

  @Test func `what verify misses is told by the next run, and its cure makes it again`()
    async throws
  {
    try await withMoved { crossing, words in
      let count = Int64(try crossing.backend.rows("stories").count)
      try await remove("stories", "stories", crossing)
      let verdict = try await crossing.ferry(["verify"] + words)
      #expect(verdict.status == 6, "\(verdict.standardError)")
      let cure = try #require(verdict.findings("verify.missing").first?["cure"]?.text)
      #expect(cure.contains("--full") && cure.contains("--on-conflict local"))
      for _ in 1...2 {
        let later = try await crossing.ferry(["plan"] + words)
        #expect(later.status == 6, "\(later.standardError)")
        #expect(later.count("conflicted", of: "Story", in: "plan") == count)
      }
      let flags = ["--full", "--on-conflict", "local"]
      let mended = try await crossing.ferry(["upload"] + words + flags)
      #expect(mended.status == 0, "\(mended.standardOutput)\(mended.standardError)")
      #expect(mended.count("created", of: "Story") == count)
      #expect(try await crossing.ferry(["verify"] + words).status == 0)
    }
  }

  @Test func `what another device made again meanwhile is found, and not made once more`()
    async throws
  {
    try await withMoved { crossing, words in
      let count = try crossing.backend.rows("stories").count
      try await remove("stories", "stories", crossing)
      var elsewhere = crossing
      elsewhere.stateName = "another-machine"
      let theirs = try await elsewhere.migrate()
      #expect(theirs.count("created", of: "Story") == Int64(count), "\(theirs.standardOutput)")
      let flags = ["--full", "--on-conflict", "local"]
      let ours = try await crossing.ferry(["upload"] + words + flags)
      #expect(ours.status == 0, "\(ours.standardOutput)\(ours.standardError)")
      #expect(ours.count("created", of: "Story") == 0)
      #expect(try crossing.backend.rows("stories").count == count)
      #expect(try await crossing.ferry(["verify"] + words).status == 0)
      #expect(try await crossing.ferry(["upload"] + words).count("unchanged", of: "Story") == count)
    }
  }

  @Test func `what hangs on a record that another device made again otherwise is found as well`()
    async throws
  {
    try await withMoved { crossing, words in
      let stories = try crossing.backend.rows("stories").count
      let heroes = try crossing.backend.rows("heroes").count
      try await remove("stories", "stories", crossing)
      try await remove("heroes", "heroes", crossing)
      try Python.edit(crossing.sample.store, "UPDATE ZHERO SET ZAPPEARANCE = 'Quite another'")
      var elsewhere = crossing
      elsewhere.stateName = "another-machine"
      let theirs = try await elsewhere.migrate()
      #expect(theirs.count("created", of: "Story") == Int64(stories), "\(theirs.standardOutput)")
      let flags = ["--full", "--on-conflict", "local"]
      let ours = try await crossing.ferry(["upload"] + words + flags)
      #expect(ours.status == 0, "\(ours.standardOutput)\(ours.standardError)")
      #expect(ours.count("created") == 0)
      #expect(try crossing.backend.rows("heroes").count == heroes)
      #expect(try crossing.backend.rows("stories").count == stories)
      #expect(try await crossing.ferry(["verify"] + words).status == 0)
    }
  }

  @Test func `what a list does not show, and is there by its identity, is not made again`()
    async throws
  {
    try await NoteStore.with { notes in
      let crossing = notes.crossing
      try notes.add(NoteStore.Note(id: "n1"), NoteStore.Note(id: "n2"), NoteStore.Note(id: "n3"))
      #expect(try await crossing.migrate().status == 0)
      let profile = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try profile.replacing(
        "GET /collections/notes/records\n",
        with: "GET /collections/none/records\n"
      )
      .write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let words = ["plan", package] + crossing.destination + ["--accept-change", "profile"]
      let plan = try await crossing.ferry(words)
      #expect(plan.status == 6, "\(plan.standardOutput)\(plan.standardError)")
      #expect(plan.count("conflicted", of: "note", in: "plan") == 3)
      #expect(plan.count("created", of: "note", in: "plan") == 0)
    }
  }

  /// A store with one note, moved to a destination that tells versions only when one record is read.
  private func withTags(
    conflict: String = "fail",
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict) { notes in
      let profile = try String(contentsOfFile: notes.crossing.profile, encoding: .utf8)
      try profile.replacing("version: version\n", with: "version: { header: ETag }\n")
        .write(toFile: notes.crossing.profile, atomically: true, encoding: .utf8)
      try notes.add(NoteStore.Note(id: "n1", book: nil))
      let first = try await notes.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try notes.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await body(notes)
    }
  }

  @Test func `a change goes to a destination whose list tells no versions`() async throws {
    try await withTags { notes in
      let second = try await notes.crossing.migrate()
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

  @Test func `an edit there is not overwritten, although its list tells no versions`() async throws
  {
    try await withTags { notes in
      try edit("title", "theirs", notes)
      let second = try await notes.crossing.migrate()
      #expect(second.status == 6, "\(second.standardOutput)\(second.standardError)")
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "theirs")
    }
  }

  @Test func `an edit of what was found there is not overwritten, although no version is known`()
    async throws
  {
    try await withTags { notes in
      var elsewhere = notes.crossing
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

  @Test func `the store's is sent after all when a person asks for it`() async throws {
    try await withTags { notes in
      try edit("title", "theirs", notes)
      let second = try await notes.crossing.migrate(["--on-conflict", "local"])
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "mine")
    }
  }

  @Test func `what was deleted here goes after all when a person asks for it`() async throws {
    try await withTags { notes in
      try edit("title", "theirs", notes)
      try notes.sql("UPDATE note SET state = 'gone' WHERE id = 'n1'")
      let second = try await notes.crossing.migrate(["--on-conflict", "local"])
      #expect(second.count("deleted", of: "note") == 1, "\(second.standardOutput)")
      #expect(try notes.server().isEmpty)
    }
  }

  @Test
  func `what is left to a destination whose list tells no versions stays, and later edits go`()
    async throws
  {
    try await withTags(conflict: "server") { notes in
      try edit("title", "theirs", notes)
      let second = try await notes.crossing.migrate()
      #expect(second.findings("plan.yielded").count == 1, "\(second.standardOutput)")
      try notes.sql("UPDATE note SET plays = 7 WHERE id = 'n1'")
      let third = try await notes.crossing.migrate()
      #expect(third.status == 0, "\(third.standardOutput)\(third.standardError)")
      #expect(try notes.server()["n1"]?.value(at: "/data/title") == "theirs")
      #expect(try notes.server()["n1"]?.value(at: "/data/plays") == 7)
    }
  }
}
