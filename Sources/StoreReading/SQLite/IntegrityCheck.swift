import CSQLite
import Records

/// What SQLite's own check of a whole file finds.
///
/// It compares every index with its table, and computes for it what the schema says. A schema can
/// call functions that are not run, or have so much computed that no time is enough; then the tables
/// are checked one by one, and those that cannot be are named.
///
/// https://sqlite.org/pragma.html#pragma_integrity_check
struct IntegrityCheck {
  /// The first five faults.
  private(set) var faults: [String] = []
  /// A warning when the SQLite here cannot tell.
  private(set) var findings: [Finding] = []

  /// Ten times what a slow disk needs, and something for each file.
  private static func limit(for byteCount: Int64) -> Duration {
    .seconds(20 + byteCount / (1 << 20))
  }

  init(_ database: Database, byteCount: Int64) throws(StoreError) {
    do throws(StoreError) {
      try database.within(Self.limit(for: byteCount)) { () throws(StoreError) in
        do throws(StoreError) {
          try add(Self.faults("PRAGMA integrity_check(5)", in: database))
        } catch {
          guard case .database(_, _, let code, _) = error, code & 0xFF != SQLITE_INTERRUPT else {
            throw error
          }
          try checkTables(of: database, whole: error)
        }
      }
    } catch {
      guard case .database = error else { throw error }
      findings = [Self.unchecked([], error)]
    }
  }

  private mutating func checkTables(
    of database: Database,
    whole: StoreError
  ) throws(StoreError) {
    var unchecked: [String] = []
    for name in try StoreSchema(database).tableNames.sorted() {
      do throws(StoreError) {
        try add(Self.faults("PRAGMA integrity_check(\(quoted(name)))", in: database))
      } catch {
        guard case .database(_, _, let code, _) = error, code & 0xFF != SQLITE_INTERRUPT else {
          throw error
        }
        unchecked.append(name)
      }
    }
    findings = [Self.unchecked(unchecked, whole)]
  }

  private mutating func add(_ more: [String]) {
    faults += more.filter { !faults.contains($0) }.prefix(max(0, 5 - faults.count))
  }

  /// What one check finds; damage that ends it is what it finds.
  private static func faults(_ sql: String, in database: Database) throws(StoreError) -> [String] {
    var faults: [String] = []
    do throws(StoreError) {
      let check = try database.statement(sql, purpose: "check the file for damage")
      while try check.step() {
        if let line = check.string(0), line != "ok", !isHarmless(line) {
          faults.append(contentsOf: line.split(separator: "\n").map(String.init))
        }
      }
    } catch {
      guard case .damaged(_, _, let details) = error else { throw error }
      return [details]
    }
    return faults
  }

  /// Broken promises about values (NULL, CHECK, type) are the data's matter, not the file's.
  private static func isHarmless(_ line: String) -> Bool {
    line.hasPrefix("NULL value in ") || line.hasPrefix("CHECK constraint failed")
      || line.hasPrefix("non-unique entry in index") || line.contains(" value in ")
  }

  private static func unchecked(_ tables: [String], _ error: StoreError) -> Finding {
    let what =
      tables.isEmpty
      ? "the file" : "of its tables " + tables.prefix(20).joined(separator: ", ")
    return Finding(
      code: "store.unchecked",
      severity: .warning,
      cause: "\(what) could not be checked for damage: \(error)",
      cure: "compare the counts with the app's; the schema uses what only the app's SQLite has, or "
        + "what is not run here"
    )
  }
}
