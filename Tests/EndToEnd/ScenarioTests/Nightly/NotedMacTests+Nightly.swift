import Files
import Foundation
import JSONText
import TestSupport
import Testing

extension NotedMacTests {
  // 004-5, 004-7, 004-8, 004-24.
  @Test func `each notebook and note is sent once, a note into its notebook`() async throws {
    try await withMac { scenario in
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created", of: "LocalNotebook") == 3)
      #expect(first.count("created", of: "LocalNote") == 9)
      // It was deleted before it was ever sent.
      #expect(first.count("skipped", of: "LocalNote") == 1)
      #expect(first.count("created", of: "LocalNoteImage") == 1)
      #expect(first.value("verification")?["clean"] == true)
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      let there = try rows(scenario)
      for note in try PackageLines(package).records("LocalNote") where note["deletedAt"] == .null {
        let id = try #require(note["id"]?.text).lowercased()
        let row = try #require(there.first { $0["id"]?.text == id })
        #expect(row["plain_text"] == note["plainText"] && row["content"] == note["content"])
        #expect(row["notebook_id"]?.text == note["notebookId"]?.text?.lowercased())
        #expect(row["is_starred"] == note["isStarred"])
      }
      let writes = try scenario.backend.writeCount()
      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  // 004-1, 004-3, 004-9: the app writes down which version of the server's it last saw.
  @Test func `changes and deletions in the app are sent`() async throws {
    try await withMac { scenario in
      var before = scenario
      before.stateName = "before"
      try await before.migrate().exits(0)
      try scenario.sql(
        "UPDATE ZLOCALNOTE SET ZSERVERVERSION = 1, ZSYNCSTATUSRAW = 0 WHERE ZSYNCSTATUSRAW <> 3",
        "UPDATE ZLOCALNOTE SET ZPLAINTEXT = 'changed', ZSYNCSTATUSRAW = 2 WHERE Z_PK = 5",
        "UPDATE ZLOCALNOTE SET ZDELETEDAT = 794000000, ZSYNCSTATUSRAW = 3 WHERE Z_PK = 6"
      )
      let answer = try await scenario.migrate(["--max-delete", "1"]).exits(0)
      #expect(answer.count("updated", of: "LocalNote") == 1)
      #expect(answer.count("deleted", of: "LocalNote") == 1)
      #expect(try rows(scenario).count { $0["plain_text"] == "changed" } == 1)
    }
  }

  // The app is informed of the notes of a notebook that was deleted, and not of the notebook.
  @Test func `a note of a notebook that the app does not have keeps no other from being sent`()
    async throws
  {
    try await withMac { scenario in
      try scenario.sql(
        "UPDATE ZLOCALNOTE SET ZNOTEBOOKID = x'0102030405060708090A0B0C0D0E0F10' WHERE Z_PK = 1"
      )
      let answer = try await scenario.migrate()
      #expect(answer.count("created", of: "LocalNote") == 8, "\(answer)")
      #expect(answer.count("rejected", of: "LocalNote") == 1)
      #expect(answer.standardOutput.contains("sync.dropped"))
    }
  }

  @Test(arguments: ["fail", "remote", "local"])
  func `a picture that goes with its deleted note is left out, in each run alike`(
    policy: String
  ) async throws {
    try await withMac { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql(
        "UPDATE ZLOCALNOTE SET ZDELETEDAT = 794000000, ZSYNCSTATUSRAW = 3 "
          + "WHERE ZID IN (SELECT ZNOTEID FROM ZLOCALNOTEIMAGE)"
      )
      var entries: Set<[String?]> = []
      for _ in 1...3 {
        let answer = try await scenario.migrate(["--on-conflict", policy, "--full"])
        #expect(answer.findings("plan.conflict").isEmpty, "\(answer)")
        for entry in try await scenario.savedWriteBack(of: answer).entries("LocalNoteImage") {
          #expect(entry["status"] == "skipped")
          entries.insert([entry["localID"]?.text, entry["reason"]?.text])
        }
      }
      #expect(entries.count == 1, "\(entries)")
      #expect(entries.allSatisfy { $0[1] == "it is under a record that the user deleted" })
    }
  }

  @Test func `a picture whose answers are lost is sent once`() async throws {
    try await withMac { scenario in
      let profile = "\(scenario.folder)/soon.yaml"
      try String(at: scenario.profile)
        .replacing("  timeout: 30s", with: "  timeout: 30s\n  settle: 200ms").save(to: profile)
      var soon = scenario
      soon.profile = profile
      try scenario.backend.setFaults("drop-after:n=1@POST /api/images")
      let answer = try await soon.migrate(["--retries", "5"]).exits(0)
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try images(scenario).count == 1)
    }
  }

  @Test func `a picture that is nowhere any more is rejected by name`() async throws {
    try await withMac(keepingSentPictures: true) { scenario in
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.count("rejected", of: "LocalNoteImage") == 1)
      #expect(answer.standardOutput.contains("request.missing-file"))
      #expect(try images(scenario).count == 1)
    }
  }

  @Test func `a picture that waits is in the package, and every record obeys its schema`()
    async throws
  {
    try await withMac(keepingSentPictures: true) { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let pictures = try PackageLines(package).records("LocalNoteImage")
      let states = pictures.compactMap { $0["localPath"]?["state"]?.text }
      #expect(states.sorted() == ["evicted", "present"])
      try await scenario.ferry(["validate", package]).exits(0)
    }
  }
}
