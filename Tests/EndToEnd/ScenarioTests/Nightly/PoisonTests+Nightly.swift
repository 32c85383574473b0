import Foundation
import JSONText
import TestSupport
import Testing

extension PoisonTests {
  // PostgreSQL keeps no U+0000 in a text: it takes the whole batch back, which is answered as made in part.
  @Test func `a record that makes its batch fail is refused alone, and all others are stored once`()
    async throws
  {
    try await withScenario(.legacy) { scenario in
      try scenario.sql("UPDATE ZHERO SET ZAVATARPROMPT = 'a' || char(0) || 'b' WHERE Z_PK = 9")
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.findings("batch.failed").compactMap { $0["entity"]?.text } == ["Hero"])
      #expect(answer.count("rejected", of: "Hero") == 1)
      let heroes = try scenario.backend.rows("heroes")
      #expect(heroes.count > 20 && heroes.count == Int(answer.count("created", of: "Hero")))
      try await scenario.rollback(try answer.run()).exits(0)
      #expect(try scenario.backend.contents().isEmpty)
    }
  }

  @Test func `in a changeset too, a record that makes the server fail is refused by name`()
    async throws
  {
    try await withTemporaryFolder { folder in
      var sample = try Sample(folder: "\(Samples.folder)/noted").copied(into: folder)
      sample.storeName = "Noted.sqlite"
      let profile = try Self.impatient(sample.profile, in: folder)
      try Python.edit(
        sample.store,
        "UPDATE ZNOTEENTITY SET ZSERVERVERSION = 0",
        "UPDATE ZNOTEENTITY SET ZPLAINTEXT = 'poison' WHERE Z_PK = 1"
      )
      try await withBackend(in: "\(folder)/server") { backend in
        let scenario = MigrationScenario(
          folder: folder,
          backend: backend,
          program: try FerryProgram(),
          sample: sample,
          profile: profile
        )
        try Self.poison(scenario, "syncRows", "NEW.body LIKE '%poison%'")
        let answer = try await scenario.migrate()
        #expect(answer.findings("destination.keeps-failing").count == 1, "\(answer)")
        #expect(answer.status == 3, "\(answer)")
        #expect(answer.count("created") == 60)
      }
    }
  }
}
