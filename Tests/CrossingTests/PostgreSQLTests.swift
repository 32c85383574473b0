import Foundation
import JSONText
import TestSupport
import Testing

/// Kinto over PostgreSQL, whose conflicts and refusals its memory does not have.
@Suite(
  .enabled(
    if: Servers.kinto != nil && Servers.postgres != nil,
    "skipped: FERRY_KINTO and FERRY_POSTGRES do not both name programs"
  ),
  .timeLimit(.minutes(10))
)
struct PostgreSQLTests {
  @Test func `killed on the way, the same line brings every record, and a rollback none`()
    async throws
  {
    try await withKinto(overPostgreSQL: true) { voyage, _ in
      for wait in [0.2, 0.5, 0.9] {
        _ = try await FerryProgram().run(
          ["migrate", voyage.store] + voyage.flags,
          state: "\(voyage.folder)/state",
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
      }
      let last = try await voyage.ferry(["migrate", voyage.store])
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(try voyage.count() == 190)
      let back = try await voyage.ferry(["rollback", try last.run()])
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try voyage.count() == 0)
    }
  }

  @Test func `a record that the server answers with 503 for ever is the only one rejected`()
    async throws
  {
    try await withKinto(overPostgreSQL: true) { voyage, _ in
      try Python.edit(
        voyage.store,
        "UPDATE ZSTORY SET ZTITLE = 'poison' || char(0) || 'ous' WHERE Z_PK = 3"
      )
      let moved = try await voyage.ferry(["migrate", voyage.store])
      #expect(moved.status == 3, "\(moved.standardOutput)\(moved.standardError)")
      #expect(moved.count("rejected") == 1)
      #expect(moved.findings("destination.keeps-failing").count == 1)
      #expect(try voyage.count() == 189)
    }
  }
}
