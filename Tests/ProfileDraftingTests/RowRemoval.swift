import CSQLite

/// Takes rows out of a copy of a store by SQL, which asks no app and no trigger.
enum RowRemoval {
  struct Failure: Error {
    let words: String
  }

  /// Takes the first row out of every table; gives how many went.
  static func run(_ path: String) throws -> Int {
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK, let handle = opened else {
      throw Failure(words: "cannot open \(path)")
    }
    defer { sqlite3_close_v2(handle) }
    _ = ferry_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    var names: [String] = []
    var list: OpaquePointer?
    let tables =
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 "
      + "AND name NOT LIKE 'sqlite%' AND name NOT IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')"
    guard sqlite3_prepare_v2(handle, tables, -1, &list, nil) == SQLITE_OK else {
      throw Failure(words: String(cString: sqlite3_errmsg(handle)))
    }
    while sqlite3_step(list) == SQLITE_ROW {
      if let text = sqlite3_column_text(list, 0) { names.append(String(cString: text)) }
    }
    sqlite3_finalize(list)
    var count = 0
    for name in names {
      // What an index computes with functions of the app's own cannot be taken out, nor can a row of a
      // table without rowids.
      let sql = "DELETE FROM \"\(name)\" WHERE rowid = (SELECT min(rowid) FROM \"\(name)\")"
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { continue }
      count += Int(sqlite3_changes(handle))
    }
    return count
  }
}
