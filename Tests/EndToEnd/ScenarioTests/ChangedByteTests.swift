import Foundation
import JSONText
import TestSupport
import Testing

/// Bytes of a checkpoint that changed by themselves, inside rows that SQLite takes for sound.
@Suite(.timeLimit(.minutes(3))) struct ChangedByteTests {
  private func checkpoint(_ scenario: MigrationScenario) throws -> String {
    let folder = "\(scenario.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return folder + "/" + (try #require(names.first { $0.hasSuffix(".sqlite") }))
  }

  /// Where the texts of rows are: states of operations, and words of records and runs.
  private func places(in bytes: Data) -> [Int] {
    ["confirmed", "created", "finished", "create", "Hero"].compactMap { word in
      bytes.range(of: Data(word.utf8), in: 8_192..<bytes.count)?.lowerBound
    }
  }

  @Test func `a changed byte in a row is refused by name, and no record is sent or doubled`()
    async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let file = try checkpoint(scenario)
      let whole = try Data(contentsOf: URL(filePath: file))
      let writes = try scenario.backend.writeCount()
      let places = places(in: whole)
      #expect(places.count >= 4)
      for place in places {
        var bytes = whole
        bytes[place] ^= 1
        try bytes.write(to: URL(filePath: file))
        let page = place / 4_096 + 1
        for words in [["checkpoint", "check"], ["checkpoint", "repair"]] {
          let answer = try await scenario.ferry(words).exits(12)
          #expect(answer.standardOutput.contains("page \(page) is not as ferry wrote it"))
        }
        let again = try await scenario.migrate()
        // A page that the run does not come by says nothing to it.
        guard again.status != 0 else {
          #expect(again.count("created") == 0)
          continue
        }
        #expect(again.status == 12, "\(again)")
        #expect(again.standardError.contains(file), "\(again)")
        #expect(again.standardError.contains("page \(page) is not as ferry wrote it"))
        #expect(again.standardError.contains("move it away"))
      }
      #expect(try scenario.backend.writeCount() == writes)

      // The cure that it names.
      let contents = try scenario.backend.contents()
      try removeCheckpoints(scenario)
      let cured = try await scenario.migrate().exits(0)
      #expect(cured.count("created") == 0)
      #expect(try scenario.backend.contents() == contents)
    }
  }

  /// What SQLite cannot know from a commit that a power cut tore is made good by what is read back.
  @Test(arguments: 0..<8)
  func `a changed byte in the log of a killed run doubles or loses no record`(
    number: Int
  ) async throws {
    try await withScenario { scenario in
      let whole = try await contents(of: scenario)
      try scenario.backend.setFaults("delay:1:60ms@POST /api")
      try await scenario.kill(after: 0.2 + Double(number) / 16, ["--batch-size", "3"])
      try scenario.backend.setFaults("")
      let file = try checkpoint(scenario)
      var log = try Data(contentsOf: URL(filePath: file + "-wal"))
      let place = log.count * (2 * number + 1) / 16
      log[place] ^= 4
      try log.write(to: URL(filePath: file + "-wal"))
      // What was on its way arrives.
      try await Task.sleep(for: .seconds(0.5))
      var again = try await scenario.migrate()
      if again.status == 12 {
        #expect(again.standardError.contains("its log, \(file)-wal, is not as ferry wrote it"))
        try removeCheckpoints(scenario)
        again = try await scenario.migrate()
      }
      // A hero that was made and not yet described is another's for a run without a checkpoint.
      let isReported = again.status == 6 && !again.findings("plan.conflict-kept-remote").isEmpty
      #expect(again.status == 0 || isReported, "\(again)")
      let contents = try scenario.backend.contents()
      #expect(contents.count == whole.count, "byte \(place)")
      if again.status == 0 { #expect(contents == whole, "byte \(place)") }
    }
  }

  /// What the account has after a migration that nothing befell.
  private func contents(of scenario: MigrationScenario) async throws -> [String] {
    var contents: [String] = []
    try await withBackend(in: "\(scenario.folder)/untroubled") { backend in
      let program = scenario.program
      try await program.run(
        ["migrate", scenario.sample.store, "--profile", scenario.profile, "--to", backend.origin]
          + scenario.credentials,
        environment: scenario.environment,
        state: "\(scenario.folder)/untroubled-state"
      ).exits(0)
      contents = try backend.contents()
    }
    return contents
  }

  private func removeCheckpoints(_ scenario: MigrationScenario) throws {
    let folder = "\(scenario.state)/checkpoints"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.contains(".sqlite") {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }
}
