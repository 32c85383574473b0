import Files
import Foundation
import JSONText
import TestSupport
import Testing

extension CheckpointRepairTests {
  private func outcome(_ answer: Answer) -> String? {
    answer.value("checkpoint-repair")?["outcome"]?.text
  }

  @Test func `an index that lost its rows is rebuilt, and no record is sent again`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let file = try checkpoint(scenario)
      try Python.edit(
        file,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = replace(sql, '(entity, server_id)', '(server_id, entity)') "
          + "WHERE name = 'record_by_server'"
      )
      try await scenario.ferry(["checkpoint", "check"]).exits(12)
      let mended = try await repair(scenario).exits(0)
      #expect(outcome(mended) == "mended")
      let kept = try #require(mended.value("checkpoint-repair")?["kept"]?.text)
      #expect(FileManager.default.fileExists(atPath: kept))
      let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect(rights as? Int == 0o600)
      try await expectWhole(scenario)
    }
  }

  @Test func `a finished run's unanswered request is looked up, and not repeated`()
    async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let before = try scenario.backend.contents()
      try Python.edit(
        try checkpoint(scenario),
        "UPDATE operation SET state = 'unknown' WHERE action = 'create' AND number = "
          + "(SELECT min(number) FROM operation WHERE action = 'create')",
        "DELETE FROM record WHERE (entity, key) = (SELECT entity, key FROM operation "
          + "WHERE state = 'unknown')"
      )
      try await repair(scenario).exits(0)
      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.contents() == before)
    }
  }

  @Test func `a sound checkpoint is left as it is, and one that a run holds is not touched`()
    async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let file = try checkpoint(scenario)
      let before = try Data(contentsOf: URL(filePath: file))
      let sound = try await repair(scenario)
      #expect(sound.status == 0 && outcome(sound) == "sound")
      #expect(try Data(contentsOf: URL(filePath: file)) == before)
      guard let lock = try LockFile(taking: file + ".lock") else {
        Issue.record("no other user holds it")
        return
      }
      try await repair(scenario).exits(11)
      _ = lock.path
    }
  }
}
