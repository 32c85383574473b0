import Records
import StoreFiles

/// What a column of a plain SQLite database holds, by its declaration and by its values.
///
/// SQLite lets any column hold any value, so the declaration is believed only where every value
/// agrees with it; a column of mixed values is `undeclared`, and each value goes by its own class.
/// The first line of the table that fits counts; letters of either case do.
///
/// | the declaration contains | and every value is | becomes |
/// |---|---|---|
/// | `BOOL` | 0 or 1 | boolean |
/// | `UUID`, `GUID` | a blob of 16 bytes | UUID |
/// | `DATE`, `TIME`, `JSON`, `UUID`, `GUID` | text, integer, real, or blob | what the values are: no epoch is guessed, and text stays text |
/// | `DEC`, `NUM`, `MONEY` | integer or real | decimal |
/// | `INT` | an integer | integer |
/// | `CHAR`, `CLOB`, `TEXT` | text | string |
/// | `BLOB` | a blob | binary |
/// | `REAL`, `FLOA`, `DOUB` | integer or real | real |
/// | anything else, or nothing | of one class | what the values are |
/// | anything | of several classes | undeclared |
///
/// A column without a value goes by the declaration alone.
/// https://sqlite.org/datatype3.html#determination_of_column_affinity
struct SQLiteColumnKind {
  /// The storage classes of a column's values.
  struct Classes: OptionSet {
    let rawValue: Int
    static let integer = Classes(rawValue: 1)
    static let real = Classes(rawValue: 2)
    static let text = Classes(rawValue: 4)
    static let blob = Classes(rawValue: 8)
    /// An integer that is neither 0 nor 1.
    static let number = Classes(rawValue: 16)
    /// A blob that has not 16 bytes.
    static let bytes = Classes(rawValue: 32)

    /// The classes alone, one bit each.
    var stored: Classes { intersection([.integer, .real, .text, .blob]) }
  }

  let kind: StoreAttribute.Kind
  /// Whether the values are of several classes.
  let isMixed: Bool

  init(declaredType: String, classes: Classes) {
    let type = declaredType.uppercased()
    let stored = classes.stored
    let declared = Self.declared(type, isTextual: stored.isSubset(of: .text))
    if let declared, classes.isSubset(of: declared.classes) {
      (kind, isMixed) = (declared.kind, false)
      return
    }
    switch stored {
    case []: (kind, isMixed) = (.undeclared(sqlType: declaredType), false)
    case .integer: (kind, isMixed) = (.integer64, false)
    case .real: (kind, isMixed) = (.double, false)
    case .text: (kind, isMixed) = (.string, false)
    case .blob: (kind, isMixed) = (.binary, false)
    default: (kind, isMixed) = (.undeclared(sqlType: declaredType), true)
    }
  }

  /// What a declaration means, and the values it may have to be believed.
  private static func declared(
    _ type: String,
    isTextual: Bool
  ) -> (kind: StoreAttribute.Kind, classes: Classes)? {
    func has(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
    let whole: Classes = [.integer, .number]
    if has("BOOL") { return (.boolean, .integer) }
    if has("UUID", "GUID"), !isTextual { return (.uuid, .blob) }
    if has("DATE", "TIME", "JSON", "UUID", "GUID") { return isTextual ? (.string, .text) : nil }
    // A real that was written into that column went through binary already.
    if has("DEC", "NUM", "MONEY") { return (.decimal, whole.union(.real)) }
    if has("INT") { return (.integer64, whole) }
    if has("CHAR", "CLOB", "TEXT") { return (.string, .text) }
    if has("BLOB") { return (.binary, [.blob, .bytes]) }
    // With real affinity SQLite keeps whole numbers as integers and gives them as reals.
    if has("REAL", "FLOA", "DOUB") { return (.double, .real) }
    return nil
  }
}

extension SQLiteColumnKind {
  private static let columnsAtOnce = 64

  /// The classes of the values of each column, from one reading of the table for 64 columns.
  static func classes(
    of columns: [SQLiteTable.Column],
    in table: SQLiteTable,
    _ database: Database
  ) throws(StoreError) -> [Classes] {
    var classes: [Classes] = []
    while classes.count < columns.count {
      let part = columns[classes.count...].prefix(columnsAtOnce)
      let tests = part.flatMap { column -> [String] in
        let name = quoted(column.name)
        return ["integer", "real", "text", "blob"].map { "max(typeof(\(name)) = '\($0)')" } + [
          // With AND the value would be read first, and as a whole.
          // The collation of the column may be one that only the app has.
          "max(CASE WHEN typeof(\(name)) = 'integer' "
            + "THEN \(name) COLLATE BINARY NOT IN (0, 1) END)",
          "max(CASE WHEN typeof(\(name)) = 'blob' THEN length(\(name)) <> 16 END)",
        ]
      }
      let row = try database.statement(
        "SELECT \(tests.joined(separator: ", ")) FROM \(quoted(table.name)) NOT INDEXED",
        purpose: "look at the values of \(table.name)"
      )
      guard try row.step() else { return columns.map { _ in [] } }
      for index in 0..<part.count {
        var bits = 0
        for bit in 0..<6 where row.integer(Int32(index * 6 + bit)) == 1 { bits |= 1 << bit }
        classes.append(Classes(rawValue: bits))
      }
    }
    return classes
  }
}
