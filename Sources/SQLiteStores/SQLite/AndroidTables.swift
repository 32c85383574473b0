import StoreFiles

/// The tables of a database that Android and Room keep for themselves.
///
/// Room writes the digest of its own schema, by which it recognises the version of the app's model.
/// https://developer.android.com/reference/androidx/room/RoomMasterTable
struct AndroidTables {
  /// The names of the tables that hold nothing of the app's.
  let names: Set<String>
  /// What Room knows the schema by, or `nil` where the database is not Room's.
  let identityHash: String?

  private static let ownColumns: [String: Set<String>] = [
    "android_metadata": ["locale"], "room_master_table": ["id", "identity_hash"],
    "room_table_modification_log": ["table_id", "invalidated"],
  ]

  init(_ schema: StoreSchema, in database: Database) throws(StoreError) {
    names = Set(
      Self.ownColumns.keys.filter { name in
        schema.tables[name].map { Set($0.columns.map(\.name)) == Self.ownColumns[name] } ?? false
      }
    )
    guard names.contains("room_master_table") else {
      identityHash = nil
      return
    }
    let rows = try database.statement(
      "SELECT identity_hash FROM room_master_table ORDER BY id LIMIT 1",
      purpose: "read the identity of Room's schema"
    )
    identityHash = try rows.step() ? rows.string(0).flatMap(Self.hash) : nil
  }

  /// 32 hexadecimal digits, as Room writes them; anything else is no identity.
  private static func hash(_ text: String) -> String? {
    text.utf8.count == 32 && text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text : nil
  }
}
