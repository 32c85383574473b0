import Foundation
import JSONText
import TestSupport
import Testing

/// `--on-invalid quarantine` and `--max-rejects`: what is not valid is kept aside, the rest goes on.
@Suite(.timeLimit(.minutes(3))) struct QuarantineTests {
  /// Two records that break their schemas: a hero without stories of its own, and a story.
  private static let damages = [
    "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Bold' WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZHERO)",
    "UPDATE ZSTORY SET ZPLAYCOUNT = -3 WHERE Z_PK = 1",
  ]

  private func damaged(_ crossing: Crossing) throws {
    for damage in Self.damages { try Python.edit(crossing.sample.store, damage) }
  }

  @Test func `what is valid arrives, what is not is kept aside with its findings`() async throws {
    try await withCrossing { crossing in
      try damaged(crossing)
      let migrated = try await crossing.migrate(["--on-invalid", "quarantine"])
      #expect(migrated.status == 3, "\(migrated.standardError)")
      #expect(migrated.findings("record.quarantined").count == 2)
      #expect(try crossing.backend.rows("heroes").count == 5)
      let list = try await crossing.ferry(["quarantine", "list"])
      let package = try #require(list.value("quarantine")?["packages"]?.array?.first)
      #expect(package["records"] == 2)
      let digest = try #require(package["package"]?.text)
      let shown = try await crossing.ferry(["quarantine", "show", String(digest.prefix(8))])
      #expect(shown.status == 0)
      #expect(shown.values.map { $0["entity"]?.text } == ["Hero", "Story"])
      #expect(
        shown.findings.map { $0["code"]?.text } == ["schema.enum", "schema.minimum"]
      )
      let again = try await crossing.migrate(["--on-invalid", "quarantine"])
      #expect(again.status == 3)
      #expect(again.count("created") == 0)
    }
  }

  @Test func `what is kept aside obeys the published schemas`() async throws {
    try await withCrossing { crossing in
      let aside = try await keptAside(crossing)
      let list = try await crossing.ferry(["quarantine", "list"])
      let folder = try #require(
        list.value("quarantine")?["packages"]?.array?.first?["path"]?.text
      )
      let head = try JSONValue(
        parsing: Array(Data(contentsOf: URL(filePath: folder + "/quarantine.json")))
      )
      #expect(try PublishedForm.faults(of: head, under: "ferry.quarantine.v1.schema.json").isEmpty)
      let findings = try String(contentsOfFile: folder + "/findings.jsonl", encoding: .utf8)
      let lines = findings.split(separator: "\n")
      #expect(lines.count == 2, "\(aside.name)")
      for line in lines {
        let record = try JSONValue(parsing: String(line))
        #expect(
          try PublishedForm.faults(of: record, under: "ferry.quarantined.v1.schema.json").isEmpty
        )
      }
    }
  }

  @Test func `no value of a record is shown`() async throws {
    try await withCrossing { crossing in
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZPLAYCOUNT = -3, ZTITLE = 'Canary title' WHERE Z_PK = 1"
      )
      let migrated = try await crossing.migrate(["--on-invalid", "quarantine"])
      #expect(migrated.status == 3)
      let list = try await crossing.ferry(["quarantine", "list"])
      let package = try #require(list.value("quarantine")?["packages"]?.array?.first)
      let digest = try #require(package["package"]?.text)
      let shown = try await crossing.ferry(["quarantine", "show", digest])
      #expect(shown.values.count == 1)
      #expect(!shown.standardOutput.contains("Canary"))
    }
  }

  @Test(arguments: [("1", Int32(8)), ("2", 8), ("100", 3), ("1%", 8), ("50%", 3)])
  func `more rejects than allowed, with what hangs on them, end the run before anything is sent`(
    budget: String,
    status: Int32
  ) async throws {
    try await withCrossing { crossing in
      try damaged(crossing)
      let migrated = try await crossing.migrate([
        "--on-invalid", "quarantine", "--max-rejects", budget,
      ])
      #expect(migrated.status == status, "\(migrated.standardError)")
      #expect(try (crossing.backend.writeCount() == 0) == (status == 8))
    }
  }

  @Test func `an upload of a package that is not valid sends nothing`() async throws {
    try await withCrossing { crossing in
      try damaged(crossing)
      let package = "\(crossing.folder)/one.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let refused = try await crossing.ferry(["upload", package] + crossing.destination)
      #expect(refused.status == 4)
      #expect(try crossing.backend.writeCount() == 0)
      let uploaded = try await crossing.ferry(
        ["upload", package, "--on-invalid", "quarantine"] + crossing.destination
      )
      #expect(uploaded.status == 3, "\(uploaded.standardError)")
    }
  }

  @Test func `a dry run keeps nothing aside`() async throws {
    try await withCrossing { crossing in
      try damaged(crossing)
      let migrated = try await crossing.migrate(["-n", "--on-invalid", "quarantine"])
      #expect(migrated.status == 3, "\(migrated.standardError)")
      #expect(migrated.standardError.contains("would be kept aside: 2 records\n"))
      #expect(migrated.findings("record.quarantined").count == 2)
      #expect(!FileManager.default.fileExists(atPath: "\(crossing.state)/quarantine"))
    }
  }

  /// A package with two records that break their schemas, and the folder they were written into.
  private func keptAside(
    _ crossing: Crossing
  ) async throws -> (package: String, name: String, records: String) {
    try damaged(crossing)
    let package = "\(crossing.folder)/one.ferry"
    #expect(try await crossing.export(to: package).status == 0)
    let validated = try await crossing.ferry(["validate", package, "--on-invalid", "quarantine"])
    #expect(validated.status == 3, "\(validated.standardError)")
    let list = try await crossing.ferry(["quarantine", "list"])
    let digest = try #require(
      list.value("quarantine")?["packages"]?.array?.first?["package"]?.text
    )
    let records = "\(crossing.folder)/repairs"
    let shown = try await crossing.ferry(["quarantine", "show", digest, "-o", records])
    #expect(shown.status == 0, "\(shown.standardError)")
    return (package, String(digest.prefix(12)), records)
  }

  private func edit(_ path: String, _ old: String, _ new: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains(old), "\(text)")
    try text.replacing(old, with: new).write(toFile: path, atomically: true, encoding: .utf8)
  }

  @Test func `repaired records are replayed into a new package that is valid`() async throws {
    try await withCrossing { crossing in
      let aside = try await keptAside(crossing)
      try edit("\(aside.records)/Hero.jsonl", "\"Bold\"", "\"Brave\"")
      try edit("\(aside.records)/Story.jsonl", ":-3", ":3")
      let before = try Data(contentsOf: URL(filePath: "\(aside.package)/manifest.json"))
      let output = "\(crossing.folder)/two.ferry"
      let replayed = try await crossing.ferry([
        "quarantine", "replay", aside.name, "--package", aside.package, "--records", aside.records,
        "-o", output,
      ])
      #expect(replayed.status == 0, "\(replayed.standardError) \(replayed.standardOutput)")
      #expect(try await crossing.ferry(["validate", output]).status == 0)
      #expect(try Data(contentsOf: URL(filePath: "\(aside.package)/manifest.json")) == before)
      let heroes = try PackageLines(output).records("Hero")
      #expect(try heroes.count == PackageLines(aside.package).records("Hero").count)
      let uploaded = try await crossing.ferry(["upload", output] + crossing.destination)
      #expect(uploaded.status == 0, "\(uploaded.standardError)")
      #expect(try crossing.backend.rows("heroes").count == 6)
    }
  }

  @Test func `a record that is still faulty is refused, and stays aside`() async throws {
    try await withCrossing { crossing in
      let aside = try await keptAside(crossing)
      try edit("\(aside.records)/Hero.jsonl", "\"Bold\"", "\"Braver\"")
      let output = "\(crossing.folder)/two.ferry"
      let line = [
        "quarantine", "replay", aside.name, "--package", aside.package, "--records", aside.records,
        "-o", output,
      ]
      let refused = try await crossing.ferry(line)
      #expect(refused.status == 4, "\(refused.standardError)")
      #expect(refused.findings("schema.enum").count == 1)
      #expect(!FileManager.default.fileExists(atPath: output))
      try edit("\(aside.records)/Story.jsonl", ":-3", ":3")
      let partly = try await crossing.ferry(line)
      #expect(partly.status == 3, "\(partly.standardError)")
      let digest = try #require(partly.value("replay")?["digest"]?.text)
      let left = try await crossing.ferry(["quarantine", "show", digest])
      #expect(left.values.map { $0["entity"]?.text } == ["Hero"])
    }
  }

  @Test func `a record repaired in a file of its own is found by its key`() async throws {
    try await withCrossing { crossing in
      let aside = try await keptAside(crossing)
      try FileManager.default.removeItem(atPath: "\(aside.records)/Hero.jsonl")
      try edit("\(aside.records)/Story.jsonl", ":-3", ":3")
      let story = try String(contentsOfFile: "\(aside.records)/Story.jsonl", encoding: .utf8)
      try ("\n\n" + story).write(
        toFile: "\(aside.records)/Story.jsonl",
        atomically: true,
        encoding: .utf8
      )
      let replayed = try await crossing.ferry([
        "quarantine", "replay", aside.name, "--package", aside.package, "--records", aside.records,
        "-o", "\(crossing.folder)/two.ferry",
      ])
      #expect(replayed.status == 3, "\(replayed.standardError)")
      let entities = replayed.value("replay")?["entities"]?.array ?? []
      #expect(entities.map { $0["repaired"] } == [0, 1])
      #expect(entities.map { $0["untouched"] } == [1, 0])
    }
  }

  @Test func `what repairs no record that was kept aside, or one twice, is told`() async throws {
    try await withCrossing { crossing in
      let aside = try await keptAside(crossing)
      let file = "\(aside.records)/Story.jsonl"
      let story = try String(contentsOfFile: file, encoding: .utf8)
      let mended = story.replacing(":-3", with: ":3")
      let other = mended.replacing("\"id\":\"", with: "\"id\":\"0")
      try (story + mended + other + "{\"id\":\n")
        .write(toFile: file, atomically: true, encoding: .utf8)
      try FileManager.default.moveItem(
        atPath: "\(aside.records)/Hero.jsonl",
        toPath: "\(aside.records)/Heroes.jsonl"
      )
      let output = "\(crossing.folder)/two.ferry"
      let line = ["quarantine", "replay", aside.name, "--package", aside.package, "-o", output]
      let replayed = try await crossing.ferry(line + ["--records", aside.records])
      #expect(replayed.status == 3, "\(replayed.standardError)")
      #expect(replayed.findings("replay.doubled").map { $0["line"]?.integer } == [1])
      #expect(replayed.findings("replay.no-record").map { $0["line"]?.integer } == [4])
      let unknown = replayed.findings("replay.unknown")
      #expect(unknown.count == 2)
      #expect(unknown.contains { $0["file"]?.text?.hasSuffix("/Heroes.jsonl") == true })
      #expect(unknown.contains { $0["line"]?.integer == 3 })
      let missing = try await crossing.ferry(line + ["--records", "\(crossing.folder)/nowhere"])
      #expect(missing.status == 64, "\(missing.standardError)")
      #expect(missing.standardError.contains("nowhere"))
    }
  }

  @Test func `another package than the one they are from is refused`() async throws {
    try await withCrossing { crossing in
      let aside = try await keptAside(crossing)
      try edit("\(aside.records)/Story.jsonl", ":-3", ":3")
      let output = "\(crossing.folder)/two.ferry"
      let line = ["quarantine", "replay", aside.name, "--records", aside.records]
      #expect(
        try await crossing.ferry(line + ["--package", aside.package, "-o", output]).status == 3
      )
      let foreign = try await crossing.ferry(line + ["--package", output, "-o", output + "3"])
      #expect(foreign.status == 12, "\(foreign.standardError)")
    }
  }
}
