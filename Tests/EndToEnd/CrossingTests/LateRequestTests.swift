import Foundation
import JSONText
import TestSupport
import Testing

/// A server that carries a request out long after its connection was gone, and after it was sent again.
@Suite(.timeLimit(.minutes(3))) struct LateRequestTests {
  @Test func `second copies are reported in every later run, and taken back by rollback`()
    async throws
  {
    try await withCrossing { crossing in
      // Later than the profile's settle time: the first request comes when the second was answered.
      try crossing.backend.setFaults("late:n=1:3s@POST /api/batch/stories")
      let first = try await crossing.migrate()
      try await waitForCopies(crossing)
      #expect([0, 6].contains(first.status), "\(first.standardOutput)\(first.standardError)")
      let made = first.count("created", of: "Story")
      #expect(try crossing.backend.rows("stories").count == made * 2)

      for _ in 0..<2 {
        let again = try await crossing.migrate()
        #expect(again.status == 6, "\(again.standardOutput)\(again.standardError)")
        #expect(again.findings("verify.surplus").count == made)
        #expect(again.count("created") == 0)
      }
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try crossing.backend.contents().isEmpty)
    }
  }

  @Test func `what arrived late while nothing ran is this run's own, and taken back with it`()
    async throws
  {
    try await withCrossing { crossing in
      try crossing.backend.setFaults("late:1:2s@POST /api/batch/stories")
      let stopped = try await crossing.migrate(["--retries", "1"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      try await waitForCopies(crossing)
      try crossing.backend.setFaults("")
      let again = try await crossing.migrate()
      #expect(again.status == 6, "\(again.standardOutput)\(again.standardError)")
      let made = again.count("created", of: "Story")
      #expect(try crossing.backend.rows("stories").count == made * 2)
      #expect(again.findings("verify.surplus").count == made)
      let back = try await crossing.rollback(try again.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try crossing.backend.contents().isEmpty)
    }
  }

  @Test func `what the destination made of a lost request is not sent again, and is told`()
    async throws
  {
    try await withCrossing { crossing in
      // As a server does that bounds what it is given.
      try Python.edit(
        "\(crossing.folder)/server/backend.sqlite",
        "CREATE TRIGGER bound AFTER INSERT ON heroes "
          + "BEGIN UPDATE heroes SET age = 99 WHERE rowid = NEW.rowid; END"
      )
      try crossing.backend.setFaults("drop-after:1@POST /api/batch")
      let first = try await crossing.migrate()
      #expect(first.status == 6, "\(first.standardOutput)\(first.standardError)")
      #expect(first.findings("destination.surplus").isEmpty)
      #expect(try crossing.backend.rows("heroes").count == 6, "as many as the sample has")
      let last = try await crossing.migrate()
      #expect(last.value("verification")?["clean"]?.boolean == true)
      #expect(try crossing.backend.rows("heroes").count == 6)
    }
  }

  @Test func `the same record of somebody else's is kept, and told of`() async throws {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      let row = try #require(try crossing.backend.rows("customEvents").values.first)
      var event = try #require(row.object)
      for name in ["id", "createdAt", "updatedAt", "accountId"] { event[name] = nil }
      try crossing.backend.seed([
        "account": .string(DemoAccount.email), "customEvents": [.object(event)],
      ])
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("conflicted", in: "rollback") == 1)
      #expect(try crossing.backend.contents().count == 1)
    }
  }

  @Test func `the same record of somebody else's is not said to be that of a lost request`()
    async throws
  {
    try await withCrossing { crossing in
      _ = try await crossing.migrate()
      let row = try #require(try crossing.backend.rows("customEvents").values.first)
      var event = try #require(row.object)
      for name in ["id", "createdAt", "updatedAt", "accountId"] { event[name] = nil }
      try crossing.backend.seed([
        "account": .string(DemoAccount.email), "customEvents": [.object(event)],
      ])
      let again = try await crossing.migrate()
      let told = try #require(again.findings("destination.surplus").first)
      #expect(told["cause"]?.text?.contains("lost") == false, "\(again.standardOutput)")
      #expect(told["cure"]?.text?.contains("another device") == true)
      #expect(told["cure"]?.text?.contains("remove") == true)
    }
  }

  /// Waits until the server has carried out everything that it still had.
  private func waitForCopies(_ crossing: Crossing) async throws {
    var count = -1
    while try crossing.backend.rows("stories").count != count || count == 0 {
      count = try crossing.backend.rows("stories").count
      try await Task.sleep(for: .seconds(4))
    }
  }
}
