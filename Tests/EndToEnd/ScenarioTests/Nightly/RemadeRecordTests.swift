import Foundation
import JSONText
import TestSupport
import Testing

/// Records that are made again at a server that lost them, with what went with them.
@Suite(.timeLimit(.minutes(3))) struct RemadeRecordTests {
  private static let again = ["--full", "--on-conflict", "local"]

  /// The destination cannot know whether it still has a file.
  @Test(arguments: [true, false])
  func `a record that is created again refers to the sent file, and no file is sent twice`(
    areFilesLost: Bool
  ) async throws {
    try await withScenario(takesMedia: true) { scenario in
      try await scenario.migrate().exits(0)
      let sent = try addresses(scenario)
      #expect(sent.count > 5)
      if areFilesLost {
        try scenario.backend.reset()
      } else {
        let client = try await AppClient(scenario)
        for hero in try scenario.backend.rows("heroes").values {
          try client.delete("/api/v1/heroes/\(try AppClient.id(hero))")
        }
      }
      let files = try scenario.backend.rows("files")
      #expect(files.isEmpty == areFilesLost)
      let plan = try await scenario.migrate(Self.again + ["-n"])
      #expect(!plan.findings("plan.file-unchecked").isEmpty, "\(plan)")
      let remade = try await scenario.migrate(Self.again).exits(0)
      #expect(remade.count("created", of: "Hero") > 0)
      #expect(!remade.findings("plan.file-unchecked").isEmpty, "\(remade)")
      #expect(try scenario.backend.rows("files") == files)
      #expect(try addresses(scenario) == sent)

      let writes = try scenario.backend.writeCount()
      try await scenario.migrate(Self.again).exits(0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `a server that lost its data gets each file once more with a new state folder`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      try await scenario.migrate().exits(0)
      let digests = try digests(scenario)
      #expect(digests.count > 5)
      try scenario.backend.reset()
      var fresh = scenario
      fresh.stateName = "fresh"
      try await fresh.migrate().exits(0)
      #expect(try self.digests(scenario) == digests)
      let keys = try scenario.backend.rows("files").keys
      let addresses = try addresses(scenario)
      #expect(!addresses.isEmpty)
      #expect(addresses.allSatisfy { address in keys.contains { address.hasSuffix($0) } })
    }
  }

  /// The digests of all files that are there.
  private func digests(_ scenario: MigrationScenario) throws -> [String] {
    try scenario.backend.rows("files").values.compactMap { $0["sha256"]?.text }.sorted()
  }

  /// The addresses of files that records have.
  private func addresses(_ scenario: MigrationScenario) throws -> [String] {
    let heroes = try scenario.backend.rows("heroes").values.compactMap { $0["avatarUrl"]?.text }
    let stories = try scenario.backend.rows("stories").values.compactMap { $0["audioUrl"]?.text }
    return (heroes + stories).sorted()
  }
}
