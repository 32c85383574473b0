import Foundation
import JSONText
import TestSupport
import Testing

/// `--on-invalid quarantine` and `--max-rejects`: what is not valid is quarantined, the rest goes on.
@Suite(.timeLimit(.minutes(3))) struct QuarantineTests {
  /// Two records that break their schemas: a hero without stories of its own, and a story.
  static let damages = [
    "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Bold' WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZHERO)",
    "UPDATE ZSTORY SET ZPLAYCOUNT = -3 WHERE Z_PK = 1",
  ]

  func damaged(_ scenario: MigrationScenario) throws {
    for damage in Self.damages { try scenario.sql(damage) }
  }

  @Test func `valid records arrive, and invalid ones are quarantined with their findings`()
    async throws
  {
    try await withScenario { scenario in
      try damaged(scenario)
      let migrated = try await scenario.migrate(["--on-invalid", "quarantine"]).exits(3)
      #expect(migrated.findings("record.quarantined").count == 2)
      #expect(try scenario.backend.rows("heroes").count == 5)
      let list = try await scenario.ferry(["quarantine", "list"])
      let package = try #require(list.value("quarantine")?["packages"]?.array?.first)
      #expect(package["records"] == 2)
      let digest = try #require(package["package"]?.text)
      let shown = try await scenario.ferry(["quarantine", "show", String(digest.prefix(8))])
      #expect(shown.status == 0)
      #expect(shown.values.map { $0["entity"]?.text } == ["Hero", "Story"])
      #expect(shown.findings.map { $0["code"]?.text } == ["schema.enum", "schema.minimum"])
      let again = try await scenario.migrate(["--on-invalid", "quarantine"]).exits(3)
      #expect(again.count("created") == 0)
    }
  }

  /// A package with two records that break their schemas, and the folder they were written into.
  func quarantined(
    _ scenario: MigrationScenario
  ) async throws -> (package: String, name: String, records: String) {
    try damaged(scenario)
    let package = "\(scenario.folder)/one.ferry"
    try await scenario.export(to: package).exits(0)
    let validated = try await scenario.ferry(["validate", package, "--on-invalid", "quarantine"])
    #expect(validated.status == 3, "\(validated)")
    let list = try await scenario.ferry(["quarantine", "list"])
    let digest = try #require(
      list.value("quarantine")?["packages"]?.array?.first?["package"]?.text
    )
    let records = "\(scenario.folder)/repairs"
    try await scenario.ferry(["quarantine", "show", digest, "-o", records]).exits(0)
    return (package, String(digest.prefix(12)), records)
  }

  func edit(_ path: String, _ old: String, _ new: String) throws {
    let text = try String(at: path)
    #expect(text.contains(old), "\(text)")
    try text.replacing(old, with: new).save(to: path)
  }

  @Test func `repaired records are replayed into a new package that is valid`() async throws {
    try await withScenario { scenario in
      let quarantined = try await quarantined(scenario)
      try edit("\(quarantined.records)/Hero.jsonl", "\"Bold\"", "\"Brave\"")
      try edit("\(quarantined.records)/Story.jsonl", ":-3", ":3")
      let before = try Data(contentsOf: URL(filePath: "\(quarantined.package)/manifest.json"))
      let output = "\(scenario.folder)/two.ferry"
      try await scenario.ferry([
        "quarantine", "replay", quarantined.name, "--package", quarantined.package, "--records",
        quarantined.records,
        "-o", output,
      ]).exits(0)
      try await scenario.ferry(["validate", output]).exits(0)
      #expect(try Data(contentsOf: URL(filePath: "\(quarantined.package)/manifest.json")) == before)
      let heroes = try PackageLines(output).records("Hero")
      #expect(try heroes.count == PackageLines(quarantined.package).records("Hero").count)
      try await scenario.ferry(["upload", output] + scenario.destination).exits(0)
      #expect(try scenario.backend.rows("heroes").count == 6)
    }
  }
}
