import GRDB
import JSONText

/// Tastings, their comments and the bottles that are known.
extension Transaction {
  /// The statements that make their tables.
  static let tastingSchema = [
    """
    CREATE TABLE IF NOT EXISTS tastingRows (
      id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, parent INTEGER NOT NULL,
      userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      createdAt INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (kind, parent, userId, createdAt))
    """,
    "CREATE TABLE IF NOT EXISTS bottles (id INTEGER PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS tastingClock (moment INTEGER NOT NULL)",
  ]

  private static let selection = "SELECT id, parent, userId, createdAt, body FROM tastingRows"
  /// The first account has this number.
  static let firstPerson: Int64 = 1_041

  /// A person by the number that everybody knows them by.
  func person(_ account: String) throws -> JSONValue {
    let row = try row("SELECT rowid, email FROM accounts WHERE id = ?", [account])
    guard let row else { return .null }
    let number = Self.firstPerson - 1 + (row[0] as Int64)
    let email: String = row[1]
    return ["id": .whole(number), "username": .string(String(email.prefix { $0 != "@" }))]
  }

  /// The moment that dates of new rows are held against: the machine's, unless a test gave another.
  func tastingNow() throws -> Instant {
    let row = try row("SELECT moment FROM tastingClock")
    return row.map { Instant(milliseconds: $0[0]) } ?? .now
  }

  func setTastingNow(_ moment: Instant) throws {
    try run("DELETE FROM tastingClock")
    try run("INSERT INTO tastingClock (moment) VALUES (?)", [moment.milliseconds])
  }

  func knowsBottle(_ number: Int64) throws -> Bool {
    try count("SELECT COUNT(*) FROM bottles WHERE id = ?", [number]) > 0
  }

  func addBottle(_ number: Int64) throws {
    try run("INSERT OR IGNORE INTO bottles (id) VALUES (?)", [number])
  }

  func tastingRow(_ id: Int64, _ kind: TastingRow.Kind) throws -> TastingRow? {
    try row("\(Self.selection) WHERE kind = ? AND id = ?", [kind.rawValue, id])
      .map { try TastingRow($0) }
  }

  /// One page of rows, the newest tasting or the oldest comment first; of one person, or of everybody.
  func tastingRows(
    _ kind: TastingRow.Kind,
    of owner: String?,
    limit: Int,
    page: Int
  ) throws -> [TastingRow] {
    let direction = kind == .tasting ? "DESC" : "ASC"
    return try rows(
      """
      \(Self.selection) WHERE kind = ? AND (? IS NULL OR userId = ?)
      ORDER BY createdAt \(direction), id \(direction) LIMIT ? OFFSET ?
      """,
      [kind.rawValue, owner, owner, limit + 1, (page - 1) * limit]
    ).map { try TastingRow($0) }
  }

  /// Whether the person has that row of this very moment.
  func hasTastingRow(_ kind: TastingRow.Kind, parent: Int64, at moment: Instant) throws -> Bool {
    try count(
      """
      SELECT COUNT(*) FROM tastingRows
      WHERE kind = ? AND parent = ? AND userId = ? AND createdAt = ?
      """,
      [kind.rawValue, parent, try signedInAccount().id, moment.milliseconds]
    ) > 0
  }

  /// Adds a row; answers its number.
  func addTastingRow(
    _ kind: TastingRow.Kind,
    id: Int64? = nil,
    parent: Int64,
    at moment: Instant,
    _ body: JSONObject
  ) throws -> Int64 {
    try run(
      """
      INSERT INTO tastingRows (id, kind, parent, userId, createdAt, body)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        id, kind.rawValue, parent, try signedInAccount().id, moment.milliseconds,
        JSONValue.object(body).canonicalText,
      ]
    )
    return database.lastInsertedRowID
  }

  func changeTastingRow(_ row: TastingRow, _ body: JSONObject) throws {
    try run(
      "UPDATE tastingRows SET body = ? WHERE id = ?",
      [JSONValue.object(body).canonicalText, row.id]
    )
  }

  func removeTastingRow(_ row: TastingRow) throws {
    try run("DELETE FROM tastingRows WHERE id = ?", [row.id])
  }

  /// Whether another device has said something about a tasting.
  func hasComments(_ tasting: TastingRow) throws -> Bool {
    try count(
      "SELECT COUNT(*) FROM tastingRows WHERE kind = 'comment' AND parent = ?",
      [tasting.id]
    ) > 0
  }

  /// All rows of all accounts, for tests.
  func dumpedTastingRows(_ kind: TastingRow.Kind) throws -> [JSONValue] {
    try rows("\(Self.selection) WHERE kind = ? ORDER BY id", [kind.rawValue]).map { row in
      let row = try TastingRow(row)
      return row.shown(kind, try person(row.owner))
    }
  }
}
