import Records

/// What SQLite's own check of a whole file finds.
///
/// https://sqlite.org/pragma.html#pragma_integrity_check
struct IntegrityCheck {
  /// The first five faults.
  let faults: [String]
  /// A warning when the SQLite here cannot tell.
  let findings: [Finding]

  init(_ database: Database) throws(StoreError) {
    do throws(StoreError) {
      let check = try database.statement("PRAGMA integrity_check(5)", purpose: "integrity check")
      var faults: [String] = []
      while try check.step() {
        if let line = check.string(0), line != "ok", !Self.isHarmless(line) {
          faults.append(contentsOf: line.split(separator: "\n").map(String.init))
        }
      }
      (self.faults, findings) = (faults, [])
    } catch {
      switch error {
      case .damaged(_, _, let details):
        (faults, findings) = ([details], [])
      case .database:
        (faults, findings) = ([], [Self.unchecked(error)])
      default:
        throw error
      }
    }
  }

  /// Broken promises about values (NULL, CHECK, type) are the data's matter, not the file's.
  private static func isHarmless(_ line: String) -> Bool {
    line.hasPrefix("NULL value in ") || line.hasPrefix("CHECK constraint failed")
      || line.hasPrefix("non-unique entry in index") || line.contains(" value in ")
  }

  private static func unchecked(_ error: StoreError) -> Finding {
    Finding(
      code: "store.unchecked",
      severity: .warning,
      cause: "the file could not be checked for damage: \(error)",
      cure: "compare the counts with the app's; the schema uses what only the app's SQLite has"
    )
  }
}
