import Foundation
import JSONText
import TestSupport
import Testing

/// Checkpoints that cannot be read, beside the one that a run needs.
@Suite(.timeLimit(.minutes(4))) struct NeighbourTests {
  private static let code = "checkpoint.neighbour-unread"

  /// Puts a file beside the checkpoints that is none, and gives its path.
  private func tear(_ crossing: Crossing) throws -> String {
    let folder = "\(crossing.state)/checkpoints"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/a-torn.sqlite"
    try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: path))
    return path
  }

  private func checkpoints(_ crossing: Crossing) throws -> Set<String> {
    let folder = "\(crossing.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return Set(names.filter { $0.hasSuffix(".sqlite") }.map { "\(folder)/\($0)" })
  }

  @Test func `a run goes on beside one that is damaged, and tells of it once`() async throws {
    try await withCrossing { crossing in
      let torn = try tear(crossing)
      for _ in 1...2 {
        let answer = try await crossing.migrate()
        #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
        let findings = answer.findings(Self.code)
        #expect(findings.count == 1)
        #expect(findings.first?["severity"] == "warning")
        #expect(findings.first?["cause"]?.text?.contains(torn) == true)
        #expect(findings.first?["cure"]?.text?.contains("move it away") == true)
        // Without it, what that store has as well would go with a rollback of this one.
        #expect(findings.first?["cure"]?.text?.contains("migrate the store") == true)
      }
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let verdict = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(verdict.status == 0, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings(Self.code).count == 1)
      #expect(try Data(contentsOf: URL(filePath: torn)) == Data(repeating: 0x5A, count: 9_000))
    }
  }

  @Test func `a run goes on beside one that is a link, and tells of it`() async throws {
    try await withCrossing { crossing in
      let torn = try tear(crossing)
      let kept = "\(crossing.folder)/kept"
      try FileManager.default.moveItem(atPath: torn, toPath: kept)
      try FileManager.default.createSymbolicLink(atPath: torn, withDestinationPath: kept)
      let answer = try await crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.findings(Self.code).first?["cause"]?.text?.contains("symbolic link") == true)
    }
  }

  @Test func `the run whose own checkpoint is damaged stops`() async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let own = try #require(try checkpoints(crossing).first)
      try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: own))
      let answer = try await crossing.migrate()
      #expect(answer.status == 12, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.standardError.contains("the checkpoint \(own) is damaged"))
    }
  }

  @Test func `another account gets nothing while one that may tell of the first is unread`()
    async throws
  {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let own = try #require(try checkpoints(crossing).first)
      try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: own))
      _ = try crossing.backend.addAccount(email: "bo@example.com", password: "12345678")
      var other = crossing
      other.environment = [
        "FERRY_TEST_EMAIL": "bo@example.com", "FERRY_TEST_PASSWORD": "12345678",
      ]
      let before = try crossing.backend.writeCount()
      let refused = try await other.migrate()
      #expect(refused.status == 12, "\(refused.standardOutput)\(refused.standardError)")
      #expect(refused.standardError.contains("the checkpoint \(own) is damaged"))
      #expect(try crossing.backend.writeCount() == before)
      let accepted = try await other.migrate(["--accept-change", "account"])
      #expect(accepted.status == 0, "\(accepted.standardOutput)\(accepted.standardError)")
    }
  }

  @Test func `nothing is taken back that one which cannot be read may hold, until it is away`()
    async throws
  {
    try await withCrossing { crossing in
      let run = try await crossing.migrate().run()
      let before = try crossing.backend.contents()
      let torn = try tear(crossing)
      let kept = try await crossing.rollback(run)
      #expect(kept.status == 6, "\(kept.standardOutput)\(kept.standardError)")
      #expect(kept.findings(Self.code).count == 1)
      #expect(try crossing.backend.contents() == before)
      try FileManager.default.removeItem(atPath: torn)
      let back = try await crossing.rollback(run)
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try crossing.backend.contents().isEmpty)
    }
  }

  @Test func `no deletion is carried out of what one which cannot be read may hold`() async throws {
    try await withTemporaryFolder { folder in
      let notes = try NoteFolder(folder)
      #expect(try await notes.migrate().status == 0)
      let torn = "\(folder)/state/checkpoints/a-torn.sqlite"
      try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: torn))
      try Python.edit(notes.store, "DELETE FROM Note WHERE id = 'b'")
      let kept = try await notes.migrate(["--delete"])
      #expect(kept.status == 6, "\(kept.standardOutput)\(kept.standardError)")
      #expect(try notes.kept() == ["a.json", "b.json", "c.json"])
      try FileManager.default.removeItem(atPath: torn)
      let deleted = try await notes.migrate(["--delete"])
      #expect(deleted.status == 0, "\(deleted.standardOutput)\(deleted.standardError)")
      #expect(try notes.kept() == ["a.json", "c.json"])
    }
  }

  @Test func `a byte that changed in the checkpoint of another store is met before it is asked`()
    async throws
  {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0)
      let own = try checkpoints(crossing)
      let sample = try madeStore(
        in: "\(crossing.folder)/other",
        seed: "another",
        heroes: 4,
        stories: 12
      )
      #expect(try await crossing.with(sample).migrate().status == 0)
      let other = try #require(try checkpoints(crossing).subtracting(own).first)
      // Both stores have events of the same titles, so that either finds what the other made of them.
      let usual = try await crossing.migrate().status
      var bytes = try Data(contentsOf: URL(filePath: other))
      bytes[bytes.count - 200] ^= 0xFF
      try bytes.write(to: URL(filePath: other))
      let again = try await crossing.migrate()
      #expect(again.status == usual, "\(again.standardOutput)\(again.standardError)")
      #expect(again.findings(Self.code).count == 1)
      let before = try crossing.backend.contents()
      #expect(try await crossing.rollback(try first.run()).status == 6)
      #expect(try crossing.backend.contents() == before)
    }
  }

  @Test(arguments: ["status", "history"])
  func `the runs of the others are still told`(verb: String) async throws {
    try await withCrossing { crossing in
      let run = try await crossing.migrate().run()
      let torn = try tear(crossing)
      let answer = try await crossing.ferry([verb])
      #expect(answer.status == 12, "\(answer.standardError)")
      #expect(answer.standardOutput.contains(run))
      #expect(answer.standardError.contains(torn))
      let file = "\(crossing.folder)/handback.json"
      #expect(try await crossing.ferry(["handback", run, "-o", file]).status == 0)
      // It may be one of those that cannot be read.
      #expect(try await crossing.ferry(["handback", "none-9", "-o", file]).status == 12)
    }
  }

  @Test func `an offline plan goes on where the account is known, and stops where it is not`()
    async throws
  {
    try await withCrossing { crossing in
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let line = ["plan", package, "--offline"] + crossing.destination
      _ = try tear(crossing)
      #expect(try await crossing.ferry(line).status == 0)
      #expect(try await crossing.migrate().status == 0)
      let own = try #require(try checkpoints(crossing).first { !$0.hasSuffix("/a-torn.sqlite") })
      #expect(try await crossing.ferry(line).status == 0)
      try Data(repeating: 0x5A, count: 9_000).write(to: URL(filePath: own))
      let stopped = try await crossing.ferry(line)
      #expect(stopped.status == 12, "\(stopped.standardOutput)\(stopped.standardError)")
    }
  }
}
