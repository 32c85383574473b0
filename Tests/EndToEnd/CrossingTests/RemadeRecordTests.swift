import Foundation
import JSONText
import TestSupport
import Testing

/// Records that are made again at a server that lost them, with what went with them.
@Suite(.timeLimit(.minutes(3))) struct RemadeRecordTests {
  private static let again = ["--full", "--on-conflict", "local"]

  /// The destination cannot tell whether it still has a file.
  @Test(arguments: [true, false])
  func `a record that is made again names the file that was sent, and no file is sent twice`(
    areFilesLost: Bool
  ) async throws {
    try await withCrossing(takesMedia: true) { crossing in
      #expect(try await crossing.migrate().status == 0)
      let sent = try addresses(crossing)
      #expect(sent.count > 5)
      if areFilesLost {
        try crossing.backend.reset()
      } else {
        let client = try await AppClient(crossing)
        for hero in try crossing.backend.rows("heroes").values {
          try client.delete("/api/v1/heroes/\(try AppClient.id(hero))")
        }
      }
      let files = try crossing.backend.rows("files")
      #expect(files.isEmpty == areFilesLost)
      let plan = try await crossing.migrate(Self.again + ["-n"])
      #expect(!plan.findings("plan.file-unchecked").isEmpty, "\(plan.standardOutput)")
      let remade = try await crossing.migrate(Self.again)
      #expect(remade.status == 0, "\(remade.standardOutput)\(remade.standardError)")
      #expect(remade.count("created", of: "Hero") > 0)
      #expect(!remade.findings("plan.file-unchecked").isEmpty, "\(remade.standardOutput)")
      #expect(try crossing.backend.rows("files") == files)
      #expect(try addresses(crossing) == sent)

      let writes = try crossing.backend.writeCount()
      #expect(try await crossing.migrate(Self.again).status == 0)
      #expect(try crossing.backend.writeCount() == writes)
    }
  }

  @Test func `a server that lost all gets each file once more from a state folder of its own`()
    async throws
  {
    try await withCrossing(takesMedia: true) { crossing in
      #expect(try await crossing.migrate().status == 0)
      let digests = try digests(crossing)
      #expect(digests.count > 5)
      try crossing.backend.reset()
      var fresh = crossing
      fresh.stateName = "fresh"
      let again = try await fresh.migrate()
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(try self.digests(crossing) == digests)
      let keys = try crossing.backend.rows("files").keys
      let addresses = try addresses(crossing)
      #expect(!addresses.isEmpty)
      #expect(addresses.allSatisfy { address in keys.contains { address.hasSuffix($0) } })
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
    return (heroes + stories).sorted()
  }
}
