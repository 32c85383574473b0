import CSQLite
import Records
import StoreFiles

/// What SQLite's own check of a whole file finds.
///
/// It compares every index with its table, and computes for it what the schema says. A schema can
/// call functions that are not run, or have so much computed that no time is enough; then the tables
/// are checked one by one, if need be without their indexes, and those that cannot be are named.
///
/// https://sqlite.org/pragma.html#pragma_integrity_check
struct IntegrityCheck {
  /// The first five faults.
  private(set) var faults: [String] = []
  /// A warning when the SQLite here cannot know.
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
    var (unchecked, uncompared): ([String], [String]) = ([], [])
    for name in try StoreSchema(database).tableNames.sorted() {
      do throws(StoreError) {
        try add(Self.faults("PRAGMA integrity_check(\(quoted(name)))", in: database))
      } catch {
        try Self.expectRefusal(error)
        do throws(StoreError) {
          try add(Self.faults("PRAGMA quick_check(\(quoted(name)))", in: database))
          uncompared.append(name)
        } catch {
          try Self.expectRefusal(error)
          unchecked.append(name)
        }
      }
    }
    if !uncompared.isEmpty { findings.append(Self.uncompared(uncompared, whole)) }
    if !unchecked.isEmpty || uncompared.isEmpty {
      findings.append(Self.unchecked(unchecked, whole))
    }
  }

  /// Throws what ends the whole check: damage, or that its time is over.
  private static func expectRefusal(_ error: StoreError) throws(StoreError) {
    guard case .database(_, _, let code, _) = error, code & 0xFF != SQLITE_INTERRUPT else {
      throw error
    }
  }

  private mutating func add(_ more: [String]) {
    faults += more.filter { !faults.contains($0) }.prefix(max(0, 5 - faults.count))
  }

  /// What one check finds; damage that ends it is what it finds.
  private static func faults(_ sql: String, in database: Database) throws(StoreError) -> [String] {
    // The pages of a table or an index whose declaration could not be parsed are no one's to SQLite.
    let hasUnownedPages = database.unparsed.contains { $0.type == "table" || $0.type == "index" }
    var faults: [String] = []
    do throws(StoreError) {
      let check = try database.statement(sql, purpose: "check the file for damage")
      while try check.step() {
        let lines = check.string(0)?.split(separator: "\n").map(String.init) ?? []
        faults += lines.filter { line in
          line != "ok" && !isHarmless(line) && !(hasUnownedPages && line.contains("never used"))
        }
      }
    } catch {
      guard case .damaged(_, _, let details) = error else { throw error }
      return [details]
    }
    return faults.allSatisfy { $0.hasPrefix("***") } ? [] : faults
  }

  /// Broken promises about values (NULL, CHECK, type) are the data's matter, not the file's.
  private static func isHarmless(_ line: String) -> Bool {
    line.hasPrefix("NULL value in ") || line.hasPrefix("CHECK constraint failed")
      || line.hasPrefix("non-unique entry in index") || line.contains(" value in ")
  }

  private static func uncompared(_ tables: [String], _ error: StoreError) -> Finding {
    Finding(
      code: "store.index-unchecked",
      severity: .note,
      cause: "the indexes of \(tables.prefix(20).joined(separator: ", ")) were not compared with "
        + "their tables: \(error)",
      cure: "no action is needed: the tables themselves were checked for damage"
    )
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
