import Foundation
import JSONText
import TestSupport
import Testing

/// A folder as a destination, and destinations read into packages.
@Suite(.timeLimit(.minutes(3))) struct FolderTests {
  func flags(_ scenario: MigrationScenario) -> [String] {
    ["--profile", scenario.profile, "--to", "file:\(scenario.folder)/kept"]
  }

  func files(_ scenario: MigrationScenario) throws -> [String] {
    let paths = FileManager.default.enumerator(atPath: "\(scenario.folder)/kept")?.allObjects ?? []
    return paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }.sorted()
  }

  @Test func `a store is migrated into a folder, repeated, changed, and rolled back`() async throws
  {
    try await withScenario { scenario in
      let migrate = ["migrate", scenario.sample.store] + flags(scenario)
      let first = try await scenario.ferry(migrate).exits(0)
      #expect(first.value("verification")?["clean"] == true)
      let files = try files(scenario)
      #expect(files.count == Int(first.count("created")) && files.count > 40)
      let second = try await scenario.ferry(migrate)
      #expect(second.count("unchanged") == first.count("created"))
      try scenario.sql("UPDATE ZSTORY SET ZTITLE = 'Neu' WHERE Z_PK = 1")
      let third = try await scenario.ferry(migrate)
      #expect(third.status == 0 && third.count("updated") == 1, "\(third)")
      for run in [try third.run(), try first.run()] {
        try await scenario.ferry(["rollback", run] + flags(scenario)).exits(0)
      }
      #expect(try self.files(scenario).isEmpty)
    }
  }

  @Test func `a killed run stores every record exactly once when repeated`() async throws {
    try await withScenario { scenario in
      let migrate = ["migrate", scenario.sample.store] + flags(scenario)
      try await FerryProgram().kill(migrate, state: scenario.state, after: [0.05, 0.1, 0.2])
      let last = try await scenario.ferry(migrate).exits(0)
      #expect(last.value("verification")?["clean"] == true)
    }
  }

  @Test func `the preset takes a store and its media into a folder, and a rollback empties it`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      func ferry(_ words: String...) async throws -> Answer {
        try await FerryProgram().answer(words, state: "\(folder)/state").exits(0)
      }
      let profile = "\(folder)/my/profile.yaml"
      func migrate() async throws -> Answer {
        try await ferry(
          "migrate",
          sample.store,
          "--container",
          sample.folder,
          "--profile",
          profile
        )
      }
      func count(where isCounted: (String) -> Bool) -> Int {
        let paths = FileManager.default.enumerator(atPath: "\(folder)/kept")?.allObjects ?? []
        return paths.count { ($0 as? String).map(isCounted) == true }
      }
      func records() -> Int { count { $0.hasSuffix(".json") } }
      // Below “media” is a folder for each kind of file, and in it the files.
      func media() -> Int {
        count { $0.hasPrefix("media/") && $0.split(separator: "/").count == 3 }
      }
      let place = "file:\(folder)/kept"
      _ = try await ferry(
        "init",
        sample.store,
        "--preset",
        "folder",
        "--to",
        place,
        "-o",
        "\(folder)/my"
      )
      let first = try await migrate()
      #expect(first.value("verification")?["clean"] == true)
      #expect(records() == Int(first.count("created")) && records() > 190)
      #expect(media() > 150)
      try Python.edit(sample.store, "UPDATE ZSTORY SET ZTITLE = 'Neu' WHERE Z_PK = 1")
      let second = try await migrate()
      #expect(second.count("updated") == 1)
      for run in [try second.run(), try first.run()] {
        _ = try await ferry("rollback", run, "--profile", profile)
      }
      #expect(records() == 0 && media() == 0)
    }
  }

  // MARK: - Reading a destination into a package

  func backUp(
    _ scenario: MigrationScenario,
    _ name: String,
    from place: [String]
  ) async throws -> (Answer, PackageLines) {
    let package = "\(scenario.folder)/\(name)"
    let answer = try await scenario.ferry(
      ["export", "--profile", scenario.profile, "-o", package] + place
    )
    return (answer, PackageLines(package))
  }

  @Test func `exporting an account's records gives the same package each time`() async throws {
    try await withScenario { scenario in
      let first = try await scenario.migrate().exits(0)
      let writes = try scenario.backend.writeCount()
      let place = ["--from", scenario.backend.origin] + scenario.credentials
      let (answer, lines) = try await backUp(scenario, "one.ferry", from: place)
      #expect(answer.status == 0, "\(answer)")
      let stories = try lines.records("Story")
      #expect(stories.count == Int(first.count("created", of: "Story")))
      let dump = try scenario.backend.dump().canonicalText
      for story in stories {
        #expect(dump.contains(try #require(story["$id"]?.text)))
        #expect(story["title"]?.text?.isEmpty == false)
      }
      #expect(try scenario.backend.writeCount() == writes)
      _ = try await backUp(scenario, "two.ferry", from: place)
      let manifests = try ["one", "two"].map {
        try Data(contentsOf: URL(filePath: "\(scenario.folder)/\($0).ferry/manifest.json"))
      }
      #expect(manifests[0] == manifests[1])
      try await scenario.ferry(["validate", "\(scenario.folder)/one.ferry"]).exits(0)
    }
  }
}
