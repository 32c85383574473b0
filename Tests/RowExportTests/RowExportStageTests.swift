import ExportPackage
import Foundation
import PackageStages
import Profiles
import Records
import RowExport
import StageSupport
import TestSupport
import Testing

/// The rows of a whole store.
struct RowExportStageTests {
  private static let place = "\(Samples.folder)/postgresql/profile.yaml"

  /// Lends a package of the sample store.
  private func withPackage(
    _ profile: Profile,
    _ body: (_ package: PackageReader, _ folder: String) throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let stage = ExportStage(
        profile: profile,
        store: sample.store,
        container: nil,
        output: .path("\(folder)/package"),
        toolVersion: "test",
        progress: ProgressReporter()
      )
      let export = try await stage.run(interruption: CancellationToken())
      try body(export.package, folder)
    }
  }

  private func lines(_ path: String) throws -> [Substring] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
  }

  @Test func `each table of the profile is a file, and what has no column is reported`()
    async throws
  {
    let profile = try Profile(at: Self.place)
    try await withPackage(profile) { package, folder in
      let stage = RowExportStage(package, profile: profile, as: .csv, output: "\(folder)/rows")
      let result = try stage.run(interruption: CancellationToken())
      #expect(result.isWhole)
      #expect(result.tables.map(\.name) == ["events", "heroes", "stories"])
      #expect(result.tables.map(\.rows) == [16, 24, 150])
      #expect(result.findings.map(\.code) == ["plan.unmapped", "plan.unmapped"])
      let heroes = try lines("\(folder)/rows/heroes.csv")
      #expect(heroes.first == "id,created_at,is_active,name,primary_trait")
      #expect(heroes.count == 25)
    }
  }

  @Test func `the same files are written again, and no other file is written over`() async throws {
    let profile = try Profile(at: Self.place)
    try await withPackage(profile) { package, folder in
      let stage = RowExportStage(package, profile: profile, as: .csv, output: "\(folder)/rows")
      for _ in 0..<2 { _ = try stage.run(interruption: CancellationToken()) }
      try Data().write(to: URL(filePath: "\(folder)/rows/notes.txt"))
      #expect(throws: MigrationError.self) { try stage.run(interruption: CancellationToken()) }
    }
  }

  @Test func `a row of a profile without an api is the record itself`() async throws {
    let yaml = """
      ferry-profile: 1
      app: infinite-stories
      omit-entities: [CustomStoryEvent, HeroVisualProfile, Story, StoryIllustration]
      entities:
        Hero: { identity: object-uri, fields: { name: name }, carry: listed }
      """
    let profile = try Profile(yaml: yaml, path: Self.place)
    try await withPackage(profile) { package, folder in
      let stage = RowExportStage(package, profile: profile, as: .csv, output: "\(folder)/rows")
      let result = try stage.run(interruption: CancellationToken())
      #expect(result.tables.map(\.rows) == [24])
      let heroes = try lines("\(folder)/rows/Hero.csv")
      #expect(heroes.first?.hasSuffix(",name") == true)
      #expect(heroes.count == 25)
    }
  }
}
