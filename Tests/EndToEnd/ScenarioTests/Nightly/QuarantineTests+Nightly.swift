import Foundation
import JSONText
import TestSupport
import Testing

extension QuarantineTests {
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
