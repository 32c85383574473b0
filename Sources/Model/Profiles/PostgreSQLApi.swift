/// A PostgreSQL database: where in it the tables are.
package struct PostgreSQLApi: Hashable, Sendable {
  /// The schema of the tables, and of the one in which Ferry notes what it carried out.
  package let schema: String
  /// The most rows of one transaction.
  package let batchLimit: Int

  package static let largestBatch = 10_000
  package static let usualBatch = 1_000
  /// What opens the database, unless the profile names fewer.
  package static let credentials = ["user", "password"]
}
