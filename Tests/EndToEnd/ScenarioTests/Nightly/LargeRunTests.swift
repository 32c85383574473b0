import TestSupport
import Testing

/// What a run of ten thousand records and more does otherwise comes to the same.
@Suite(.timeLimit(.minutes(3))) struct LargeRunTests {
  @Test func `a large run reports its totals, and the next one finds the same`() async throws {
    try await withScenario(.later) { scenario in
      let made = 10_000
      try scenario.sql(
        """
        CREATE TEMP TABLE copied AS SELECT ZHERO.* FROM ZHERO,
          (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(made))
          SELECT i FROM n) WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZHERO)
        """,
        """
        UPDATE copied SET Z_PK = 1000 + rowid, ZID = randomblob(16), ZAVATARIMAGEPATH = NULL,
          ZVISUALPROFILE = NULL, ZSERVERID = NULL, ZBACKENDID = NULL
        """,
        "INSERT INTO ZHERO SELECT * FROM copied",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 1000 + \(made) WHERE Z_NAME = 'Hero'"
      )
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") > made)
      #expect(first.count("remaining") == 0)
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("unchanged") == first.count("created"))
      #expect(second.count("created") == 0)
    }
  }
}
