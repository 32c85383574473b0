import Foundation
import JSONText
import TestSupport
import Testing

/// A server that carries a request out long after its connection was gone, and after it was sent again.
@Suite(.timeLimit(.minutes(3))) struct DelayedRequestTests {
  @Test func `second copies are reported in every later run, and rolled back by rollback`()
    async throws
  {
    try await withScenario { scenario in
      // Later than the profile's settle time: the first request comes when the second was answered.
      try scenario.backend.setFaults("late:n=1:3s@POST /api/batch/stories")
      let first = try await scenario.migrate()
      try await waitForCopies(scenario)
      #expect([0, 6].contains(first.status), "\(first)")
      let made = first.count("created", of: "Story")
      #expect(try scenario.backend.rows("stories").count == made * 2)

      for _ in 0..<2 {
        let again = try await scenario.migrate().exits(6)
        #expect(again.findings("verify.untracked").count == made)
        #expect(again.count("created") == 0)
      }
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try scenario.backend.contents().isEmpty)
    }
  }

  @Test func `a record that arrived late belongs to its run, and is rolled back with it`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.backend.setFaults("late:1:2s@POST /api/batch/stories")
      try await scenario.migrate(["--retries", "1"]).exits(5)
      try await waitForCopies(scenario)
      try scenario.backend.setFaults("")
      let again = try await scenario.migrate().exits(6)
      let made = again.count("created", of: "Story")
      #expect(try scenario.backend.rows("stories").count == made * 2)
      #expect(again.findings("verify.untracked").count == made)
      try await scenario.rollback(try again.run()).exits(0)
      #expect(try scenario.backend.contents().isEmpty)
    }
  }

  @Test func `a lost record that the server altered is not sent again, and is reported`()
    async throws
  {
    try await withScenario { scenario in
      // As a server does that bounds what it is given.
      try Python.edit(
        "\(scenario.folder)/server/backend.sqlite",
        "CREATE TRIGGER bound AFTER INSERT ON heroes "
          + "BEGIN UPDATE heroes SET age = 99 WHERE rowid = NEW.rowid; END"
      )
      try scenario.backend.setFaults("drop-after:1@POST /api/batch")
      let first = try await scenario.migrate().exits(6)
      #expect(first.findings("destination.duplicate").isEmpty)
      #expect(try scenario.backend.rows("heroes").count == 6, "as many as the sample has")
      let last = try await scenario.migrate()
      #expect(last.value("verification")?["clean"]?.boolean == true)
      #expect(try scenario.backend.rows("heroes").count == 6)
    }
  }

  @Test func `the same record of another device is kept, and reported`() async throws {
    try await withScenario { scenario in
      let first = try await scenario.migrate()
      let row = try #require(try scenario.backend.rows("customEvents").values.first)
      var event = try #require(row.object)
      for name in ["id", "createdAt", "updatedAt", "accountId"] { event[name] = nil }
      try scenario.backend.seed([
        "account": .string(DemoAccount.email), "customEvents": [.object(event)],
      ])
      let back = try await scenario.rollback(try first.run()).exits(6)
      #expect(back.count("conflicted", in: "rollback") == 1)
      #expect(try scenario.backend.contents().count == 1)
    }
  }

  @Test func `another device's same record is not taken for that of a lost request`()
    async throws
  {
    try await withScenario { scenario in
      _ = try await scenario.migrate()
      let row = try #require(try scenario.backend.rows("customEvents").values.first)
      var event = try #require(row.object)
      for name in ["id", "createdAt", "updatedAt", "accountId"] { event[name] = nil }
      try scenario.backend.seed([
        "account": .string(DemoAccount.email), "customEvents": [.object(event)],
      ])
      let again = try await scenario.migrate()
      let reported = try #require(again.findings("destination.duplicate").first)
      #expect(reported["cause"]?.text?.contains("lost") == false, "\(again)")
      #expect(reported["cure"]?.text?.contains("another device") == true)
      #expect(reported["cure"]?.text?.contains("remove") == true)
    }
  }

  /// Waits until the server has carried out everything that it still had.
  private func waitForCopies(_ scenario: MigrationScenario) async throws {
    var count = -1
    while try scenario.backend.rows("stories").count != count || count == 0 {
      count = try scenario.backend.rows("stories").count
      try await Task.sleep(for: .seconds(4))
    }
  }
}
