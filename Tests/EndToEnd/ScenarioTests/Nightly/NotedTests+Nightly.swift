import Foundation
import JSONText
import TestSupport
import Testing

extension NotedTests {
  private static let removedCount: Int64 = 14

  @Test func `a rollback that no run can repeat is announced in the plan and before it begins`()
    async throws
  {
    try await withNoted { scenario in
      let entities = ["NoteEntity", "NotebookEntity", "TagEntity"]
      func names(_ answer: Answer, _ code: String) -> [String] {
        answer.findings(code).compactMap { $0["entity"]?.text }.sorted()
      }
      let preview = try await scenario.migrate(["-n"])
      #expect(names(preview, "plan.final-removal") == entities)
      let first = try await scenario.migrate().exits(0)
      let rehearsal = try await scenario.rollback(try first.run(), ["-n"]).exits(0)
      #expect(names(rehearsal, "rollback.final-removal") == entities)
      let back = try await scenario.run(["rollback", try first.run()] + scenario.destination)
        .exits(0)
      let errors = back.standardError
      let warning = try #require(errors.firstRange(of: "never takes a removed record again"))
      let begin = try #require(errors.firstRange(of: "rollback …"))
      #expect(warning.lowerBound < begin.lowerBound)
      let writes = try scenario.backend.writeCount()
      let second = try await scenario.migrate()
      #expect(second.count("rejected", of: "TagEntity") == 6)
      #expect(second.standardOutput.contains("sync.removed-for-good"))
      #expect(try scenario.backend.writeCount() == writes)
      #expect(try live(scenario).isEmpty)
    }
  }

  @Test(arguments: [["--progress", "none"], ["--quiet"]])
  func `a rollback that no run can repeat is announced where progress is not shown`(
    silence: [String]
  ) async throws {
    try await withNoted { scenario in
      let run = try await scenario.migrate().exits(0).run()
      let back = try await scenario.run(["rollback", run] + scenario.destination + silence).exits(0)
      #expect(back.standardError.contains("never takes a removed record again"), "\(back)")
      #expect(!back.standardError.contains("rollback …"), "\(back)")
    }
  }

  // 004-9: what the person removed is named, and neither made nor restored.
  @Test func `a row that is marked as removed is not created by any run`() async throws {
    try await withNoted { scenario in
      for run in 1...2 {
        let answer = try await scenario.migrate().exits(0)
        let left = answer.findings("plan.skipped").compactMap { $0["cause"]?.text }
        #expect(left.contains { $0.contains("12 records of NoteEntity") }, "run \(run)")
        #expect(left.contains { $0.contains("2 records of NotebookEntity") })
        #expect(try rows(scenario).count == Self.liveCount)
      }
      let ids = Set(try rows(scenario).compactMap { $0["id"]?.text })
      let removed = try Python.run([
        "-c",
        "import sqlite3, sys; print(*(r[0].hex() for t in ('ZNOTEENTITY', 'ZNOTEBOOKENTITY') "
          + "for r in sqlite3.connect(sys.argv[1]).execute("
          + "f'SELECT ZID FROM {t} WHERE ZDELETEDAT IS NOT NULL')))",
        scenario.sample.store,
      ]).split(whereSeparator: \.isWhitespace)
      #expect(removed.count == Self.removedCount)
      #expect(removed.allSatisfy { id in !ids.contains { $0.replacing("-", with: "") == id } })
    }
  }

  // 000-1, 004-3, 004-24: identities are the app's own, as the server's column keeps them.
  @Test func `each stored row has the app's identity, its notebook and its text`() async throws {
    try await withNoted { scenario in
      _ = try await scenario.migrate()
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      let there = try rows(scenario)
      let notes = try PackageLines(package).records("NoteEntity")
        .filter { $0["deletedAt"] == .null }
      #expect(!notes.isEmpty)
      for note in notes {
        let id = try #require(note["id"]?.text).lowercased()
        let row = try #require(there.first { $0["id"]?.text == id })
        #expect(row["plain_text"] == note["plainText"] && row["content"] == note["content"])
        // The app never sets the relationship.
        #expect(note["notebook"] == .null)
        #expect(row["notebook_id"]?.text == note["notebookId"]?.text?.lowercased())
        #expect(row["is_starred"] == note["isStarred"])
        #expect(row["is_todo"] == note["isTodo"] && row["is_done"] == note["isDone"])
      }
    }
  }

