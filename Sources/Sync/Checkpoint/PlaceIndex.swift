import GRDB

/// The index of `record` by the identities of the destination.
///
/// A run that makes much of what the table holds leaves it out: then it is made in one go, and by the
/// first who asks by that identity. A first upload, after which no one may ask, ends sooner.
package enum PlaceIndex {
  package static let name = "record_by_server"
  static let statement = "CREATE INDEX \(name) ON record (entity, server_id)"

  /// From so many new rows on, it may be left out.
  static let bulk: Int64 = 10_000

  static func isThere(in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_master WHERE name = ?)"
    )
    return try Bool.fetchOne(statement, arguments: [name]) ?? false
  }

  /// Runs `body`, which writes up to `count` rows of records; where they are a third of the table or
  /// more, without the index.
  static func around(
    _ count: Int64,
    from bulk: Int64,
    in database: Database,
    _ body: () throws -> Void
  ) throws {
    if try isThere(in: database) && isBulk(count, from: bulk, in: database) {
      try database.execute(sql: "DROP INDEX \(name)")
    }
    try body()
  }

  /// Whether so many rows are a large part of what `record` will hold.
  static func isBulk(
    _ count: Int64,
    from bulk: Int64,
    in database: Database
  ) throws -> Bool {
    guard count >= bulk else { return false }
    return try Int64.fetchOne(database, sql: "SELECT count(*) FROM record") ?? 0 <= 2 * count
  }
}

extension CheckpointFile {
  /// Has `record` say all that is known, and its index of places be there.
  func catchUpPlaces() throws(CheckpointError) {
    try catchUp()
    guard try !read({ try PlaceIndex.isThere(in: $0) }) else { return }
    try write { try $0.execute(sql: PlaceIndex.statement) }
  }
}
