import Foundation
import JSONText
import TestSupport
import Testing

/// Records that are made again at a server that lost them, with what went with them.
@Suite(.timeLimit(.minutes(3))) struct RemadeRecordTests {
  private static let again = ["--full", "--on-conflict", "local"]

  @Test func `a record that is made again brings its file, which the server lost too`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      #expect(try await crossing.migrate().status == 0)
      let digests = try digests(crossing)
      #expect(digests.count > 5)
      try crossing.backend.reset()
      let remade = try await crossing.migrate(Self.again)
      #expect(remade.status == 0, "\(remade.standardOutput)\(remade.standardError)")
      #expect(try self.digests(crossing) == digests)
      let keys = try crossing.backend.rows("files").keys
      let addresses = try addresses(crossing)
      #expect(!addresses.isEmpty)
      #expect(addresses.allSatisfy { address in keys.contains { address.hasSuffix($0) } })

      let writes = try crossing.backend.writeCount()
      #expect(try await crossing.migrate(Self.again).status == 0)
      #expect(try crossing.backend.writeCount() == writes)
    }
  }

  @Test func `a file that records still name is not sent with one of them that is made again`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      let named = "(SELECT min(Z_PK) FROM ZHERO WHERE ZAVATARIMAGEPATH LIKE 'avatar%')"
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = "
          + "(SELECT ZAVATARIMAGEPATH FROM ZHERO WHERE Z_PK = \(named))"
      )
      #expect(try await crossing.migrate().status == 0)
      let files = try crossing.backend.rows("files")
      let hero = try #require(try crossing.backend.rows("heroes").values.first)
      try await AppClient(crossing).delete("/api/v1/heroes/\(try AppClient.id(hero))")
      let remade = try await crossing.migrate(Self.again)
      #expect(remade.status == 0, "\(remade.standardOutput)\(remade.standardError)")
      #expect(remade.count("created", of: "Hero") == 1)
      let keys = try crossing.backend.rows("files").keys
      let pictures = files.keys.filter { $0.hasPrefix("avatar") }
      #expect(Set(keys.filter { $0.hasPrefix("avatar") }) == Set(pictures))
    }
  }

  /// The digests of all files that are there.
  private func digests(_ crossing: Crossing) throws -> [String] {
    try crossing.backend.rows("files").values.compactMap { $0["sha256"]?.text }.sorted()
  }

  /// The addresses of files that records have.
  private func addresses(_ crossing: Crossing) throws -> [String] {
    let heroes = try crossing.backend.rows("heroes").values.compactMap { $0["avatarUrl"]?.text }
    let stories = try crossing.backend.rows("stories").values.compactMap { $0["audioUrl"]?.text }
    return heroes + stories
  }
}
