import CSQLite
import Files

/// A plain connection for tests: to build stores, and to count what a store should give.
package final class SampleDatabase {
  private let handle: OpaquePointer

  package init(_ path: String) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK, let handle = opened else {
      throw SampleFailure(message: "cannot open \(path)")
    }
    self.handle = handle
  }

  deinit { sqlite3_close_v2(handle) }

  package func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw SampleFailure(message: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
  }

  /// Runs a statement with one blob bound.
  package func run(_ sql: String, blob: [UInt8]) throws {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else {
      throw SampleFailure(message: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
    defer { sqlite3_finalize(prepared) }
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_blob(prepared, 1, blob, Int32(blob.count), transient)
    guard sqlite3_step(prepared) == SQLITE_DONE else {
      throw SampleFailure(message: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
  }

  /// Knows a collation that takes letters of either case for one, as an app makes it for itself.
  package func know(collation: String) throws {
    let code = sqlite3_create_collation_v2(
      handle,
      collation,
      SQLITE_UTF8,
      nil,
      { _, leftCount, left, rightCount, right in
        let one = SampleDatabase.folded(left, leftCount)
        let other = SampleDatabase.folded(right, rightCount)
        if one == other { return 0 }
        return one < other ? -1 : 1
      },
      nil
    )
    guard code == SQLITE_OK else { throw SampleFailure(message: "cannot make \(collation)") }
  }

  private static func folded(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// The rows of a query, their columns joined by bars.
  package func rows(_ sql: String) throws -> [String] {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else {
      throw SampleFailure(message: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
    defer { sqlite3_finalize(prepared) }
    var rows: [String] = []
    while sqlite3_step(prepared) == SQLITE_ROW {
      let columns = (0..<sqlite3_column_count(prepared)).map { column in
        sqlite3_column_text(prepared, column).map { String(cString: $0) } ?? "-"
      }
      rows.append(columns.joined(separator: "|"))
    }
    return rows
  }

  /// The one number a query gives, or `nil` when it fails.
  package func number(_ sql: String) -> Int? {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else { return nil }
    defer { sqlite3_finalize(prepared) }
    guard sqlite3_step(prepared) == SQLITE_ROW else { return nil }
    return Int(sqlite3_column_int64(prepared, 0))
  }
}

package struct SampleFailure: Error {
  let message: String

  package init(message: String) { self.message = message }
}

/// A folder of its own for one test, removed when the last holder lets go.
package final class SampleFolder {
  package let path: String

  package init() throws {
    var random = SystemRandomNumberGenerator()
    path = "/tmp/ferry-store-\(random.next())"
    try Folder.make(path)
  }

  deinit {
    // What is left behind lies in the system's folder for temporary files.
    do { try Folder.remove(path) } catch { print("left behind: \(error)") }
  }

  package func write(_ name: String, _ bytes: [UInt8]) throws {
    try WholeFile.replace(path + "/" + name, with: bytes)
  }
}