  // 004-14, 004-19, 004-20, 004-25.
  @Test
  func `with kills and lost answers, each record exists once, and all are rolled back`()
    async throws
  {
    try await withNoted { scenario in
      try scenario.backend.setFaults("delay:1:100ms@POST /api/sync;drop-after:4@POST /api/sync")
      // Its requests alone take longer than it is given.
      #expect(try await scenario.kill(after: [0.2, 0.4], ["--batch-size", "3"]) > 0)
      try scenario.backend.setFaults("drop-after:3@POST /api/sync")
      let last = try await scenario.migrate(["--batch-size", "10", "--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      let ids = try rows(scenario).compactMap { $0["id"]?.text }
      #expect(ids.count == Self.liveCount && Set(ids).count == Self.liveCount)
      try scenario.backend.setFaults("")
      for back in try await scenario.rollbackAll(from: last) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try live(scenario).isEmpty)
    }
  }

  // 004-10, 004-11, 004-12, 004-26.
  @Test
  func `edit on both sides: a note edited on the web and on the device is a conflict, both kept`()
    async throws
  {
    try await withNoted { scenario in
      _ = try await scenario.migrate()
      let id = try editOnTheWeb(scenario)
      let key = id.replacing("-", with: "").uppercased()
      try scenario.sql(
        "UPDATE ZNOTEENTITY SET ZPLAINTEXT = 'edited here', ZSYNCSTATUS = 1 "
          + "WHERE hex(ZID) = '\(key)'"
      )
      let answer = try await scenario.migrate().exits(6)
      #expect(answer.count("conflicted") == 1)
      let named = answer.findings("plan.conflict").map { $0["record"]?.text }
      #expect(named == [id.uppercased()], "\(answer)")
      let now = try rows(scenario).first { $0["id"]?.text == id }
      #expect(now?["plain_text"] == "edited on the web")
    }
  }

  // 004-23: two devices, in both orders and interleaved.
  @Test(arguments: DeviceOrder.allCases)
  func `two devices' stores end as their union`(order: DeviceOrder) async throws {
    try await withNoted { scenario in
      let folder = "\(scenario.folder)/second"
      try makeFolder(folder)
      try Python.run([
        "\(Samples.folder)/noted/make-store.py", "--folder", folder, "--seed", "second",
        "--notes", "20",
      ])
      var sample = Sample(folder: folder)
      sample.storeName = "Noted.sqlite"
      // A tag's name is unique for a person at the server.
      try Python.edit(
        sample.store,
        "UPDATE ZTAGENTITY SET ZNAME = ZNAME || ' (phone)'",
        "UPDATE ZNOTEENTITY SET ZSERVERVERSION = 0"
      )
      let other = scenario.with(sample)
      if order == .interleaved {
        try scenario.backend.setFaults("delay:1:60ms@POST /api/sync")
        try await scenario.kill(after: 0.25, ["--batch-size", "5"])
        try scenario.backend.setFaults("")
        #expect(try rows(scenario).count < Self.liveCount)
      }
      for one in order == .firstFirst ? [scenario, other] : [other, scenario] {
        try await one.migrate().exits(0)
      }
      // 20 notes and the late one, of which 4 are removed; 6 notebooks and 6 tags.
      #expect(try rows(scenario).count == Self.liveCount + 17 + 12)
      #expect(try await scenario.migrate().count("created") == 0)
      // Every order ends with these rows: what each of the devices holds, under its own identity.
      var held: Set<String> = []
      for one in [scenario, other] {
        let package = "\(one.sample.folder)/held.ferry"
        try await one.export(to: package).exits(0)
        let lines = PackageLines(package)
        for entity in ["NotebookEntity", "NoteEntity", "TagEntity"] {
          let kept = try lines.records(entity).filter { $0["deletedAt"]?.isNull ?? true }
          held.formUnion(kept.compactMap { $0["id"]?.text?.lowercased() })
        }
      }
      #expect(Set(try rows(scenario).compactMap { $0["id"]?.text }) == held)
    }
  }

  // 004-25, 003-34, 000-15: the scenario by name.
  @Test
  func `airplane mode: no record is lost while the server is away, and all arrive once it is back`()
    async throws
  {
    try await withNoted { scenario in
      try scenario.backend.setFaults("drop-before:n=3-99@POST /api/sync")
      try await scenario.migrate(["--batch-size", "5", "--retries", "1"]).exits(5)
      let half = try rows(scenario).count
      #expect(half > 0 && half < Self.liveCount)
      try scenario.backend.setFaults("")
      try await scenario.migrate().exits(0)
      let ids = try rows(scenario).compactMap { $0["id"]?.text }
      #expect(ids.count == Self.liveCount && Set(ids).count == Self.liveCount)
    }
  }

  // 002-8, 004-32.
  @Test func `another account is refused`() async throws {
    try await withNoted { scenario in
      _ = try await scenario.migrate()
      try scenario.backend.addAccount(email: "second@example.com", password: "correct-horse")
      var other = scenario
      for (name, value) in scenario.environment where value == DemoAccount.email {
        other.environment[name] = "second@example.com"
      }
      try await other.migrate().exits(12)
    }
  }

  /// Changes one note as the app's web page does; gives the note's identity.
  private func editOnTheWeb(_ scenario: MigrationScenario) throws -> String {
    let note = try #require(try rows(scenario).first { $0["plain_text"] != nil })
    var edited = try #require(note.object)
    edited["plain_text"] = "edited on the web"
    edited["kind"] = nil as JSONValue?
    let body: JSONValue = ["notes": [.object(edited)]]
    _ = try scenario.backend.request("POST", "/api/sync", body, token: try signIn(scenario))
    return try #require(note["id"]?.text)
  }

  private func signIn(_ scenario: MigrationScenario) throws -> String {
    let answer = try scenario.backend.request(
      "POST",
      "/api/auth/login",
      ["email": .string(DemoAccount.email), "password": "correct-horse"]
    )
    guard let token = answer["access_token"]?.text else { throw TestSupportError("no token") }
    return token
  }
}
