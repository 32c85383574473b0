import Foundation
import JSONText
import TestSupport
import Testing

/// Tables without a primary key, whose rows are distinguished by their places alone.
@Suite(.timeLimit(.minutes(3))) struct RowPlaceTests {
  private static let code = "store.passing-keys"

  private static let profile = """
    ferry-profile: 1
    app: log
    entities:
      Entry:
        identity: { attribute: moment }
      Line:
        identity: { attribute: id }
    """

  private func ferry(_ arguments: [String], in folder: String) async throws -> Answer {
    let store = "\(folder)/log.sqlite"
    if !FileManager.default.fileExists(atPath: store) {
      try Python.edit(
        store,
        "CREATE TABLE Entry (moment TEXT NOT NULL, text TEXT)",
        "CREATE TABLE Line (id INTEGER PRIMARY KEY, text TEXT)",
        "INSERT INTO Entry VALUES ('one', 'a'), ('two', 'b')",
        "INSERT INTO Line VALUES (1, 'a')"
      )
    }
    return try await Answer(FerryProgram().run(arguments, state: "\(folder)/state"))
  }

  @Test func `an inspection and a draft report rows known by their places, with a cure`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/log.sqlite"
      let seen = try await ferry(["inspect", store], in: folder).exits(0)
      #expect(seen.standardOutput.contains(Self.code))
      #expect(seen.standardOutput.contains("identity: { attribute:"))
      let drafted = try await ferry(["init", store, "-o", "\(folder)/draft"], in: folder).exits(0)
      #expect(drafted.standardError.contains(Self.code))
      let draft = try String(at: "\(folder)/draft/profile.yaml")
      let lines = draft.split(separator: "\n")
      #expect(lines.count { $0.contains("known by their numbers, which may change") } == 1)
    }
  }

  @Test func `the rows of a file are not called those of a database`() async throws {
    try await withTemporaryFolder { folder in
      try "id,name\n1,Ada\n".save(to: "\(folder)/people.csv")
      let line = ["inspect", "\(folder)/people.csv"]
      let seen = try await Answer(FerryProgram().run(line, state: "\(folder)/state")).exits(0)
      #expect(seen.standardOutput.contains("a file declares no key"), "\(seen)")
      #expect(!seen.standardOutput.contains("database"), "\(seen)")
    }
  }

  @Test func `an export warns of rows that are known by their places, and of no others`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let export = ["export", "\(folder)/log.sqlite", "--format", "ndjson", "-o"]
      let warned = try await ferry(export + ["\(folder)/one.ferry"], in: folder).exits(0)
      let findings = warned.findings(Self.code)
      #expect(findings.map { $0["entity"]?.text } == ["Entry"])
      #expect(findings.first?["severity"] == "warning")
      let profile = "\(folder)/own.yaml"
      try Self.profile.save(to: profile)
      let named = try await ferry(
        export + ["\(folder)/two.ferry", "--profile", profile],
        in: folder
      ).exits(0)
      #expect(named.findings(Self.code).isEmpty)
    }
  }

  @Test func `a table that is empty needs no warning`() async throws {
    try await withTemporaryFolder { folder in
      _ = try await ferry(["status"], in: folder)
      try Python.edit("\(folder)/log.sqlite", "DELETE FROM Entry")
      let seen = try await ferry(["inspect", "\(folder)/log.sqlite"], in: folder).exits(0)
      #expect(!seen.standardOutput.contains(Self.code))
    }
  }
}
