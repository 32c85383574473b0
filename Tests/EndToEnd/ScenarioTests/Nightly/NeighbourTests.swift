import Foundation
import JSONText
import TestSupport
import Testing

/// Checkpoints that cannot be read, beside the one that a run needs.
@Suite(.timeLimit(.minutes(4))) struct NeighbourTests {
  private static let code = "checkpoint.neighbour-unread"

  /// Puts a file beside the checkpoints that is not one, and gives its path.
  private func tear(_ scenario: MigrationScenario) throws -> String {
    let folder = "\(scenario.state)/checkpoints"
    try makeFolder(folder)
    let path = "\(folder)/a-torn.sqlite"
    try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: path))
    return path
  }

  private func checkpoints(_ scenario: MigrationScenario) throws -> Set<String> {
    let folder = "\(scenario.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return Set(names.filter { $0.hasSuffix(".sqlite") }.map { "\(folder)/\($0)" })
  }

  @Test func `a run goes on beside a damaged checkpoint, and reports it once`() async throws {
    try await withScenario { scenario in
      let torn = try tear(scenario)
      for _ in 1...2 {
        let answer = try await scenario.migrate().exits(0)
        let findings = answer.findings(Self.code)
        #expect(findings.count == 1)
        #expect(findings.first?["severity"] == "warning")
        #expect(findings.first?["cause"]?.text?.contains(torn) == true)
        #expect(findings.first?["cure"]?.text?.contains("move it away") == true)
        // Without it, what that store has as well would go with a rollback of this one.
        #expect(findings.first?["cure"]?.text?.contains("migrate the store") == true)
      }
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let verdict = try await scenario.ferry(["verify", package] + scenario.destination).exits(0)
      #expect(verdict.findings(Self.code).count == 1)
      #expect(try Data(contentsOf: URL(filePath: torn)) == Data(repeating: 0x5A, count: 9_000))
    }
  }

  @Test func `a run goes on beside a linked checkpoint, and reports it`() async throws {
    try await withScenario { scenario in
      let torn = try tear(scenario)
      let kept = "\(scenario.folder)/kept"
      try FileManager.default.moveItem(atPath: torn, toPath: kept)
      try FileManager.default.createSymbolicLink(atPath: torn, withDestinationPath: kept)
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.findings(Self.code).first?["cause"]?.text?.contains("symbolic link") == true)
    }
  }

  @Test func `the run whose own checkpoint is damaged stops`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let own = try #require(try checkpoints(scenario).first)
      try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: own))
      let answer = try await scenario.migrate().exits(12)
      #expect(answer.standardError.contains("the checkpoint \(own) is damaged"))
    }
  }

  @Test func `another account gets no record while a checkpoint of the first one is unreadable`()
    async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let own = try #require(try checkpoints(scenario).first)
      try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: own))
      _ = try scenario.backend.addAccount(email: "bo@example.com", password: "12345678")
      var other = scenario
      other.environment = [
        "FERRY_TEST_EMAIL": "bo@example.com", "FERRY_TEST_PASSWORD": "12345678",
      ]
      let before = try scenario.backend.writeCount()
      let refused = try await other.migrate().exits(12)
      #expect(refused.standardError.contains("the checkpoint \(own) is damaged"))
      #expect(try scenario.backend.writeCount() == before)
      try await other.migrate(["--accept-change", "account"]).exits(0)
    }
  }

  @Test func `another account of a store is refused after sign-in, before anything is exported`()
    async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let packages = "\(scenario.state)/packages"
      try FileManager.default.removeItem(atPath: packages)
      let account = try scenario.backend.addAccount(email: "bo@example.com", password: "12345678")
      let id = try #require(account["id"]?.text)
      var other = scenario
      other.environment = [
        "FERRY_TEST_EMAIL": "bo@example.com", "FERRY_TEST_PASSWORD": "12345678",
      ]
      for words in [[], ["-n"]] {
        let refused = try await other.migrate(words).exits(12)
        #expect(refused.standardError.contains("signed in as \(id)"), "\(refused)")
        #expect(refused.standardError.contains("--accept-change account"), "\(refused)")
        #expect(!refused.standardError.contains("package written"), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: packages))
      }
      try await other.migrate(["--accept-change", "account"]).exits(0)
    }
  }

  @Test func `no record is rolled back that an unreadable checkpoint may hold, until that is gone`()
    async throws
  {
    try await withScenario { scenario in
      let run = try await scenario.migrate().run()
      let before = try scenario.backend.contents()
      let torn = try tear(scenario)
      let kept = try await scenario.rollback(run).exits(6)
      #expect(kept.findings(Self.code).count == 1)
      #expect(try scenario.backend.contents() == before)
      try FileManager.default.removeItem(atPath: torn)
      try await scenario.rollback(run).exits(0)
      #expect(try scenario.backend.contents().isEmpty)
    }
  }

  @Test func `no record is deleted that an unreadable checkpoint may hold`() async throws {
    try await withTemporaryFolder { folder in
      let notes = try NoteFolder(folder)
      try await notes.migrate().exits(0)
      let torn = "\(folder)/state/checkpoints/a-torn.sqlite"
      try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: torn))
      try Python.edit(notes.store, "DELETE FROM Note WHERE id = 'b'")
      try await notes.migrate(["--delete"]).exits(6)
      #expect(try notes.kept() == ["a.json", "b.json", "c.json"])
      try FileManager.default.removeItem(atPath: torn)
      try await notes.migrate(["--delete"]).exits(0)
      #expect(try notes.kept() == ["a.json", "c.json"])
    }
  }

  @Test func `a changed byte in another store's checkpoint is found before it is asked`()
    async throws
  {
    try await withScenario { scenario in
      let first = try await scenario.migrate().exits(0)
      let own = try checkpoints(scenario)
      let sample = try madeStore(
        in: "\(scenario.folder)/other",
        seed: "another",
        heroes: 4,
        stories: 12
      )
      try await scenario.with(sample).migrate().exits(0)
      let other = try #require(try checkpoints(scenario).subtracting(own).first)
      // Both stores have events of the same titles, so that either finds what the other made of them.
      try await scenario.migrate().exits(0)
      var bytes = try Data(contentsOf: URL(filePath: other))
      bytes[bytes.count - 200] ^= 0xFF
      try bytes.write(to: URL(filePath: other))
      // The other store's records cannot be told from those of another device any more.
      let again = try await scenario.migrate().exits(6)
      #expect(again.findings(Self.code).count == 1)
      let before = try scenario.backend.contents()
      try await scenario.rollback(try first.run()).exits(6)
      #expect(try scenario.backend.contents() == before)
    }
  }

  @Test(arguments: ["status", "history"])
  func `the runs of other stores are listed beside a damaged checkpoint`(verb: String) async throws
  {
    try await withScenario { scenario in
      let run = try await scenario.migrate().run()
      let torn = try tear(scenario)
      let answer = try await scenario.ferry([verb]).exits(12)
      #expect(answer.standardOutput.contains(run))
      #expect(answer.standardError.contains(torn))
      let file = "\(scenario.folder)/write-back.json"
      try await scenario.ferry(["write-back", run, "-o", file]).exits(0)
      // It may be one of those that cannot be read.
      try await scenario.ferry(["write-back", "none-9", "-o", file]).exits(12)
    }
  }

  @Test func `an offline plan goes on where the account is known, and stops where it is not`()
    async throws
  {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let line = ["plan", package, "--offline"] + scenario.destination
      _ = try tear(scenario)
      try await scenario.ferry(line).exits(0)
      try await scenario.migrate().exits(0)
      let own = try #require(try checkpoints(scenario).first { !$0.hasSuffix("/a-torn.sqlite") })
      try await scenario.ferry(line).exits(0)
      try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: own))
      try await scenario.ferry(line).exits(12)
    }
  }
}
