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

  @Test(arguments: [("1", Int32(8)), ("2", 3), ("1%", 8), ("50%", 3)])
  func `more rejects than allowed end the run before anything is sent`(
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
      #expect(migrated.findings("record.quarantined").count == 2)
      #expect(!FileManager.default.fileExists(atPath: "\(crossing.state)/quarantine"))
    }
  }
}
