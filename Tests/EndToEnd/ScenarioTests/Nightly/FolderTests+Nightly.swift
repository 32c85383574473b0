import Foundation
import JSONText
import TestSupport
import Testing

extension FolderTests {
  @Test func `a draft for a folder is sent as it is`() async throws {
    try await withScenario { scenario in
      let preset = "\(scenario.folder)/folder.yaml"
      let draft = "\(scenario.folder)/draft"
      try "ferry-preset: 1\ntitle: A folder\napi: { kind: folder, names: as-is }\n".save(to: preset)
      try await scenario.ferry(
        ["init", scenario.sample.store, "--preset", preset, "-o", draft]
          + ["--to", "file:\(scenario.folder)/kept"]
      ).exits(0)
      let flags = ["--profile", "\(draft)/profile.yaml"]
      try await scenario.ferry(["preflight"] + flags).exits(0)
      let sent = try await scenario.ferry(["migrate", scenario.sample.store] + flags).exits(0)
      #expect(try files(scenario).count == Int(sent.count("created")))
    }
  }

  /// Lends a store whose profile names no route that changes or removes a story.
  private func withoutRoutes(_ body: (MigrationScenario, _ migrate: [String]) async throws -> Void)
    async throws
  {
    try await withScenario { scenario in
      let lines = try String(at: scenario.profile)
        .split(separator: "\n", omittingEmptySubsequences: false)
      let left = lines.filter { line in
        !line.contains("PATCH /api/v1/stories/{id}")
          && !line.contains("DELETE /api/v1/stories/{id}")
      }
      #expect(left.count == lines.count - 2)
      try left.joined(separator: "\n").save(to: scenario.profile)
      try await body(scenario, ["migrate", scenario.sample.store] + flags(scenario))
    }
  }

  @Test func `a folder destination accepts a change without a route in the profile`() async throws {
    try await withoutRoutes { scenario, migrate in
      try await scenario.ferry(migrate).exits(0)
      try scenario.sql("UPDATE ZSTORY SET ZTITLE = 'Neu' WHERE Z_PK = 1")
      let second = try await scenario.ferry(migrate).exits(0)
      #expect(second.count("updated") == 1)
    }
  }

  @Test func `a folder destination rolls back records without a removal route in the profile`()
    async throws
  {
    try await withoutRoutes { scenario, migrate in
      let first = try await scenario.ferry(migrate)
      try await scenario.ferry(["rollback", try first.run()] + flags(scenario)).exits(0)
      #expect(try files(scenario).isEmpty)
    }
  }

  @Test func `media files are stored beside the records, and removed with them`()
    async throws
  {
    try await withScenario(.legacy, takesMedia: true) { scenario in
      let first = try await scenario.ferry(["migrate", scenario.sample.store] + flags(scenario))
      #expect(first.status == 0, "\(first)")
      let media = "\(scenario.folder)/kept/media"
      func kept() -> [String] {
        let paths = FileManager.default.enumerator(atPath: media)?.allObjects ?? []
        return paths.compactMap { $0 as? String }.filter { $0.count > 64 }
      }
      #expect(kept().count > 3)
      for name in kept() {
        let digest = try RealServer.output("/usr/bin/env", ["sha256sum", "\(media)/\(name)"])
        #expect(name.contains(try #require(digest.split(separator: " ").first)))
      }
      try await scenario.ferry(["rollback", try first.run()] + flags(scenario)).exits(0)
      #expect(kept().isEmpty)
    }
  }

  /// Reads a folder back into which a store went, and into which another device put a file since; gives its
  /// path inside of it.
  private func verifying(
    _ scenario: MigrationScenario,
    beside put: (_ kept: String) throws -> String
  ) async throws -> (Answer, put: String) {
    let first = try await scenario.ferry(["migrate", scenario.sample.store] + flags(scenario))
    #expect(first.status == 0, "\(first)")
    let package = "\(scenario.folder)/p.ferry"
    _ = try await scenario.export(to: package)
    let kept = "\(scenario.folder)/kept"
    let name = try put(kept)
    try #"{"data":{},"id":"stranger"}"#.save(to: "\(kept)/\(name)")
    return (try await scenario.ferry(["verify", package] + flags(scenario)), name)
  }

