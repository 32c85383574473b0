import Foundation
import JSONText
import TestSupport
import Testing

/// Whose store it is, and whose rows lie in it.
@Suite(.timeLimit(.minutes(5))) struct OwnerTests {
  @Test func `003-17 only the account's own rows are sent; the others are exported and counted`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(
        .init(id: "n1"),
        .init(id: "n2", owner: "Demo@Example.com"),
        .init(id: "n3", owner: "other@example.com"),
        .init(id: "n4", owner: nil)
      )
      let package = "\(app.scenario.folder)/p.ferry"
      _ = try await app.scenario.export(to: package)
      #expect(try PackageLines(package).records("note").count == 4)
      let answer = try await app.scenario.migrate().exits(0)
      #expect(Set(try app.server().keys) == ["n1", "n2"])
      #expect(answer.count("skipped", of: "note") == 2)
      let causes = answer.findings("plan.skipped").filter { $0["entity"] == "note" }
        .compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("1 record") && $0.contains("another account") })
      #expect(causes.contains { $0.contains("1 record") && $0.contains("no owner") })
    }
  }

  @Test func `002-9 a first run under another account than the store names is refused`()
    async throws
  {
    try await NoteStore.with { app in
      try app.sql("UPDATE user SET email = 'ada@example.com'")
      try app.add(.init(id: "n1"))
      let writes = try app.scenario.backend.writeCount()
      let refused = try await app.scenario.migrate().exits(12)
      #expect(refused.standardError.contains("ada@example.com"))
      #expect(refused.standardError.contains("--accept-change account"))
      #expect(try app.scenario.backend.writeCount() == writes)
      try await app.scenario.migrate(["--accept-change", "account"]).exits(0)
      #expect(Array(try app.server().keys) == ["n1"])
    }
  }
}
