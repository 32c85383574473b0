import Foundation
import JSONText
import TestSupport
import Testing

/// InfiniteStories once it has had a server: what its store knows of the server steers the plan.
///
/// The numbers in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(5))) struct LaterStoriesTests {
  // 000-9, 000-13, 000-18, 000-22, 000-29, 000-30, 000-37.
  @Test
  func `a store that took over the write-back file is adopted by another machine`()
    async throws
  {
    try await withLater { scenario in
      let otherDevice = try await sent(scenario)
      let writes = try scenario.backend.writeCount()
      let answer = try await otherDevice.migrate().exits(0)
      #expect(answer.count("created") + answer.count("updated") + answer.count("deleted") == 0)
      #expect(answer.count("unchanged", of: "Story") == 29)
      // The three that were deleted before they were ever sent.
      #expect(answer.count("skipped", of: "Story") == 3)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  // 000-13, 000-71: the list of changes does not show the hero again.
  @Test func `a store that took over what the server changed alone has nothing left to send`()
    async throws
  {
    try await withLater { scenario in
      _ = try await sent(scenario)
      try await scenario.migrate().exits(0)
      let id = try serverID(scenario, "ZHERO", 1)
      try await AppClient(scenario).patch("/api/v1/heroes/\(id)", ["appearance": "from the web"])
      let answer = try await scenario.migrate().exits(0)
      try scenario.install(await scenario.appliedWriteBack(of: answer).store)
      try await scenario.expectNothingToSend()
    }
  }

  // Some models of the app call the server's identity so, and no other.
  @Test func `a row with a backendId that changed at the server since is not created again`()
    async throws
  {
    try await withLater { scenario in
      let otherDevice = try await sent(scenario)
      let id = try serverID(scenario, "ZSTORY", try kept(scenario)[0])
      try await AppClient(scenario).patch("/api/v1/stories/\(id)", ["title": "from the web"])
      for table in ["ZHERO", "ZSTORY"] {
        try scenario.sql("UPDATE \(table) SET ZBACKENDID = ZSERVERID, ZSERVERID = NULL")
      }
      let answer = try await otherDevice.migrate()
      #expect(answer.count("created") == 0, "\(answer)")
      #expect(try scenario.backend.rows("stories").count == 29)
      #expect(try scenario.backend.rows("stories")[id]?["title"] == "from the web")
    }
  }

  // 000-32, 000-36, 000-41: the server still has what the app last saw.
  @Test func `an edit is sent if the server is unchanged, and a deletion under its limit`()
    async throws
  {
    try await withLater { scenario in
      let otherDevice = try await sent(scenario)
      try scenario.sql(
        "UPDATE ZHERO SET ZAPPEARANCE = 'taller now', ZSERVERSYNCSTATUS = 'pendingUpdate' "
          + "WHERE Z_PK = 1",
        "UPDATE ZSTORY SET ZSERVERSYNCSTATUS = 'pendingDelete' WHERE Z_PK = \(try kept(scenario)[0])"
      )
      try await otherDevice.migrate(["--max-delete", "0"]).exits(8)
      let answer = try await otherDevice.migrate(["--max-delete", "1"]).exits(0)
      #expect(answer.count("updated", of: "Hero") == 1)
      #expect(answer.count("deleted", of: "Story") == 1)
      #expect(answer.count("created") == 0)
      #expect(try scenario.backend.rows("stories").count == 28)
    }
  }

  // A hero's list is the other end of each story's own link.
  @Test func `the app removes a deleted story that its hero lists`() async throws {
    try await withLater { scenario in
      try String(at: scenario.profile)
        .replacing("    schema: infinite-stories.Hero.v3.schema.json\n", with: "")
        .replacing(
          "      primaryTrait: primaryTrait\n",
          with: "      primaryTrait: primaryTrait\n      stories: { references: stories }\n"
        )
        .replacing("  - Hero.look\n", with: "  - Hero.look\n  - Hero.stories\n")
        .replacing("        - look\n", with: "        - look\n        - stories\n")
        .save(to: scenario.profile)
      try unsend(scenario)
      try scenario.sql("DELETE FROM ZSTORYILLUSTRATION")
      let answer = try await scenario.migrate().exits(0)
      let stories = try await scenario.savedWriteBack(of: answer).entries("Story")
      #expect(stories.contains { $0["status"] == "deleted" })
      #expect(stories.allSatisfy { $0["status"] != "skipped" }, "\(stories)")
    }
  }

  // 000-49, 000-51, 001-38, 001-39: heroes are the server's, events ours, a story without a base the
  // server's.
  @Test func `edit on both sides: the policy's side wins, and the losing one is listed`()
    async throws
  {
    try await withLater { scenario in
      let otherDevice = try await sent(scenario)
      let app = try await AppClient(scenario)
      let story = try kept(scenario)[0]
      for (table, path, column, member, key) in [
        ("ZHERO", "heroes", "ZAPPEARANCE", "appearance", 1),
        ("ZSTORY", "stories", "ZTITLE", "title", story),
        ("ZCUSTOMSTORYEVENT", "custom-events", "ZEVENTDESCRIPTION", "description", 1),
      ] {
        let id = try serverID(scenario, table, key)
        try app.patch("/api/v1/\(path)/\(id)", .object([member: "from the web"]))
        try scenario.sql(
          "UPDATE \(table) SET \(column) = 'from here', ZSERVERSYNCSTATUS = 'pendingUpdate' "
            + "WHERE Z_PK = \(key)"
        )
      }
      let answer = try await otherDevice.migrate().exits(6)
      let yielded = answer.findings("plan.conflict-kept-remote").compactMap { $0["entity"]?.text }
      #expect(yielded.sorted() == ["Hero", "Story"])
      let texts = try ["heroes", "stories", "customEvents"].flatMap { table in
        try scenario.backend.rows(table).values.flatMap { row in
          ["appearance", "title", "description"].compactMap { row[$0]?.text }
        }
      }
      #expect(texts.count { $0 == "from the web" } == 2)
      #expect(texts.count { $0 == "from here" } == 1)
    }
  }

  // 000-49: with a base, a story's text is a person's to decide about, and either side's liking holds.
  @Test func `a story's text that both sides changed is asked about`() async throws {
    try await withLater { scenario in
      _ = try await sent(scenario)
      _ = try await scenario.migrate()
      let story = try kept(scenario)[0]
      let id = try serverID(scenario, "ZSTORY", story)
      try await AppClient(scenario).patch("/api/v1/stories/\(id)", ["content": "from the web"])
      try scenario.sql(
        "UPDATE ZSTORY SET ZCONTENT = 'from here', ZSERVERSYNCSTATUS = 'pendingUpdate' "
          + "WHERE Z_PK = \(story)"
      )
      let decisions = "\(scenario.folder)/decisions.json"
      try await scenario.migrate(["--decisions", decisions]).exits(6)
      #expect(try scenario.backend.rows("stories")[id]?["content"] == "from the web")
      let text = try String(at: decisions)
      #expect(text.contains("from here") && text.contains("from the web"))
    }
  }

  // 001-54, 001-60, 001-61, 001-66.
  @Test
  func `with kills and lost answers, each record exists once, and all are rolled back`()
    async throws
  {
    try await withLater { scenario in
      try unsend(scenario)
      try scenario.backend.setFaults("delay:1:40ms@POST /api/;drop-after:3@POST /api/")
      for wait in [0.1, 0.3] { try await scenario.kill(after: wait, ["--batch-size", "4"]) }
      try scenario.backend.setFaults("drop-after:4@POST /api/")
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try scenario.backend.rows("stories").count == 29)
      for back in try await scenario.rollbackAll(from: last) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try scenario.backend.contents().isEmpty)
    }
  }

  /// Sends a store whose rows never were at a server, and lets the app take the write-back over; gives
  /// the same store on a machine that knows nothing of it.
  private func sent(_ scenario: MigrationScenario) async throws -> MigrationScenario {
    try unsend(scenario)
    let first = try await scenario.migrate().exits(0)
    let file = "\(scenario.folder)/write-back.json"
    _ = try await scenario.ferry(["write-back", try first.run(), "-o", file])
    try Python.run(["-c", Self.application, scenario.sample.store, file])
    var otherDevice = scenario
    otherDevice.stateName = "another-machine"
    return otherDevice
  }

  /// Makes every row one that never was at a server.
  private func unsend(_ scenario: MigrationScenario) throws {
    for table in ["ZHERO", "ZSTORY", "ZCUSTOMSTORYEVENT"] {
      try scenario.sql(
        "UPDATE \(table) SET ZSERVERID = NULL, ZSERVERUPDATEDAT = NULL, "
          + "ZPENDINGCHANGES = NULL, ZSERVERSYNCSTATUS = CASE ZSERVERSYNCSTATUS "
          + "WHEN 'pendingDelete' THEN 'pendingDelete' ELSE 'pendingCreate' END"
      )
    }
    for table in ["ZHERO", "ZSTORY"] {
      try scenario.sql("UPDATE \(table) SET ZBACKENDID = NULL")
    }
    // The backend keeps no story without a hero.
    try scenario.sql("UPDATE ZSTORY SET ZHERO = 1 WHERE ZHERO IS NULL")
  }

  /// The stories that the app did not delete, by their rows.
  private func kept(_ scenario: MigrationScenario) throws -> [Int] {
    try query(scenario, "SELECT Z_PK FROM ZSTORY WHERE ZSERVERSYNCSTATUS = 'synced' ORDER BY 1")
      .compactMap { Int($0) }
  }

  private func serverID(_ scenario: MigrationScenario, _ table: String, _ key: Int) throws -> String
  {
    try #require(try query(scenario, "SELECT ZSERVERID FROM \(table) WHERE Z_PK = \(key)").first)
  }

  private func query(_ scenario: MigrationScenario, _ statement: String) throws -> [String] {
    try Python.run([
      "-c",
      "import sqlite3, sys; print(*(r[0] for r in sqlite3.connect(sys.argv[1]).execute(sys.argv[2])))",
      scenario.sample.store, statement,
    ]).split(whereSeparator: \.isWhitespace).map(String.init)
  }

  private func withLater(_ body: (MigrationScenario) async throws -> Void) async throws {
    try await withScenario(.later) { scenario in
      var copy = scenario
      copy.profile = "\(scenario.folder)/later.profile.yaml"
      let text = try String(at: "\(scenario.sample.folder)/later.profile.yaml")
      try text.replacing("settle: 60s", with: "settle: 200ms").save(to: copy.profile)
      try await body(copy)
    }
  }

  /// The app, which writes down what it is handed: identity, state, and the server's version.
  private static let application = """
    import datetime, json, os, sqlite3, sys, uuid
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    db.execute("PRAGMA wal_autocheckpoint = 0")
    epoch = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
    def instant(text):
        if text is None: return None
        return (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - epoch).total_seconds()
    for record in json.load(open(sys.argv[2]))["records"]:
        if record["status"] != "synced": continue
        columns = [row[1] for row in db.execute("PRAGMA table_info(Z%s)" % record["entity"].upper())]
        # The app's looks have no place for what the server calls them.
        if "ZSERVERID" not in columns: continue
        values = [record["serverID"], "synced", instant(record["serverRevision"])]
        key = record["localID"]
        if key.startswith("x-coredata:"):
            place, value = "Z_PK", int(key.rsplit("/p", 1)[1])
        else:
            place, value = "ZID", uuid.UUID(key).bytes
        db.execute(
            "UPDATE Z%s SET ZSERVERID = ?, ZSERVERSYNCSTATUS = ?, ZSERVERUPDATEDAT = ? WHERE %s = ?"
            % (record["entity"].upper(), place), values + [value])
    os._exit(0)
    """
}