  @Test func `verify reports a document that no run made by its name`() async throws {
    try await withScenario { scenario in
      let (verdict, _) = try await verifying(scenario) { _ in "Hero/stranger.json" }
      #expect(verdict.status == 6, "\(verdict)")
      #expect(verdict.findings("verify.untracked").map { $0["record"]?.text } == ["stranger"])
    }
  }

  @Test func `verify reports a media file that no run sent, and no sent one`()
    async throws
  {
    try await withScenario(.legacy, takesMedia: true) { scenario in
      let (verdict, put) = try await verifying(scenario) { kept in
        try mediaFolder(in: kept) + "/stranger"
      }
      #expect(verdict.status == 0, "\(verdict)")
      #expect(verdict.findings("verify.orphaned-file").map { $0["record"]?.text } == [put])
    }
  }

  @Test func `verify counts all media files that no run sent, and names the first thousand`()
    async throws
  {
    try await withScenario(.legacy, takesMedia: true) { scenario in
      let (verdict, _) = try await verifying(scenario) { kept in
        let folder = try mediaFolder(in: kept)
        try fill("\(kept)/\(folder)", with: 1_001)
        return "\(folder)/stranger"
      }
      #expect(verdict.findings("verify.orphaned-file").count == 1_000)
      let rules = verdict.value("verification")?["rules"]?.array ?? []
      #expect(rules.first { $0["code"] == "verify.orphaned-file" }?["count"] == 1_002)
    }
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
    try await withScenario { scenario in
      try await scenario.ferry(
        ["migrate", scenario.sample.store, "-n"] + flags(scenario)
      ).exits(0)
      #expect(!FileManager.default.fileExists(atPath: "\(scenario.folder)/kept"))
    }
  }

  @Test func `a folder destination is read back as it was written`() async throws {
    try await withScenario { scenario in
      let first = try await scenario.ferry(["migrate", scenario.sample.store] + flags(scenario))
      #expect(first.status == 0, "\(first)")
      let place = ["--from", "file:\(scenario.folder)/kept"]
      let (answer, lines) = try await backUp(scenario, "kept.ferry", from: place)
      #expect(answer.status == 0, "\(answer)")
      let heroes = try lines.records("Hero")
      #expect(heroes.count == Int(first.count("created", of: "Hero")))
      #expect(heroes.allSatisfy { $0["$id"]?.text?.isEmpty == false && $0["name"] != nil })
    }
  }

  @Test func `a missing folder is not an empty account`() async throws {
    try await withScenario { scenario in
      let place = ["--from", "file:\(scenario.folder)/mistyped"]
      let (answer, _) = try await backUp(scenario, "none.ferry", from: place)
      #expect(answer.status == 64, "\(answer)")
      #expect(answer.standardError.contains("there is no folder \(scenario.folder)/mistyped"))
      #expect(!FileManager.default.fileExists(atPath: "\(scenario.folder)/none.ferry"))
    }
  }

  @Test func `a package that was read from a destination is never sent or compared`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let place = ["--from", scenario.backend.origin] + scenario.credentials
      let (answer, _) = try await backUp(scenario, "there.ferry", from: place)
      #expect(answer.status == 0, "\(answer)")
      let writes = try scenario.backend.writeCount()
      // By the profile its heroes would have no traits, and be others than those that are there.
      for verb in ["plan", "upload", "verify"] {
        let refused = try await scenario.ferry(
          [verb, "\(scenario.folder)/there.ferry"] + scenario.destination
        )
        #expect(refused.status == 12, "\(verb): \(refused.standardError)")
        #expect(refused.standardError.contains("was read from a destination"))
        #expect(refused.standardError.contains("made of the store"))
      }
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `a store and a destination at once are a usage error`() async throws {
    try await withScenario { scenario in
      try await scenario.ferry(
        ["export", scenario.sample.store, "--from", scenario.backend.origin, "-o", "x.ferry"]
      ).exits(64)
    }
  }
}
