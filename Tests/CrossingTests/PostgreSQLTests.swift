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
