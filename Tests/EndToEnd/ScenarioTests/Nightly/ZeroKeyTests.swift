import Foundation
import JSONText
import TestSupport
import Testing

/// Records whose keys hold the character U+0000, which ends a text for SQLite and most servers.
@Suite(.timeLimit(.minutes(2))) struct ZeroKeyTests {
  private static let rows = "('a' || char(0) || 'b', 'one'), ('a', 'two'), ('b', 'three')"

  @Test func `a key with a zero character is rejected by its own name, and is not a duplicate`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let answer = try await NoteFolder(folder, Self.rows).migrate().exits(4)
      let said = answer.standardOutput + answer.standardError
      #expect(said.contains("record.key-zero"))
      #expect(!said.contains("record.duplicate-key"))
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/kept/Note"))
    }
  }

  @Test func `a record quarantined for a zero character affects no other record`() async throws {
    try await withTemporaryFolder { folder in
      let notes = try NoteFolder(folder, Self.rows)
      let answer = try await notes.migrate(["--on-invalid", "quarantine"]).exits(3)
      #expect(try notes.kept() == ["a.json", "b.json"])
      let quarantined = answer.findings("record.quarantined")
      #expect(quarantined.map { $0["record"]?.text } == ["a\\u{0}b"])
    }
  }
}
