import StoreFiles

/// Which tables of a damaged database can still be read in full.
struct DamageSurvey {
  let readable: [String]
  /// What is the matter, by the names of the other tables.
  let unreadable: [(table: String, details: String)]

  init(_ database: Database) {
    var readable: [String] = []
    var unreadable: [(table: String, details: String)] = []
    do throws(StoreError) {
      for name in try StoreSchema(database).tableNames.sorted() {
        do throws(StoreError) {
          var scan = TableScan(try SQLiteTable(name, in: database), of: database)
          try scan.run { _ in }
          guard let gap = scan.gaps.first else {
            readable.append(name)
            continue
          }
          unreadable.append((name, "\(scan.rowCount) rows can be read: \(gap.details)"))
        } catch {
          unreadable.append((name, error.description))
        }
      }
    } catch {
      unreadable.append(("sqlite_schema", error.description))
    }
    self.readable = readable
    self.unreadable = unreadable
  }

  /// One sentence for the refusal.
  var words: String {
    let whole = readable.isEmpty ? "no table" : readable.joined(separator: ", ")
    let rest = unreadable.map { "\($0.table) (\($0.details))" }.joined(separator: ", ")
    return "\(whole) can be read in full" + (rest.isEmpty ? "" : "; not in full: \(rest)")
  }
}
