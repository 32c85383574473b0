import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct SecondRunTests {
  // 000-56, 000-71.
  @Test func `a second run on an unchanged store sends no write`() async throws {
    try await withScenario { scenario in
      let first = try await scenario.migrate().exits(0)
      let before = try scenario.backend.state()
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("unchanged") == first.count("created"))
      #expect(second.count("created") == 0)
      let after = try scenario.backend.state()
      #expect(after["writes"] == before["writes"])
      #expect(requests(after, but: "GET") == requests(before, but: "GET"))
    }
  }

  @Test func `without a checkpoint a repeated run adopts the records and sends no write`()
    async throws
  {
    try await withScenario { scenario in
      let first = try await scenario.migrate()
      let (before, dump) = (try scenario.backend.state(), try scenario.backend.dump())
      try FileManager.default.removeItem(atPath: scenario.state)
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("unchanged") == first.count("created"))
      #expect(try scenario.backend.state()["writes"] == before["writes"])
      #expect(try scenario.backend.dump() == dump)
    }
  }

  // 000-32, 002-51.
  @Test func `a changed record is sent as a patch of its changed fields only`() async throws {
    try await withScenario { scenario in
      _ = try await scenario.migrate()
      let count = try scenario.backend.changes().count
      let main = try Data(contentsOf: URL(filePath: scenario.sample.store))
      try scenario.sql(
        "UPDATE ZSTORY SET ZTITLE = 'Der Mond über Bräm 🌕' WHERE Z_PK = 1",
        "UPDATE ZHERO SET ZSPECIALABILITY = 'singing to whales' WHERE Z_PK = 2",
        "UPDATE ZCUSTOMSTORYEVENT SET ZPROMPTSEED = 'a new seed' WHERE Z_PK = 1",
        "UPDATE ZSTORY SET ZPLAYCOUNT = 99 WHERE Z_PK = 2"
      )
      #expect(try Data(contentsOf: URL(filePath: scenario.sample.store)) == main)
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("updated") == 3)
      let changes = try scenario.backend.changes().dropFirst(count)
      #expect(changes.allSatisfy { $0["method"] == "PATCH" })
      #expect(
        Set(changes.compactMap { $0["body"]?.text }) == [
          #"{"title":"Der Mond über Bräm 🌕"}"#, #"{"specialAbilities":["singing to whales"]}"#,
          #"{"promptSeed":"a new seed"}"#,
        ]
      )
      #expect(try await scenario.migrate().count("updated") == 0)
    }
  }

  private func requests(_ state: JSONValue, but method: String) -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for member in state["requests"]?.object?.members ?? []
    where !member.name.hasPrefix(method) && !member.name.contains("/sign-in/") {
      counts[member.name] = member.value.integer
    }
    return counts
  }
}
