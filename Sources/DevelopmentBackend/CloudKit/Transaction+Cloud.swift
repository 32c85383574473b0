import GRDB
import JSONText

/// The rows of the CloudKit databases.
extension Transaction {
  /// The statements that make their tables.
  static let cloudSchema = [
    """
    CREATE TABLE IF NOT EXISTS cloudTokens (
      token TEXT NOT NULL PRIMARY KEY,
      userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      expiresAt INTEGER NOT NULL) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS cloudKeys (
      id TEXT NOT NULL PRIMARY KEY,
      userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      publicKey TEXT NOT NULL) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS cloudZones (
      scope TEXT NOT NULL, name TEXT NOT NULL, sequence INTEGER NOT NULL DEFAULT 0,
      epoch INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (scope, name)) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS cloudFields (
      scope TEXT NOT NULL, recordType TEXT NOT NULL, field TEXT NOT NULL, type TEXT NOT NULL,
      PRIMARY KEY (scope, recordType, field)) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS cloudRecords (
      scope TEXT NOT NULL, zone TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
      sequence INTEGER NOT NULL, createdAt INTEGER NOT NULL, modifiedAt INTEGER NOT NULL,
      fields TEXT, PRIMARY KEY (scope, zone, name)) WITHOUT ROWID
    """,
    """
    CREATE INDEX IF NOT EXISTS cloudRecordsByChange ON cloudRecords (scope, zone, sequence)
    """,
  ]

  /// Whether a zone is there; the default one always is.
  func hasCloudZone(_ name: String, _ place: CloudPlace) throws -> Bool {
    if name == CloudPlace.defaultZone {
      try run("INSERT OR IGNORE INTO cloudZones (scope, name) VALUES (?, ?)", [place.scope, name])
      return true
    }
    return try cloudZone(name, place) != nil
  }

  /// The number of the last change of a zone, and how often its tokens expired.
  func cloudZone(_ name: String, _ place: CloudPlace) throws -> (sequence: Int64, epoch: Int64)? {
    try row(
      "SELECT sequence, epoch FROM cloudZones WHERE scope = ? AND name = ?",
      [place.scope, name]
    ).map { ($0[0], $0[1]) }
  }

  /// A record, deleted ones included, or `nil`.
  func cloudRecord(_ name: String, in zone: String, _ place: CloudPlace) throws -> CloudRecord? {
    try row(
      "SELECT \(CloudRecord.selection) FROM cloudRecords WHERE scope = ? AND zone = ? AND name = ?",
      [place.scope, zone, name]
    ).map { try CloudRecord($0) }
  }

  /// Records of a zone behind a change, in the order of their last changes.
  func cloudChanges(
    in zone: String,
    _ place: CloudPlace,
    after sequence: Int64,
    limit: Int
  ) throws -> [CloudRecord] {
    try rows(
      """
      SELECT \(CloudRecord.selection) FROM cloudRecords
      WHERE scope = ? AND zone = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """,
      [place.scope, zone, sequence, limit]
    ).map { try CloudRecord($0) }
  }

  /// Records of a type, by name.
  func cloudRecords(
    ofType type: String,
    in zone: String,
    _ place: CloudPlace,
    after name: String,
    limit: Int
  ) throws -> [CloudRecord] {
    try rows(
      """
      SELECT \(CloudRecord.selection) FROM cloudRecords
      WHERE scope = ? AND zone = ? AND type = ? AND name > ? AND fields IS NOT NULL
      ORDER BY name LIMIT ?
      """,
      [place.scope, zone, type, name, limit]
    ).map { try CloudRecord($0) }
  }

  func cloudRecordCount(_ place: CloudPlace) throws -> Int {
    try count(
      "SELECT COUNT(*) FROM cloudRecords WHERE scope = ? AND fields IS NOT NULL",
      [place.scope]
    )
  }

  /// Writes a record, or with no fields the mark that it existed.
  func storeCloud(
    _ name: String,
    type: String,
    fields: JSONObject?,
    before: CloudRecord?,
    in zone: String,
    _ place: CloudPlace
  ) throws -> CloudRecord {
    let next = try row(
      """
      UPDATE cloudZones SET sequence = sequence + 1 WHERE scope = ? AND name = ?
      RETURNING sequence
      """,
      [place.scope, zone]
    )
    guard let next else { throw CloudRefusal.zoneNotFound }
    let now = Instant.now.milliseconds
    let isNew = before?.fields == nil
    let record = CloudRecord(
      name: name,
      type: type,
      sequence: next[0],
      createdAt: isNew ? now : before?.createdAt ?? now,
      modifiedAt: now,
      fields: fields
    )
    try run(
      """
      INSERT OR REPLACE INTO cloudRecords
      (scope, zone, name, type, sequence, createdAt, modifiedAt, fields)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        place.scope, zone, name, type, record.sequence, record.createdAt, now,
        fields.map { JSONValue.object($0).canonicalText },
      ]
    )
    return record
  }

  /// Holds fields against the schema, which grows by itself in development alone.
  func checkCloudSchema(
    _ type: String,
    _ fields: [(name: String, field: CloudField)],
    _ place: CloudPlace
  ) throws {
    for (name, field) in fields where !(field.value.isNull || field.value.array?.isEmpty == true) {
      let known = try row(
        "SELECT type FROM cloudFields WHERE scope = ? AND recordType = ? AND field = ?",
        [place.schemaScope, type, name]
      )
      if let known {
        let expected: String = known[0]
        guard expected == field.type else {
          throw CloudRefusal.badRequest(
            "invalid attempt to set value type \(field.type) for field '\(name)' for type "
              + "'\(type)', defined to be: \(expected)"
          )
        }
      } else if place.isProduction {
        throw CloudRefusal.badRequest(
          "Cannot create or modify field '\(name)' in record '\(type)' in production schema"
        )
      } else {
        try run(
          "INSERT INTO cloudFields (scope, recordType, field, type) VALUES (?, ?, ?, ?)",
          [place.schemaScope, type, name, field.type]
        )
      }
    }
  }

  /// Whether a record of the type was ever made in this environment.
  func knowsCloudType(_ type: String, _ place: CloudPlace) throws -> Bool {
    try count(
      "SELECT COUNT(*) FROM cloudFields WHERE scope = ? AND recordType = ?",
      [place.schemaScope, type]
    ) > 0
  }

  /// All records of all databases that are there, for tests.
  func dumpedCloudRecords() throws -> [JSONValue] {
    try rows(
      """
      SELECT \(CloudRecord.selection), scope, zone FROM cloudRecords WHERE fields IS NOT NULL
      ORDER BY scope, zone, name
      """
    ).map { row in
      let record = try CloudRecord(row)
      return [
        "id": .string(record.name), "recordName": .string(record.name),
        "recordType": .string(record.type), "recordChangeTag": .string(record.tag),
        "scope": .string(row[6]), "zone": .string(row[7]),
        "fields": record.fields.map { .object($0) } ?? .null,
      ]
    }
  }
}
