import Foundation
import JSONText
import TestSupport
import Testing

/// Records whose keys hold the character U+0000, which ends a text for SQLite and most servers.
@Suite(.timeLimit(.minutes(2))) struct ZeroKeyTests {
  private static let making = [
    "CREATE TABLE Note (id TEXT PRIMARY KEY NOT NULL, title TEXT)",
    "INSERT INTO Note VALUES ('a' || char(0) || 'b', 'one'), ('a', 'two'), ('b', 'three')",
  ]

  private static let profile = """
    ferry-profile: 1
    app: zeros
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, title: title }
    api:
      kind: folder
      entities:
        Note: { body: { id: id, title: title } }
    """

  private func migrate(_ folder: String, _ more: [String] = []) async throws -> Answer {
    let (store, profile) = ("\(folder)/notes.sqlite", "\(folder)/profile.yaml")
    if !FileManager.default.fileExists(atPath: store) {
      try Self.profile.write(toFile: profile, atomically: true, encoding: .utf8)
      try Python.edit(store, Self.making[0], Self.making[1])
    }
    return try await Answer(
      FerryProgram().run(
        ["migrate", store, "--profile", profile, "--to", "file:\(folder)/kept"] + more
          + ["--format", "ndjson", "--progress", "none"],
        state: "\(folder)/state"
      )
    )
  }

  @Test func `such a key is refused by its own name, and is no double of another`() async throws {
    try await withTemporaryFolder { folder in
      let answer = try await migrate(folder)
      #expect(answer.status == 4, "\(answer.standardError)")
      let said = answer.standardOutput + answer.standardError
      #expect(said.contains("record.key-zero"))
      #expect(!said.contains("record.duplicate-key"))
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/kept/Note"))
    }
  }

  @Test func `what is kept aside for it takes no other record along`() async throws {
    try await withTemporaryFolder { folder in
      let answer = try await migrate(folder, ["--on-invalid", "quarantine"])
      #expect(answer.status == 3, "\(answer.standardError)")
      let kept = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept/Note")
      #expect(kept.sorted() == ["a.json", "b.json"])
      let aside = answer.findings("record.quarantined")
      #expect(aside.map { $0["record"]?.text } == ["a\\u{0}b"])
    }
  }
}
