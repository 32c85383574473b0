import Foundation
import JSONText
import TestSupport
import Testing

/// A folder as a destination, and destinations read into packages.
@Suite(.timeLimit(.minutes(3))) struct FolderTests {
  private func flags(_ crossing: Crossing) -> [String] {
    ["--profile", crossing.profile, "--to", "file:\(crossing.folder)/kept"]
  }

  private func files(_ crossing: Crossing) throws -> [String] {
    let paths = FileManager.default.enumerator(atPath: "\(crossing.folder)/kept")?.allObjects ?? []
    return paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }.sorted()
  }

  @Test func `a store goes into a folder, again, changed, and back`() async throws {
    try await withCrossing { crossing in
      let migrate = ["migrate", crossing.sample.store] + flags(crossing)
      let first = try await crossing.ferry(migrate)
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.value("verification")?["clean"] == true)
      let files = try files(crossing)
      #expect(files.count == Int(first.count("created")) && files.count > 40)
      let second = try await crossing.ferry(migrate)
      #expect(second.count("unchanged") == first.count("created"))
      try Python.edit(crossing.sample.store, "UPDATE ZSTORY SET ZTITLE = 'Neu' WHERE Z_PK = 1")
      let third = try await crossing.ferry(migrate)
      #expect(third.status == 0 && third.count("updated") == 1, "\(third.standardError)")
      for run in [try third.run(), try first.run()] {
        let back = try await crossing.ferry(["rollback", run] + flags(crossing))
        #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      }
      #expect(try self.files(crossing).isEmpty)
    }
  }

  /// Lends a store whose profile names no route that changes or removes a story.
  private func withoutRoutes(_ body: (Crossing, _ migrate: [String]) async throws -> Void)
    async throws
  {
    try await withCrossing { crossing in
      let lines = try String(contentsOfFile: crossing.profile, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
      let left = lines.filter { line in
        !line.contains("PATCH /api/v1/stories/{id}")
          && !line.contains("DELETE /api/v1/stories/{id}")
      }
      #expect(left.count == lines.count - 2)
      try left.joined(separator: "\n")
        .write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      try await body(crossing, ["migrate", crossing.sample.store] + flags(crossing))
    }
  }

  @Test func `a folder takes a change for which the profile names no route`() async throws {
    try await withoutRoutes { crossing, migrate in
      #expect(try await crossing.ferry(migrate).status == 0)
      try Python.edit(crossing.sample.store, "UPDATE ZSTORY SET ZTITLE = 'Neu' WHERE Z_PK = 1")
      let second = try await crossing.ferry(migrate)
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.count("updated") == 1)
    }
  }

  @Test func `a folder gives back what the profile names no route to remove`() async throws {
    try await withoutRoutes { crossing, migrate in
      let first = try await crossing.ferry(migrate)
      let back = try await crossing.ferry(["rollback", try first.run()] + flags(crossing))
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try files(crossing).isEmpty)
    }
  }

  @Test func `killed on the way, the same line brings every record exactly once`() async throws {
    try await withCrossing { crossing in
      let migrate = ["migrate", crossing.sample.store] + flags(crossing)
      for wait in [0.05, 0.1, 0.2] {
        _ = try await FerryProgram().run(
          migrate,
          state: crossing.state,
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
      }
      let last = try await crossing.ferry(migrate)
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(last.value("verification")?["clean"] == true)
    }
  }

  @Test func `media files lie beside the records with their content, and go with them`()
    async throws
  {
    try await withCrossing(.legacy, takesMedia: true) { crossing in
      let first = try await crossing.ferry(["migrate", crossing.sample.store] + flags(crossing))
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let media = "\(crossing.folder)/kept/media"
      func kept() -> [String] {
        let paths = FileManager.default.enumerator(atPath: media)?.allObjects ?? []
        return paths.compactMap { $0 as? String }.filter { $0.count > 64 }
      }
      #expect(kept().count > 3)
      for name in kept() {
        let digest = try RealServer.output("/usr/bin/env", ["sha256sum", "\(media)/\(name)"])
        #expect(name.contains(try #require(digest.split(separator: " ").first)))
      }
      let back = try await crossing.ferry(["rollback", try first.run()] + flags(crossing))
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(kept().isEmpty)
    }
  }

  /// Reads a folder back into which a store went, and into which somebody put a file since; gives its
  /// path inside of it.
  private func verifying(
    _ crossing: Crossing,
    beside put: (_ kept: String) throws -> String
  ) async throws -> (Answer, put: String) {
    let first = try await crossing.ferry(["migrate", crossing.sample.store] + flags(crossing))
    #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
    let package = "\(crossing.folder)/p.ferry"
    _ = try await crossing.export(to: package)
    let kept = "\(crossing.folder)/kept"
    let name = try put(kept)
    try #"{"data":{},"id":"stranger"}"#
      .write(toFile: "\(kept)/\(name)", atomically: true, encoding: .utf8)
    return (try await crossing.ferry(["verify", package] + flags(crossing)), name)
  }

  @Test func `a document that no run made is told by verify, by its name`() async throws {
    try await withCrossing { crossing in
      let (verdict, _) = try await verifying(crossing) { _ in "Hero/stranger.json" }
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.surplus").map { $0["record"]?.text } == ["stranger"])
    }
  }

  @Test func `a media file that no run sent is told by verify, and none that was sent`()
    async throws
  {
    try await withCrossing(.legacy, takesMedia: true) { crossing in
      let (verdict, put) = try await verifying(crossing) { kept in
        try mediaFolder(in: kept) + "/stranger"
      }
      #expect(verdict.status == 0, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.stray-file").map { $0["record"]?.text } == [put])
    }
  }

  @Test func `of more media files than verify names, the count is told`() async throws {
    try await withCrossing(.legacy, takesMedia: true) { crossing in
      let (verdict, _) = try await verifying(crossing) { kept in
        let folder = try mediaFolder(in: kept)
        try fill("\(kept)/\(folder)", with: 1_001)
        return "\(folder)/stranger"
      }
      #expect(tellsAll(1_002, verdict))
    }
  }

  /// Whether so many stray files are named, or counted where no name is.
  private func tellsAll(_ count: Int, _ verdict: Answer) -> Bool {
    let strays = verdict.findings("verify.stray-file")
    let named = strays.count { $0["record"]?.text != nil }
    let rest = strays.first { $0["record"]?.text == nil }?["cause"]?.text
    return rest?.hasPrefix("\(count - named) more ") == true
  }

  private func fill(_ folder: String, with count: Int) throws {
    for number in 1...count {
      try Data().write(to: URL(filePath: "\(folder)/stranger-\(number)"))
    }
  }

  /// The first folder of media files, seen from the one that everything is kept in.
  private func mediaFolder(in kept: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(kept)/media")
    return "media/" + (try #require(names.min()))
  }

  @Test func `a dry run makes no folder`() async throws {
    try await withCrossing { crossing in
      let plan = try await crossing.ferry(
        ["migrate", crossing.sample.store, "-n"] + flags(crossing)
      )
      #expect(plan.status == 0, "\(plan.standardError)")
      #expect(!FileManager.default.fileExists(atPath: "\(crossing.folder)/kept"))
    }
  }

  // MARK: - Reading a destination into a package

  private func backUp(
    _ crossing: Crossing,
    _ name: String,
    from place: [String]
  ) async throws -> (Answer, PackageLines) {
    let package = "\(crossing.folder)/\(name)"
    let answer = try await crossing.ferry(
      ["export", "--profile", crossing.profile, "-o", package] + place
    )
    return (answer, PackageLines(package))
  }

  @Test func `what an account holds becomes a package, the same each time`() async throws {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardError)")
      let writes = try crossing.backend.writeCount()
      let place = ["--from", crossing.backend.origin] + crossing.credentials
      let (answer, lines) = try await backUp(crossing, "one.ferry", from: place)
      #expect(answer.status == 0, "\(answer.standardError)")
      let stories = try lines.records("Story")
      #expect(stories.count == Int(first.count("created", of: "Story")))
      let dump = try crossing.backend.dump().canonicalText
      for story in stories {
        #expect(dump.contains(try #require(story["$id"]?.text)))
        #expect(story["title"]?.text?.isEmpty == false)
      }
      #expect(try crossing.backend.writeCount() == writes)
      _ = try await backUp(crossing, "two.ferry", from: place)
      let manifests = try ["one", "two"].map {
        try Data(contentsOf: URL(filePath: "\(crossing.folder)/\($0).ferry/manifest.json"))
      }
      #expect(manifests[0] == manifests[1])
      let valid = try await crossing.ferry(["validate", "\(crossing.folder)/one.ferry"])
      #expect(valid.status == 0, "\(valid.standardOutput)\(valid.standardError)")
    }
  }

  @Test func `a folder is read back as it was written`() async throws {
    try await withCrossing { crossing in
      let first = try await crossing.ferry(["migrate", crossing.sample.store] + flags(crossing))
      #expect(first.status == 0, "\(first.standardError)")
      let place = ["--from", "file:\(crossing.folder)/kept"]
      let (answer, lines) = try await backUp(crossing, "kept.ferry", from: place)
      #expect(answer.status == 0, "\(answer.standardError)")
      let heroes = try lines.records("Hero")
      #expect(heroes.count == Int(first.count("created", of: "Hero")))
      #expect(heroes.allSatisfy { $0["$id"]?.text?.isEmpty == false && $0["name"] != nil })
    }
  }

  @Test func `a folder that is not there is no empty account`() async throws {
    try await withCrossing { crossing in
      let place = ["--from", "file:\(crossing.folder)/mistyped"]
      let (answer, _) = try await backUp(crossing, "none.ferry", from: place)
      #expect(answer.status == 64, "\(answer.standardError)")
      #expect(answer.standardError.contains("there is no folder \(crossing.folder)/mistyped"))
      #expect(!FileManager.default.fileExists(atPath: "\(crossing.folder)/none.ferry"))
    }
  }

  @Test func `a package that was read from a destination is never sent or compared`() async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let place = ["--from", crossing.backend.origin] + crossing.credentials
      let (answer, _) = try await backUp(crossing, "there.ferry", from: place)
      #expect(answer.status == 0, "\(answer.standardError)")
      let writes = try crossing.backend.writeCount()
      // By the profile its heroes would have no traits, and be others than those that are there.
      for verb in ["plan", "upload", "verify"] {
        let refused = try await crossing.ferry(
          [verb, "\(crossing.folder)/there.ferry"] + crossing.destination
        )
        #expect(refused.status == 12, "\(verb): \(refused.standardError)")
        #expect(refused.standardError.contains("was read from a destination"))
        #expect(refused.standardError.contains("made of the store"))
      }
      #expect(try crossing.backend.writeCount() == writes)
    }
  }

  @Test func `a store and a destination at once are a wrong use`() async throws {
    try await withCrossing { crossing in
      let both = try await crossing.ferry(
        ["export", crossing.sample.store, "--from", crossing.backend.origin, "-o", "x.ferry"]
      )
      #expect(both.status == 64)
    }
  }
}
