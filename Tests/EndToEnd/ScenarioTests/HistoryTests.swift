import Foundation
import JSONText
import TestSupport
import Testing

/// What the program reports what it remembers, without touching it.
@Suite(.timeLimit(.minutes(3))) struct HistoryTests {
  private func checkpoint(_ scenario: MigrationScenario) throws -> String {
    let folder = "\(scenario.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return folder + "/" + (try #require(names.first { $0.hasSuffix(".sqlite") }))
  }

  // 002-64, 000-73, 004-16.
  @Test func `the history lists the outcome of each run`() async throws {
    try await withScenario { scenario in
      let made = try await scenario.migrate()
      let run = try made.run()
      _ = try await scenario.rollback(run)
      let answer = try await scenario.ferry(["history"]).exits(0)
      #expect(
        answer.values.map { $0["run"]?.text } == [
          run, try #require(answer.values.last)["run"]?.text,
        ]
      )
      // A record may take more than one operation.
      let confirmed = answer.values[0].value(at: "/operations/confirmed")?.integer ?? 0
      #expect(made.count("created") > 0 && confirmed >= made.count("created"))
      #expect(answer.values.last?["undoes"]?.text == run)
      let one = try await scenario.ferry(["history", run])
      #expect(one.values.count == 1)
      try await scenario.ferry(["history", "none-9"]).exits(64)
    }
  }

  // 000-6, 001-55.
  @Test func `viewing a checkpoint changes no byte of the state folder`()
    async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let before = try SourceDigests(of: scenario.state)
      let show = try await scenario.ferry(["checkpoint", "show"]).exits(0)
      let held = show.value("checkpoints")?["checkpoints"]?[0]?["entities"]?.array ?? []
      #expect(held.contains { ($0["atDestination"]?.integer ?? 0) > 0 })
      try await scenario.ferry(["checkpoint", "check"]).exits(0)
      try await scenario.ferry(["history"]).exits(0)
      let export = try await scenario.ferry(["checkpoint", "export"]).exits(0)
      #expect(export.values.contains { $0["table"] == "operation" })
      #expect(try SourceDigests(of: scenario.state) == before)
    }
  }

  @Test func `a checkpoint with a torn page is reported, and the others are still checked`()
    async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let good = try checkpoint(scenario)
      var bytes = try Data(contentsOf: URL(filePath: good))
      for index in bytes.indices.dropFirst(4_096) where index % 97 == 0 { bytes[index] ^= 0xFF }
      let torn = "\(scenario.state)/checkpoints/a-torn.sqlite"
      try bytes.write(to: URL(filePath: torn))
      let check = try await scenario.ferry(["checkpoint", "check"]).exits(12)
      let answers = check.value("checkpoint-check")?["checkpoints"]?.array ?? []
      #expect(answers.map { $0["sound"] } == [false, true])
      #expect(try Data(contentsOf: URL(filePath: torn)) == bytes)
    }
  }

  @Test func `an exported checkpoint is a line a row in a private file`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let file = "\(scenario.folder)/checkpoint.jsonl"
      try await scenario.ferry(["checkpoint", "export", "-o", file]).exits(0)
      let lines = try String(at: file).split(separator: "\n")
      let tables = Set(try lines.map { try JSONValue(parsing: String($0))["table"]?.text })
      #expect(tables.isSuperset(of: ["meta", "run", "operation", "record"]))
      let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect(rights as? Int == 0o600)
      try await scenario.ferry(["checkpoint", "show", "nothing"]).exits(64)
    }
  }
}
