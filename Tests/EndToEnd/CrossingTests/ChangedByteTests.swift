import Foundation
import JSONText
import TestSupport
import Testing

/// Bytes of a checkpoint that changed by themselves, inside rows that SQLite takes for sound.
@Suite(.timeLimit(.minutes(3))) struct ChangedByteTests {
  private func checkpoint(_ crossing: Crossing) throws -> String {
    let folder = "\(crossing.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return folder + "/" + (try #require(names.first { $0.hasSuffix(".sqlite") }))
  }

  /// Where the texts of rows are: states of operations, and words of records and runs.
  private func places(in bytes: Data) -> [Int] {
    ["confirmed", "created", "finished", "create", "Hero"].compactMap { word in
      bytes.range(of: Data(word.utf8), in: 8_192..<bytes.count)?.lowerBound
    }
  }

  @Test func `a byte that changed in a row is refused by name, and nothing is sent or doubled`()
    async throws
  {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let file = try checkpoint(crossing)
      let whole = try Data(contentsOf: URL(filePath: file))
      let writes = try crossing.backend.writeCount()
      let places = places(in: whole)
      #expect(places.count >= 4)
      for place in places {
        var bytes = whole
        bytes[place] ^= 1
        try bytes.write(to: URL(filePath: file))
        let page = place / 4_096 + 1
        for words in [["checkpoint", "check"], ["checkpoint", "repair"]] {
          let answer = try await crossing.ferry(words)
          #expect(answer.status == 12)
          #expect(answer.standardOutput.contains("page \(page) is not as ferry wrote it"))
        }
        let again = try await crossing.migrate()
        // A page that the run does not come by says nothing to it.
        guard again.status != 0 else {
          #expect(again.count("created") == 0)
          continue
        }
        #expect(again.status == 12, "\(again.standardError)")
        #expect(again.standardError.contains(file), "\(again.standardError)")
        #expect(again.standardError.contains("page \(page) is not as ferry wrote it"))
        #expect(again.standardError.contains("move it away"))
      }
      #expect(try crossing.backend.writeCount() == writes)

      // The cure that it names.
      let contents = try crossing.backend.contents()
      try removeCheckpoints(crossing)
      let cured = try await crossing.migrate()
      #expect(cured.status == 0, "\(cured.standardError)")
      #expect(cured.count("created") == 0)
      #expect(try crossing.backend.contents() == contents)
    }
  }

  /// What SQLite cannot tell from a commit that a power cut tore is made good by what is read back.
  @Test(arguments: 0..<8)
  func `a byte that changed in the log of a killed run doubles nothing and loses nothing`(
    number: Int
  ) async throws {
    try await withCrossing { crossing in
      let whole = try await contents(of: crossing)
      try crossing.backend.setFaults("delay:1:60ms@POST /api")
      try await crossing.kill(after: 0.2 + Double(number) / 16, ["--batch-size", "3"])
      try crossing.backend.setFaults("")
      let file = try checkpoint(crossing)
      var log = try Data(contentsOf: URL(filePath: file + "-wal"))
      let place = log.count * (2 * number + 1) / 16
      log[place] ^= 4
      try log.write(to: URL(filePath: file + "-wal"))
      // What was on its way arrives.
      try await Task.sleep(for: .seconds(0.5))
      var again = try await crossing.migrate()
      if again.status == 12 {
        #expect(again.standardError.contains("its log, \(file)-wal, is not as ferry wrote it"))
        try removeCheckpoints(crossing)
        again = try await crossing.migrate()
      }
      // A hero that was made and not yet described is another's for a run without a checkpoint.
      let isTold = again.status == 6 && !again.findings("plan.yielded").isEmpty
      #expect(again.status == 0 || isTold, "\(again.standardOutput)\(again.standardError)")
      let contents = try crossing.backend.contents()
      #expect(contents.count == whole.count, "byte \(place)")
      if again.status == 0 { #expect(contents == whole, "byte \(place)") }
    }
  }

  /// What the account has after a migration that nothing befell.
  private func contents(of crossing: Crossing) async throws -> [String] {
    var contents: [String] = []
    try await withBackend(in: "\(crossing.folder)/untroubled") { backend in
      let program = crossing.program
      let finished = try await program.run(
        ["migrate", crossing.sample.store, "--profile", crossing.profile, "--to", backend.origin]
          + crossing.credentials,
        environment: crossing.environment,
        state: "\(crossing.folder)/untroubled-state"
      )
      #expect(finished.status == 0, "\(finished.standardError)")
      contents = try backend.contents()
    }
    return contents
  }

  private func removeCheckpoints(_ crossing: Crossing) throws {
    let folder = "\(crossing.state)/checkpoints"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.contains(".sqlite") {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }
}
