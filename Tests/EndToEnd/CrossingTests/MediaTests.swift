import Foundation
import JSONText
import TestSupport
import Testing

/// Media files through the upload tickets of the app's design.
@Suite(.timeLimit(.minutes(3))) struct MediaTests {
  // 000-59, 000-60, 000-61, 001-42, 001-43, 001-44.
  @Test func `files arrive whole, linked to their records, and once`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardError)")
      let wanted = try await digestsByRecord(crossing)
      #expect(wanted.count > 5)
      let files = try crossing.backend.rows("files")
      #expect(files.values.allSatisfy { $0["isConfirmed"] == true })
      #expect(files.count == Set(wanted.values).count)
      #expect(Set(files.values.compactMap { $0["sha256"]?.text }) == Set(wanted.values))
      #expect(try linkedDigests(crossing, files) == wanted)

      let writes = try crossing.backend.writeCount()
      #expect(try await crossing.migrate().status == 0)
      #expect(try crossing.backend.writeCount() == writes)

      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 0, "\(back.standardError)")
      #expect(try crossing.backend.userRows() == Self.nothing)
    }
  }

  @Test func `verify says of which files nobody can look whether they are still there`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardError)")
      let told = first.findings("verify.files-unread").compactMap { $0["entity"]?.text }
      #expect(!told.isEmpty && told.allSatisfy { $0.hasPrefix("media:") }, "\(told)")
      #expect(first.standardOutput.contains("was not looked at"))
    }
    // A server without files has nothing to tell.
    try await withCrossing { crossing in
      let answer = try await crossing.migrate()
      #expect(answer.findings("verify.files-unread").isEmpty)
    }
  }

  /// What lies at an address that a ticket gave, nobody can tell who did not put it there.
  @Test func `without a checkpoint no file is sent again, and each record keeps its own`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      #expect(try await crossing.migrate().status == 0)
      let before = try crossing.backend.rows("files")
      let linked = try linkedDigests(crossing, before)
      let writes = try crossing.backend.writeCount()
      var elsewhere = crossing
      elsewhere.stateName = "another-machine"
      for _ in 0..<2 {
        let found = try await elsewhere.migrate()
        #expect(found.status == 0, "\(found.standardOutput)\(found.standardError)")
        #expect(found.value("verification")?["clean"] == true)
      }
      #expect(try crossing.backend.writeCount() == writes)
      // Nor is it when something else of its record changes.
      try Python.edit(crossing.sample.store, "UPDATE ZHERO SET ZAPPEARANCE = 'Quite another'")
      let told = try await elsewhere.migrate(["--full"])
      #expect(told.status == 0, "\(told.standardOutput)\(told.standardError)")
      #expect(told.count("updated", of: "Hero") == 6)
      #expect(told.value("verification")?["clean"] == true)
      #expect(try crossing.backend.writeCount() == writes + 6)
      for back in try await elsewhere.rollbackAll(from: told) { #expect(back.status == 0) }
      #expect(try crossing.backend.rows("files") == before)
      #expect(try linkedDigests(crossing, before) == linked)
    }
  }

  @Test func `without a checkpoint a record that has no picture there is given it`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      let picture = try picture(of: crossing)
      let bytes = try Data(contentsOf: picture)
      try FileManager.default.removeItem(at: picture)
      #expect(try await crossing.migrate().status == 0)
      let before = try linkedDigests(crossing, crossing.backend.rows("files"))
      try bytes.write(to: picture)
      var elsewhere = crossing
      elsewhere.stateName = "another-machine"
      let found = try await elsewhere.migrate()
      #expect(found.status == 0, "\(found.standardOutput)\(found.standardError)")
      #expect(!found.findings("plan.file-left").isEmpty)
      #expect(found.value("verification")?["clean"] == true)
      let wanted = try await digestsByRecord(crossing)
      #expect(wanted.count == before.count + 1)
      #expect(try linkedDigests(crossing, crossing.backend.rows("files")) == wanted)
      // The server takes no picture away: so that is told, and the file stays for the one that shows it.
      let back = try await elsewhere.rollback(try found.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.findings("rollback.not-restored").count == 1)
      #expect(try linkedDigests(crossing, crossing.backend.rows("files")) == wanted)
    }
  }

  @Test func `without a checkpoint a picture that the app replaced is sent where it is to win`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      #expect(try await crossing.migrate().status == 0)
      let before = try crossing.backend.rows("files")
      let linked = try linkedDigests(crossing, before)
      try Data("another face".utf8).write(to: try picture(of: crossing))
      var elsewhere = crossing
      elsewhere.stateName = "another-machine"
      let sent = try await elsewhere.migrate(["--on-conflict", "local"])
      #expect(sent.status == 0, "\(sent.standardOutput)\(sent.standardError)")
      #expect(sent.value("verification")?["clean"] == true)
      let files = try crossing.backend.rows("files")
      #expect(try await linkedDigests(crossing, files) == digestsByRecord(crossing))
      let back = try await elsewhere.rollback(try sent.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try crossing.backend.rows("files").keys.sorted() == before.keys.sorted())
      #expect(try linkedDigests(crossing, before) == linked)
    }
  }

  @Test func `an address that was left gives way where the store's own is to win`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      #expect(try await crossing.migrate().status == 0)
      try Data("another face".utf8).write(to: try picture(of: crossing))
      var elsewhere = crossing
      elsewhere.stateName = "another-machine"
      let left = try await elsewhere.migrate()
      #expect(left.findings("plan.file-left").count == 2, "\(left.standardOutput)")
      let before = try crossing.backend.rows("files")
      let sent = try await elsewhere.migrate(["--full", "--on-conflict", "local"])
      #expect(sent.status == 0, "\(sent.standardOutput)\(sent.standardError)")
      #expect(sent.value("verification")?["clean"] == true)
      let files = try crossing.backend.rows("files")
      #expect(try await linkedDigests(crossing, files) == digestsByRecord(crossing))
      let back = try await elsewhere.rollback(try sent.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try crossing.backend.rows("files") == before)
    }
  }

  /// The hero was changed on another device since, and goes on naming its picture.
  @Test func `taking a run back leaves the file of a record that stays`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardError)")
      let heroes = try crossing.backend.rows("heroes")
      let hero = try #require(heroes.first { $0.value["avatarUrl"]?.text != nil })
      let client = try await AppClient(crossing)
      try client.patch("/api/v1/heroes/\(hero.key)", ["name": "Changed there"])
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      let left = try crossing.backend.rows("heroes")
      #expect(left.keys.sorted() == [hero.key])
      let address = try #require(left[hero.key]?["avatarUrl"]?.text)
      let files = try crossing.backend.rows("files")
      #expect(files.count == 1)
      #expect(files.keys.allSatisfy { address.hasSuffix($0) })
      #expect(back.count("conflicted", in: "rollback") == 1)
      let kept = back.findings("upload.conflict").map { $0["entity"]?.text }
      #expect(Set(kept) == ["Hero", "media:avatar"])
    }
  }

  @Test func `a file that the app replaced, or has only now, is sent by the next run`() async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      let folder = "\(crossing.sample.folder)/container/Documents/Avatars"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let late = URL(filePath: "\(folder)/\(try #require(names.last))")
      let replaced = URL(filePath: "\(folder)/\(try #require(names.first))")
      let bytes = try Data(contentsOf: late)
      try FileManager.default.removeItem(at: late)
      #expect(try await crossing.migrate().status == 0)
      let before = try crossing.backend.rows("files").count

      try bytes.write(to: late)
      let same = Data(try Data(contentsOf: replaced).reversed())
      try same.write(to: replaced)
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.value("verification")?["clean"] == true)
      let files = try crossing.backend.rows("files")
      #expect(files.count == before + 2)
      let wanted = try await digestsByRecord(crossing)
      #expect(try linkedDigests(crossing, files) == wanted)

      let writes = try crossing.backend.writeCount()
      #expect(try await crossing.migrate().status == 0)
      #expect(try crossing.backend.writeCount() == writes)
    }
  }

  @Test func `a file that has gone since the package was made is sent from there`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      try crossing.backend.setFaults("status:1:500@POST /api/files/upload")
      _ = try await crossing.migrate(["--retries", "0"])
      try crossing.backend.setFaults("")
      #expect(try crossing.backend.rows("files").isEmpty)
      let wanted = try await digestsByRecord(crossing)
      let documents = "\(crossing.sample.folder)/container/Documents"
      try FileManager.default.removeItem(atPath: "\(documents)/Avatars")
      let last = try await crossing.migrate()
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(try linkedDigests(crossing, crossing.backend.rows("files")) == wanted)
    }
  }

  /// A story takes the address of its file only when it is made, and a hero at any time.
  @Test func `what waits for a file that was refused is linked to it by the next run`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      try crossing.backend.setFaults("status:1:415@POST /api/files/upload")
      let first = try await crossing.migrate()
      #expect(first.status == 3, "\(first.standardOutput)\(first.standardError)")
      try crossing.backend.setFaults("")
      #expect(try crossing.backend.rows("files").isEmpty)
      let wanted = try await digestsByRecord(crossing)

      let heroes = try crossing.backend.rows("heroes").values.map {
        Self.words($0["name"], $0["specialAbilities"]?[0])
      }
      let stories = try crossing.backend.rows("stories").values.map {
        Self.words($0["title"], $0["content"])
      }
      #expect(!heroes.filter { wanted[$0] != nil }.isEmpty)
      #expect(!stories.isEmpty && stories.allSatisfy { wanted[$0] == nil })
      #expect(!first.findings("wire.missing-file").isEmpty)

      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.value("verification")?["clean"] == true)
      #expect(try linkedDigests(crossing, crossing.backend.rows("files")) == wanted)
    }
  }

  @Test(arguments: [true, false])
  func `a record that somebody changed meanwhile is linked to its file, and stays as it is`(
    tellsVersions: Bool
  ) async throws {
    try await withCrossing(takesMedia: true) { crossing in
      if !tellsVersions {
        try String(contentsOfFile: crossing.profile, encoding: .utf8)
          .replacing("      version: updatedAt\n", with: "")
          .write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      }
      try crossing.backend.setFaults("status:1:415@POST /api/files/upload")
      _ = try await crossing.migrate()
      try crossing.backend.setFaults("")
      let client = try await AppClient(crossing)
      for id in try crossing.backend.rows("heroes").keys {
        try client.patch("/api/v1/heroes/\(id)", ["name": "Changed there"])
      }
      let answer = try await crossing.migrate()
      let heroes = try crossing.backend.rows("heroes").values
      #expect(
        heroes.contains { $0["avatarUrl"]?.text != nil },
        "\(answer.standardOutput)\(answer.standardError)"
      )
      #expect(heroes.allSatisfy { $0["name"] == "Changed there" })
    }
  }

  @Test func `a picture that was refused is missed by verify`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      try Python.edit(crossing.sample.store, "UPDATE ZSTORY SET ZAUDIOFILENAME = NULL")
      try crossing.backend.setFaults("status:1:415@POST /api/files/upload")
      let first = try await crossing.migrate()
      #expect(first.status == 3, "\(first.standardOutput)\(first.standardError)")
      try crossing.backend.setFaults("")
      let package = "\(crossing.folder)/p.ferry"
      _ = try await crossing.export(to: package)
      let verdict = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      let pictures = try PackageLines(package).records("Hero")
        .count { $0["avatarImagePath"]?["sha256"]?.text != nil }
      let missed = verdict.findings("verify.unsent").count { $0["entity"]?.text == "Hero" }
      #expect(missed == pictures && pictures > 0)
    }
  }

  @Test func `where no route removes a file, the records go, and the files are told and stay`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      let profile = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try profile.replacing("    remove: DELETE /api/files/{key}\n", with: "")
        .write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let files = try crossing.backend.rows("files")
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.findings("upload.conflict").count == files.count && !files.isEmpty)
      #expect(try crossing.backend.rows("heroes").isEmpty)
      #expect(try crossing.backend.rows("files") == files)
    }
  }

  /// The server gave no version when it made the heroes, so that only what it holds tells that nobody
  /// changed them since.
  @Test func `a record that could be made and not completed is completed by the next run`()
    async throws
  {
    try await withCrossing { crossing in
      try crossing.backend.setFaults("status:1:422@PATCH /api/v1/heroes")
      let first = try await crossing.migrate()
      #expect(first.status == 6, "\(first.standardOutput)\(first.standardError)")
      try crossing.backend.setFaults("")
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.findings("plan.yielded").isEmpty)
      #expect(second.value("verification")?["clean"] == true)
    }
  }

  @Test func `a record that was made, not completed and then changed here is no conflict`()
    async throws
  {
    try await withCrossing { crossing in
      try crossing.backend.setFaults("status:1:422@PATCH /api/v1/heroes")
      #expect(try await crossing.migrate().status == 6)
      try crossing.backend.setFaults("")
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZHERO SET ZNAME = ZNAME || ' the Late' WHERE ZAPPEARANCE <> ''"
      )
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.findings("plan.yielded").isEmpty)
      let renamed = try crossing.backend.rows("heroes").values.filter {
        $0["name"]?.text?.hasSuffix(" the Late") == true
      }
      #expect(!renamed.isEmpty)
      #expect(renamed.allSatisfy { $0["appearance"]?.text?.isEmpty == false })
    }
  }

  @Test func `a package whose files are not the app's any more is not used again`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      #expect(try await crossing.export(to: package).status == 0)
      let folder = "\(crossing.sample.folder)/container/Documents/AudioStories"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      let name = try #require(names.min())
      try Data("another voice".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      let again = try await crossing.export(to: package)
      #expect(again.status == 12, "\(again.standardOutput)\(again.standardError)")
      #expect(again.standardError.contains(name))
      #expect(try await crossing.export(to: package + "2").status == 0)
    }
  }

  private static let nothing: JSONValue = [
    "customEvents": [], "files": [], "heroes": [], "records": [], "stories": [],
  ]

  /// The picture of one of the heroes, in the app's container.
  private func picture(of crossing: Crossing) throws -> URL {
    let folder = "\(crossing.sample.folder)/container/Documents/Avatars"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).min())
    return URL(filePath: "\(folder)/\(name)")
  }

  /// What the package says: the digest of each file that a record names, by the record's words.
  private func digestsByRecord(_ crossing: Crossing) async throws -> [String: String] {
    let package = "\(crossing.folder)/media.ferry"
    _ = try await crossing.export(to: package)
    var digests: [String: String] = [:]
    for record in try PackageLines(package).records("Hero") {
      guard let digest = record["avatarImagePath"]?["sha256"]?.text else { continue }
      digests[Self.words(record["name"], record["specialAbility"])] = digest
    }
    for record in try PackageLines(package).records("Story")
    where record["hero"]?.isNull == false {
      guard let digest = record["audioFileName"]?["sha256"]?.text else { continue }
      digests[Self.words(record["title"], record["content"])] = digest
    }
    return digests
  }

  /// What the server says.
  private func linkedDigests(
    _ crossing: Crossing,
    _ files: [String: JSONValue]
  ) throws -> [String: String] {
    var linked: [String: String] = [:]
    func link(_ words: String, _ address: JSONValue?) {
      guard let address = address?.text,
        let file = files.first(where: { address.hasSuffix($0.key) })
      else { return }
      linked[words] = file.value["sha256"]?.text
    }
    for hero in try crossing.backend.rows("heroes").values {
      link(Self.words(hero["name"], hero["specialAbilities"]?[0]), hero["avatarUrl"])
    }
    for story in try crossing.backend.rows("stories").values {
      link(Self.words(story["title"], story["content"]), story["audioUrl"])
    }
    return linked
  }

  private static func words(_ values: JSONValue?...) -> String {
    values.map { $0?.canonicalText ?? "-" }.joined(separator: " ")
  }
}
