import Files
import Foundation
import JSONText
import TestSupport
import Testing

/// Damaged checkpoints: what is mended, what is refused, and what a run then does with them.
@Suite(.timeLimit(.minutes(3))) struct CheckpointRepairTests {
  func checkpoint(_ scenario: MigrationScenario) throws -> String {
    let folder = "\(scenario.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return folder + "/" + (try #require(names.first { $0.hasSuffix(".sqlite") }))
  }

  func repair(_ scenario: MigrationScenario) async throws -> Answer {
    try await scenario.ferry(["checkpoint", "repair"])
  }

  /// The next run has to find everything where it is, and to send nothing.
  func expectWhole(_ scenario: MigrationScenario) async throws {
    try await scenario.ferry(["checkpoint", "check"]).exits(0)
    let writes = try scenario.backend.writeCount()
    let again = try await scenario.migrate().exits(0)
    #expect(again.count("created") == 0 && again.count("unchanged") > 0)
    #expect(try scenario.backend.writeCount() == writes)
  }

  @Test func `rows that a crash left behind are put in order`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      try Python.edit(
        try checkpoint(scenario),
        "UPDATE record SET content = x'00' WHERE entity = 'Hero'",
        "INSERT INTO operation (run, phase, entity, key, action, content, request_digest, request_key, state)"
          + " SELECT 99, phase, entity, key, 'update', content, request_digest, 'x', 'planned'"
          + " FROM operation LIMIT 1",
        "INSERT INTO run (id, kind, stage, package, package_path, profile, started_at)"
          + " VALUES ('left-1', 'upload', 'planning', '', '', '', 1),"
          + " ('left-2', 'upload', 'planning', '', '', '', 2)",
        "UPDATE run SET profile = (SELECT digest FROM profile LIMIT 1) WHERE id LIKE 'left-%'"
      )
      let mended = try await repair(scenario).exits(0)
      let done = mended.value("checkpoint-repair")?["done"]?.array?.compactMap(\.text) ?? []
      #expect(done.count >= 3, "\(done)")
      try await expectWhole(scenario)
    }
  }

  @Test func `damage that only a guess could mend is refused, and every byte stays`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let file = try checkpoint(scenario)
      let whole = try Data(contentsOf: URL(filePath: file))
      var torn = whole
      for index in torn.indices.dropFirst(4_096) where index % 97 == 0 { torn[index] ^= 0xFF }
      try torn.write(to: URL(filePath: file))
      let refused = try await repair(scenario).exits(12)
      #expect(
        refused.standardOutput.contains("adopted") || refused.standardError.contains("adopts")
      )
      #expect(try Data(contentsOf: URL(filePath: file)) == torn)
      try whole.write(to: URL(filePath: file))
      try Python.edit(
        file,
        "UPDATE record SET server_id = (SELECT min(server_id) FROM record WHERE entity = 'Hero') "
          + "WHERE entity = 'Hero'"
      )
      let shared = try await repair(scenario).exits(12)
      #expect(shared.standardOutput.contains("more than one record"))
    }
  }
}
