import Records
import StoreFiles

/// The rows of one table of a plain SQLite database, each value as the file has it.
@safe
final class SQLiteRowReader: RowReader {
  private let plan: SQLiteRowPlan
  private var statement: Statement
  private let joins: [ToManyStream]
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
    var joins: [ToManyStream] = []
    for join in plan.joins { joins.append(try join.stream(after: place, arena: arena)) }
    self.joins = joins
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
    for index in unsafe cells.indices { unsafe cells[index] = try cell(plan.sources[index]) }
    return true
  }

  /// Goes to the row with a value that is too large to be held.
  private func takeLargeRow() throws(StoreError) -> Bool {
    guard let row = try plan.largeRow(after: place) else { return try passTooLarge() }
    arena.reset()
    (largeRow, statement, place) = (row, row.statement, row.statement.integer(0))
    for index in unsafe cells.indices {
      if case .plain(let column) = plan.sources[index] {
        unsafe cells[index] = try row.cell(column, arena: arena)
      } else {
        unsafe cells[index] = try cell(plan.sources[index])
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

  private func cell(_ source: SQLiteRowPlan.Source) throws(StoreError) -> Cell {
    switch source {
    case .plain(let column): statement.cell(column)
    case .address: address
    case .reference(let reference): reference.identity(in: statement, arena: arena)
    case .joined(let index): try joins[index].targets(of: place ?? 0)
    }
  }

  /// An address; a row of a table without any key goes by its number.
  private var address: Cell {
    var text = SQLiteAddress.text(plan.layout.addressPrefix, plan.keys, of: statement)
    if plan.keys.isEmpty { text += Array("row\(place ?? 0)".utf8) }
    return unsafe .text(arena.keep(text))
  }
}
