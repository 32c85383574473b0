import GRDB
import JSONText

extension Transaction {
  /// The tables whose rows the state counts.
  static let counted = [
    "accounts", "sessions", "heroes", "visualProfiles", "stories", "customEvents", "records",
    "files", "cloudRecords", "syncRows", "noteTags", "images", "tastingRows", "ties",
    "collectionRows",
  ]

  /// The tables that a reset clears; accounts and their sessions stay.
  static let cleared = [
    "stories", "visualProfiles", "heroes", "customEvents", "records", "collections", "files",
    "usage", "cloudRecords", "cloudZones", "cloudFields", "cloudAssets", "syncRows", "syncRules",
    "noteTags", "images", "tastingRows", "tastingClock", "ties", "collectionRows",
  ]

  /// All rows of all accounts, oldest first, and nothing that is secret.
  ///
  /// `isStrict` says whether the owner of rows that travel together is called by a UUID.
  func dump(isStrict: Bool) throws -> JSONObject {
    var dump = JSONObject()
    let accounts = try rows("SELECT id, email FROM accounts ORDER BY email")
    dump["accounts"] = .array(
      accounts.map { ["id": .string($0[0]), "email": .string($0[1])] }
    )
    for table in Table.all {
      let rows = try rows("SELECT \(table.selection) FROM \(table.name) ORDER BY createdAt, id")
      dump[table.name] = .array(try rows.map { .object(try table.object($0)) })
    }
    dump["records"] = .array(try dumpedRecords())
    dump["cloudRecords"] = .array(try dumpedCloudRecords())
    dump["cloudAssets"] = .array(try dumpedCloudAssets())
    dump["syncRows"] = .array(try dumpedSyncRows(isStrict: isStrict))
    let noteTags = try rows("SELECT noteId, tagId FROM noteTags ORDER BY noteId, tagId")
    dump["noteTags"] = .array(
      noteTags.map { ["note": .string($0[0]), "tag": .string($0[1])] }
    )
    dump["images"] = .array(try dumpedImages())
    dump["collectionRows"] = .array(try dumpedCollectionRows())
    for kind in TastingRow.Kind.allCases {
      dump[kind.tableName] = .array(try dumpedTastingRows(kind))
    }
    dump["ties"] = .array(try dumpedTies())
    let files = try rows(
      """
      SELECT storageKey, userId, mimeType, category, storedSize, sha256, isConfirmed FROM files
      ORDER BY storageKey
      """
    )
    dump["files"] = .array(files.map { dumped($0) })
    return dump
  }

  private func dumpedRecords() throws -> [JSONValue] {
    let rows = try rows(
      """
      SELECT id, version, updatedAt, body, userId, collection FROM records
      WHERE body IS NOT NULL ORDER BY userId, collection, id
      """
    )
    return try rows.map { row in
      var record = try StoredRecord(row).object
      record["userId"] = .string(row[4])
      record["collection"] = .string(row[5])
      return .object(record)
    }
  }

  private func dumped(_ row: Row) -> JSONValue {
    let size: Int64? = row[4]
    let digest: String? = row[5]
    return [
      "storageKey": .string(row[0]), "userId": .string(row[1]), "mimeType": .string(row[2]),
      "category": .string(row[3]), "size": size.map { .whole($0) } ?? .null,
      "sha256": .text(digest), "isConfirmed": .boolean(row[6]),
    ]
  }
}
