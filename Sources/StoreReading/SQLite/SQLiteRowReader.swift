import CSQLite
import Records
import StoreFiles

/// The rows of one table of a plain SQLite database, each value as the file has it.
@safe
final class SQLiteRowReader: RowReader {
  private let plan: SQLiteRowPlan
  private var statement: Statement
  private let arena = Arena()
  private let cells: UnsafeMutableBufferPointer<Cell>
  /// The row at hand; before the first one, the row behind which reading begins.
  private var place: Int64?
  private var isTooLarge = false
  /// The row at hand, where it has values that are read in pieces.
  private var largeRow: LargeRow?

  init(_ request: RowRequest, of store: SQLiteStore) throws(StoreError) {
    let plan = try SQLiteRowPlan(request, of: store)
    place = plan.hasRowID ? request.after : request.after.map { max($0, 0) }
    statement = try plan.statement(after: place)
    self.plan = plan
    unsafe cells = .allocate(capacity: plan.sources.count)
    unsafe cells.initialize(repeating: .null)
  }

  deinit { unsafe cells.deallocate() }

  func next() throws(StoreError) -> Bool {
    isTooLarge = false
    if largeRow != nil { try goOnBehindLargeRow() }
    switch try statement.stepUnlessTooLarge() {
    case .row: break
    case .end: return false
    case .tooLarge: return try takeLargeRow()
    }
    arena.reset()
    place = plan.hasRowID ? statement.integer(0) : (place ?? 0) + 1
    for index in unsafe cells.indices { unsafe cells[index] = cell(plan.sources[index]) }
    return true
  }

  /// Goes to the row with a value that is too large to be held.
  private func takeLargeRow() throws(StoreError) -> Bool {
    guard let row = try plan.largeRow(after: place) else { return try passTooLarge() }
    arena.reset()
    (largeRow, statement, place) = (row, row.statement, row.statement.integer(0))
    for index in unsafe cells.indices {
      if case .plain(let column) = plan.sources[index], let name = plan.names[column] {
        unsafe cells[index] = try row.cell(column, named: name, arena: arena)
      } else {
        unsafe cells[index] = cell(plan.sources[index])
      }
    }
    isTooLarge = row.isTooLarge
    if isTooLarge { unsafe cells.update(repeating: .null) }
    return true
  }

  private func goOnBehindLargeRow() throws(StoreError) {
    largeRow = nil
    statement = try plan.statement(after: place)
  }

  /// Goes to the row that cannot be read for its size, and begins to read anew behind it.
  private func passTooLarge() throws(StoreError) -> Bool {
    let next = try plan.place(after: place)
    statement = try plan.statement(after: next)
    place = next
    unsafe cells.update(repeating: .null)
    isTooLarge = true
    return true
  }

  var row: Row {
    unsafe Row(place: place ?? 0, cells: UnsafeBufferPointer(cells), isTooLarge: isTooLarge)
  }

  private func cell(_ source: SQLiteRowPlan.Source) -> Cell {
    switch source {
    case .plain(let column): value(column)
    case .address: address(plan.layout.addressPrefix, plan.keys)
    case .reference(let reference): identity(of: reference)
    }
  }

  private func value(_ column: Int32) -> Cell {
    switch statement.type(column) {
    case SQLITE_INTEGER: .integer(statement.integer(column))
    case SQLITE_FLOAT: .real(statement.real(column))
    case SQLITE_TEXT: unsafe .text(statement.text(column))
    case SQLITE_BLOB: unsafe .blob(statement.blob(column))
    default: .null
    }
  }

  /// An address; a row of a table without any key goes by its number.
  private func address(_ prefix: [UInt8], _ keys: Range<Int32>) -> Cell {
    var text = prefix
    if keys.isEmpty { text += Array("row\(place ?? 0)".utf8) }
    for column in keys {
      if column > keys.lowerBound { text.append(UInt8(ascii: ",")) }
      SQLiteAddress.add(value(column), to: &text)
    }
    return unsafe .text(arena.keep(text))
  }

  /// The identity of the row a foreign key leads to.
  ///
  /// A key whose row has no identity gives the address the row would have, so that a check of
  /// references can report it.
  private func identity(of reference: SQLiteRowPlan.Reference) -> Cell {
    let (key, prefix) = (reference.value, reference.prefix)
    guard !statement.isNull(key) else { return .null }
    if statement.isNull(reference.presence) {
      guard case .text(let bytes) = address(prefix, key..<(key + 1)) else { return .null }
      let isZero = statement.type(key) == SQLITE_INTEGER && statement.integer(key) == 0
      return unsafe .dangling(bytes, isExpected: isZero)
    }
    let identity = reference.identity
    if identity.allSatisfy({ statement.isNull($0) }) { return address(prefix, key..<(key + 1)) }
    if reference.isAddress { return address(prefix, identity) }
    switch value(identity.lowerBound) {
    case .text(let bytes): return unsafe .text(bytes)
    case .integer(let number): return unsafe .text(arena.keep(Array(String(number).utf8)))
    case .blob(let bytes) where bytes.count == 16:
      return unsafe .text(arena.uuid(bytes))
    default: return address(prefix, key..<(key + 1))
    }
  }
}
