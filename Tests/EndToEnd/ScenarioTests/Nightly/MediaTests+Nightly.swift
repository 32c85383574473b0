import Foundation
import JSONText
import TestSupport
import Testing

extension MediaTests {
  @Test func `verify names the files that it cannot look up`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      let first = try await scenario.migrate().exits(0)
      let reported = first.findings("verify.files-unread").compactMap { $0["entity"]?.text }
      #expect(!reported.isEmpty && reported.allSatisfy { $0.hasPrefix("media:") }, "\(reported)")
      #expect(first.standardOutput.contains("did not check whether the sent files still exist"))
    }
    // A server without files has nothing to state.
    try await withScenario { scenario in
      let answer = try await scenario.migrate()
      #expect(answer.findings("verify.files-unread").isEmpty)
    }
  }

  /// What lies at an address that a ticket gave, no one can say who did not put it there.
  @Test func `without a checkpoint no file is sent again, and each record keeps its file`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      try await scenario.migrate().exits(0)
      let before = try scenario.backend.rows("files")
      let linked = try linkedDigests(scenario, before)
      let writes = try scenario.backend.writeCount()
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      for _ in 0..<2 {
        let found = try await elsewhere.migrate().exits(0)
        #expect(found.value("verification")?["clean"] == true)
      }
      #expect(try scenario.backend.writeCount() == writes)
      // Nor is it when something else of its record changes.
      try scenario.sql("UPDATE ZHERO SET ZAPPEARANCE = 'Quite another'")
      let reported = try await elsewhere.migrate(["--full"]).exits(0)
      #expect(reported.count("updated", of: "Hero") == 6)
      #expect(reported.value("verification")?["clean"] == true)
      #expect(try scenario.backend.writeCount() == writes + 6)
      for back in try await elsewhere.rollbackAll(from: reported) { #expect(back.status == 0) }
      #expect(try scenario.backend.rows("files") == before)
      #expect(try linkedDigests(scenario, before) == linked)
    }
  }

  // The backend drops the audio of a story with its text.
  @Test func `audio that the server dropped is a conflict in each write-back`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      try await scenario.migrate().exits(0)
      let app = try await AppClient(scenario)
      for (id, story) in try scenario.backend.rows("stories")
      where story["audioUrl"]?.text != nil {
        let isFavorite = story["isFavorite"]?.boolean ?? false
        try app.patch("/api/v1/stories/\(id)", ["isFavorite": .boolean(!isFavorite)])
      }
      try scenario.sql("UPDATE ZSTORY SET ZCONTENT = 'from here ' || Z_PK")
      var named: [Set<String>] = []
      for _ in 1...2 {
        let answer = try await scenario.migrate(["--on-conflict", "merge"]).exits(6)
        let stories = try await scenario.savedWriteBack(of: answer).entries("Story")
        let open = stories.filter { $0["status"] == "conflicted" }
        #expect(
          open.allSatisfy { $0["reason"] == "the destination did not keep audioUrl as it was sent" }
        )
        #expect(open.allSatisfy { $0["attributes"]?["isFavorite"]?.boolean != nil })
        named.append(Set(open.compactMap { $0["localID"]?.text }))
      }
      #expect(!named[0].isEmpty && named[0] == named[1])
    }
  }

  @Test func `audio that went with another device's text is a conflict in each write-back`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      try await scenario.migrate().exits(0)
      let app = try await AppClient(scenario)
      for (id, story) in try scenario.backend.rows("stories")
      where story["audioUrl"]?.text != nil {
        try app.patch("/api/v1/stories/\(id)", ["content": "from there"])
      }
      try scenario.sql("UPDATE ZSTORY SET ZTITLE = 'from here ' || Z_PK")
      var named: [Set<String>] = []
      for _ in 1...3 {
        let answer = try await scenario.migrate(["--on-conflict", "merge"])
        let stories = try await scenario.savedWriteBack(of: answer).entries("Story")
        let open = stories.filter { $0["unmapped"]?.array?.contains("audioUrl") == true }
        #expect(open.allSatisfy { $0["status"] == "conflicted" })
        named.append(Set(open.compactMap { $0["localID"]?.text }))
      }
      #expect(!named[0].isEmpty && Set(named).count == 1, "\(named)")
    }
  }

  @Test func `without a checkpoint a remote record without its picture gets it`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      let picture = try picture(of: scenario)
      let bytes = try Data(contentsOf: picture)
      try FileManager.default.removeItem(at: picture)
      try await scenario.migrate().exits(0)
      let before = try linkedDigests(scenario, scenario.backend.rows("files"))
      try bytes.write(to: picture)
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let found = try await elsewhere.migrate().exits(0)
      #expect(!found.findings("plan.file-skipped").isEmpty)
      #expect(found.value("verification")?["clean"] == true)
      let wanted = try await digestsByRecord(scenario)
      #expect(wanted.count == before.count + 1)
      #expect(try linkedDigests(scenario, scenario.backend.rows("files")) == wanted)
      // The server takes no picture away: so that is reported, and the file stays for the one that shows it.
      let back = try await elsewhere.rollback(try found.run()).exits(6)
      #expect(back.findings("rollback.not-restored").count == 1)
      #expect(try linkedDigests(scenario, scenario.backend.rows("files")) == wanted)
    }
  }

  @Test func `without a checkpoint a replaced picture is sent under the policy local`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      try await scenario.migrate().exits(0)
      let before = try scenario.backend.rows("files")
      let linked = try linkedDigests(scenario, before)
      try Data("another face".utf8).write(to: try picture(of: scenario))
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let sent = try await elsewhere.migrate(["--on-conflict", "local"]).exits(0)
      #expect(sent.value("verification")?["clean"] == true)
      let files = try scenario.backend.rows("files")
      #expect(try await linkedDigests(scenario, files) == digestsByRecord(scenario))
      try await elsewhere.rollback(try sent.run()).exits(0)
      #expect(try scenario.backend.rows("files").keys.sorted() == before.keys.sorted())
      #expect(try linkedDigests(scenario, before) == linked)
    }
  }

  @Test func `under the policy local, an old remote address is replaced`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      try await scenario.migrate().exits(0)
      try Data("another face".utf8).write(to: try picture(of: scenario))
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let left = try await elsewhere.migrate()
      #expect(left.findings("plan.file-skipped").count == 2, "\(left)")
      let before = try scenario.backend.rows("files")
      let sent = try await elsewhere.migrate(["--full", "--on-conflict", "local"]).exits(0)
      #expect(sent.value("verification")?["clean"] == true)
      let files = try scenario.backend.rows("files")
      #expect(try await linkedDigests(scenario, files) == digestsByRecord(scenario))
      try await elsewhere.rollback(try sent.run()).exits(0)
      #expect(try scenario.backend.rows("files") == before)
    }
  }

  /// The hero was changed on another device since, and goes on naming its picture.
  @Test func `a rollback leaves the file of a record that stays`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      let first = try await scenario.migrate().exits(0)
      let heroes = try scenario.backend.rows("heroes")
      let hero = try #require(heroes.first { $0.value["avatarUrl"]?.text != nil })
      let client = try await AppClient(scenario)
      try client.patch("/api/v1/heroes/\(hero.key)", ["name": "Changed there"])
      let back = try await scenario.rollback(try first.run()).exits(6)
      let left = try scenario.backend.rows("heroes")
      #expect(left.keys.sorted() == [hero.key])
      let address = try #require(left[hero.key]?["avatarUrl"]?.text)
      let files = try scenario.backend.rows("files")
      #expect(files.count == 1)
      #expect(files.keys.allSatisfy { address.hasSuffix($0) })
      #expect(back.count("conflicted", in: "rollback") == 1)
      let kept = back.findings("upload.conflict").map { $0["entity"]?.text }
      #expect(Set(kept) == ["Hero", "media:avatar"])
    }
  }

  @Test func `a file that the app replaced, or has only now, is sent by the next run`() async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      let folder = "\(scenario.sample.folder)/container/Documents/Avatars"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let late = URL(filePath: "\(folder)/\(try #require(names.last))")
      let replaced = URL(filePath: "\(folder)/\(try #require(names.first))")
      let bytes = try Data(contentsOf: late)
      try FileManager.default.removeItem(at: late)
      try await scenario.migrate().exits(0)
      let before = try scenario.backend.rows("files").count

      try bytes.write(to: late)
      let same = Data(try Data(contentsOf: replaced).reversed())
      try same.write(to: replaced)
      let second = try await scenario.migrate().exits(0)
      #expect(second.value("verification")?["clean"] == true)
      let files = try scenario.backend.rows("files")
      #expect(files.count == before + 2)
      let wanted = try await digestsByRecord(scenario)
      #expect(try linkedDigests(scenario, files) == wanted)

      let writes = try scenario.backend.writeCount()
      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `a file that the app has deleted since is sent from the package`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      try scenario.backend.setFaults("status:1:500@POST /api/files/upload")
      _ = try await scenario.migrate(["--retries", "0"])
      try scenario.backend.setFaults("")
      #expect(try scenario.backend.rows("files").isEmpty)
      let wanted = try await digestsByRecord(scenario)
      let documents = "\(scenario.sample.folder)/container/Documents"
      try FileManager.default.removeItem(atPath: "\(documents)/Avatars")
      try await scenario.migrate().exits(0)
      #expect(try linkedDigests(scenario, scenario.backend.rows("files")) == wanted)
    }
  }

  /// A story takes the address of its file only when it is made, and a hero at any time.
  @Test func `a record that waits for a rejected file is linked to it by the next run`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      try scenario.backend.setFaults("status:1:415@POST /api/files/upload")
      let first = try await scenario.migrate().exits(3)
      try scenario.backend.setFaults("")
      #expect(try scenario.backend.rows("files").isEmpty)
      let wanted = try await digestsByRecord(scenario)

      let heroes = try scenario.backend.rows("heroes").values.map {
        Self.words($0["name"], $0["specialAbilities"]?[0])
      }
      let stories = try scenario.backend.rows("stories").values.map {
        Self.words($0["title"], $0["content"])
      }
      #expect(!heroes.filter { wanted[$0] != nil }.isEmpty)
      #expect(!stories.isEmpty && stories.allSatisfy { wanted[$0] == nil })
      #expect(!first.findings("request.missing-file").isEmpty)

      let second = try await scenario.migrate().exits(0)
      #expect(second.value("verification")?["clean"] == true)
      #expect(try linkedDigests(scenario, scenario.backend.rows("files")) == wanted)
    }
  }

  @Test(arguments: [true, false])
  func `a record that another device changed meanwhile is linked to its file, and stays`(
    listsRevisions: Bool
  ) async throws {
    try await withScenario(takesMedia: true) { scenario in
      if !listsRevisions {
        try String(at: scenario.profile).replacing("      version: updatedAt\n", with: "")
          .save(to: scenario.profile)
      }
      try scenario.backend.setFaults("status:1:415@POST /api/files/upload")
      _ = try await scenario.migrate()
      try scenario.backend.setFaults("")
      let client = try await AppClient(scenario)
      for id in try scenario.backend.rows("heroes").keys {
        try client.patch("/api/v1/heroes/\(id)", ["name": "Changed there"])
      }
      let answer = try await scenario.migrate()
      let heroes = try scenario.backend.rows("heroes").values
      #expect(heroes.contains { $0["avatarUrl"]?.text != nil }, "\(answer)")
      #expect(heroes.allSatisfy { $0["name"] == "Changed there" })
    }
  }

  @Test func `verify reports a refused picture as missing`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      try scenario.sql("UPDATE ZSTORY SET ZAUDIOFILENAME = NULL")
      try scenario.backend.setFaults("status:1:415@POST /api/files/upload")
      try await scenario.migrate().exits(3)
      try scenario.backend.setFaults("")
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      let verdict = try await scenario.ferry(["verify", package] + scenario.destination).exits(6)
      let pictures = try PackageLines(package).records("Hero")
        .count { $0["avatarImagePath"]?["sha256"]?.text != nil }
      let missed = verdict.findings("verify.unsent").count { $0["entity"]?.text == "Hero" }
      #expect(missed == pictures && pictures > 0)
    }
  }

  @Test func `without a file removal route, records are rolled back, and their files are reported`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      let profile = try String(at: scenario.profile)
      try profile.replacing("    remove: DELETE /api/files/{key}\n", with: "")
        .save(to: scenario.profile)
      let first = try await scenario.migrate().exits(0)
      let files = try scenario.backend.rows("files")
      let back = try await scenario.rollback(try first.run()).exits(6)
      #expect(back.findings("upload.conflict").count == files.count && !files.isEmpty)
      #expect(try scenario.backend.rows("heroes").isEmpty)
      #expect(try scenario.backend.rows("files") == files)
    }
  }

  /// The server gave no version when it made the heroes, so that only what it holds shows that no other
  /// device changed them since.
  @Test func `a created but incomplete record is completed by the next run`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.backend.setFaults("status:1:422@PATCH /api/v1/heroes")
      try await scenario.migrate().exits(6)
      try scenario.backend.setFaults("")
      let second = try await scenario.migrate().exits(0)
      #expect(second.findings("plan.conflict-kept-remote").isEmpty)
      #expect(second.value("verification")?["clean"] == true)
    }
  }

  @Test func `an incomplete record that changed in the store is not a conflict`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.backend.setFaults("status:1:422@PATCH /api/v1/heroes")
      try await scenario.migrate().exits(6)
      try scenario.backend.setFaults("")
      try scenario.sql("UPDATE ZHERO SET ZNAME = ZNAME || ' the Late' WHERE ZAPPEARANCE <> ''")
      let second = try await scenario.migrate().exits(0)
      #expect(second.findings("plan.conflict-kept-remote").isEmpty)
      let renamed = try scenario.backend.rows("heroes").values.filter {
        $0["name"]?.text?.hasSuffix(" the Late") == true
      }
      #expect(!renamed.isEmpty)
      #expect(renamed.allSatisfy { $0["appearance"]?.text?.isEmpty == false })
    }
  }

  @Test func `a package whose files are not the app's any more is not used again`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      try await scenario.export(to: package).exits(0)
      let folder = "\(scenario.sample.folder)/container/Documents/AudioStories"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      let name = try #require(names.min())
      try Data("another voice".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      let again = try await scenario.export(to: package).exits(12)
      #expect(again.standardError.contains(name))
      try await scenario.export(to: package + "2").exits(0)
    }
  }

  /// The picture of one of the heroes, in the app's container.
  private func picture(of scenario: MigrationScenario) throws -> URL {
    let folder = "\(scenario.sample.folder)/container/Documents/Avatars"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).min())
    return URL(filePath: "\(folder)/\(name)")
  }
}
