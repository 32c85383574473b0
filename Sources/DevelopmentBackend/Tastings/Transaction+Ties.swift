import GRDB
import JSONText

/// Whom a person follows, and which tastings the person has toasted.
extension Transaction {
  /// The statements that make their tables.
  static let tieSchema = [
    """
    CREATE TABLE IF NOT EXISTS ties (
      kind TEXT NOT NULL, userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      other INTEGER NOT NULL, createdAt INTEGER NOT NULL, PRIMARY KEY (kind, userId, other))
    """,
    "CREATE TABLE IF NOT EXISTS people (id INTEGER PRIMARY KEY)",
  ]

  func addPerson(_ number: Int64) throws {
    try run("INSERT OR IGNORE INTO people (id) VALUES (?)", [number])
  }

  /// Whether a person of this number is known, with or without an account here.
  func knowsPerson(_ number: Int64) throws -> Bool {
    let isListed = try count("SELECT COUNT(*) FROM people WHERE id = ?", [number]) > 0
    let account = number - Self.firstPerson + 1
    return try isListed || count("SELECT COUNT(*) FROM accounts WHERE rowid = ?", [account]) > 0
  }

  /// Ties the signed-in person to something; what is tied already stays as it is.
  func tie(_ kind: Tie, to other: Int64) throws {
    try run(
      "INSERT OR IGNORE INTO ties (kind, userId, other, createdAt) VALUES (?, ?, ?, ?)",
      [kind.rawValue, try signedInAccount().id, other, try tick().milliseconds]
    )
  }

  func untie(_ kind: Tie, from other: Int64) throws {
    try run(
      "DELETE FROM ties WHERE kind = ? AND userId = ? AND other = ?",
      [kind.rawValue, try signedInAccount().id, other]
    )
  }

  func isTied(_ kind: Tie, to other: Int64) throws -> Bool {
    try count(
      "SELECT COUNT(*) FROM ties WHERE kind = ? AND userId = ? AND other = ?",
      [kind.rawValue, try signedInAccount().id, other]
    ) > 0
  }

  /// One page of ties, newest first: to whom, and since when.
  func ties(_ kind: Tie, limit: Int, page: Int) throws -> [(other: Int64, since: Instant)] {
    try rows(
      """
      SELECT other, createdAt FROM ties WHERE kind = ? AND userId = ?
      ORDER BY createdAt DESC, other DESC LIMIT ? OFFSET ?
      """,
      [kind.rawValue, try signedInAccount().id, limit + 1, (page - 1) * limit]
    ).map { ($0[0], Instant(milliseconds: $0[1])) }
  }

  /// All ties of all accounts, for tests.
  func dumpedTies() throws -> [JSONValue] {
    try rows("SELECT kind, userId, other FROM ties ORDER BY kind, userId, other", []).map { row in
      let other: Int64 = row[2]
      return [
        "kind": .string(row[0]), "person": try person(row[1])["id"] ?? .null,
        "other": .whole(other),
      ]
    }
  }
}
