import Foundation
import JSONText
import TestSupport
import Testing

/// `--on-invalid quarantine` and `--max-rejects`: what is not valid is quarantined, the rest goes on.
@Suite(.timeLimit(.minutes(3))) struct QuarantineTests {
  /// Two records that break their schemas: a hero without stories of its own, and a story.
  private static let damages = [
    "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Bold' WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZHERO)",
    "UPDATE ZSTORY SET ZPLAYCOUNT = -3 WHERE Z_PK = 1",
  ]

  private func damaged(_ scenario: MigrationScenario) throws {
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

  @Test func `quarantined records match the published schemas`() async throws {
    try await withScenario { scenario in
      let quarantined = try await quarantined(scenario)
      let list = try await scenario.ferry(["quarantine", "list"])
      let folder = try #require(
        list.value("quarantine")?["packages"]?.array?.first?["path"]?.text
      )
      let head = try JSONValue(
        parsing: Array(Data(contentsOf: URL(filePath: folder + "/quarantine.json")))
      )
      #expect(try PublishedForm.faults(of: head, under: "ferry.quarantine.v1.schema.json").isEmpty)
      let findings = try String(at: folder + "/findings.jsonl")
      let lines = findings.split(separator: "\n")
      #expect(lines.count == 2, "\(quarantined.name)")
      for line in lines {
        let record = try JSONValue(parsing: String(line))
        #expect(
          try PublishedForm.faults(of: record, under: "ferry.quarantined.v1.schema.json").isEmpty
        )
      }
    }
  }

  @Test func `no value of a record is shown`() async throws {
    try await withScenario { scenario in
      try scenario.sql("UPDATE ZSTORY SET ZPLAYCOUNT = -3, ZTITLE = 'Canary title' WHERE Z_PK = 1")
      try await scenario.migrate(["--on-invalid", "quarantine"]).exits(3)
      let list = try await scenario.ferry(["quarantine", "list"])
      let package = try #require(list.value("quarantine")?["packages"]?.array?.first)
      let digest = try #require(package["package"]?.text)
      let shown = try await scenario.ferry(["quarantine", "show", digest])
      #expect(shown.values.count == 1)
      #expect(!shown.standardOutput.contains("Canary"))
    }
  }

  @Test(arguments: [("1", Int32(8)), ("2", 8), ("100", 3), ("1%", 8), ("50%", 3)])
  func `more rejects than allowed, with their dependents, end the run before it sends`(
    budget: String,
    status: Int32
  ) async throws {
    try await withScenario { scenario in
      try damaged(scenario)
      let migrated = try await scenario.migrate([
        "--on-invalid", "quarantine", "--max-rejects", budget,
      ])
      #expect(migrated.status == status, "\(migrated)")
      #expect(try (scenario.backend.writeCount() == 0) == (status == 8))
    }
  }

  @Test func `an upload of a package that is not valid sends nothing`() async throws {
    try await withScenario { scenario in
      try damaged(scenario)
      let package = "\(scenario.folder)/one.ferry"
      try await scenario.export(to: package).exits(0)
      try await scenario.ferry(["upload", package] + scenario.destination).exits(4)
      #expect(try scenario.backend.writeCount() == 0)
      try await scenario.ferry(
        ["upload", package, "--on-invalid", "quarantine"] + scenario.destination
      ).exits(3)
    }
  }

  @Test func `a dry run quarantines nothing`() async throws {
    try await withScenario { scenario in
      try damaged(scenario)
      let migrated = try await scenario.migrate(["-n", "--on-invalid", "quarantine"]).exits(3)
      #expect(migrated.standardError.contains("would be quarantined: 2 records\n"))
      #expect(migrated.findings("record.quarantined").count == 2)
      #expect(!FileManager.default.fileExists(atPath: "\(scenario.state)/quarantine"))
    }
  }

  /// A package with two records that break their schemas, and the folder they were written into.
  private func quarantined(
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

  private func edit(_ path: String, _ old: String, _ new: String) throws {
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

  @Test func `a record that is still faulty is refused, and stays quarantined`() async throws {
    try await withScenario { scenario in
      let quarantined = try await quarantined(scenario)
      try edit("\(quarantined.records)/Hero.jsonl", "\"Bold\"", "\"Braver\"")
      let output = "\(scenario.folder)/two.ferry"
      let line = [
        "quarantine", "replay", quarantined.name, "--package", quarantined.package, "--records",
        quarantined.records,
        "-o", output,
      ]
      let refused = try await scenario.ferry(line).exits(4)
      #expect(refused.findings("schema.enum").count == 1)
      #expect(!FileManager.default.fileExists(atPath: output))
      try edit("\(quarantined.records)/Story.jsonl", ":-3", ":3")
      let partly = try await scenario.ferry(line).exits(3)
      let digest = try #require(partly.value("replay")?["digest"]?.text)
      let left = try await scenario.ferry(["quarantine", "show", digest])
      #expect(left.values.map { $0["entity"]?.text } == ["Hero"])
    }
  }

  @Test func `a record repaired in a file of its own is found by its key`() async throws {
    try await withScenario { scenario in
      let quarantined = try await quarantined(scenario)
      try FileManager.default.removeItem(atPath: "\(quarantined.records)/Hero.jsonl")
      try edit("\(quarantined.records)/Story.jsonl", ":-3", ":3")
      let story = try String(at: "\(quarantined.records)/Story.jsonl")
      try ("\n\n" + story).save(to: "\(quarantined.records)/Story.jsonl")
      let replayed = try await scenario.ferry([
        "quarantine", "replay", quarantined.name, "--package", quarantined.package, "--records",
        quarantined.records,
        "-o", "\(scenario.folder)/two.ferry",
      ]).exits(3)
      let entities = replayed.value("replay")?["entities"]?.array ?? []
      #expect(entities.map { $0["repaired"] } == [0, 1])
      #expect(entities.map { $0["untouched"] } == [1, 0])
    }
  }

  @Test func `a repair of no quarantined record, or a second one, is reported`() async throws {
    try await withScenario { scenario in
      let quarantined = try await quarantined(scenario)
      let file = "\(quarantined.records)/Story.jsonl"
      let story = try String(at: file)
      let mended = story.replacing(":-3", with: ":3")
      let other = mended.replacing("\"id\":\"", with: "\"id\":\"0")
      try (story + mended + other + "{\"id\":\n").save(to: file)
      try FileManager.default.moveItem(
        atPath: "\(quarantined.records)/Hero.jsonl",
        toPath: "\(quarantined.records)/Heroes.jsonl"
      )
      let output = "\(scenario.folder)/two.ferry"
      let line = [
        "quarantine", "replay", quarantined.name, "--package", quarantined.package, "-o", output,
      ]
      let replayed = try await scenario.ferry(line + ["--records", quarantined.records]).exits(3)
      #expect(replayed.findings("replay.doubled").map { $0["line"]?.integer } == [1])
      #expect(replayed.findings("replay.no-record").map { $0["line"]?.integer } == [4])
      let unknown = replayed.findings("replay.unknown")
      #expect(unknown.count == 2)
      #expect(unknown.contains { $0["file"]?.text?.hasSuffix("/Heroes.jsonl") == true })
      #expect(unknown.contains { $0["line"]?.integer == 3 })
      let missing = try await scenario.ferry(line + ["--records", "\(scenario.folder)/nowhere"])
      #expect(missing.status == 64, "\(missing)")
      #expect(missing.standardError.contains("nowhere"))
    }
  }

  @Test func `repairs of another package are refused`() async throws {
    try await withScenario { scenario in
      let quarantined = try await quarantined(scenario)
      try edit("\(quarantined.records)/Story.jsonl", ":-3", ":3")
      let output = "\(scenario.folder)/two.ferry"
      let line = ["quarantine", "replay", quarantined.name, "--records", quarantined.records]
      #expect(
        try await scenario.ferry(line + ["--package", quarantined.package, "-o", output]).status
          == 3
      )
      let foreign = try await scenario.ferry(line + ["--package", output, "-o", output + "3"])
      #expect(foreign.status == 12, "\(foreign)")
    }
  }
}
