import CSQLite
import Records
import StoreFiles

/// The columns of a statement that have a foreign key and what identifies the row that it leads to.
struct SQLiteReference {
  private let value: Int32
  /// The columns of the parent's identity: one, or the parts of its key.
  private let identity: Range<Int32>
  /// A column that is NULL only where the parent has no such row.
  private let presence: Int32
  private let isAddress: Bool
  private let prefix: [UInt8]

  /// Adds the expressions for a reference of the table called `alias`, and knows their places.
  ///
  /// The first expression of all is in the column with the number `first`.
  init(
    to reference: SQLiteLayout.Reference,
    _ identity: IdentityRule,
    of alias: String,
    in store: SQLiteStore,
    _ expressions: inout [String],
    from first: Int32 = 0
  ) throws(StoreError) {
    let parent = try store.layout(of: reference.parent)
    let wanted: [String]
    switch identity {
    case .objectURI: wanted = parent.keyExpressions
    case .attribute(let name):
      guard let column = parent.table.column(name), !column.isComputed else {
        throw .unknownField(
          path: store.database.name,
          entity: reference.parent,
          field: name,
          reason: "the table has no such column"
        )
      }
      wanted = [quoted(column.name)]
    }
    let column = "\(alias).\(quoted(reference.column))"
    let target = parent.table.expression(reference.parentColumn)
    // Both sides name it: SQLite looks for that of a column even where it is not used.
    let collation = " COLLATE " + quoted(reference.collation.name)
    value = first + Int32(expressions.count)
    expressions.append(column)
    // The column that the foreign key equals is not NULL; without it, a constant is asked for.
    let equal = wanted.firstIndex(of: target)
    for part in wanted.map({ "p." + $0 }) + (equal == nil ? ["1"] : []) {
      expressions.append(
        "(SELECT \(part) FROM \(quoted(parent.table.name)) AS p "
          + "WHERE p.\(target)\(collation) = \(column)\(collation) LIMIT 1)"
      )
    }
    let start = value + 1
    self.identity = start..<(start + Int32(wanted.count))
    presence = start + Int32(equal ?? wanted.count)
    isAddress = identity == .objectURI
    prefix = parent.addressPrefix
  }

  /// The identity of the row that the foreign key leads to.
  ///
  /// A key whose row has no identity gives the address the row would have, so that a check of
  /// references can report it. A text stays as long as the row of the statement does, or until the arena is
  /// reset where it `keeps`.
  func identity(in statement: Statement, arena: Arena, keeps: Bool = false) -> Cell {
    guard !statement.isNull(value) else { return .null }
    let key = value..<(value + 1)
    func address(_ columns: Range<Int32>) -> Cell {
      unsafe .text(arena.keep(SQLiteAddress.text(prefix, columns, of: statement)))
    }
    if statement.isNull(presence) {
      guard case .text(let bytes) = address(key) else { return .null }
      let isZero = statement.type(value) == SQLITE_INTEGER && statement.integer(value) == 0
      return unsafe .dangling(bytes, isExpected: isZero)
    }
    if identity.allSatisfy({ statement.isNull($0) }) { return address(key) }
    if isAddress { return address(identity) }
    switch statement.cell(identity.lowerBound) {
    case .text(let bytes): return unsafe .text(keeps ? arena.keep(bytes) : bytes)
    case .integer(let number): return unsafe .text(arena.keep(Array(String(number).utf8)))
    case .blob(let bytes) where bytes.count == 16: return unsafe .text(arena.uuid(bytes))
    default: return address(key)
    }
  }
}

extension SQLiteTable {
  /// A column that a foreign key leads to, or the name of the rowid, in a statement.
  func expression(_ name: String) -> String { declaredColumn(name) == nil ? name : quoted(name) }
}
