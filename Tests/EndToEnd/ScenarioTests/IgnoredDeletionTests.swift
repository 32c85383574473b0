import JSONText
import TestSupport
import Testing

/// A server that answers a deletion, and deletes nothing.
@Suite(.timeLimit(.minutes(5))) struct IgnoredDeletionTests {
  private static let ignore = [
    "CREATE TRIGGER ignored_delete BEFORE DELETE ON records BEGIN SELECT RAISE(IGNORE); END",
    """
    CREATE TRIGGER ignored_update BEFORE UPDATE ON records WHEN NEW.body IS NULL
    BEGIN SELECT RAISE(IGNORE); END
    """,
  ]

  @Test func `a deletion that is answered and not carried out is reported, and tried again`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      for trigger in Self.ignore { try app.scenario.backend.sql(trigger) }
      try app.sql("UPDATE note SET state = 'gone' WHERE id = 'n1'")
      let second = try await app.scenario.migrate().exits(6)
      let causes = second.findings("verify.not-deleted").map { $0["cause"]?.text }
      #expect(causes == ["the destination answered that it is deleted, and still lists it"])
      #expect(second.findings("verify.untracked").isEmpty, "\(second)")
      for name in ["delete", "update"] {
        try app.scenario.backend.sql("DROP TRIGGER ignored_\(name)")
      }
      let third = try await app.scenario.migrate().exits(0)
      #expect(third.count("deleted", of: "note") == 1, "\(third)")
      #expect(try app.server().keys.sorted() == ["n2"])
    }
  }
}
