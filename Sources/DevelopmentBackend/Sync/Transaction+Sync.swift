import GRDB
import JSONText

/// The rows that travel through `/api/sync`.
extension Transaction {
  /// The statements that make their table.
  static let syncSchema = [
    """
    CREATE TABLE IF NOT EXISTS syncRows (
      userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      kind TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
      updatedAt INTEGER NOT NULL, isDeleted INTEGER NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (kind, id)) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS syncRowsByUpdate ON syncRows (userId, kind, updatedAt)",
    "CREATE TABLE IF NOT EXISTS syncRules (isStrict INTEGER NOT NULL)",
    """
    CREATE TABLE IF NOT EXISTS noteTags (
      noteId TEXT NOT NULL, tagId TEXT NOT NULL, PRIMARY KEY (noteId, tagId)) WITHOUT ROWID
    """,
  ]

  /// Whether a test asked for rows to be held to all that the app's own server refuses, or not to be;
  /// `nil` where none asked.
  func isSyncStrict() throws -> Bool? {
    try row("SELECT isStrict FROM syncRules").map { $0[0] }
  }

  func setSyncStrict(_ isStrict: Bool) throws {
    try run("DELETE FROM syncRules")
    try run("INSERT INTO syncRules (isStrict) VALUES (?)", [isStrict])
  }

  /// The tags of a note that are not removed, by their names.
  func tags(ofNote id: String) throws -> [SyncRow] {
    try rows(
      """
      SELECT s.id, s.version, s.updatedAt, s.body FROM noteTags t
      JOIN syncRows s ON s.kind = 'tags' AND s.id = t.tagId
      WHERE t.noteId = ? AND NOT s.isDeleted ORDER BY s.body ->> 'name', s.id
      """,
      [id]
    ).map { try syncRow($0) }
  }

  /// Gives a note these tags and no others; `false`, and nothing changed, where one is no tag or is there
  /// twice: the database then rolls the change back.
  func setTags(_ ids: [String], ofNote id: String) throws -> Bool {
    guard Set(ids).count == ids.count, try ids.allSatisfy({ try syncRow($0, .tags) != nil }) else {
      return false
    }
    try run("DELETE FROM noteTags WHERE noteId = ?", [id])
    for tag in ids { try run("INSERT INTO noteTags (noteId, tagId) VALUES (?, ?)", [id, tag]) }
    return true
  }

  /// Whose a row is, and the row; `nil` if it does not exist.
  func syncRow(_ id: String, _ kind: SyncKind) throws -> (owner: String, row: SyncRow)? {
    try row(
      "SELECT id, version, updatedAt, body, userId FROM syncRows WHERE kind = ? AND id = ?",
      [kind.rawValue, id]
    ).map { ($0[4], try syncRow($0)) }
  }

  /// The account's rows of a kind that changed after a moment, removed ones included.
  func syncRows(_ kind: SyncKind, after moment: Instant?) throws -> [SyncRow] {
    try rows(
      """
      SELECT id, version, updatedAt, body FROM syncRows
      WHERE userId = ? AND kind = ? AND updatedAt > ? ORDER BY updatedAt, id
      """,
      [try signedInAccount().id, kind.rawValue, moment?.milliseconds ?? Int64.min]
    ).map { try syncRow($0) }
  }

  private func syncRow(_ row: Row) throws -> SyncRow {
    SyncRow(
      id: row[0],
      version: row[1],
      updatedAt: Instant(milliseconds: row[2]),
      body: try JSONValue(parsing: row[3] as String).object ?? [:]
    )
  }

  /// Marks a row as removed.
  ///
  /// Only a note gets the moment of its removal for the date of its last change.
  func removeSync(_ row: SyncRow, _ kind: SyncKind) throws {
    let now = try tick()
    var body = row.body
    body["deleted_at"] = .string(now.text)
    let date = kind == .notes ? now : row.updatedAt
    try storeSync(row.id, kind, body, version: row.version, updatedAt: date)
  }

  /// Writes a row whole, with this date of its last change.
  func storeSync(
    _ id: String,
    _ kind: SyncKind,
    _ body: JSONObject,
    version: Int64,
    updatedAt date: Instant
  ) throws {
    try run(
      """
      INSERT OR REPLACE INTO syncRows (userId, kind, id, version, updatedAt, isDeleted, body)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        try signedInAccount().id, kind.rawValue, id, version, date.milliseconds,
        body["deleted_at"].map { !$0.isNull } ?? false, JSONValue.object(body).canonicalText,
      ]
    )
  }

  /// All rows of all accounts, removed ones included, for tests.
  ///
  /// `isStrict` says whether their owner is called by a UUID.
  func dumpedSyncRows(isStrict: Bool) throws -> [JSONValue] {
    try rows(
      "SELECT id, version, updatedAt, body, userId, kind FROM syncRows ORDER BY userId, kind, id"
    ).map { row in
      let kind = SyncKind(rawValue: row[5]) ?? .notes
      let owner: String = row[4]
      let name = isStrict ? Account.uuid(of: owner) : owner
      var object = try syncRow(row).shown(kind, owner: name).object ?? [:]
      object["kind"] = .string(kind.rawValue)
      return .object(object)
    }
  }
}
