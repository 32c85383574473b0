import Records
import TextCodecs

/// Where the rows of an entity of a plain SQLite database lie, and how each is distinguished from the others.
struct SQLiteLayout {
  /// A relationship over a foreign key of one column.
  struct Reference {
    let column: String
    let parent: EntityName
    let parentColumn: String
    /// By what the two columns are compared.
    let collation: SQLiteCollation
  }

  let table: SQLiteTable
  /// The parents of relationships, by the relationship's name.
  let references: [String: Reference]
  /// The expressions that make up a row's key: the primary key, else the rowid.
  let keyExpressions: [String]
  /// `sqlite:<table>/`.
  let addressPrefix: [UInt8]
  /// Which rows of the table are the entity's, as SQL about the table `t`; `nil` for all.
  let condition: String?

  init(_ table: SQLiteTable, references: [String: Reference], condition: String? = nil) {
    self.table = table
    self.condition = condition
    self.references = references
    let primaryKey = table.primaryKey.map(quoted)
    keyExpressions = primaryKey.isEmpty ? table.rowIDName.map { [$0] } ?? [] : primaryKey
    var prefix = Array("sqlite:".utf8)
    PercentCoding.append(table.name.utf8, to: &prefix)
    prefix.append(UInt8(ascii: "/"))
    addressPrefix = prefix
  }
}

/// The address of a row: `sqlite:<table>/<key>`, percent-encoded.
///
/// The key is the primary key, its parts joined by commas, else the rowid. Integers and reals are
/// written as such, blobs as `x'4142'`, null as `null`, and a text that reads like one of these
/// is between single quotes, so that no two rows have the same address.
enum SQLiteAddress {
  /// The address with a key that is in these columns.
  static func text(
    _ prefix: [UInt8],
    _ columns: Range<Int32>,
    of statement: Statement
  ) -> [UInt8] {
    var text = prefix
    for column in columns {
      if column > columns.lowerBound { text.append(UInt8(ascii: ",")) }
      add(statement.cell(column), to: &text)
    }
    return text
  }

  /// Adds one part of a key.
  static func add(_ cell: Cell, to text: inout [UInt8]) {
    switch cell {
    case .integer(let value): text += Array(String(value).utf8)
    case .real(let value): PercentCoding.append("\(value)".utf8, to: &text)
    case .text(let bytes):
      let isDecisive = unsafe needsQuotes(bytes)
      if isDecisive { text += Array("%27".utf8) }
      unsafe PercentCoding.append(bytes, to: &text)
      if isDecisive { text += Array("%27".utf8) }
    case .blob(let bytes):
      text += Array("x%27".utf8)
      unsafe text += Hexadecimal.text(bytes, .upper).utf8
      text += Array("%27".utf8)
    default: text += Array("null".utf8)
    }
  }

  /// Whether a text could be taken for a part of another class.
  private static func needsQuotes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= 64 else {
      return unsafe bytes.starts(with: "x'".utf8) || bytes.starts(with: "'".utf8)
    }
    let text = unsafe String(decoding: bytes, as: UTF8.self)
    return text == "null" || text.hasPrefix("x'") || text.hasPrefix("'") || Double(text) != nil
  }
}
