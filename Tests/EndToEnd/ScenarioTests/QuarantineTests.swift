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

  /// Beside more than 2 MiB of other texts a key of more than 64 KiB is not held where records are checked.
  @Test func `a record with a long key is quarantined and repaired like any other`() async throws {
    try await withTemporaryFolder { folder in
      let notes = try LongKeyNotes(folder)
      let migrated = try await notes.ferry(
        ["migrate", notes.store, "--to", "file:\(folder)/kept", "--on-invalid", "quarantine"]
      ).exits(3)
      #expect(migrated.count("created") == 1 && migrated.count("rejected") == 2)
      let records = "\(folder)/repairs"
      let package = try notes.only("packages")
      let name = try URL(filePath: notes.only("quarantine")).lastPathComponent
      try await notes.ferry(["quarantine", "show", name, "-o", records], profile: false).exits(0)
      // One line alone belongs to the record with its key.
      let lines = try String(at: "\(records)/Note.jsonl").split(separator: "\n")
      let long = try #require(lines.first { $0.contains("kkk") })
      try String(long).replacing(#""parent":"sqlite:Note/gone""#, with: #""parent":null"#)
        .save(to: "\(records)/Note.jsonl")
      let replayed = try await notes.ferry(
        [
          "quarantine", "replay", name, "--package", package, "--records", records,
          "-o", "\(folder)/two.ferry",
        ],
        profile: false
      ).exits(3)
      let note = replayed.value("replay")?["entities"]?.array?.first
      #expect(note?["repaired"] == 1 && note?["untouched"] == 1, "\(replayed)")
    }
  }
}

/// Three notes, of which two refer to one that is missing; one of these has a key of 100,000 letters.
private struct LongKeyNotes {
  let folder: String

  var store: String { "\(folder)/notes.sqlite" }

  init(_ folder: String) throws {
    self.folder = folder
    func text(_ letter: String, _ count: Int) -> String {
      "replace(hex(zeroblob(\(count / 2))), '0', '\(letter)')"
    }
    let long = [text("a", 1_000_000), text("b", 1_000_000), text("c", 60_000), text("d", 60_000)]
    try Python.edit(
      store,
      """
      CREATE TABLE Note (id TEXT PRIMARY KEY NOT NULL, a TEXT, b TEXT, c TEXT, d TEXT,
        parent_id TEXT REFERENCES Note(id))
      """,
      "INSERT INTO Note VALUES (\(text("k", 100_000)), \(long.joined(separator: ", ")), 'gone')",
      "INSERT INTO Note VALUES ('small', 'a', 'b', 'c', 'd', 'gone')",
      "INSERT INTO Note VALUES ('valid', 'a', 'b', 'c', 'd', NULL)"
    )
    try Self.profile.save(to: "\(folder)/profile.yaml")
  }

  func ferry(_ arguments: [String], profile: Bool = true) async throws -> Answer {
    try await FerryProgram().answer(
      arguments + (profile ? ["--profile", "\(folder)/profile.yaml"] : []),
      state: "\(folder)/state"
    )
  }

  /// The one thing that lies in a folder of the state.
  func only(_ name: String) throws -> String {
    let path = "\(folder)/state/\(name)"
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { !$0.hasPrefix(".") }
    return "\(path)/\(try #require(names.count == 1 ? names.first : nil))"
  }

  private static let profile = """
    ferry-profile: 1
    app: notes
    dangling: refuse
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, a: a, b: b, c: c, d: d, parent: { reference: parent } }
    api:
      kind: folder
      entities:
        Note: { unmapped: [parent], body: { id: id, a: a, b: b, c: c, d: d } }
    """
}
