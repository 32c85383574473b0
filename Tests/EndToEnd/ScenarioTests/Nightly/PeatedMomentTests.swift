import Foundation
import JSONText
import TestSupport
import Testing

/// Tastings and comments of long ago: the server takes no such moment, and has no way to bring it later.
///
/// The numbers in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(3))) struct PeatedMomentTests {
  // 003-17: the plan knows what the server would refuse, and no request is made for it.
  @Test func `a tasting with a date too long ago is refused by name, and a later one arrives`()
    async throws
  {
    try await withPeated { peated in
      try peated.age()
      try peated.refresh("ZTASTING", local: 2)
      let plan = try await peated.scenario.migrate(["-n"]).exits(3)
      let named = plan.findings("request.too-old").compactMap { $0["record"]?.text }
      #expect(Set(named).count == 5, "\(plan)")
      let answer = try await peated.scenario.migrate().exits(3)
      #expect(answer.count("rejected", of: "Tasting") == 3)
      #expect(answer.count("created", of: "Tasting") == 1)
      #expect(answer.count("rejected", of: "Comment") == 2)
      #expect(answer.standardOutput.contains("“createdAt” is longer ago than 168h"))
      let paths = try peated.scenario.backend.changes().compactMap { $0["path"]?.text }
      #expect(paths.count { $0 == "/v1/tastings" } == 1)
      #expect(!paths.contains { $0.hasSuffix("/comments") })
    }
  }

  // 003-11.
  @Test func `a comment on a refused old tasting is refused too`() async throws {
    try await withPeated { peated in
      try peated.age()
      try peated.refresh("ZCOMMENT", local: 201)
      let answer = try await peated.scenario.migrate().exits(3)
      #expect(answer.count("rejected", of: "Tasting") == 4)
      #expect(answer.count("rejected", of: "Comment") == 2)
    }
  }

  // 003-8: as the page of the app says how.
  @Test func `without its date each old tasting exists once, although answers are lost`()
    async throws
  {
    try await withPeated { peated in
      // Two that say the very same.
      let same = "ZBOTTLE, ZRATING, ZNOTES, ZSERVINGSTYLE, ZTAGS"
      try peated.sql(
        "UPDATE ZTASTING SET (\(same)) = (SELECT \(same) FROM ZTASTING "
          + "WHERE ZID = '\(PeatedScenario.local(1))') WHERE ZID = '\(PeatedScenario.local(2))'"
      )
      try peated.age()
      try await peated.scenario.migrate().exits(3)
      let before = try peated.server("tastings")
      try peated.leaveOutMoments()
      try peated.scenario.backend.setFaults("drop-after:2@POST /v1/tastings")
      let accepting = ["--accept-change", "profile"]
      let second = try await peated.scenario.migrate(accepting + ["--retries", "20"])
      // The comments are of long ago as well, and have no way.
      #expect(second.status == 3, "\(second)")
      #expect(second.count("rejected", of: "Tasting") == 0)
      let lost = second.findings("plan.unmapped").compactMap { $0["cause"]?.text }
      #expect(lost.contains { $0.contains("no place for Tasting.createdAt") })
      let after = try peated.server("tastings")
      #expect(after.count == before.count + 4)
      #expect(after.filter { before[$0.key] != nil } == before)
      try peated.scenario.backend.setFaults("")
      let writes = try peated.scenario.backend.writeCount()
      try await peated.scenario.migrate().exits(3)
      #expect(try peated.scenario.backend.writeCount() == writes)
    }
  }

  @Test func `a changed limit of past dates does not stop a rollback`() async throws {
    try await withPeated { peated in
      let before = try peated.server("tastings")
      let answer = try await peated.scenario.migrate().exits(0)
      let accepting = ["--accept-change", "profile"]
      let back = try await peated.scenario.rollback(try answer.run(), accepting)
      // Only a toast cannot be rolled back.
      #expect(back.status == 6, "\(back)")
      // What the person had removed stays away.
      #expect(try peated.server("tastings") == before.filter { $0.key != 90_006 })
    }
  }
}
