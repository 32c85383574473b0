import Foundation
import JSONText
import TestSupport
import Testing

/// A write-back that is applied to a copy of the store, and what the next run makes of that copy.
@Suite(.timeLimit(.minutes(5))) struct WriteBackApplyTests {
  // MARK: - A plain SQLite database

  @Test func `a change at the server alone is reported as newer, and never as different`()
    async throws
  {
    try await NoteStore.withoutState { app in
      try await moveTitle(app)
      for _ in 1...2 {
        let answer = try await app.scenario.migrate().exits(0)
        #expect(answer.findings("plan.remote-newer").count == 1, "\(answer)")
        #expect(answer.findings("verify.different").isEmpty, "\(answer)")
        #expect(answer.value("verification")?["clean"] == true, "\(answer)")
        let entry = try await saved(answer, app.scenario).entry("n1")
        #expect(entry?["status"] == "replace")
        #expect(entry?["attributes"]?["title"] == "theirs")
        #expect(entry?["unmapped"] == [])
      }
    }
  }

  // 000-13, 000-30: the app takes the server's content, and both sides agree.
  @Test func `a copy that took the server's title has nothing left to send`() async throws {
    try await NoteStore.withoutState { app in
      try await moveTitle(app)
      let answer = try await app.scenario.migrate().exits(0)
      let applied = try await applied(answer, app.scenario)
      #expect(applied.answer.value("write-back-applied")?["skipped"] == [])
      #expect(try query(applied.store, "SELECT title, plays FROM note") == ["theirs|3"])
      try install(applied.store, app.scenario)
      try await expectNothingToSend(app.scenario)
    }
  }

  @Test func `a deletion that gave way to the server's change makes the row again`() async throws {
    try await NoteStore.with(conflict: "remote") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.change("n1", ["title": "theirs"])
      try app.sql("UPDATE note SET state = 'gone' WHERE id = 'n1'")
      let answer = try await app.scenario.migrate().exits(6)
      let entry = try await saved(answer, app.scenario).entry("n1")
      #expect(entry?["status"] == "restore", "\(String(describing: entry))")
      #expect(entry?["attributes"]?["title"] == "theirs")
      let applied = try await applied(answer, app.scenario)
      #expect(try query(applied.store, "SELECT title, state FROM note") == ["theirs|done"])
      try install(applied.store, app.scenario)
      try await expectNothingToSend(app.scenario)
      #expect(try app.server()["n1"] != nil)
    }
  }

  // 000-31
  @Test func `a refused record is failed with its reason, and its row stays`() async throws {
    try await NoteStore.with { app in
      let profile = try String(at: app.scenario.profile)
      try profile.replacing(
        "title: title\n        book:",
        with: "title: { field: title, longest: 5 }\n        book:"
      )
      .save(to: app.scenario.profile)
      try app.add(.init(id: "n1", title: "seven__"))
      let answer = try await app.scenario.migrate().exits(3)
      let entry = try await saved(answer, app.scenario).entry("n1")
      #expect(entry?["status"] == "failed")
      #expect(entry?["reason"]?.text?.contains("7 characters") == true)
      let applied = try await applied(answer, app.scenario)
      #expect(try query(applied.store, "SELECT title, state FROM note") == ["seven__|new"])
    }
  }

  @Test func `a write-back of another store is refused, and nothing is written`() async throws {
    try await NoteStore.with { app in
      let answer = try await app.scenario.migrate().exits(0)
      _ = try await saved(answer, app.scenario)
      try app.sql("CREATE TABLE more (id INTEGER PRIMARY KEY)")
      let copy = "\(app.scenario.folder)/new.store"
      try await apply(app.scenario, to: copy).exits(12)
      #expect(!FileManager.default.fileExists(atPath: copy))
    }
  }

  /// Sends a note, and has another device change its title.
  private func moveTitle(_ app: NoteStore) async throws {
    try app.add(.init(id: "n1", plays: 3))
    try await app.scenario.migrate().exits(0)
    try app.change("n1", ["title": "theirs"])
  }

  // MARK: - Core Data

  // 004-10
  @Test func `a renamed tag is taken into a Core Data copy, which keeps its keys`() async throws {
    try await withNoted { scenario in
      try scenario.sql("UPDATE ZTAGENTITY SET ZSYNCSTATUS = 0")
      try await scenario.migrate().exits(0)
      let before = try tag(scenario.sample.store, "urgent")
      try rename("urgent", to: "from the web", scenario)
      let answer = try await scenario.migrate().exits(0)
      let entries = try await saved(answer, scenario).entries("TagEntity")
      #expect(entries.count { $0["status"] == "replace" } == 1, "\(entries)")
      let applied = try await applied(answer, scenario)
      let after = try tag(applied.store, "from the web")
      #expect(after.prefix(2) == before.prefix(2))
      #expect(after[2] == before[2] + 1)
      try install(applied.store, scenario)
      try await expectNothingToSend(scenario)
    }
  }

  /// Key, entity and counter of a tag's row.
  private func tag(_ store: String, _ name: String) throws -> [Int] {
    let rows = try query(
      store,
      "SELECT Z_PK, Z_ENT, Z_OPT FROM ZTAGENTITY WHERE ZNAME = '\(name)'"
    )
    return try #require(rows.first).split(separator: "|").compactMap { Int($0) }
  }

  /// Renames a tag at the server, as the app's web page does.
  private func rename(_ name: String, to other: String, _ scenario: MigrationScenario) throws {
    let rows = try scenario.backend.dump()["syncRows"]?.array ?? []
    var row = try #require(rows.first { $0["name"]?.text == name }?.object)
    row["name"] = .string(other)
    row["updated_at"] = .string(Date().addingTimeInterval(60).ISO8601Format())
    row["kind"] = nil as JSONValue?
    let login = try scenario.backend.request(
      "POST",
      "/api/auth/login",
      ["email": .string(DemoAccount.email), "password": "correct-horse"]
    )
    _ = try scenario.backend.request(
      "POST",
      "/api/sync",
      ["tags": .array([.object(row)])],
      token: login["access_token"]?.text
    )
  }

  // MARK: - A queue of changes

  // 003-8, 003-34: what was carried is gone from the queue, and its rows are synced.
  @Test func `each row of Peated's queue has an outcome, and the carried ones leave the copy`()
    async throws
  {
    try await withPeated { peated in
      let scenario = peated.scenario
      let answer = try await scenario.migrate().exits(0)
      let operations = try await saved(answer, scenario)["operations"]?.array ?? []
      let rows = try query(scenario.sample.store, "SELECT count(*) FROM ZPENDINGMUTATION")
      #expect(rows == ["\(operations.count)"])
      let blocked = operations.first {
        $0["key"]?.text?.uppercased() == "6D07A710-0000-4000-8000-000000000021"
      }
      #expect(blocked?["outcome"] == "not-carried", "\(operations)")
      #expect(blocked?["reason"]?.text?.contains("no place for a change of this kind") == true)
      let settled = operations.count { ["carried", "folded"].contains($0["outcome"]?.text) }
      #expect(settled > 0)
      // The tags of 90003 are an archive, which is not written: its change stays in the queue.
      let applied = try await applied(answer, scenario, status: 3)
      let result = try #require(applied.answer.value("write-back-applied"))
      #expect(result["operationsRemoved"] == .number(JSONNumber(Int64(settled - 1))))
      #expect(result["skipped"]?.array?.compactMap { $0["localID"]?.text } == ["90003"])
      let left = try query(applied.store, "SELECT count(*) FROM ZPENDINGMUTATION")
      #expect(left == ["\(operations.count - settled + 1)"])
      let pending = "SELECT count(*) FROM ZTASTING WHERE ZSYNCSTATUS = 'pending' AND ZUSER = 1"
      #expect(try query(applied.store, pending) == ["0"])
      try install(applied.store, scenario)
      let writes = try scenario.backend.writeCount()
      let second = try await scenario.migrate()
      #expect(second.count("updated") + second.count("created") + second.count("deleted") == 0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `a queue of which nothing is replayed ends with status 3`() async throws {
    try await withPeated { peated in
      try peated.sql("DELETE FROM ZPENDINGMUTATION WHERE ZTYPE <> 'blockUser'")
      let answer = try await peated.scenario.migrate().exits(3)
      #expect(answer.findings("plan.queue-unreplayed").count == 1)
    }
  }

  // MARK: - Steps

  /// Writes the write-back of a run, and holds it against its schema.
  private func saved(_ answer: Answer, _ scenario: MigrationScenario) async throws -> JSONValue {
    let file = "\(scenario.folder)/write-back.json"
    try await scenario.ferry(["write-back", try answer.run(), "-o", file]).exits(0)
    let value = try JSONValue(parsing: String(at: file))
    let faults = try PublishedForm.faults(of: value, under: "ferry.write-back.v1.schema.json")
    #expect(faults.isEmpty, "\(faults)")
    let records = value["records"]?.array ?? []
    let names = records.map { "\($0["entity"]?.text ?? "")/\($0["localID"]?.text ?? "")" }
    #expect(Set(names).count == names.count)
    return value
  }

  private func apply(_ scenario: MigrationScenario, to copy: String) async throws -> Answer {
    try await scenario.ferry([
      "write-back", "apply", "\(scenario.folder)/write-back.json", "--copy",
      scenario.sample.store, "--profile", scenario.profile, "-o", copy,
    ])
  }

  /// Applies the write-back of a run to a copy of the store, which is not touched.
  private func applied(
    _ run: Answer,
    _ scenario: MigrationScenario,
    status: Int32 = 0
  ) async throws -> (answer: Answer, store: String) {
    _ = try await saved(run, scenario)
    let before = try SourceDigests(of: scenario.sample.folder)
    let copy = "\(scenario.folder)/new.store"
    let answer = try await apply(scenario, to: copy).exits(status)
    #expect(try SourceDigests(of: scenario.sample.folder) == before)
    return (answer, copy)
  }

  /// Puts a copy in the place of the app's store.
  private func install(_ copy: String, _ scenario: MigrationScenario) throws {
    let store = scenario.sample.store
    for ending in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store + ending)
    {
      try FileManager.default.removeItem(atPath: store + ending)
    }
    try FileManager.default.moveItem(atPath: copy, toPath: store)
  }

  private func expectNothingToSend(_ scenario: MigrationScenario) async throws {
    let writes = try scenario.backend.writeCount()
    let answer = try await scenario.migrate().exits(0)
    let sent = ["created", "updated", "deleted", "conflicted"].map { answer.count($0) }
    #expect(sent == [0, 0, 0, 0], "\(answer)")
    #expect(answer.value("verification")?["clean"] == true, "\(answer)")
    #expect(try scenario.backend.writeCount() == writes)
  }

  /// The rows of a query, their columns joined by bars.
  private func query(_ store: String, _ sql: String) throws -> [String] {
    try Python.run(["-c", Self.querying, store, sql]).split(separator: "\n").map(String.init)
  }

  private static let querying = """
    import sqlite3, sys
    for row in sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True).execute(sys.argv[2]):
        print("|".join(str(value) for value in row))
    """
}

extension JSONValue {
  /// The entry of a write-back about a record.
  fileprivate func entry(_ localID: String) -> JSONValue? {
    self["records"]?.array?.first { $0["localID"]?.text == localID }
  }

  /// The entries of a write-back about an entity.
  fileprivate func entries(_ entity: String) -> [JSONValue] {
    (self["records"]?.array ?? []).filter { $0["entity"]?.text == entity }
  }
}
