import Foundation
import JSONText
import TestSupport
import Testing

/// What the program tells of what it remembers, without touching it.
@Suite(.timeLimit(.minutes(3))) struct HistoryTests {
  private func checkpoint(_ crossing: Crossing) throws -> String {
    let folder = "\(crossing.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return folder + "/" + (try #require(names.first { $0.hasSuffix(".sqlite") }))
  }

  // 002-64, 000-73, 004-16.
  @Test func `the history tells of each run what it came to`() async throws {
    try await withCrossing { crossing in
      let made = try await crossing.migrate()
      let run = try made.run()
      _ = try await crossing.rollback(run)
      let answer = try await crossing.ferry(["history"])
      #expect(answer.status == 0, "\(answer.standardError)")
      #expect(
        answer.values.map { $0["run"]?.text } == [
          run, try #require(answer.values.last)["run"]?.text,
        ]
      )
      // A record may take more than one operation.
      let confirmed = answer.values[0].value(at: "/operations/confirmed")?.integer ?? 0
      #expect(made.count("created") > 0 && confirmed >= made.count("created"))
      #expect(answer.values[1]["undoes"]?.text == run)
      let one = try await crossing.ferry(["history", run])
      #expect(one.values.count == 1)
      #expect(try await crossing.ferry(["history", "none-9"]).status == 64)
    }
  }

  // 000-6, 001-55.
  @Test func `looking at a checkpoint leaves every byte of the state folder as it was`()
    async throws
  {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let before = try SourceDigests(of: crossing.state)
      let show = try await crossing.ferry(["checkpoint", "show"])
      #expect(show.status == 0)
      let held = show.value("checkpoints")?["checkpoints"]?[0]?["entities"]?.array ?? []
      #expect(held.contains { ($0["atDestination"]?.integer ?? 0) > 0 })
      let check = try await crossing.ferry(["checkpoint", "check"])
      #expect(check.status == 0, "\(check.standardOutput)")
      #expect(try await crossing.ferry(["history"]).status == 0)
      let export = try await crossing.ferry(["checkpoint", "export"])
      #expect(export.status == 0)
      #expect(export.values.contains { $0["table"] == "operation" })
      #expect(try SourceDigests(of: crossing.state) == before)
    }
  }

  @Test func `a checkpoint with a torn page is not sound, and the others are still looked at`()
    async throws
  {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let good = try checkpoint(crossing)
      var bytes = try Data(contentsOf: URL(filePath: good))
      for index in bytes.indices.dropFirst(4_096) where index % 97 == 0 { bytes[index] ^= 0xFF }
      let torn = "\(crossing.state)/checkpoints/a-torn.sqlite"
      try bytes.write(to: URL(filePath: torn))
      let check = try await crossing.ferry(["checkpoint", "check"])
      #expect(check.status == 12)
      let answers = check.value("checkpoint-check")?["checkpoints"]?.array ?? []
      #expect(answers.map { $0["sound"] } == [false, true])
      #expect(try Data(contentsOf: URL(filePath: torn)) == bytes)
    }
  }

  @Test func `an exported checkpoint is a line a row in a private file`() async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let file = "\(crossing.folder)/checkpoint.jsonl"
      let answer = try await crossing.ferry(["checkpoint", "export", "-o", file])
      #expect(answer.status == 0, "\(answer.standardError)")
      let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      let tables = Set(try lines.map { try JSONValue(parsing: String($0))["table"]?.text })
      #expect(tables.isSuperset(of: ["meta", "run", "operation", "record"]))
      let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect(rights as? Int == 0o600)
      #expect(try await crossing.ferry(["checkpoint", "show", "nothing"]).status == 64)
    }
  }
}
