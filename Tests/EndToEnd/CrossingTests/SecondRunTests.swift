import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct SecondRunTests {
  // 000-56, 000-71.
  @Test func `a second run on an unchanged store sends no write`() async throws {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardError)")
      let before = try crossing.backend.state()
      let second = try await crossing.migrate()
      #expect(second.status == 0)
      #expect(second.count("unchanged") == first.count("created"))
      #expect(second.count("created") == 0)
      let after = try crossing.backend.state()
      #expect(after["writes"] == before["writes"])
      #expect(requests(after, but: "GET") == requests(before, but: "GET"))
    }
  }

  @Test func `without a checkpoint the same line adopts and sends no write`() async throws {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      let (before, dump) = (try crossing.backend.state(), try crossing.backend.dump())
      try FileManager.default.removeItem(atPath: crossing.state)
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardError)")
      #expect(second.count("unchanged") == first.count("created"))
      #expect(try crossing.backend.state()["writes"] == before["writes"])
      #expect(try crossing.backend.dump() == dump)
    }
  }

  // 000-32, 002-51.
  @Test func `a changed record is sent as a patch of what changed and nothing else`() async throws {
    try await withCrossing { crossing in
      _ = try await crossing.migrate()
      let count = try crossing.backend.changes().count
      let main = try Data(contentsOf: URL(filePath: crossing.sample.store))
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZTITLE = 'Der Mond über Bräm 🌕' WHERE Z_PK = 1",
        "UPDATE ZHERO SET ZSPECIALABILITY = 'singing to whales' WHERE Z_PK = 2",
        "UPDATE ZCUSTOMSTORYEVENT SET ZPROMPTSEED = 'a new seed' WHERE Z_PK = 1",
        "UPDATE ZSTORY SET ZPLAYCOUNT = 99 WHERE Z_PK = 2"
      )
      #expect(try Data(contentsOf: URL(filePath: crossing.sample.store)) == main)
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardError)")
      #expect(second.count("updated") == 3)
      let changes = try crossing.backend.changes().dropFirst(count)
      #expect(changes.allSatisfy { $0["method"] == "PATCH" })
      #expect(
        Set(changes.compactMap { $0["body"]?.text }) == [
          #"{"title":"Der Mond über Bräm 🌕"}"#, #"{"specialAbilities":["singing to whales"]}"#,
          #"{"promptSeed":"a new seed"}"#,
        ]
      )
      #expect(try await crossing.migrate().count("updated") == 0)
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
