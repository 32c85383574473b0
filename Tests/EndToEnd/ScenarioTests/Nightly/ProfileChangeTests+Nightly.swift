import Foundation
import JSONText
import TestSupport
import Testing

extension ProfileChangeTests {
  private static let withCurrentRoutes = ["--with-current-routes"]

  @Test func `an interrupted run's records are created once, although the entities change places`()
    async throws
  {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let words = ["upload", package] + scenario.destination
      try scenario.backend.setFaults("status:1:429:retry-after=86400@POST /api/batch/stories")
      try await scenario.ferry(words + ["--retries", "0"]).exits(5)
      try scenario.backend.setFaults("")
      try useHeroesFirst(scenario)
      let answer = try await scenario.ferry(words + Self.accepting).exits(0)
      #expect(answer.count("created", of: "Story") > 0)
      #expect(answer.count("created", of: "Hero") == 0)
      let contents = try scenario.backend.contents()
      #expect(contents.count == Set(contents).count)
      try await scenario.ferry(["verify"] + words.dropFirst()).exits(0)
    }
  }

  @Test
  func `an unsent entity is given up once a profile without it is accepted`()
    async throws
  {
    try await NoteStore.with { app in
      try use(try streaksFirst(), in: app)
      let (words, _) = try await upload(of: app, stoppedBy: "status:1:503@PUT /collections/streaks")
      try use(NoteStore.profile(), in: app)
      let writes = try app.scenario.backend.writeCount()
      let refused = try await app.scenario.ferry(words).exits(12)
      #expect(refused.standardError.contains("api.entities.streak (removed)"))
      #expect(refused.standardError.contains("entities.streak.role (\"own\", now \"derived\")"))
      #expect(try app.scenario.backend.writeCount() == writes)
      try await app.scenario.ferry(words + Self.accepting).exits(0)
      #expect(try counts(app) == [0, 1, 5])
    }
  }

  @Test func `a request without an answer is looked up with the profile that sent it`()
    async throws
  {
    try await NoteStore.with { app in
      let (words, _) = try await upload(of: app, stoppedBy: "drop-after:1@PUT /collections/notes")
      try use(try streaksFirst(), in: app)
      let changed = try await app.scenario.ferry(words + Self.accepting).exits(0)
      #expect(changed.count("created", of: "streak") == 2)
      #expect(try counts(app) == [2, 1, 5])
      try await app.scenario.ferry(["verify"] + words.dropFirst()).exits(0)
    }
  }

  @Test(arguments: [true, false])
  func `files that were not uploaded do not bind a run to its profile`(
    isRolledBack: Bool
  ) async throws {
    try await withScenario { scenario in
      var scenario = scenario
      try scenario.putFiles(into: "http://127.0.0.1:9", named: "media")
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let words = ["upload", package] + scenario.destination
      let stopped = try await scenario.ferry(words + ["--retries", "0"]).exits(5)
      let (on, off) = ("enabled: true\n    bucket:", "enabled: false\n    bucket:")
      let profile = try String(at: scenario.profile)
      try use(try replacing(on, with: off, in: profile), in: scenario)
      let answer =
        isRolledBack
        ? try await scenario.rollback(try stopped.run(), Self.withCurrentRoutes)
        : try await scenario.ferry(words + Self.accepting)
      #expect(answer.status == 0, "\(answer)")
      #expect(!answer.findings("media.orphaned").isEmpty)
      #expect(try scenario.backend.rows("heroes").isEmpty == isRolledBack)
    }
  }

  // MARK: - Rollbacks

  @Test func `an interrupted run is rolled back although the profile changed`() async throws {
    try await NoteStore.with { app in
      let (_, run) = try await upload(of: app, stoppedBy: "status:1:503@PUT /collections/notes")
      #expect(try counts(app) == [0, 1, 0])
      try use(try streaksFirst(), in: app)
      try await app.scenario.rollback(run).exits(0)
      #expect(try counts(app) == [0, 0, 0])
    }
  }

  @Test func `a run is rolled back although the profile no longer has its entities`()
    async throws
  {
    try await NoteStore.with { app in
      try use(try streaksFirst(), in: app)
      try app.add(.init(id: "n1"))
      let run = try await app.scenario.migrate().run()
      try use(NoteStore.profile(), in: app)
      try await app.scenario.rollback(run).exits(0)
      #expect(try counts(app) == [0, 0, 0])
    }
  }

  @Test func `a changed record is restored with the profile that it was changed with`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", title: "before"))
      try await app.scenario.migrate().exits(0)
      let before = try app.server()["n1"]?["data"]
      try app.sql("UPDATE note SET title = 'after', plays = 9 WHERE id = 'n1'")
      let second = try await app.scenario.migrate()
      #expect(second.count("updated", of: "note") == 1, "\(second)")
      try use(try withoutPlays(), in: app)
      try await app.scenario.rollback(try second.run()).exits(0)
      #expect(try app.server()["n1"]?["data"] == before)
    }
  }

  @Test func `a record that another client changed stays, although the profile lost that field`()
    async throws
  {
    try await NoteStore.with(listsRevisions: false) { app in
      try app.add(.init(id: "n1"))
      let run = try await app.scenario.migrate().run()
      try app.change("n1", ["plays": 7])
      try use(try withoutPlays(NoteStore.profile(listsRevisions: false)), in: app)
      try await app.scenario.rollback(run).exits(6)
      #expect(try app.server()["n1"]?.value(at: "/data/plays") == 7)
      #expect(try counts(app) == [0, 1, 1])
    }
  }

  @Test func `a record that others refer to stays, although the profile lost that reference`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"))
      let run = try await app.scenario.migrate().run()
      try app.seed("n9", ["title": "theirs", "book": "b1"])
      try use(try withoutBook(), in: app)
      try await app.scenario.rollback(run).exits(6)
      #expect(try counts(app) == [0, 1, 1])
    }
  }

  @Test func `a record that a wrong route did not remove is removed by the corrected route`()
    async throws
  {
    try await NoteStore.with { app in
      try await expectMended(app, from: NoteStore.profile(), to: NoteStore.profile())
    }
  }

  @Test func `a rollback uses only the routes of a changed profile`() async throws {
    try await NoteStore.with { app in
      let first = try streaksFirst()
      let other = "{ days: { field: days, default: 0 } }"
      let mended = try replacing("{ days: days }", with: other, in: first)
      try await expectMended(app, from: first, to: mended)
    }
  }

  @Test func `an interrupted rollback ends with the profile that it began with`()
    async throws
  {
    try await NoteStore.with { app in
      for number in 1...3 { try app.add(.init(id: "n\(number)", title: "before")) }
      try await app.scenario.migrate().exits(0)
      let before = try app.server().mapValues { $0["data"] }
      try app.sql("UPDATE note SET title = 'after', plays = 9")
      let run = try await app.scenario.migrate().run()
      try app.scenario.backend.setFaults("status:1:503@PATCH /collections/notes")
      try await app.scenario.rollback(run, ["--retries", "0"]).exits(5)
      try app.scenario.backend.setFaults("")
      try use(try withoutPlays(), in: app)
      try await app.scenario.rollback(run).exits(0)
      #expect(try app.server().mapValues { $0["data"] } == before)
    }
  }

  @Test func `an interrupted rollback goes on although the entities change places`() async throws {
    try await NoteStore.with { app in
      try use(try streaksFirst(), in: app)
      let run = try await stoppedRollback(of: app)
      try use(try streaksLast(), in: app)
      try await app.scenario.rollback(run).exits(0)
      #expect(try counts(app) == [0, 0, 0])
    }
  }

  @Test
  func `an entity that is still to be rolled back is rolled back, although the profile lost it`()
    async throws
  {
    try await NoteStore.with { app in
      try use(try streaksFirst(), in: app)
      let run = try await stoppedRollback(of: app)
      try use(NoteStore.profile(), in: app)
      try await app.scenario.rollback(run).exits(0)
      #expect(try counts(app) == [0, 0, 0])
    }
  }

  /// Uploads everything, and begins to roll it back; gives the run that is rolled back.
  private func stoppedRollback(of app: NoteStore) async throws -> String {
    for number in 1...5 { try app.add(.init(id: "n\(number)")) }
    let run = try await app.scenario.migrate().run()
    #expect(try counts(app) == [2, 1, 5])
    try app.scenario.backend.setFaults("status:1:503@DELETE /collections/notes")
    try await app.scenario.rollback(run, ["--retries", "0"]).exits(5)
    try app.scenario.backend.setFaults("")
    return run
  }

  /// Changes what the first run made, makes a note, and rolls that back with a profile whose route for it is
  /// wrong; what is left then has to go with another one.
  private func expectMended(
    _ app: NoteStore,
    from profile: String,
    to mended: String
  ) async throws {
    let (right, wrong) = (
      "DELETE /collections/notes/records/{id}\", if-match: true",
      "DELETE /collections/noten/records/{id}\""
    )
    try use(try replacing(right, with: wrong, in: profile), in: app)
    try app.add(.init(id: "n1", title: "before"))
    try await app.scenario.migrate().exits(0)
    let before = try counts(app)
    try app.sql("UPDATE note SET title = 'after'", "UPDATE streak SET days = 9 WHERE id = 's1'")
    try app.add(.init(id: "n2"))
    let run = try await app.scenario.migrate().run()
    let failed = try await app.scenario.rollback(run).exits(6)
    #expect(failed.findings("rollback.still-present").count == 1)
    #expect(try app.server()["n1"]?.value(at: "/data/title") == "before")
    try use(mended, in: app)
    try await app.scenario.rollback(run, Self.withCurrentRoutes).exits(0)
    #expect(try counts(app) == before)
  }

  /// The profile by which the server has no place for how often a note was played.
  private func withoutPlays(_ profile: String = NoteStore.profile()) throws -> String {
    try unplacing("plays", in: try replacing("plays: plays", with: "", in: profile))
  }

  /// The profile by which the server has no place for the book of a note.
  private func withoutBook() throws -> String {
    let (with, without) = ("book: { reference: book }\n        plays", "plays")
    return try unplacing("book", in: try replacing(with, with: without, in: NoteStore.profile()))
  }

  /// Has the profile say that a member of notes has no place at the server.
  private func unplacing(_ member: String, in profile: String) throws -> String {
    let names = "unmapped: [id, book_id"
    return try replacing("\(names)]", with: "\(names), \(member)]", in: profile)
  }

  /// The profile with streaks that are sent, after all else.
  private func streaksLast() throws -> String {
    try replacing(Self.unsent, with: Self.sent, in: NoteStore.profile()) + "\n\(Self.routes)"
  }

  /// Has the profile name heroes before events, which know nothing of each other.
  private func useHeroesFirst(_ scenario: MigrationScenario) throws {
    var text = try String(at: scenario.profile)
    text = try swapping(
      "  CustomStoryEvent:\n    schema:",
      "  Hero:\n    schema:",
      "  HeroVisualProfile:\n    schema:",
      in: text
    )
    text = try swapping(
      "    CustomStoryEvent:\n      replay:",
      "    Hero:\n      replay:",
      "    # A hero has one look",
      in: text
    )
    try text.save(to: scenario.profile)
  }

  /// The text with the part that begins with `second`, and ends before `third`, before that which begins
  /// with `first`.
  private func swapping(
    _ first: String,
    _ second: String,
    _ third: String,
    in text: String
  ) throws -> String {
    let one = try #require(text.range(of: first)).lowerBound
    let two = try #require(text.range(of: second)).lowerBound
    let three = try #require(text.range(of: third)).lowerBound
    return String(text[..<one]) + String(text[two..<three]) + String(text[one..<two])
      + String(text[three...])
  }
}
